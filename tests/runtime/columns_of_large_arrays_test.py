"""Folds along columns of arrays that are large enough for the next row to be fetched ahead."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# At least 4 MB each: whole stretches of columns, odd ones, short ones, and rows of several dimensions.
SHAPES = [
    ((1100, 1024), 0),
    ((1100, 1027), 0),
    ((3, 900, 517), 1),
    ((70000, 17), 0),
    ((2, 50000, 33), 1),
    ((40, 300, 257), (0, 1)),
]
BOUNDS = {"float32": 2e-6, "float64": 1e-13, "complex64": 2e-6}


def _array(shape, dtype):
    random = np.random.RandomState(3)
    x = random.standard_normal(shape)
    if dtype == "complex64":
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_sums_of_exponentials(shape, axis, dtype):
    x = _array(shape, dtype)
    with jax.enable_x64(True):
        got = jax.jit(lambda x: jnp.exp(x * 0.5 - 0.1).sum(axis))(x)
        assert got.dtype == dtype
    wide = x.astype("complex128" if dtype == "complex64" else "float64")
    expected = np.exp(wide * 0.5 - 0.1).sum(axis)
    assert np.abs(got - expected).max() <= BOUNDS[dtype] * np.abs(expected).max()


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_extremes_and_arguments_of_computed_elements(shape, axis):
    x = _array(shape, "float32")

    def both(x):
        y = jnp.exp(jnp.tanh(x)) * 3 - 1
        best = y.argmax(axis) if isinstance(axis, int) else y.argmax()
        return y, y.max(axis), y.min(axis), best

    y, most, least, best = map(np.asarray, jax.jit(both)(x))
    # The elements may be computed once more where they are folded, and rounded in another way.
    np.testing.assert_allclose(most, y.max(axis), rtol=5e-7)
    np.testing.assert_allclose(least, y.min(axis), rtol=2e-6, atol=2e-7)
    chosen = (
        np.take_along_axis(y, np.expand_dims(best, axis), axis).squeeze(axis)
        if isinstance(axis, int)
        else y.reshape(-1)[best]
    )
    np.testing.assert_allclose(
        chosen, y.max(axis) if isinstance(axis, int) else y.max(), rtol=5e-7
    )


@pytest.mark.parametrize("rows", [1100, 1101])
def test_rows_and_columns_are_added_to_what_is_folded(rows):
    x = _array((rows, 1027), "float32")
    columns, per_row = _array((1027,), "float32"), _array((rows, 1), "float32")
    got = jax.jit(lambda x, b, c: (jnp.exp(x - b) * jnp.tanh(c)).sum(0))(
        x, columns, per_row
    )
    expected = (
        np.exp(x.astype("float64") - columns) * np.tanh(per_row.astype("float64"))
    ).sum(0)
    np.testing.assert_allclose(
        got, expected, rtol=2e-5, atol=1e-5 * np.abs(expected).max()
    )
