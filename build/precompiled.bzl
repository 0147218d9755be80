"""Precompiled headers: what many sources include is parsed once, by an action of its own (docs/internals/build.md)."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# Templates are instantiated here and not again in each source. Bazel knows what has changed, and its sandboxes and
# its cache change the times of files, so none are written down.
_FLAGS = ["-xc++-header", "-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp"]

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features + ["dependency_file"],
    )
    infos = [dep[CcInfo] for dep in ctx.attr.deps]
    context = cc_common.merge_cc_infos(cc_infos = infos).compilation_context
    base = ctx.files.base
    source = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(source, "".join(["#include <%s>\n" % header for header in ctx.attr.headers]))
    output = ctx.actions.declare_file(ctx.label.name + ".pch")
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        # Standard input: a file would be one of those that each user reports to Bazel as read.
        source_file = "-",
        output_file = output.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts + _FLAGS +
                             [flag for file in base for flag in ["-include-pch", file.path]],
        # All as system headers, which users do not report either.
        system_include_directories = depset(transitive = [
            context.includes,
            context.quote_includes,
            context.system_includes,
        ]),
        preprocessor_defines = context.defines,
        use_pic = True,
    )
    arguments = ctx.actions.args()
    arguments.add(cc_common.get_tool_for_action(feature_configuration = features, action_name = "c++-compile"))
    arguments.add_all(cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = variables,
    ))
    ctx.actions.run_shell(
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling headers for %s" % ctx.label.package,
        command = "exec \"$@\" < " + source.path,
        arguments = [arguments],
        # What Bazel sets for every compilation: the names of headers hold no sandbox's path.
        env = {"PWD": "/proc/self/cwd"},
        inputs = depset([source] + base + ctx.files._compiler, transitive = [context.headers, toolchain.all_files]),
        outputs = [output],
    )
    own = CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset([output] + base)))
    return [
        DefaultInfo(files = depset([output])),
        cc_common.merge_cc_infos(cc_infos = [own] + infos),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "base": attr.label(allow_files = [".pch"], doc = "a precompiled header that this one continues"),
        "copts": attr.string_list(doc = "those of the sources that use it"),
        "deps": attr.label_list(providers = [CcInfo]),
        "headers": attr.string_list(mandatory = True),
        "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
        "_compiler": attr.label(default = Label("@llvm//:compiler")),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

# What a library depends on -> the precompiled headers for it; the first row that fits.
_FOR = [
    # (dependencies, with exceptions, headers)
    (["@python//:pybind11", "//xla/dialect/stablehlo"], True, "//jaxlib/mlir:precompiled"),
    (["@python//:pybind11"], True, "//third_party/python:precompiled"),
    (["//xla/dialect/stablehlo", "@llvm//:LLVMCore"], False, "//xla/codegen/cpu:precompiled"),
    (["//xla/dialect/stablehlo"], False, "//xla/dialect/stablehlo:precompiled"),
    (["@llvm//:MLIRIR"], False, "//third_party/llvm:precompiled"),
]

def uses_of_precompiled(deps, exceptions):
    """The copts and deps that start a library's sources from precompiled headers; none with --config=unprecompiled."""
    fitting = [
        label
        for wanted, with_exceptions, label in _FOR
        if exceptions == with_exceptions and not [dep for dep in wanted if dep not in deps]
    ]
    if not fitting:
        return struct(copts = [], deps = [])
    file = "$(BINDIR)/%s.pch" % fitting[0][2:].replace(":", "/")
    flags = [
        "-include-pch",
        file,
        # Sources report our own headers and the precompiled file, which stands for the system's.
        "-MMD",
        "-Wno-unused-command-line-argument",
        "-Xclang",
        "-fdepfile-entry=" + file,
    ]
    without = "//build:unprecompiled"
    return struct(
        copts = select({without: [], "//conditions:default": flags}),
        deps = select({without: [], "//conditions:default": [fitting[0]]}),
    )
