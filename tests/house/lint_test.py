"""The formatters and checkers agree with the sources: ruff, clang-format, mypy on core and interpreters."""

import pathlib
import subprocess
import sys

import pytest

from tests.house import tree


def run(tool, *arguments):
    """Runs a program of the environment that runs the tests."""
    line = [pathlib.Path(sys.executable).with_name(tool), *arguments]
    answer = subprocess.run(line, cwd=tree.ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, (answer.stdout + answer.stderr)[-4000:]


def python_sources():
    return [tree.name(path) for path in tree.files(".py")]


def test_ruff_finds_nothing():
    run("ruff", "check", "--no-cache", "--quiet", *python_sources())


def test_python_is_formatted():
    run("ruff", "format", "--no-cache", "--check", "--quiet", *python_sources())


def test_cpp_is_formatted():
    paths = [tree.name(path) for path in tree.files(".h", ".cpp")]
    run("clang-format", "--dry-run", "--Werror", *paths)


@pytest.mark.parametrize("package", ["core", "interpreters"])
def test_types_check(package):
    folder = f"jax/_src/{package}"
    if not tree.files(".py", below=folder):
        pytest.skip(f"{folder} has no sources yet")
    run("mypy", "--cache-dir=/dev/null", folder)


def test_functions_below_the_line_that_hides_frames_are_none():
    line = "traceback_filter.hide_frames(globals())"
    wrong = []
    for path in tree.files(".py", below="jax"):
        text = path.read_text().rstrip()
        if line in text and not text.endswith(line):
            wrong.append(tree.name(path))
    assert not wrong, "not the last line: " + ", ".join(wrong)
