"""Initializers draw from the distributions that they promise."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.nn import initializers as init

KEY = jax.random.key(0)
SHAPE = (3, 150, 100)
FANS = {"fan_in": 450, "fan_out": 300, "fan_avg": 375}
# The farthest that a number is from zero, in standard deviations.
REACH = {"uniform": 3**0.5, "truncated_normal": 2 / 0.87962566103423978}


def spread(x):
    return np.sqrt(np.mean(np.abs(np.asarray(x)) ** 2))


@pytest.mark.parametrize("mode", FANS)
@pytest.mark.parametrize("distribution", ["normal", "truncated_normal", "uniform"])
@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_the_variance_is_a_share(mode, distribution, dtype):
    x = init.variance_scaling(3.0, mode, distribution, dtype=dtype)(KEY, SHAPE)
    assert (x.shape, x.dtype) == (SHAPE, dtype)
    wanted = (3.0 / FANS[mode]) ** 0.5
    np.testing.assert_allclose(spread(x), wanted, rtol=0.02)
    assert np.abs(np.mean(x)) < 0.02 * wanted
    if distribution in REACH and dtype == "f4":
        farthest = np.abs(x).max() / wanted
        np.testing.assert_allclose(farthest, REACH[distribution], rtol=0.01)


NAMED = {
    "glorot": (1.0, "fan_avg"),
    "xavier": (1.0, "fan_avg"),
    "lecun": (1.0, "fan_in"),
    "he": (2.0, "fan_in"),
    "kaiming": (2.0, "fan_in"),
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_named_ones_are_special_cases(name, kind):
    distribution = {"normal": "truncated_normal"}.get(kind, kind)
    found = getattr(init, f"{name}_{kind}")()(KEY, (20, 30), jnp.float32)
    wanted = init.variance_scaling(*NAMED[name], distribution)(KEY, (20, 30))
    np.testing.assert_array_equal(found, wanted)


def test_axes_may_be_any_of_the_shape():
    options = {"in_axis": 0, "out_axis": 1, "batch_axis": 2}
    x = init.variance_scaling(1.0, "fan_in", "normal", **options)(KEY, (40, 50, 30))
    np.testing.assert_allclose(spread(x), 40**-0.5, rtol=0.02)


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (init.normal(0.3), 0.3),
        (init.uniform(0.3), 0.3 / 3**0.5),
        (init.truncated_normal(0.3), 0.3 * 0.87962566103423978),
        (init.constant(0.3), 0.3),
        (init.ones, 1.0),
        (init.zeros, 0.0),
    ],
)
def test_plain_ones(make, wanted):
    x = make(KEY, (200, 200), jnp.float32)
    assert (x.shape, x.dtype) == ((200, 200), jnp.float32)
    np.testing.assert_allclose(spread(x), wanted, rtol=0.02)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 4)])
@pytest.mark.parametrize("axis", [0, -1])
def test_rows_or_columns_are_orthonormal(shape, axis):
    x = np.moveaxis(init.orthogonal(2.0, axis)(KEY, shape), axis, -1)
    matrix = np.asarray(x).reshape(-1, shape[axis])
    if matrix.shape[0] < matrix.shape[1]:
        matrix = matrix.T
    identity = 4 * np.eye(matrix.shape[1])
    np.testing.assert_allclose(matrix.T @ matrix, identity, atol=1e-5)


def test_a_kernel_begins_as_an_orthogonal_map():
    x = np.array(init.delta_orthogonal()(KEY, (3, 5, 4, 6)))
    np.testing.assert_allclose(x[1, 2] @ x[1, 2].T, np.eye(4), atol=1e-5)
    x[1, 2] = 0
    assert not x.any()


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (lambda: init.variance_scaling(1.0, "fan_in", "odd")(KEY, (2, 2)), "odd"),
        (lambda: init.variance_scaling(1.0, "odd", "normal")(KEY, (2, 2)), "odd"),
        (lambda: init.orthogonal()(KEY, (3,)), "2D"),
        (lambda: init.delta_orthogonal()(KEY, (3, 3)), "3D, 4D or 5D"),
        (lambda: init.delta_orthogonal()(KEY, (3, 5, 4)), "fan_in   5"),
    ],
)
def test_mistakes_are_explained(call, fact):
    with pytest.raises(ValueError, match=fact):
        call()


@pytest.mark.parametrize("axis", ["in_axis", "out_axis", "batch_axis"])
def test_axes_that_the_shape_lacks_are_index_errors(axis):
    make = init.variance_scaling(1.0, "fan_in", "normal", **{axis: (0, 5)})
    with pytest.raises(IndexError, match="are between -2 and 1"):
        make(KEY, (3, 4))
