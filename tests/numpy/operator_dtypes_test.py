"""The dtypes of operators' results, in every mode, against a table recorded from JAX 0.10.2.

`operator_dtypes.json` has, for each mode and operator, the number of a table: a row per
first operand with a word per second one (one row for functions of one operand). A word is
the result's dtype, ``*`` after a weak one, ``!`` for a refusal, ``-`` where both operands
are numbers of Python. Powers are not in it: what is known of an exponent decides there.
"""

import json
import operator
import pathlib
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp

FILE = pathlib.Path(__file__).parent / "operator_dtypes.json"
RECORD = json.loads(FILE.read_text())
NAMES, MODES, TABLES = RECORD["names"], RECORD["modes"], RECORD["tables"]
WEAK = {"i*": 1, "f*": 1.0, "c*": 1j}

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "==": operator.eq,
    "maximum": jnp.maximum,
    "arctan2": jnp.arctan2,
    "where": lambda a, b: jnp.where(True, a, b),
    "concatenate": lambda a, b: jnp.concatenate([jnp.ravel(a), jnp.ravel(b)]),
}
UNARY = {
    "negative": jnp.negative,
    "abs": abs,
    "invert": operator.invert,
    "sqrt": jnp.sqrt,
    "sign": jnp.sign,
    "floor": jnp.floor,
    "sum": jnp.sum,
    "prod": jnp.prod,
    "mean": jnp.mean,
    "var": jnp.var,
    "max": jnp.max,
    "cumsum": lambda x: jnp.cumsum(jnp.ravel(x)),
    "square": jnp.square,
    "real": jnp.real,
    "round": jnp.round,
}


def outcome(function, *operands):
    """What the table says of a call, without its values."""
    arrays = [x for x in operands if isinstance(x, jax.Array)]

    def call(*given):
        rest = iter(given)
        return function(
            *[next(rest) if isinstance(x, jax.Array) else x for x in operands]
        )

    if not arrays:
        return "-"
    try:
        found = jax.eval_shape(call, *arrays)
    except (TypeError, ValueError):
        return "!"
    return f"{found.dtype}{'*' if found.weak_type else ''}"


@pytest.fixture(params=MODES)
def mode(request):
    promotion, width = request.param.split()
    with (
        jax.enable_x64(width == "x64"),
        jax.numpy_dtype_promotion(promotion),
        warnings.catch_warnings(action="ignore"),
    ):
        yield request.param


def operands():
    return [
        WEAK[name] if name in WEAK else jnp.ones((), jnp.dtype(name)) for name in NAMES
    ]


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_give_the_recorded_dtype(mode, name):
    rows = [row.split() for row in TABLES[MODES[mode][name]]]
    values = operands()
    wrong = [
        (NAMES[i], NAMES[j], wanted, found)
        for i, row in enumerate(rows)
        for j, wanted in enumerate(row)
        if (found := outcome(BINARY[name], values[i], values[j])) != wanted
    ]
    assert not wrong


@pytest.mark.parametrize("name", UNARY)
def test_one_operand_gives_the_recorded_dtype(mode, name):
    (row,) = TABLES[MODES[mode][name]]
    wrong = [
        (operand, wanted, found)
        for operand, value, wanted in zip(NAMES, operands(), row.split(), strict=True)
        if (found := outcome(UNARY[name], jnp.asarray(value))) != wanted
    ]
    assert not wrong


def test_the_table_is_about_these_functions():
    assert {*BINARY, *UNARY} == set(MODES["standard x32"])
    assert np.shape(NAMES) == (17,)
    with jax.numpy_dtype_promotion("strict"):
        assert outcome(operator.add, jnp.float32(1), jnp.int32(1)) == "!"
