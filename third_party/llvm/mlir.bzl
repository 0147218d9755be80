"""Macros around LLVM's tools: code from TableGen, and tests by lit."""

def mlir_tblgen(name, td, outs, deps = []):
    """Runs mlir-tblgen on `td` for each of `outs` (file -> arguments); `deps` are the .td files of ours that it includes."""
    tool = "@llvm//:bin/mlir-tblgen"
    for out, arguments in outs.items():
        native.genrule(
            name = name + "_" + out.replace(".", "_").replace("/", "_"),
            srcs = [td, "@llvm//:td"] + deps,
            outs = [out],
            tools = [tool],
            cmd = "$(execpath %s) %s -Iexternal/llvm/include -I. $(execpath %s) -o $@" % (tool, arguments, td),
        )

def lit_suite(name, srcs, tools, inputs = [], size = "small"):
    """Runs the RUN lines of each file in `srcs` with lit, as one test.

    They call `tools` by base name, and find `inputs` beside themselves, as %S/NAME."""
    native.py_test(
        name = name,
        size = size,
        srcs = ["//third_party/llvm:lit_main.py"],
        main = "//third_party/llvm:lit_main.py",
        args = ["$(rootpath %s)" % file for file in srcs + inputs] +
               ["--tools"] + ["$(rootpath %s)" % tool for tool in tools],
        data = srcs + inputs + tools + [
            "@llvm//:bin/FileCheck",
            "@llvm//:bin/not",
            "@llvm//:lit",
        ],
    )
