"""The two sides that are compared: an interpreter with our wheels, and one with upstream's release."""

import argparse
import pathlib
import subprocess

import environments
import machine

import build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ours", help="a Python with our wheels and the packages")
    parser.add_argument("--peer", help="a Python with upstream's and the packages")


def interpreters(options: argparse.Namespace) -> dict[str, tuple[str, str]]:
    """The interpreter, and a name for its contents, by side; made where none was given."""
    default = machine.find_python(None)
    sides = {}
    for side, given in (("peer", options.peer), ("ours", options.ours)):
        if given:
            sides[side] = given, ""
            continue
        wheels = []
        if side == "ours":
            prepared = argparse.Namespace(python_version=None, jobs=None)
            wheels = build.build_wheels(prepared, list(build.WHEELS))
        sides[side] = environments.with_suites(f"suites-{side}", default, wheels)
    return sides


def our_interpreter(given: str | None) -> str | pathlib.Path:
    """The given interpreter, or one with our wheels and what these need."""
    if given:
        return given
    prepared = argparse.Namespace(python_version=None, jobs=None)
    wheels = build.build_wheels(prepared, list(build.WHEELS))
    return environments.with_wheels("libraries", machine.find_python(None), wheels)


def packages_folder(python: str) -> pathlib.Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    answer = subprocess.run([python, "-c", code], capture_output=True, check=True)
    return pathlib.Path(answer.stdout.decode().strip())
