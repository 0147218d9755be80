"""Folds and running folds agree with NumPy wherever their dimensions are in memory: transposed, apart, of one element."""

import itertools
import math

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def numbers(*shape, dtype=np.float32):
    r = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind in "iu":
        return r.integers(0, 100, shape).astype(dtype)
    return r.standard_normal(shape).astype(dtype)


SHAPES = [(31, 17, 33), (3, 1, 40), (2, 70), (130, 1), (9, 5, 4, 31)]


def axes_of(shape):
    ranks = range(len(shape))
    return [axes for n in ranks for axes in itertools.combinations(ranks, n + 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8], ids=str)
def test_extremes_and_sums_along_any_dimensions_are_numpys(shape, dtype):
    with jax.enable_x64(True):
        x = numbers(*shape, dtype=dtype)
        for axes in axes_of(shape):
            np.testing.assert_array_equal(jnp.max(x, axes), x.max(axes))
            np.testing.assert_array_equal(jnp.min(x, axes), x.min(axes))
            np.testing.assert_allclose(
                jnp.sum(x, axes), x.sum(axes), rtol=2e-5, atol=2e-4
            )


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 2), (1, 2)], ids=str)
def test_extremes_keep_nans_and_the_signs_of_zeros(axis):
    x = -np.abs(numbers(6, 21, 37))
    x[2, 3, 4] = np.nan
    x[3:, 5:] = -0.0
    x[4, 7, 8] = 0.0
    largest, smallest = jnp.max(x, axis), jnp.min(-x, axis)
    np.testing.assert_array_equal(largest, x.max(axis))
    isnan = np.isnan(x).any(axis)
    positive = ((x == 0) & ~np.signbit(x)).any(axis)
    zero = ~isnan & (np.asarray(largest) == 0)
    np.testing.assert_array_equal(np.signbit(largest)[zero], ~positive[zero])
    np.testing.assert_array_equal(np.signbit(smallest)[zero], positive[zero])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_folds_of_transposed_arrays_are_those_of_the_arrays(order):
    x = numbers(13, 34, 21)
    turned = x.transpose(order)
    for axes in axes_of(turned.shape):
        fold = jax.jit(lambda x: (x.transpose(order) * 2 + 1).sum(axes))  # noqa: B023
        want = (turned.astype(np.float64) * 2 + 1).sum(axes)
        np.testing.assert_allclose(fold(x), want, rtol=1e-5, atol=1e-4)
    for axis in range(3):
        first = jax.jit(lambda x: jnp.argmax(x.transpose(order), axis))  # noqa: B023
        np.testing.assert_array_equal(first(x), turned.argmax(axis))


@pytest.mark.parametrize("shape", [*SHAPES, (5, 3), (40, 8), (1030, 3, 2)], ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_running_folds_along_any_dimension_are_numpys(shape, reverse):
    x = numbers(*shape)
    for axis in range(len(shape)):
        flipped = np.flip(x, axis) if reverse else x
        back = (lambda y: np.flip(y, axis)) if reverse else (lambda y: y)  # noqa: B023
        sums = np.cumsum(flipped, axis, dtype=np.float64)
        np.testing.assert_allclose(
            lax.cumsum(x, axis, reverse=reverse), back(sums), rtol=1e-4, atol=1e-4
        )
        np.testing.assert_array_equal(
            lax.cummax(x, axis, reverse=reverse),
            back(np.maximum.accumulate(flipped, axis)),
        )
        # Computed from several arrays, of which one is in another order.
        shifted = jax.jit(lambda x: lax.cumsum(x + x[:1] * 2, axis, reverse=reverse))  # noqa: B023
        whole = np.flip(x + x[:1] * 2, axis) if reverse else x + x[:1] * 2
        np.testing.assert_allclose(
            shifted(x), back(np.cumsum(whole, axis)), rtol=1e-4, atol=1e-3
        )


def test_running_folds_of_several_arrays_carry_all_of_them():
    x = numbers(9, 40)

    def body(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]

    def fold(x):
        window, padding = (9, 1), ((8, 0), (0, 0))
        start = np.float32(1), np.float32(0)
        return lax.reduce_window((x, x + 1), start, body, window, (1, 1), padding)

    a, b = np.ones(40, np.float32), np.zeros(40, np.float32)
    for i, (product, sum_) in enumerate(zip(*fold(x), strict=True)):
        a, b = a * x[i], b * x[i] + (x[i] + 1)
        np.testing.assert_allclose(product, a, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(sum_, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("value", [2.5, -0.0, np.inf, -np.inf, np.nan])
def test_a_logarithm_of_one_exponential_is_the_number(value):
    x = np.full((5, 1), value, np.float32)
    want = np.full(5, value)
    np.testing.assert_array_equal(jax.nn.logsumexp(x, 1), want)
    np.testing.assert_array_equal(
        jax.nn.softmax(x, 1), np.full((5, 1), 1.0 if math.isfinite(value) else np.nan)
    )
    if math.isfinite(value):
        slope = jax.grad(lambda x: jax.nn.logsumexp(x, 1).sum())(x)
        np.testing.assert_array_equal(slope, np.ones((5, 1)))


def test_the_only_element_along_a_dimension_is_the_first_extreme():
    x = np.array([[1.0], [np.nan], [-np.inf]], np.float32)
    np.testing.assert_array_equal(jnp.argmax(x, 1), [0, 0, 0])
    np.testing.assert_array_equal(jnp.argmin(x, 1), [0, 0, 0])
    np.testing.assert_array_equal(jnp.max(x, 1), x[:, 0])


@pytest.mark.parametrize("n", [3, 40, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, jnp.bfloat16], ids=str)
def test_products_that_keep_no_dimension_of_one_factor_are_sums(n, dtype):
    x, y = numbers(n, 37).astype(dtype), numbers(n, 37 + 0)[::-1].astype(dtype)
    wide = x.astype(np.float64) * y.astype(np.float64)
    for equation, axis in [("ij,ij->j", 0), ("ij,ij->i", 1), ("ij,ij->", (0, 1))]:
        tolerance = 1e-5 if dtype == np.float32 else 1e-2
        np.testing.assert_allclose(
            np.asarray(jnp.einsum(equation, x, y), np.float64),
            wide.sum(axis),
            rtol=tolerance,
            atol=tolerance * n,
        )


@pytest.mark.parametrize(
    "sizes", [(3, 3, 3), (3, 3, 1), (5, 7, 3), (2, 9, 2), (3, 2, 5), (1, 9, 3)], ids=str
)
def test_batches_of_tiny_products_are_numpys(sizes):
    m, k, n = sizes
    x, y = numbers(300, m, k), numbers(300, k, n)
    np.testing.assert_allclose(jnp.matmul(x, y), x @ y, rtol=1e-5, atol=1e-5)
    turned = jnp.einsum("bkm,bkn->bmn", x.transpose(0, 2, 1), y)
    np.testing.assert_allclose(turned, x @ y, rtol=1e-5, atol=1e-5)
