"""What public functions say of themselves: arguments, shapes, dtypes, errors, examples.

A docstring may say that its arguments are those of another function; that one's text
then counts too. The check is by words: it finds what is missing, not what is untrue.
"""

import dataclasses
import doctest
import importlib
import inspect
import json
import operator
import pathlib
import re
import typing
import warnings

import numpy as np
import pytest

import jax
import jax.flatten_util
import jax.numpy as jnp
from jax._src.base import doc_examples
from tests.testing.doctests import Checker

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = json.loads((ROOT / "tests/surface/names.json").read_text())
OF_ARRAYS = "dtypes image lax nn numpy ops random scipy tree tree_util".split()
MODULES = [name for name in NAMES if name == "jax" or name.split(".")[1] in OF_ARRAYS]

# How many names may lack a part. It never grows.
LACKING = 0

# Words that show that the docstring speaks of the matter.
SPEAKS_OF = {
    "shapes": r"shape|scalar|matri|vector|array|axis|axes|tree",
    "dtypes": r"dtype|float|integer|complex|boolean|number|text|tree|any class|structure",
    "errors": r"\w+Error\b|Raises:\s+(Nothing|What)",
}
POINTS_TO = re.compile(
    r"(?:[Aa]lias of|[Aa]s|[Aa]s for|those of|arguments of|[Ss]ee)\s+`([\w.]+)`"
)

# Examples that cannot run here, with the reason.
NOT_RUN = {"jax.profiler.trace": "writes a folder"}
# tests/docs/doc_examples_test.py runs these.
TABLED = {
    f"{path.stem}.{name}"
    for path in doc_examples.FOLDER.glob("*.txt")
    for name in doc_examples.read(path)
}


def public(modules):
    """The objects of ours among the public names of modules."""
    for module in modules:
        try:
            owner = importlib.import_module(module)
        except ImportError:
            continue  # surface_test.py knows which modules are missing.
        for name in NAMES[module]:
            with warnings.catch_warnings():
                # Names that are to go warn at their first use.
                warnings.simplefilter("ignore", DeprecationWarning)
                value = getattr(owner, name, None)
            if str(getattr(value, "__module__", "")).startswith("jax"):
                yield module, name, value


def functions(modules):
    for module, name, value in public(modules):
        is_function = inspect.isroutine(value) or hasattr(value, "__wrapped__")
        if (is_function or isinstance(value, jnp.ufunc)) and not inspect.isclass(value):
            yield module, f"{module}.{name}", value


def find(path, module):
    """The object that a docstring names, by its full name or beside the function."""
    for full in (path, f"{module}.{path}"):
        owner, _, name = full.rpartition(".")
        try:
            return getattr(importlib.import_module(owner), name), owner
        except (ImportError, AttributeError, ValueError):
            continue
    return None, module


def told(function, module, seen=()):
    """The docstring, and those of the functions whose arguments it says it has."""
    text = inspect.getdoc(function) or ""
    if isinstance(function, jnp.ufunc):
        text += "\n" + inspect.getdoc(jnp.ufunc.__call__)
    for path in POINTS_TO.findall(text):
        target, owner = find(path, module)
        if target is not None and target is not function and path not in seen:
            text += "\n" + told(target, owner, (*seen, path))
    return text


def lacks(function, module):
    """What the docstring of a function does not say."""
    text = told(function, module)
    parts = ["errors"] if module == "jax" else list(SPEAKS_OF)
    missing = [part for part in parts if not re.search(SPEAKS_OF[part], text, re.I)]
    for name in inspect.signature(function).parameters:
        line = rf"^\s*[\w*, ]*(?<!\w){name}\b[\w*, ]*:"
        quoted = rf"`[^`]*(?<!\w){name}(?!\w)[^`]*`"
        if name[0] != "_" and not re.search(f"{line}|{quoted}", text, re.MULTILINE):
            missing.append(name)
    return missing


