"""Symbolic dimensions mean what their values do, whatever those are."""

import itertools
import operator
import random

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export

OPERATIONS = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max,
    "min": min,
}
VALUES = list(itertools.product((1, 2, 3, 4, 7), repeat=3))


def random_size(rng, symbols, depth):
    """A dimension, and the function of the symbols' values that it shall be."""
    if depth == 0 or rng.random() < 0.2:
        if rng.random() < 0.4:
            n = rng.randint(-3, 5)
            return n, lambda _: n
        index = rng.randrange(len(symbols))
        return symbols[index], lambda values: values[index]
    x, f = random_size(rng, symbols, depth - 1)
    y, g = random_size(rng, symbols, depth - 1)
    name = rng.choice(["add", "sub", "mul", "floordiv", "mod", "max", "min"])
    if name in ("floordiv", "mod"):
        y = rng.choice([-3, -1, 2, 3, 4])
        g = lambda _, n=y: n  # noqa: E731
        apply = getattr(operator, name)
        return apply(x, y), lambda values: apply(f(values), g(values))
    if name in ("max", "min"):
        pick, known = getattr(jax.core, f"{name}_dim"), OPERATIONS[name]
        return pick(x, y), lambda values: known(f(values), g(values))
    apply = getattr(operator, name)
    return apply(x, y), lambda values: apply(f(values), g(values))


def value_of(size, values):
    """What the printed form of a size is for some values."""
    names = dict(zip("abc", values, strict=True))
    return eval(str(size).replace("^", "**"), OPERATIONS | names)


@pytest.mark.parametrize("seed", range(150))
def test_random_sizes_have_the_values_of_what_they_were_made_from(seed):
    rng = random.Random(seed)
    symbols = export.symbolic_shape("a, b, c")
    size, expected = random_size(rng, symbols, 3)
    for values in VALUES:
        assert value_of(size, values) == expected(values), str(size)


@pytest.mark.parametrize("seed", range(100))
def test_printed_sizes_are_read_as_themselves(seed):
    scope = export.SymbolicScope()
    symbols = export.symbolic_shape("a, b, c", scope=scope)
    size, _ = random_size(random.Random(seed), symbols, 3)
    (again,) = export.symbolic_shape(f"{size},", scope=scope)
    assert str(again) == str(size)
    assert again == size


@pytest.mark.parametrize("seed", range(150))
def test_comparisons_that_are_decided_hold_for_all_values(seed):
    rng = random.Random(seed)
    symbols = export.symbolic_shape("a, b, c")
    x, f = random_size(rng, symbols, 2)
    y, g = random_size(rng, symbols, 2)
    for compare in (operator.ge, operator.gt, operator.le, operator.lt):
        try:
            found = compare(x, y)
        except jax.errors.InconclusiveDimensionOperation:
            continue
        assert {compare(f(v), g(v)) for v in VALUES} == {found}, f"{x} {y}"


@pytest.mark.parametrize("seed", range(100))
def test_constraints_decide_only_what_follows_from_them(seed):
    rng = random.Random(seed)
    plain = export.symbolic_shape("a, b, c")
    left, f = random_size(rng, plain, 2)
    right, g = random_size(rng, plain, 1)
    allowed = [v for v in VALUES if f(v) >= g(v)]
    if not allowed:
        return
    scope = export.SymbolicScope([f"{left} >= {right}"])
    symbols = export.symbolic_shape("a, b, c", scope=scope)
    x, h = random_size(rng, symbols, 2)
    y, k = random_size(rng, symbols, 1)
    try:
        found = x >= y
    except jax.errors.InconclusiveDimensionOperation:
        return
    assert {h(v) >= k(v) for v in allowed} == {found}, f"{left}>={right}: {x} >= {y}"


def test_a_scope_lists_its_constraints():
    a, b = export.symbolic_shape("a, b", constraints=["a >= 2*b"])
    assert a >= b
    with pytest.raises(jax.errors.InconclusiveDimensionOperation, match="2\\*b"):
        bool(a >= 3 * b)


def test_dimensions_of_two_scopes_are_not_mixed():
    (a,), (b,) = export.symbolic_shape("a,"), export.symbolic_shape("b,")
    assert a != b
    with pytest.raises(ValueError, match="Invalid mixing of symbolic scopes"):
        a + b


def test_a_dimension_has_no_value_outside_of_exported_programs():
    (a,) = export.symbolic_shape("a,")
    with pytest.raises(Exception, match="has no value here"):
        jax.numpy.sin(a)
    with pytest.raises(jax.errors.InconclusiveDimensionOperation, match="constant"):
        int(a)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a+", "expected a symbol or number"),
        ("a b", "expected the end"),
        ("_", "`like`"),
        ("max(a)", "expected ','"),
    ],
)
def test_syntax_errors_show_the_column(text, why):
    with pytest.raises(ValueError, match="syntax error in symbolic shape") as error:
        export.symbolic_shape(text)
    assert why in str(error.value)


def test_specs_of_arrays_have_the_dtypes_that_arrays_get():
    args = (np.ones((2, 3)), np.ones(2, np.int8), jax.random.key(0))
    specs = export.symbolic_args_specs(args, ("a,b", "a", ""))
    wanted = jnp.ones(1).dtype, jnp.int8, args[2].dtype
    assert [s.dtype for s in specs] == list(wanted)


def test_a_scope_and_a_wrong_constraint_are_described():
    scope = export.SymbolicScope(["a >= 3", "mod(a, 2) == 0"])
    assert " with constraints:\n  a >= 3\n" in repr(scope) == str(scope)
    with pytest.raises(ValueError, match="Constraint parsing error: .* one of '=='"):
        export.SymbolicScope(["a > 3"])


def test_an_argument_of_another_size_is_named_with_its_axis():
    types = {"a": jax.ShapeDtypeStruct((2, 3), np.float32)}
    exported = export.export(jax.jit(lambda d: d["a"]))(types)
    with pytest.raises(ValueError, match=r"mismatch for args\[0\]\['a'\].shape\[1\]"):
        exported.call({"a": np.ones((2, 4), np.float32)})
    with pytest.raises(ValueError, match=r"Rank mismatch for args\[0\]\['a'\]: "):
        exported.call({"a": np.ones(2, np.float32)})
