"""Builds CPython extension modules with pybind11."""

load("@python//:defs.bzl", "EXT_SUFFIX")

def pybind_extension(name, srcs, deps = [], data = [], **kwargs):
    """Builds `name` + the interpreter's suffix (_jit.cpython-311-x86_64-linux-gnu.so), and `name`, a py_library with it."""
    lds = "//third_party/python:extension.lds"
    native.cc_binary(
        name = name + EXT_SUFFIX,
        srcs = srcs,
        copts = ["-fvisibility=hidden"],
        linkopts = [
            "-Wl,--version-script,$(location %s)" % lds,
            "-Wl,--exclude-libs,ALL",
            "-Wl,--gc-sections",
        ],
        linkshared = True,
        linkstatic = True,
        deps = deps + [
            lds,
            "@python//:pybind11",
        ],
    )
    native.py_library(
        name = name,
        data = data + [name + EXT_SUFFIX],
        **kwargs
    )
