"""Reductions, carries and results of many arrays, and long bodies: what they give, their memory and compile time."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from tests.testing import patience


def _arrays(count, *shape):
    generator = np.random.RandomState(count)
    return [generator.rand(*shape).astype(np.float32) for _ in range(count)]


def _sum_all(arrays, axes):
    starts = [np.float32(number) for number in range(len(arrays))]
    return lax.reduce(
        arrays, starts, lambda x, y: [a + b for a, b in zip(x, y, strict=True)], axes
    )


def _long_body(count):
    def body(x, y):
        total = x + y
        for _ in range(count):
            total = total * 1.0000001 - total * 1e-7
        return total

    return body


def test_thousands_of_arrays_share_memory():
    def f(x):
        for index in range(4_500):
            x = jnp.maximum(x @ x * 0.01, 0.1 + 1e-5 * index)
        return x

    x = _arrays(1, 16, 16)[0]
    compiled = jax.jit(f).lower(x).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 100_000
    expected = x
    for index in range(4_500):
        expected = np.maximum(expected @ expected * 0.01, 0.1 + 1e-5 * index)
    np.testing.assert_allclose(compiled(x), expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((16,), (0,)), ((3, 40), (1,)), ((40, 3), (0,)), ((3, 0), (1,)), ((0, 3), (1,))],
)
def test_reduction_of_many_arrays(shape, axes):
    arrays = _arrays(40, *shape)
    results = jax.jit(lambda xs: _sum_all(xs, axes))(arrays)
    for number, (x, result) in enumerate(zip(arrays, results, strict=True)):
        np.testing.assert_allclose(result, x.sum(axes) + number, rtol=1e-5)


def test_reduction_of_many_arrays_that_belong_together_in_pairs():
    def body(x, y):
        chosen = [a >= b for a, b in zip(x[::2], y[::2], strict=True)]
        return [jnp.where(chosen[i // 2], x[i], y[i]) for i in range(len(x))]

    values = _arrays(30, 4, 20)
    indices = np.tile(np.arange(20, dtype=np.int32), (4, 1))
    operands = [x for value in values for x in (value, indices)]
    starts = [np.float32(-np.inf), np.int32(-1)] * 30
    results = jax.jit(lambda xs: lax.reduce(xs, starts, body, (1,)))(operands)
    for number, value in enumerate(values):
        np.testing.assert_array_equal(results[2 * number], value.max(1))
        np.testing.assert_array_equal(results[2 * number + 1], value.argmax(1))


def test_reduction_of_many_arrays_some_of_which_are_not_read():
    def body(x, y):
        return [jnp.float32(3)] * 20 + [
            a + b for a, b in zip(x[20:], y[20:], strict=True)
        ]

    arrays = _arrays(40, 4, 20)
    zeros = [np.float32(0)] * 40
    results = jax.jit(lambda xs: lax.reduce(xs, zeros, body, (1,)))(arrays)
    np.testing.assert_array_equal(results[:20], np.full((20, 4), 3, np.float32))
    expected = [x.sum(1) for x in arrays[20:]]
    np.testing.assert_allclose(results[20:], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "axes"), [((10,), (0,)), ((3, 40), (1,)), ((40, 3), (0,)), ((3, 0), (1,))]
)
def test_reduction_with_a_body_of_thousands_of_operations(shape, axes):
    x = _arrays(1, *shape)[0]
    result = jax.jit(lambda x: lax.reduce(x, np.float32(0), _long_body(1_000), axes))(x)
    np.testing.assert_allclose(result, x.sum(axes), rtol=1e-2)


@pytest.mark.parametrize("count", [100, 300, 1_500])
def test_many_carries_and_results(count):
    arrays = _arrays(count, 4)

    def f(arrays, factor):
        grown = lax.fori_loop(0, 3, lambda _, xs: [x * factor for x in xs], arrays)
        turned = lax.fori_loop(0, 3, lambda _, xs: xs[1:] + xs[:1], arrays)
        return grown, turned, arrays[::-1], [factor] * 10

    grown, turned, backwards, factors = jax.jit(f)(arrays, np.float32(2))
    np.testing.assert_array_equal(grown, np.stack(arrays) * 8)
    np.testing.assert_array_equal(turned, np.stack(arrays[3:] + arrays[:3]))
    np.testing.assert_array_equal(backwards, np.stack(arrays[::-1]))
    np.testing.assert_array_equal(factors, np.full(10, 2, np.float32))


def _compile_many_arrays():
    return jax.jit(lambda xs: _sum_all(xs, (0,))).lower(_arrays(4_000, 16))


def _compile_long_body():
    body = _long_body(6_000)
    return jax.jit(lambda x: lax.reduce(x, np.float32(0), body, (0,))).lower(
        jnp.ones(16)
    )


@pytest.mark.parametrize("lower", [_compile_many_arrays, _compile_long_body])
def test_long_reductions_compile_in_seconds(lower):
    lowered = lower()
    seconds = patience.least_seconds(lowered.compile, repeats=1)
    assert seconds < 15 * patience.slowness()  # one second; in one piece, forty
