"""Bazel ends with the command that started it, however that is stopped: nobody is left with a build that goes on."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.house import tree

BUILD = str(tree.ROOT / "build")
# Builds with the Bazel on the path, as ci/pythons does.
PROGRAM = """
import pathlib, signal
import bazel, workspace
workspace.folder = lambda: pathlib.Path({folder!r})
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    bazel.Bazel("python3", None).build("//some:target")
except KeyboardInterrupt:
    print("stopped")
"""
# Stands for Bazel: builds without end, and says in files which process it is, and that it was interrupted.
BAZEL = """#!/bin/sh
[ "$1" = build ] || exit 0
trap 'echo interrupted > told; exit 8' INT
echo "[1 / 9] Compiling x.cpp" >&2
echo $$ > begun
while :; do sleep 0.05; done
"""
PATIENCE = 60


def text_of(path):
    """Waits until a file has a line, and returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text.strip()
        time.sleep(0.02)
    raise AssertionError(f"no {path.name} within {PATIENCE} s")


@pytest.fixture
def folder(tmp_path):
    """A folder where Bazel runs that never ends; it ends with the test."""
    (tmp_path / "bazel").write_text(BAZEL)
    (tmp_path / "bazel").chmod(0o755)
    yield tmp_path
    if (tmp_path / "begun").exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(text_of(tmp_path / "begun")), signal.SIGKILL)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_build_ends_with_who_is_stopped(folder, name):
    path = f"{folder}:{os.environ['PATH']}"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(folder=str(folder))],
        env={**os.environ, "PATH": path, "PYTHONPATH": BUILD},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        text_of(folder / "begun")
        process.send_signal(signal.Signals[name])
        out, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert text_of(folder / "told") == "interrupted"
    assert out == ("" if name == "SIGKILL" else "stopped\n")
