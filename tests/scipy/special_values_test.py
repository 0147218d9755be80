"""Special functions and their derivatives over their whole domains, against true values.

`special_values.json` holds arguments and what they give; `special_values_made` computed it with
a library of any precision. `docs/accuracy.md` states what a denser sample gave.
"""

import json
import pathlib

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.scipy.special_cases import function

ENTRIES = json.loads(
    (pathlib.Path(__file__).parent / "special_values.json").read_text()
)
LARGEST_ERROR = 4.0
# Relative, of float64: what the exponential of a large logarithm or a sum that cancels
# leaves. docs/accuracy.md has the reason of each.
WIDE_OF_DOUBLE = 2e-11
# Near their zeros these are exact to this, in float64, and not to a part of the value.
NEAR_ZEROS = {"digamma": 4e-15, "expi": 4e-15, "gammaln": 4e-15}


def found(entry, dtype):
    columns = [np.array(c, dtype) for c in zip(*entry["rows"], strict=True)]
    *arguments, expected = columns
    if dtype == np.float32:
        expected = np.array([row[-1] for row in entry["rows"]])
    fun = function(entry["name"])
    if entry["operand"] is not None:
        fun = jax.vmap(jax.grad(fun, entry["operand"]))
    return np.asarray(jax.jit(fun)(*map(jnp.asarray, arguments))), expected, arguments


def name_of(entry):
    operand = entry["operand"]
    return entry["name"] + ("" if operand is None else f"-slope{operand}")


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_float32_is_within_four_units_of_the_true_value(entry):
    got, expected, arguments = found(entry, np.float32)
    units = np.abs(got.astype(float) - expected) / np.spacing(
        np.abs(expected).astype(np.float32)
    )
    worst = int(np.argmax(np.where(np.isnan(units), np.inf, units)))
    at = [float(x[worst]) for x in arguments]
    assert units[worst] <= LARGEST_ERROR, (
        at,
        float(got[worst]),
        float(expected[worst]),
    )


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e["operand"] is None], ids=name_of
)
def test_float64_keeps_its_digits(entry):
    with jax.enable_x64(True):
        got, expected, arguments = found(entry, np.float64)
    error = np.abs(got - expected)
    error = np.maximum(error - NEAR_ZEROS.get(entry["name"], 0), 0) / np.abs(expected)
    worst = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    at = [float(x[worst]) for x in arguments]
    assert error[worst] <= WIDE_OF_DOUBLE, (at, got[worst], expected[worst])
