"""Programs that call a math function many times call one piece of code: the same bits, little code."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

MANY = 28  # more than are inlined

UNARY = (
    lax.sin,
    lax.cos,
    lax.tan,
    lax.tanh,
    lax.exp,
    lax.expm1,
    lax.log,
    lax.log1p,
    lax.logistic,
    lax.cbrt,
)
BINARY = (lax.pow, lax.atan2, lax.rem)


def values(shape, dtype):
    """Ordinary numbers and, among many, extreme ones."""
    count = int(np.prod(shape))
    found = np.random.default_rng(0).standard_normal(count) * 3
    if count > 20:
        limits = jnp.finfo(dtype)
        extreme = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny, 1e4]
        found[: len(extreme)] = extreme
        found[-1] = float(limits.smallest_subnormal)
    return jnp.asarray(found.reshape(shape), dtype)


def bits(x):
    return np.asarray(x).view(f"u{x.dtype.itemsize}")


def check_bits(function, factors, arrays):
    """The function's values in one program with many calls are those in a program with one."""
    together = jax.jit(lambda xs: [[function(x * c) for x in xs] for c in factors])(
        arrays
    )
    alone = jax.jit(lambda x, c: function(x * c))
    for c, results in zip(factors, together, strict=True):
        for x, result in zip(arrays, results, strict=True):
            np.testing.assert_array_equal(bits(result), bits(alone(x, c)))


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_many_calls_have_the_bits_of_one_call(function):
    """For numbers, single elements, whole vectors, and what is left beside them."""
    arrays = [values(shape, np.float32) for shape in [(), (1,), (3,), (16,), (37,)]]
    check_bits(function, np.linspace(0.5, 1.5, 10).astype(np.float32), arrays)


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
@pytest.mark.parametrize("function", [lax.sin, lax.tanh, lax.exp, lax.log1p])
def test_many_calls_have_the_bits_of_one_call_in_other_widths(function, dtype):
    with jax.enable_x64(True):
        factors = np.linspace(0.5, 1.5, MANY).astype(dtype)
        check_bits(function, factors, [values((37,), dtype)])


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_many_calls_of_two_operands_have_the_bits_of_one_call(function):
    factors = np.linspace(0.5, 1.5, MANY).astype(np.float32)
    x = values((50,), np.float32)
    together = jax.jit(lambda x: [function(x, x[::-1] * c) for c in factors])(x)
    alone = jax.jit(lambda x, c: function(x, x[::-1] * c))
    for c, result in zip(factors, together, strict=True):
        np.testing.assert_array_equal(bits(result), bits(alone(x, c)))


def test_many_calls_of_complex_numbers_have_the_bits_of_one_call():
    factors = np.linspace(0.5, 1.5, MANY).astype(np.float32)
    x = values((30,), np.float32) + 1j * values((30,), np.float32)[::-1]
    parts = lambda x: jnp.stack([x.real, x.imag])  # noqa: E731
    check_bits(lambda x: parts(lax.sin(x)), factors, [x])


def test_many_calls_in_loops_branches_and_shared_loops_have_the_bits_of_one_call():
    """Calls in a loop of the program, in a branch, and in a loop of several threads."""
    few, many = values((16,), np.float32), values((200, 1000), np.float32)

    def steps(x):
        for i in range(MANY):
            scale = np.float32(1 - 1e-3 * i)
            x, _ = lax.scan(lambda c, _, s=scale: (lax.sin(c) * s, None), x, length=3)
        return x

    @jax.jit
    def together(few, many):
        branch = lax.cond(few[0] > few[1], lax.sin, lambda x: lax.sin(x + 1), few)
        return steps(few), branch, lax.sin(many * 2)

    expected = few
    sine = jax.jit(lambda x, s: lax.sin(x) * s)
    for i in range(MANY):
        for _ in range(3):
            expected = sine(expected, np.float32(1 - 1e-3 * i))
    looped, branch, wide = together(few, many)
    np.testing.assert_array_equal(bits(looped), bits(expected))
    chosen = few if few[0] > few[1] else few + 1
    np.testing.assert_array_equal(bits(branch), bits(jax.jit(lax.sin)(chosen)))
    np.testing.assert_array_equal(
        bits(wide), bits(jax.jit(lambda x: lax.sin(x * 2))(many))
    )


def code_bytes(count, step):
    def f(x):
        for i in range(count):
            x = step(x, np.float32(1 - 1e-4 * i))
        return x

    compiled = jax.jit(f).lower(jnp.ones(16)).compile()
    return compiled.memory_analysis().generated_code_size_in_bytes


@pytest.mark.parametrize(
    "step",
    [
        lambda x, s: lax.sin(x) * s,
        lambda x, s: jax.jit(lambda x: lax.tanh(x) * s)(x),
        lambda x, s: lax.exp(x) * lax.log(x) * s,
    ],
    ids=["sine", "function", "two"],
)
def test_many_calls_add_less_code_than_few(step):
    """Each of many calls takes less than two thirds of the code of a call among few."""
    each_of_few = (code_bytes(16, step) - code_bytes(8, step)) / 8
    each_of_many = (code_bytes(90, step) - code_bytes(50, step)) / 40
    assert each_of_many < each_of_few * 2 / 3