def test_public_functions_document_arguments_shapes_dtypes_and_errors():
    found = {name: lacks(value, module) for module, name, value in functions(MODULES)}
    missing = [f"{name}: {' '.join(parts)}" for name, parts in found.items() if parts]
    assert len(found) > 1000
    assert len(missing) == LACKING, "\n".join(missing)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("x: array of floats. axis: what to add up. ValueError: it is not there.", []),
        ("x: array of floats. ValueError: it is not there.", ["axis"]),
        ("x: array of floats. axis: what to add up.", ["errors"]),
        ("x: array. axis: what to add up. ValueError: it is not there.", ["dtypes"]),
        ("x, y: floats. ValueError: they are not there.", ["shapes", "axis"]),
        ("", ["shapes", "dtypes", "errors", "x", "axis"]),
    ],
)
def test_what_a_docstring_lacks_is_found(text, missing):
    def planted(x, axis):
        pass

    planted.__doc__ = text.replace(". ", ".\n")
    assert lacks(planted, "jax.numpy") == missing


MATRIX = np.float32([[2, 1, 0], [1, 3, 1], [0, 1, 4]])


def unnamed_errors(function, module):
    """What a function of one array raises for bad arguments, and does not name."""
    parameters = inspect.signature(function).parameters
    needed = [p for p in parameters.values() if p.default is p.empty]
    if len(needed) != 1:
        return
    try:
        function(MATRIX)
    except Exception:
        return  # It takes something else.
    named = set(re.findall(r"\w+Error\b", told(function, module)))
    options = {"axis": 9, "axes": (9,), "out": MATRIX, "dtype": "text", "ord": "text"}
    calls = [(MATRIX, {name: options[name]}) for name in parameters if name in options]
    for array, option in [("text", {}), *calls]:
        try:
            function(array, **option)
        except Exception as error:
            if not named & {kind.__name__ for kind in type(error).__mro__}:
                yield option or array, type(error).__name__


def test_functions_of_one_array_name_the_errors_that_they_raise():
    arrays = [name for name in MODULES if name.startswith(("jax.numpy", "jax.scipy"))]
    arrays += ["jax.lax", "jax.lax.linalg", "jax.nn"]
    found = {name: [*unnamed_errors(f, m)] for m, name, f in functions(arrays)}
    assert not {name: errors for name, errors in found.items() if errors}


def test_an_error_that_is_not_named_is_found():
    def planted(x, axis=0):
        """Raises TypeError for text."""
        if isinstance(x, str):
            raise TypeError
        return jnp.sort(x, axis)

    assert [*unnamed_errors(planted, "jax")] == [({"axis": 9}, "AxisError")]


def test_arguments_may_be_those_of_another_function():
    def planted(a, axis):
        pass

    planted.__doc__ = "As `jax.numpy.cumsum`, backwards."
    assert lacks(planted, "jax.numpy") == []
    planted.__doc__ = "As `jax.numpy.cumsum_of_nothing`, backwards."
    assert lacks(planted, "jax.numpy") == ["shapes", "dtypes", "errors", "a", "axis"]


def examples():
    seen = set()
    for module, name, value in public(NAMES):
        text = getattr(value, "__doc__", None)
        is_new = isinstance(text, str) and ">>>" in text and text not in seen
        if is_new and f"{module}.{name}" not in NOT_RUN.keys() | TABLED:
            seen.add(text)
            yield f"{module}.{name}", inspect.cleandoc(text)


@pytest.mark.parametrize(
    ("name", "text"), [pytest.param(*e, id=e[0]) for e in examples()]
)
def test_examples_run_and_give_what_they_show(name, text):
    known = {"jax": jax, "jnp": jnp, "np": np, "operator": operator}
    known |= {"dataclasses": dataclasses, "Any": typing.Any}
    parsed = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(Checker(), False, doctest.ELLIPSIS)
    assert runner.run(parsed, out=report.append).failed == 0, "".join(report)
