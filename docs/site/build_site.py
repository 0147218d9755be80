#!/usr/bin/env python3
"""Builds the documentation site: copies the pages, writes the reference, runs the cells, checks links and size.

    python docs/site/build_site.py --out dist/docs [--cache FOLDER] [--execute off]

`python3 build/build.py docs` runs it on freshly built wheels. A warning is an error. Results of cells are kept in the
cache's folder, by the contents of the page.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import links
import phases
import reference
import stage_pictures

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent
EXAMPLES = DOCS.parent / "examples"
# Files of examples that have a page with their source.
LANGUAGES = {".py": "python", ".cpp": "cpp", ".yaml": "yaml"}
LIMIT_BYTES = 60_000_000
KERNEL_SETTINGS = """
from ipykernel.compiler import XCachingCompiler

c = get_config()
c.InteractiveShell.xmode = "Minimal"
c.IPKernelApp.log_level = "ERROR"
XCachingCompiler.get_code_name = lambda self, raw, code, number: f"cell_{number}.py"
"""


def copy_sources(target: pathlib.Path) -> None:
    """The pages as Sphinx reads them, apart from the repository, where nothing is written."""
    skip = shutil.ignore_patterns("BUILD.bazel", "__pycache__", "site")
    shutil.copytree(DOCS, target, ignore=skip, symlinks=False)
    # What a tutorial learns from.
    shutil.copy(DOCS.parent / "examples/data/digits.npz", target / "tutorials")
    changelog = DOCS.parent / "CHANGELOG.md"
    if changelog.is_file():
        shutil.copyfile(changelog, target / "changelog.md")


def write_examples(target: pathlib.Path) -> None:
    """A page with the source of each example: who reads the site alone needs no copy of the repository."""
    for file in sorted(EXAMPLES.rglob("*")):
        if file.suffix not in LANGUAGES or not file.is_file():
            continue
        name = file.relative_to(EXAMPLES)
        page = target / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / name)
        gallery = "../" * len(name.parts) + "gallery.md"
        page.write_text(
            f"---\norphan: true\n---\n\n# {name}\n\n"
            f"{{download}}`Download <{name.name}>`, or back to the [gallery]({gallery}).\n\n"
            f"```{{literalinclude}} {name.name}\n:language: {LANGUAGES[file.suffix]}\n```\n"
        )


def configure_kernels(folder: pathlib.Path) -> None:
    """Errors in cells are shown as their message, without a traceback: the line is in the cell above.

    Kernels do not warn that they talk to this process over the loopback device without encryption. Messages name a cell
    by its number, and not by a file in a folder of the process.
    """
    profile = folder / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_kernel_config.py").write_text(KERNEL_SETTINGS)


def sphinx(source: pathlib.Path, out: pathlib.Path, options: argparse.Namespace) -> int:
    environment = os.environ | {
        "SITE_EXECUTE": options.execute,
        "SITE_CACHE": str(options.cache or ""),
        "MATPLOTLIBRC": str(HERE / "matplotlibrc"),
        "MPLCONFIGDIR": str(source.parent / "matplotlib"),
        "HOME": str(source.parent),
        "IPYTHONDIR": str(source.parent / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(source.parent / "jupyter"),
        # Kernels are other processes: they find the packages of this one.
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    command += [
        "-j",
        str(options.jobs),
        "-c",
        str(HERE),
        "-d",
        str(source.parent / "trees"),
    ]
    return subprocess.run([*command, str(source), str(out)], env=environment).returncode


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument(
        "--out", type=pathlib.Path, required=True, help="the folder of the site"
    )
    result.add_argument(
        "--cache", type=pathlib.Path, help="results of cells, kept between builds"
    )
    result.add_argument("--execute", default="cache", choices=["cache", "off"])
    result.add_argument("--jobs", type=int, default=2)
    return result


def main() -> int:
    options = parser().parse_args()
    start = time.monotonic()
    clock = phases.Clock("site")
    with tempfile.TemporaryDirectory() as folder:
        source, site = pathlib.Path(folder, "source"), pathlib.Path(folder, "site")
        copy_sources(source)
        write_examples(source / "examples")
        configure_kernels(pathlib.Path(folder, "ipython"))
        stage_pictures.write(source / "generated")
        pages = reference.Reference()
        pages.write(source / "reference")
        print(f"reference: {pages.counts}")
        clock.report("reference written")
        failed = sphinx(source, site, options)
        if failed:
            print("site: Sphinx has warnings or errors, printed above", file=sys.stderr)
            return failed
        clock.report("Sphinx")
        problems = links.check(site)
        clock.report("links checked")
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        if size > LIMIT_BYTES:
            problems.append(
                f"the site has {size / 1e6:.0f} MB, more than {LIMIT_BYTES / 1e6:.0f}"
            )
        for problem in problems:
            print(f"site: {problem}", file=sys.stderr)
        if options.out.exists():
            shutil.rmtree(options.out)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(site, options.out)
    count = len(list(options.out.rglob("*.html")))
    print(
        f"site: {count} pages, {size / 1e6:.1f} MB, {len(problems)} problems, {time.monotonic() - start:.0f} s"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
