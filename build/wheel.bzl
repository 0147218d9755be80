"""Builds wheels from py_library targets."""

load("@python//:defs.bzl", "PYTHON_VERSION")

def _wheel_impl(ctx):
    tag = "py3-none-any"
    if ctx.attr.platform != "any":
        abi = "cp" + ctx.attr.python_version.replace(".", "")

        # "3.13t" has no interpreter's lock: another ABI of the same Python.
        python = abi[:-1] if abi.endswith("t") else abi
        tag = "%s-%s-%s" % (python, abi, ctx.attr.platform) if ctx.attr.calls_python else "py3-none-" + ctx.attr.platform
    out = ctx.actions.declare_file("%s-%s-%s.whl" % (ctx.attr.distribution, ctx.attr.version, tag))
    sources = depset(transitive = [
        files
        for lib in ctx.attr.libs
        for files in [lib[DefaultInfo].default_runfiles.files, lib[PyInfo].transitive_sources]
    ])

    # Neither what comes from other repositories nor what belongs to another wheel of ours.
    folder = (ctx.attr.folder or ctx.attr.distribution) + "/"
    kept = [file for file in sources.to_list() if file.short_path.startswith(folder)]
    args = ctx.actions.args()
    args.use_param_file("@%s")
    args.set_param_file_format("multiline")
    args.add("--out=" + out.path)
    args.add("--name=" + ctx.attr.distribution)
    args.add("--version=" + ctx.attr.version)
    args.add("--summary=" + ctx.attr.summary)
    args.add("--tag=" + tag)
    args.add("--requires-python=" + ctx.attr.requires_python)
    args.add_all(["--require=" + requirement for requirement in ctx.attr.requires])
    for extra, requirements in ctx.attr.extras.items():
        args.add_all(["--extra=%s:%s" % (extra, requirement) for requirement in requirements])
    args.add_all(["--entry-point=%s:%s" % (group, point) for point, group in ctx.attr.entry_points.items()])
    args.add("--strip=" + ctx.file._strip.path)
    args.add_all(["--license=" + file.path for file in ctx.files.licenses])
    if ctx.file.sbom:
        args.add("--sbom=" + ctx.file.sbom.path)
    args.add_all(["%s=%s" % (file.path, file.short_path) for file in kept])
    ctx.actions.run(
        outputs = [out],
        inputs = kept + ctx.files.licenses + ctx.files.sbom + [ctx.file._strip],
        executable = ctx.executable._tool,
        arguments = [args],
        mnemonic = "Wheel",
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

_wheel = rule(
    implementation = _wheel_impl,
    attrs = {
        # Whether its native code calls Python's: then it is for one version of Python.
        "calls_python": attr.bool(default = True),
        "distribution": attr.string(mandatory = True),
        # "name = module" -> the group.
        "entry_points": attr.string_dict(),
        "extras": attr.string_list_dict(),
        # The folder of the files, if it is not the folder of the distribution's name.
        "folder": attr.string(),
        "libs": attr.label_list(providers = [PyInfo]),
        "licenses": attr.label_list(allow_files = True, default = ["//:LICENSE"]),
        "platform": attr.string(default = "any"),
        "python_version": attr.string(),
        "requires": attr.string_list(),
        "requires_python": attr.string(default = ">=3.11"),
        "sbom": attr.label(allow_single_file = True),
        "summary": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
        "_strip": attr.label(default = "@llvm//:bin/llvm-strip", allow_single_file = True),
        "_tool": attr.label(default = "//build:wheel", executable = True, cfg = "host"),
    },
)

def wheel(name, **kwargs):
    """Makes the wheel of `libs`, for the Python that the build is bound to."""
    _wheel(
        name = name,
        python_version = PYTHON_VERSION,
        **kwargs
    )
