"""Results too large for the caches, which programs write past them, and blocks of rows that are fetched ahead."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.base import options


@pytest.fixture(autouse=True)
def optimized():
    """Quick code does neither."""
    with options.compile_tier("best"):
        yield


def drawn(*shape, dtype="float32"):
    values = np.random.default_rng(sum(shape)).standard_normal(shape)
    return jnp.asarray(values, dtype)


def laplacian(x, numpy=jnp):
    v = numpy.pad(x, 1)
    return v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1]


# Lines that begin on a line of the cache, or do not; enough to be written past the caches, or too little.
@pytest.mark.parametrize(
    "shape", [(2048, 2048), (2049, 2050), (2100, 2047), (300, 1040), (64, 272)]
)
def test_neighbours_in_padded_arrays(shape):
    x = drawn(*shape)
    expected = laplacian(np.asarray(x, np.float64), np)
    np.testing.assert_allclose(jax.jit(laplacian)(x), expected, atol=1e-5)


@pytest.mark.parametrize("count", [(4 << 20) - 1, 4 << 20, (5 << 20) + 7])
def test_sums_of_long_arrays(count):
    x, y = drawn(count), drawn(count + 1)[1:]
    total = jax.jit(lambda x, y: (x + y, x - y))(x, y)
    np.testing.assert_array_equal(total[0], np.asarray(x) + np.asarray(y))
    np.testing.assert_array_equal(total[1], np.asarray(x) - np.asarray(y))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("shape", [(2048, 4096), (4099, 1025), (1024, 8192)])
def test_softmax_of_many_rows(shape, dtype):
    x = drawn(*shape, dtype=dtype)
    exact = np.exp(np.asarray(x, np.float64))
    exact /= exact.sum(-1, keepdims=True)
    found = np.asarray(jax.jit(jax.nn.softmax)(x), np.float64)
    np.testing.assert_allclose(found, exact, rtol=1e-5 if dtype == "float32" else 0.05)


def test_rows_that_are_masked_are_zero_whatever_they_hold():
    x = drawn(4097, 1040).at[1::2].set(jnp.nan)
    kept = jnp.arange(4097) % 2 == 0
    for mask in (kept, ~kept):
        found = jax.jit(lambda x, m: jnp.where(m[:, None], x, 0))(x, mask)
        expected = np.where(np.asarray(mask)[:, None], np.asarray(x), 0)
        np.testing.assert_array_equal(found, expected)


def test_a_result_in_the_memory_of_its_argument():
    x = drawn(2048, 2048)
    expected = np.asarray(x) * 2 + 1
    found = jax.jit(lambda x: x * 2 + 1, donate_argnums=0)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_one_step_writes_the_next_one_reads():
    x = drawn(1024, 4096)
    found = jax.jit(
        lambda x: jax.lax.fori_loop(0, 5, lambda _, v: laplacian(v) / 8, x)
    )(x)
    expected = np.asarray(x, np.float64)
    for _ in range(5):
        expected = laplacian(expected, np) / 8
    np.testing.assert_allclose(found, expected, atol=1e-5)
