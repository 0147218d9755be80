"""Binds the headers of XLA's foreign function interface as @xla_ffi.

They are a public interface (Apache-2.0), and upstream's jaxlib wheel is where they are published: pip fetches that
wheel, pinned by version and hash, and all but the headers and the licence is deleted."""

_VERSION = "0.10.2"
_SHA256 = "1faca3c5d4662cb4a6130a68105d68bb520764817e165d6eebfd6786c0d1f30f"

_EXTRACT = """
import glob, zipfile
wheel = zipfile.ZipFile(glob.glob("download/*.whl")[0])
for name in wheel.namelist():
    if name.startswith("jaxlib/include/xla/ffi/api/") or name.endswith("/LICENSE.txt"):
        wheel.extract(name, "wheel")
"""

_BUILD = """
cc_library(
    name = "xla_ffi",
    hdrs = glob(["include/xla/ffi/api/*.h"]),
    includes = ["include"],
    visibility = ["//visibility:public"],
)

exports_files(glob(["include/xla/ffi/api/*.h"]) + ["LICENSE.txt"])
"""

def _xla_ffi_repository_impl(ctx):
    ctx.file("requirements.txt", "jaxlib==%s --hash=sha256:%s\n" % (_VERSION, _SHA256))
    download = ["python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    download += ["--python-version", "3.11", "--platform", "manylinux_2_27_x86_64", "-r", "requirements.txt", "-d", "download"]
    for command in [download, ["python3", "-c", _EXTRACT]]:
        result = ctx.execute(command, timeout = 1200)
        if result.return_code:
            fail("%s\n%s%s" % (command, result.stdout, result.stderr))
    ctx.delete("download")
    ctx.symlink("wheel/jaxlib/include", "include")
    licences = ctx.execute(["sh", "-c", "cp wheel/*/LICENSE.txt wheel/*/*/LICENSE.txt . 2>/dev/null; test -f LICENSE.txt"])
    if licences.return_code:
        fail("the wheel has no LICENSE.txt")
    ctx.file("BUILD.bazel", _BUILD)

xla_ffi_repository = repository_rule(implementation = _xla_ffi_repository_impl)
