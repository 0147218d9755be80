"""Interpolation agrees with SciPy's in float64."""

import numpy as np
import pytest
import scipy.ndimage

import jax
import jax.scipy.ndimage as jsn

X = np.random.default_rng(0).normal(size=(5, 6))
COORDINATES = np.random.default_rng(1).uniform(-12, 15, size=(2, 3, 20))


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", ["nearest", "wrap", "mirror", "reflect"])
def test_values_between_elements_agree(mode, order):
    # SciPy's "wrap" overlaps the ends; "grid-wrap" is the array again.
    their_mode = "grid-wrap" if mode == "wrap" else mode
    expected = scipy.ndimage.map_coordinates(
        X, COORDINATES, order=order, mode=their_mode
    )
    found = jsn.map_coordinates(X, COORDINATES, order, mode)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_values_outside_are_constant():
    coordinates = np.array([[0.5, 1.25, -2.0, 9.0], [1.5, 2.0, 3.0, 1.0]])
    expected = scipy.ndimage.map_coordinates(X, coordinates, order=1, cval=-3.0)
    found = jsn.map_coordinates(X, coordinates, 1, "constant", -3.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_slope_is_the_difference_of_neighbours():
    slope = jax.grad(lambda coordinate: jsn.map_coordinates(X[0], [coordinate], 1))(2.3)
    np.testing.assert_allclose(slope, X[0, 3] - X[0, 2])


def test_misfits_are_explained():
    with pytest.raises(ValueError, match="coordinates must be a sequence of length"):
        jsn.map_coordinates(X, [COORDINATES[0]], 1)
    with pytest.raises(NotImplementedError, match="Orders are 0 and 1"):
        jsn.map_coordinates(X, COORDINATES, 2)
    with pytest.raises(NotImplementedError, match="does not support mode 'other'"):
        jsn.map_coordinates(X, COORDINATES, 1, "other")


@pytest.mark.parametrize("sign", [1, -1])
def test_halves_of_integers_are_rounded_away_from_zero_as_in_scipy(sign):
    x, at = sign * np.arange(5), [np.array([0.5, 1.5, 2.5, 3.5, 0.4])]
    expected = scipy.ndimage.map_coordinates(x, at, order=1)
    np.testing.assert_array_equal(jsn.map_coordinates(x, at, 1), expected)
