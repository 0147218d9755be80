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

def dialect_files(dialect, has_types = False, has_one_file = True):
    """What mlir_tblgen makes of a dialect's declarations: file -> arguments.

    Of its operations, too, where one file declares them all.
    """
    files = {
        "Attributes.cpp.inc": "-gen-attrdef-defs -attrdefs-dialect=" + dialect,
        "Attributes.h.inc": "-gen-attrdef-decls -attrdefs-dialect=" + dialect,
        "Dialect.cpp.inc": "-gen-dialect-defs -dialect=" + dialect,
        "Dialect.h.inc": "-gen-dialect-decls -dialect=" + dialect,
        "Enums.cpp.inc": "-gen-enum-defs",
        "Enums.h.inc": "-gen-enum-decls",
    }
    if has_types:
        files["Types.cpp.inc"] = "-gen-typedef-defs -typedefs-dialect=" + dialect
        files["Types.h.inc"] = "-gen-typedef-decls -typedefs-dialect=" + dialect
    if has_one_file:
        files["Ops.cpp.inc"] = "-gen-op-defs"
        files["Ops.h.inc"] = "-gen-op-decls"
    return files

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

def opt_suite(name, **kwargs):
    """A lit_suite of the package's test/*.mlir, which drive xla-opt."""
    lit_suite(
        name = name,
        srcs = native.glob(["test/*.mlir"]),
        tools = ["//xla/tools:xla-opt"],
        **kwargs
    )
