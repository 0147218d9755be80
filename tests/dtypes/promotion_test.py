"""Promotion of every pair of dtypes, against a table recorded from JAX 0.10.2.

`promotion.json` has, for each mode, one line per first operand and one word per
second one: the result's dtype, ``*`` after a weak one, ``!`` for a refusal.
"""

import itertools
import json
import pathlib
import warnings

import ml_dtypes
import numpy as np
import pytest

from jax._src import dtypes
from jax._src.base import options

TABLE = json.loads((pathlib.Path(__file__).parent / "promotion.json").read_text())
NAMES = TABLE.pop("names")
WEAK = {"i*": 1, "f*": 1.0, "c*": 1j}
WEAK_CLASSES = {"i*": int, "f*": float, "c*": complex}


def node(name, weak=WEAK):
    if name in weak:
        return weak[name]
    return np.dtype(getattr(ml_dtypes, name, name))


def outcome(a, b):
    try:
        dtype, weak = dtypes.result_type(a, b, return_weak_type_flag=True)
    except dtypes.TypePromotionError:
        return "!"
    return f"{dtype}{'*' if weak else ''}"


@pytest.mark.parametrize("weak", [WEAK, WEAK_CLASSES], ids=["values", "classes"])
@pytest.mark.parametrize("mode", TABLE)
def test_every_pair_promotes_as_recorded(mode, weak):
    promotion, width = mode.split()
    expected = [row.split() for row in TABLE[mode]]
    with (
        options.enable_x64(width == "x64"),
        options.numpy_dtype_promotion(promotion),
        warnings.catch_warnings(action="ignore", category=UserWarning),
    ):
        wrong = [
            (NAMES[i], NAMES[j], expected[i][j], found)
            for i, j in itertools.product(range(len(NAMES)), repeat=2)
            if (found := outcome(node(NAMES[i], weak), node(NAMES[j], weak)))
            != expected[i][j]
        ]
    assert not wrong


def test_every_dtype_has_a_row():
    assert {str(dtype) for dtype in dtypes.array_dtypes} == set(NAMES) - set(WEAK)


def test_promotion_is_associative_where_defined():
    """Only a lattice makes the order of operands irrelevant."""
    with options.enable_x64(True):
        values = [node(name) for name in NAMES]
        for triple in itertools.combinations(values, 3):
            results = set()
            for a, b, c in itertools.permutations(triple):
                try:
                    results.add(str(dtypes.result_type(a, b, c)))
                except dtypes.TypePromotionError:
                    results.add("!")
            assert len(results) == 1, triple


def test_a_refused_promotion_names_dtypes_and_the_way_out():
    with pytest.raises(dtypes.TypePromotionError) as info:
        dtypes.result_type(np.dtype("float32"), np.dtype(ml_dtypes.float8_e5m2))
    message = str(info.value)
    assert "float8_e5m2" in message and "float32" in message and "astype" in message


def test_strict_refusal_names_the_option():
    with options.numpy_dtype_promotion("strict"):
        with pytest.raises(
            dtypes.TypePromotionError, match="jax_numpy_dtype_promotion"
        ):
            dtypes.result_type(np.dtype("float32"), np.dtype("int32"))


def test_result_type_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        dtypes.result_type()


@pytest.mark.parametrize("value", [[1, 2], object(), (1.0,)])
def test_values_without_dtype_are_refused(value):
    with pytest.raises(TypeError, match="no dtype"):
        dtypes.result_type(value)


@pytest.mark.parametrize("value", ["S3", np.dtype(object), np.array(["a"])])
def test_dtypes_that_arrays_cannot_have_are_refused(value):
    with pytest.raises(TypeError, match="not a valid JAX"):
        dtypes.result_type(value, np.float32(1))


@pytest.mark.parametrize(
    ("source", "target", "safe"),
    [
        ("int32", "float32", True),
        (1, "float32", True),
        (1.0, "int32", False),
        ("float32", "int32", False),
        ("int8", "uint8", False),
        ("float16", "float32", True),
    ],
)
def test_safe_to_cast_is_what_promotion_would_do(source, target, safe):
    assert dtypes.safe_to_cast(source, target) is safe
