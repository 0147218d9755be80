"""Rules for our C++: the one definition of the flags that all of it is compiled with."""

load("//build:precompiled.bzl", "precompiled_header", "uses_of_precompiled")

COPTS = [
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
    "-fvisibility=hidden",
]

_NO_EXCEPTIONS = ["-fno-exceptions"]

def sources(stems = ["*"], exclude = []):
    """The package's .cpp and .h files of these names that no rule above has taken, without tests and fuzz targets."""
    taken = [
        label.lstrip(":")
        for rule in native.existing_rules().values()
        if rule["kind"].startswith("cc_")
        for attribute in ["srcs", "hdrs"]
        for label in rule.get(attribute) or []
    ]
    return native.glob(
        [stem + end for stem in stems for end in [".cpp", ".h"]],
        exclude = ["*Fuzz.cpp", "*Test.cpp"] + taken + exclude,
    )

def _flags(exceptions):
    return COPTS + ([] if exceptions else _NO_EXCEPTIONS)

def native_precompiled(name, exceptions = False, **kwargs):
    """Headers that many sources include, parsed once; precompiled.bzl says for which libraries."""
    precompiled_header(
        name = name,
        copts = _flags(exceptions),
        **kwargs
    )

def native_library(name, copts = [], deps = [], exceptions = False, **kwargs):
    """A cc_library with the house flags; `exceptions` is for the pybind11 border alone."""
    uses = struct(copts = [], deps = []) if copts else uses_of_precompiled(deps, exceptions)
    native.cc_library(
        name = name,
        copts = _flags(exceptions) + copts + uses.copts,
        deps = deps + uses.deps,
        **kwargs
    )

def _file_of(name):
    """`thread_pool` -> `ThreadPool`."""
    return "".join([part.capitalize() for part in name.split("_")])

def native_unit(name, **kwargs):
    """A native_library of one header and one source, thread_pool: ThreadPool.h and ThreadPool.cpp."""
    native_library(
        name = name,
        srcs = [_file_of(name) + ".cpp"],
        hdrs = [_file_of(name) + ".h"],
        **kwargs
    )

def native_binary(name, copts = [], **kwargs):
    """A cc_binary with the house flags."""
    native.cc_binary(
        name = name,
        copts = COPTS + _NO_EXCEPTIONS + copts,
        **kwargs
    )

def native_test(name, srcs = None, copts = [], size = "small", **kwargs):
    """A cc_test with the house flags, of ThreadPoolTest.cpp for thread_pool_test; main() returns the number of failed checks."""
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs or [_file_of(name) + ".cpp"],
        copts = COPTS + _NO_EXCEPTIONS + copts,
        **kwargs
    )

def fuzz_target(name, srcs, deps, corpus, **kwargs):
    """A function that must survive any bytes, LLVMFuzzerTestOneInput.

    `NAME_replay` is a test that feeds it the corpus; `NAME_fuzzer`, which ci/fuzz builds, looks for more.
    """
    native_test(
        name = name + "_replay",
        srcs = srcs + ["//xla/support:FuzzReplay.cpp"],
        args = ["$(rootpaths %s)" % label for label in corpus],
        data = corpus,
        deps = deps,
        **kwargs
    )
    native_binary(
        name = name + "_fuzzer",
        testonly = True,
        srcs = srcs,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps,
    )
