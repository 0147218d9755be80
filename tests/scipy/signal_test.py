"""Convolutions agree with SciPy's in float64."""

import numpy as np
import pytest
import scipy.signal

import jax
import jax.scipy.signal as jss

RANDOM = np.random.default_rng(0)
LONG, SHORT = RANDOM.normal(size=11), RANDOM.normal(size=4)
IMAGE, KERNEL = RANDOM.normal(size=(6, 7)), RANDOM.normal(size=(3, 2))


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_signals_agree(name, mode):
    for x, y in [(LONG, SHORT), (IMAGE, KERNEL), (LONG * 1j, SHORT + 2j)]:
        expected = getattr(scipy.signal, name)(x, y, mode)
        found = getattr(jss, name)(x, y, mode)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_matrices_agree(name, mode):
    expected = getattr(scipy.signal, name)(IMAGE, KERNEL, mode)
    found = getattr(jss, name)(IMAGE, KERNEL, mode)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_misfits_are_explained():
    for call in (
        lambda: jss.convolve(LONG, IMAGE),
        lambda: jss.convolve(LONG, SHORT, "other"),
        lambda: jss.convolve(LONG, SHORT[:0]),
        lambda: jss.convolve2d(LONG, SHORT),
    ):
        with pytest.raises(ValueError, match="jax.scipy.signal"):
            call()
    with pytest.raises(NotImplementedError, match="only zeros"):
        jss.convolve2d(IMAGE, KERNEL, boundary="wrap")
