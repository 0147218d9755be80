"""Tests of the front end that fail on the real XLA plugin, each with its reason.

`ci/frontend` runs them all the same and counts those that pass: whether they do hangs on the processor, too.
"""

import json
import pathlib
from collections.abc import Mapping

TESTS = pathlib.Path(__file__).parents[1]


def listed() -> dict[str, str]:
    """``folder/file_test.py::test`` or ``...::test[case]`` -> the reason."""
    groups = json.loads((TESTS / "testing/differences.json").read_text())
    return {test: reason for reason, tests in groups.items() for test in tests}


def key_of(path: pathlib.Path, name: str) -> str:
    """How the list names a test of a file."""
    return f"{path.parent.name}/{path.name}::{name}"


def reason_for(path: pathlib.Path, name: str, known: Mapping[str, str]) -> str | None:
    """Why a test is known to fail, or None."""
    whole, _, _ = name.partition("[")
    return known.get(key_of(path, name)) or known.get(key_of(path, whole))
