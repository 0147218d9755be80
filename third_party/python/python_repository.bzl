"""Binds a Python, named by PYTHON_BIN_PATH: @python_packages is a venv with the packages of lock files, @python its headers.

PYTHON_HEADERS names the headers of another Python to build for, which need not run on this machine: a folder
`include/python3.N` as Debian's package libpython3.N-dev or an installed Python has it, or `include/python3.Nt` of one
without the interpreter's lock. The scripts of the build run on the first one all the same; they are a repository of
their own, so that other headers install no packages anew.
"""

_PROBE = """import json, sysconfig
print(json.dumps([sysconfig.get_config_var(k) for k in ["py_version_short", "INCLUDEPY", "EXT_SUFFIX"]]))"""

_BUILD = """load("@bazel_tools//tools/python:toolchain.bzl", "py_runtime_pair")

package(default_visibility = ["//visibility:public"])

py_runtime(name = "runtime", interpreter_path = "{python}", python_version = "PY3")
py_runtime_pair(name = "pair", py3_runtime = ":runtime")
toolchain(name = "toolchain", toolchain = ":pair", toolchain_type = "@bazel_tools//tools/python:toolchain_type")

cc_library(name = "headers", hdrs = glob(["include/**/*.h", "machine/**/*.h"]), includes = ["include", "machine"])
cc_library(name = "pybind11", hdrs = glob(["pybind11/**/*.h"]), includes = ["pybind11"], deps = [":headers"])
cc_library(name = "numpy_headers", hdrs = glob(["numpy/**/*.h"]), includes = ["numpy"], deps = [":headers"])

# The PJRT C API's header and the plugin of the real XLA, both from the xla-cpu-pjrt wheel (Apache-2.0).
cc_library(name = "pjrt_c_api", hdrs = ["xla_cpu_pjrt/include/pjrt_c_api.h"], includes = ["xla_cpu_pjrt/include"])
filegroup(name = "xla_cpu_pjrt_plugin", srcs = ["xla_cpu_pjrt/xla_cpu_pjrt.so"])
"""

def _run(ctx, *command):
    result = ctx.execute(command, timeout = 1200)
    if result.return_code:
        fail("%s\n%s%s" % (command, result.stdout, result.stderr))
    return result.stdout

def _other_python(ctx, include, suffix):
    """The version and the suffix of extension modules of the Python that has the headers in `include`."""
    name = include.split("/")[-1]
    if not name.startswith("python3.") or not ctx.path(include + "/Python.h").exists:
        fail("PYTHON_HEADERS=%s: a folder .../include/python3.N with Python.h is wanted" % include)
    version = name[len("python"):]

    # ".cpython-311-x86_64-linux-gnu.so": what the machine is called follows the version.
    machine = suffix.split("-", 2)[2]
    machine_name = machine[:-len(".so")]
    of_machine = "%s/%s/%s" % (ctx.path(include).dirname, machine_name, name)
    if ctx.path(of_machine).exists:
        ctx.symlink(of_machine, "machine/%s/%s" % (machine_name, name))
    return version, ".cpython-%s-%s" % (version.replace(".", ""), machine)

def _probe(ctx):
    interpreter = ctx.os.environ.get("PYTHON_BIN_PATH") or "/usr/bin/python3"
    version, include, suffix = json.decode(_run(ctx, interpreter, "-c", _PROBE))
    if not ctx.path(include + "/Python.h").exists:
        fail("%s has no Python.h in %s: apt-get install python3-dev, or name another by PYTHON_BIN_PATH" % (interpreter, include))
    return interpreter, version, include, suffix

def _packages_repository_impl(ctx):
    interpreter = _probe(ctx)[0]
    _run(ctx, interpreter, "-m", "venv", "venv")
    python = str(ctx.path("venv/bin/python"))
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    for lock in ctx.attr.locks:
        _run(ctx, python, "-m", "pip", "install", "-r", ctx.path(lock), *options)
    ctx.file("BUILD.bazel", "")

packages_repository = repository_rule(
    implementation = _packages_repository_impl,
    attrs = {"locks": attr.label_list(allow_files = True)},
    environ = ["PYTHON_BIN_PATH"],
)

def _python_repository_impl(ctx):
    _, version, include, suffix = _probe(ctx)
    venv = str(ctx.path(ctx.attr.packages).dirname) + "/venv"
    packages = "%s/lib/python%s/site-packages/" % (venv, version)
    headers = ctx.os.environ.get("PYTHON_HEADERS")
    if headers:
        include = headers
        version, suffix = _other_python(ctx, headers, suffix)
    ctx.symlink(include, "include")
    ctx.symlink(packages + "pybind11/include", "pybind11")
    ctx.symlink(packages + "numpy/_core/include", "numpy")
    ctx.symlink(packages + "xla_plugins/xla_cpu_pjrt", "xla_cpu_pjrt")
    ctx.file("BUILD.bazel", _BUILD.format(python = venv + "/bin/python"))
    ctx.file("defs.bzl", "PYTHON_VERSION = \"%s\"\nEXT_SUFFIX = \"%s\"\n" % (version, suffix))

python_repository = repository_rule(
    implementation = _python_repository_impl,
    attrs = {"packages": attr.label(allow_single_file = True)},
    environ = ["PYTHON_BIN_PATH", "PYTHON_HEADERS"],
)
