"""Interpreters to build for are found on the path and among pyenv's, and each Python knows the names of its wheels."""

import sys

import pytest

from tests.house import tree

sys.path.insert(0, str(tree.ROOT / "build"))

import machine  # noqa: E402
import pythons  # noqa: E402


def write_interpreter(path, text):
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def pyenv(tmp_path, monkeypatch):
    """Makes interpreters of pyenv, one for each version, some without headers; returns their folder."""

    def make(*versions, with_headers=True):
        for version in versions:
            folder = tmp_path / "versions" / version
            include = folder / "include"
            write_interpreter(folder / "bin/python3.99", f'echo "$0" "{include}"')
            if with_headers:
                include.mkdir()
                (include / "Python.h").touch()
        return tmp_path / "versions"

    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return make


def test_the_newest_of_pyenv_is_taken_by_number(pyenv):
    folder = pyenv("3.99.9", "3.99.10", "3.99.11-dev")
    assert machine.find_python("3.99") == f"{folder}/3.99.10/bin/python3.99"


def test_the_path_comes_first(pyenv, tmp_path):
    pyenv("3.99.9")
    include = tmp_path / "versions/3.99.9/include"
    own = tmp_path / "path/python3.99"
    write_interpreter(own, f'echo "$0" "{include}"')
    assert machine.find_python("3.99") == str(own)


def test_what_does_not_run_gives_way(pyenv, tmp_path):
    folder = pyenv("3.99.9")
    write_interpreter(tmp_path / "path/python3.99", "exit 127")
    assert machine.find_python("3.99") == f"{folder}/3.99.9/bin/python3.99"


def test_an_interpreter_without_headers_is_refused(pyenv):
    pyenv("3.99.9", with_headers=False)
    with pytest.raises(machine.BuildError, match="has no headers"):
        machine.find_python("3.99")


def test_a_python_that_is_nowhere_is_refused(pyenv):
    with pytest.raises(machine.BuildError, match="nor among pyenv's"):
        machine.find_python("3.99")


@pytest.mark.parametrize(
    "version, tag",
    [("3.12", "cp312-cp312"), ("3.14", "cp314-cp314"), ("3.13t", "cp313-cp313t")],
)
def test_wheels_name_python_and_its_abi(version, tag):
    assert pythons.Installed(version).tag == tag


def test_commands_see_the_folder_where_they_run(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "CACHE", tmp_path)
    python = pythons.Installed("3.11")
    answer = python.run("sh", "-c", 'pwd; echo "$HOME $COLOUR"', COLOUR="red")
    assert answer.stdout.split() == [str(python.inside)] * 2 + ["red"]
