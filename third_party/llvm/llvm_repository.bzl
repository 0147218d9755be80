"""Binds an installed LLVM and MLIR as @llvm. The environment variable LLVM_ROOT names another than Debian's."""

def _bind_compiler(ctx, root):
    """What makes a precompiled header stale though Bazel does not know it: the compiler, the system's headers."""
    compiler = ctx.which(ctx.os.environ.get("CC", "clang-22"))
    if not compiler:
        fail("There is no clang-22: apt-get install clang-22")
    files = [compiler.realpath, ctx.path(root + "/lib/libclang-cpp.so.22.1")]
    read = ctx.execute([compiler, "-x", "c++", "-std=c++20", "-M", "-include", "bits/stdc++.h", "/dev/null"])
    if read.return_code:
        fail(read.stderr)
    files += [ctx.path(word) for word in read.stdout.replace("\n", " ").split(" ") if word.startswith("/usr/")]
    for file in {str(file): file for file in files if file.exists}.values():
        ctx.symlink(file.realpath, "compiler" + str(file))

def _llvm_repository_impl(ctx):
    root = ctx.os.environ.get("LLVM_ROOT") or "/usr/lib/llvm-22"
    if not ctx.path(root + "/lib/cmake/mlir").exists:
        fail("No LLVM with MLIR at %s: apt-get install llvm-22-dev libmlir-22-dev mlir-22-tools, or set LLVM_ROOT" % root)
    version = ctx.execute([root + "/bin/llvm-config", "--version"]).stdout.strip()
    if not version.startswith("22.1."):
        fail("LLVM 22.1.x is wanted, %s has %s" % (root, version))
    for folder in ["llvm", "llvm-c", "mlir", "mlir-c"]:
        ctx.symlink(ctx.path(root + "/include/" + folder).realpath, "include/" + folder)
    for tool in ["mlir-tblgen", "FileCheck", "not", "count", "split-file", "llvm-strip"]:
        ctx.symlink(root + "/bin/" + tool, "bin/" + tool)
    ctx.symlink(root + "/lib", "lib")
    ctx.symlink(root + "/utils/lit/lit", "lit")
    _bind_compiler(ctx, root)
    result = ctx.execute(["python3", ctx.path(Label("//third_party/llvm:make_build.py")), root])
    if result.return_code:
        fail(result.stderr)
    ctx.file("BUILD.bazel", result.stdout)

llvm_repository = repository_rule(
    implementation = _llvm_repository_impl,
    environ = ["CC", "LLVM_ROOT"],
    configure = True,
)
