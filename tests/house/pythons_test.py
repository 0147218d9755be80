"""Interpreters to build for are found on the path and among pyenv's, and each Python knows the names of its wheels."""

import importlib.machinery
import signal
import sys
import threading
import types

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


@pytest.fixture
def command(monkeypatch):
    """The module of ci/pythons, which copies and runs nothing; `ran` has what it would have run."""
    path = str(tree.ROOT / "ci/pythons")
    loader = importlib.machinery.SourceFileLoader("ci_pythons", path)
    module = types.ModuleType("ci_pythons")
    module.__file__ = path
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else beside the script
    monkeypatch.setitem(sys.modules, "ci_pythons", module)
    loader.exec_module(module)
    module.ran = []

    def run(python, commands, log):
        module.ran.append((commands[0], python.version))
        return commands[0] in {"pip install", "smoke"}, ["1 failed, 2 passed in 3 s"]

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "copy_tests", lambda python: None)
    names = ("pip install", "smoke", "core tests")
    monkeypatch.setattr(module, "steps", lambda *_: {name: [name] for name in names})
    return module


def attempt(command, *versions, at_once=1):
    chosen = {version: pythons.Installed(version) for version in versions}
    table = {version: {} for version in versions}
    command.attempt(chosen, table, types.SimpleNamespace(at_once=at_once))
    return table


def test_each_step_runs_in_every_python_before_the_next(command):
    table = attempt(command, "3.11", "3.12")
    names = [name for name, _ in command.ran]
    assert names == sorted(names, key=["pip install", "smoke", "core tests"].index)
    assert [version for _, version in command.ran] == ["3.11", "3.12"] * 3
    assert table["3.12"]["core tests"] == "FAILED: 1 failed, 2 passed"


def test_pythons_are_tried_side_by_side(command, monkeypatch):
    both = threading.Barrier(2, timeout=60)

    def run(python, commands, log):
        command.ran.append(commands[0])
        both.wait()  # broken where one waits for the other
        return True, [f"{python.version} is done"]

    monkeypatch.setattr(command, "run", run)
    table = attempt(command, "3.11", "3.12", at_once=2)
    names = ["pip install", "smoke", "core tests"]
    assert sorted(command.ran, key=names.index) == [n for n in names for _ in range(2)]
    assert table == {version: dict.fromkeys(names, "ok") for version in table}


@pytest.mark.parametrize("number", [1, 2, 3, 9])
def test_no_more_are_at_work_than_requested(command, monkeypatch, number):
    at_work, most, lock = [], [], threading.Lock()

    def run(python, commands, log):
        with lock:
            at_work.append(python.version)
            most.append(len(at_work))
            assert at_work.count(python.version) == 1
        threading.Event().wait(0.002)
        with lock:
            at_work.remove(python.version)
        return True, ["done"]

    monkeypatch.setattr(command, "run", run)
    versions = ("3.11", "3.12", "3.13", "3.14")
    table = attempt(command, *versions, at_once=number)
    assert [len(row) for row in table.values()] == [3, 3, 3, 3]
    assert max(most) <= number


def test_a_failure_beside_others_is_not_lost(command, monkeypatch):
    def run(python, commands, log):
        if python.version == "3.12":
            raise OSError("no room")
        return True, ["done"]

    monkeypatch.setattr(command, "run", run)
    with pytest.raises(OSError, match="no room"):
        attempt(command, "3.11", "3.12", at_once=2)


def test_a_python_without_the_wheels_tries_nothing_else(command, monkeypatch):
    monkeypatch.setattr(
        command, "run", lambda python, commands, log: (python.version == "3.12", ["no"])
    )
    table = attempt(command, "3.11", "3.12")
    assert table["3.11"] == {"pip install": "FAILED: no"}
    assert len(table["3.12"]) == 3


def test_what_had_not_run_when_it_was_stopped_says_so(command, monkeypatch, capsys):
    def stop(python, commands, log):
        if commands[0] == "smoke":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
            threading.Event().wait()  # nobody waits for this
        return True, ["done"]

    monkeypatch.setattr(command, "run", stop)
    monkeypatch.setattr(
        command, "prepare", lambda version, _: (pythons.Installed(version), "ok")
    )
    monkeypatch.setattr(command.machine, "ensure_packages", lambda: None)
    monkeypatch.setattr(sys, "argv", ["ci/pythons", "--only", "3.11,3.12"])
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        command.main()
    signal.signal(signal.SIGTERM, handler)
    shown = capsys.readouterr().out
    assert "| Python | wheel | pip install |\n" in shown
    assert "| 3.12 | ok | ok |\n" in shown
