"""Examples are found, run and compared as they should be."""

import json
import subprocess
import sys

import pytest

from tests.suites import examples, verdict

PACKAGE = '''
"""A package.

>>> import os
>>> x = 1
>>> for k in range(2):
...     print(k + x)
1
2
>>> jnp.arange(2) + x
Array([1, 2], dtype=int32)
>>> x.missing
"""

def f():
    """Nothing to run."""

def g():
    """
    >>> x  # names of other docstrings are not there
    """
'''


def test_examples_of_a_package_are_found_and_run(tmp_path, monkeypatch):
    (tmp_path / "exemplary").mkdir()
    (tmp_path / "exemplary/__init__.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    found = examples.find(["exemplary"])
    assert [(location, len(sources)) for _, location, sources in found] == [
        ("exemplary/__init__.py:2", 5),
        ("exemplary/__init__.py:19", 1),
    ]
    given, answer = tmp_path / "given", tmp_path / "answer"
    given.write_text(json.dumps(found))
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, examples.__file__, "run", given, answer]
    subprocess.run(command, check=True, env=environment)
    first, second = json.loads(answer.read_text()).values()
    assert first[:4] == ["", "", "1\n2\n", "Array([1, 2], dtype=int32)\n"]
    assert first[4].startswith("raises AttributeError: ")
    assert second[0].startswith("raises NameError: ")


def test_a_child_that_dies_has_shown_nothing():
    assert examples.in_a_child(lambda: [1]) == [1]
    assert examples.in_a_child(lambda: examples.os._exit(1)) is None


@pytest.mark.parametrize(
    "there, here, wanted",
    [
        ("[1.0, 2.0]", "[1.0,\n  2.0]", True),
        ("0.84147096", "0.841471", True),
        ("-1e-9", "3e-8", True),
        ("2.+0.j", "2.-0.j", True),
        ("1.01", "1.0", False),
        ("float32[3]", "float32[4]", False),
        ("[1, 2]", "[1]", False),
        ("<object at 0x7f01>", "<object at 0x7fff>", True),
        ("3.1 ms", "0.2 ms", True),
        ("raises ValueError: a", "raises ValueError: b", True),
        ("raises ValueError: a", "raises TypeError: a", False),
        ("1", "raises TypeError: a", False),
    ],
)
def test_texts_are_the_same_but_for_layout_chance_and_rounding(there, here, wanted):
    assert examples.same(there, here) is wanted


def test_what_fails_there_does_not_count_and_what_differs_here_is_lost():
    found = [("p", "p/a.py:1", ["x", "y", "z"]), ("p", "p/b.py:1", ["x"])]
    there = {"p/a.py:1": ["1", "raises ValueError: ", "3"], "p/b.py:1": ["1"]}
    here = {"p/a.py:1": ["1", "2", "4"], "p/b.py:1": None}
    judged = verdict.judge(*examples.ends_of(found, there, here))
    assert (judged.there, judged.here) == (3, 1)
    assert [test for test, _ in judged.losses] == ["0 p/b.py:1 x", "2 p/a.py:1 z"]
