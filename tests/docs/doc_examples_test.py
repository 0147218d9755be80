"""The examples that docstrings get from jax/_src/doc_examples run, and stand where a reader looks for them."""

import doctest
import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.base import doc_examples
from tests.testing.doctests import Checker

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

TABLES = {path.stem: path for path in sorted(doc_examples.FOLDER.glob("*.txt"))}
# Public names that a table has an example for. It only grows.
AT_LEAST = 2140


@pytest.fixture(autouse=True)
def has_its_packages(request):
    """Arrays are written to disk by tensorstore, which the wheels do not need."""
    parameters = getattr(request.node, "callspec", None)
    if parameters and "array_serialization" in str(parameters.params.get("module")):
        pytest.importorskip("tensorstore", reason="needs the package tensorstore")


@pytest.mark.parametrize("module", TABLES)
def test_the_examples_of_a_module_run_and_give_what_they_show(module):
    report: list[str] = []
    runner = doctest.DocTestRunner(
        Checker(), verbose=False, optionflags=doctest.ELLIPSIS
    )
    for name, session in doc_examples.read(TABLES[module]).items():
        known = {"jax": jax, "jnp": jnp, "np": np}
        test = doctest.DocTestParser().get_doctest(
            session, known, f"{module}.{name}", None, 0
        )
        runner.run(test, out=report.append)
    assert not runner.summarize(verbose=False).failed, "".join(report)


@pytest.mark.parametrize("module", TABLES)
def test_every_example_shows_a_result(module):
    for name, session in doc_examples.read(TABLES[module]).items():
        examples = doctest.DocTestParser().get_examples(session)
        assert any(example.want for example in examples) or "#" in session, name


@pytest.mark.parametrize("module", TABLES)
def test_the_docstrings_of_a_module_hold_their_examples(module):
    owner = importlib.import_module(module)
    without = [
        name
        for name in doc_examples.read(TABLES[module])
        if ">>> " not in (inspect.getdoc(getattr(owner, name)) or "")
        and has_docstring_of_ours(getattr(owner, name))
    ]
    assert not without


def has_docstring_of_ours(value):
    """Not a class of NumPy or of native code, a set, a type alias, or an object that has its class's docstring alone."""
    has_room = inspect.isroutine(value) or hasattr(value, "__dict__")
    if not has_room or value is jax.config:  # whose attributes are options
        return False
    home = value if hasattr(value, "__module__") else type(value)
    others = ("numpy", "ml_dtypes", "builtins", "typing", "jaxlib._native.ir")
    return not home.__module__.startswith(others)


def test_the_number_of_examples_does_not_shrink():
    assert sum(len(doc_examples.read(path)) for path in TABLES.values()) >= AT_LEAST


@pytest.mark.parametrize(
    "text",
    [
        "One line.",
        "First.\n\n    Args:\n        x: array.\n    ",
        "First.\n\nArgs:\n    x: array.\n",
        "First.\n\n    Args:\n        x: array.",
    ],
)
def test_an_example_is_a_section_beside_the_others(text):
    def planted():
        pass

    planted.__doc__ = text
    doc_examples._append(planted, ">>> 1 + 1\n2")
    lines = inspect.getdoc(planted).splitlines()
    assert lines[0] == text.splitlines()[0]
    assert lines[-3:] == ["Examples:", "    >>> 1 + 1", "    2"]
    assert "Args:" not in text or "Args:" in lines


def test_a_docstring_with_an_example_keeps_it():
    def planted():
        """Adds.

        Examples:
            >>> 1 + 1
            2
        """

    before = planted.__doc__
    doc_examples._append(planted, ">>> 2 + 2\n4")
    assert planted.__doc__ == before


def test_without_the_tables_docstrings_stay_as_they_are(monkeypatch, tmp_path):
    """Tools that pack a program leave out what is no module."""
    monkeypatch.setattr(doc_examples, "FOLDER", tmp_path / "missing")
    before = jnp.where.__doc__
    doc_examples.attach("jax")
    assert jnp.where.__doc__ == before


def test_python_without_docstrings_imports():
    program = "import jax; print(jax.numpy.where.__doc__)"
    command = [sys.executable, "-OO", "-c", program]
    answer = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert answer.stdout.strip() == "None", answer.stderr[-2000:]


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ("Array([0.5], dtype=float32)\n", "Array([0.50000006], dtype=float32)\n", True),
        ("Array([0.5], dtype=float32)\n", "Array([0.51], dtype=float32)\n", False),
        ("Array([0.5], dtype=float32)\n", "Array([0.5], dtype=float64)\n", False),
        ("[1, 2]\n", "[1, 3]\n", False),
        ("[1., 2.]\n", "[1., 2., 3.]\n", False),
        ("True\n", "False\n", False),
        ("-inf\n", "-inf\n", True),
    ],
)
def test_results_may_differ_in_their_last_digits_alone(want, got, same):
    assert Checker().check_output(want, got, doctest.ELLIPSIS) == same
