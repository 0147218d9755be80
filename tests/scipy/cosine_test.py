"""Cosine transforms agree with SciPy's in float64."""

import hypothesis
import numpy as np
import pytest
import scipy.fft
from hypothesis import strategies as st

import jax
import jax.scipy.fft as jsf

NORMS = [None, "backward", "ortho", "forward"]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


@hypothesis.settings(max_examples=40)
@hypothesis.given(
    name=st.sampled_from(["dct", "idct"]),
    size=st.integers(1, 17),
    n=st.none() | st.integers(1, 20),
    axis=st.sampled_from([0, -1]),
    norm=st.sampled_from(NORMS),
)
def test_transforms_of_one_axis_agree(name, size, n, axis, norm):
    x = np.random.default_rng(1).normal(size=(size, 2) if axis == 0 else (2, size))
    expected = getattr(scipy.fft, name)(x, 2, n, axis, norm)
    found = getattr(jsf, name)(x, 2, n, axis, norm)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ["dctn", "idctn"])
@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"axes": (0, 2)},
        {"s": (4, 3)},
        {"norm": "ortho"},
        {"axes": 1},
        {"s": 4, "axes": 0},
        {"s": 4},
    ],
    ids=str,
)
def test_transforms_of_several_axes_agree(name, kwargs):
    x = np.random.default_rng(2).normal(size=(3, 4, 5))
    expected = getattr(scipy.fft, name)(x, **kwargs)
    np.testing.assert_allclose(getattr(jsf, name)(x, **kwargs), expected, atol=1e-12)


def test_the_inverse_undoes_the_transform_under_jit():
    x = np.random.default_rng(3).normal(size=9)
    found = jax.jit(lambda x: jsf.idct(jsf.dct(x)))(x)
    np.testing.assert_allclose(found, x, atol=1e-13)


def test_the_orthogonal_transform_has_the_identity_as_gram_matrix():
    rows = jax.jacobian(lambda x: jsf.dct(x, norm="ortho"))(np.ones(6))
    np.testing.assert_allclose(rows @ rows.T, np.eye(6), atol=1e-13)


def test_misfits_are_explained():
    with pytest.raises(NotImplementedError, match="jax.scipy.fft.dct: this type"):
        jsf.dct(np.ones(3), type=3)
    with pytest.raises(ValueError, match="not a normalization"):
        jsf.idct(np.ones(3), norm="other")
    with pytest.raises(ValueError, match="not positive"):
        jsf.dct(np.ones(3), n=0)
    with pytest.raises(ValueError, match="differ in number"):
        jsf.dctn(np.ones((3, 3)), s=(2,), axes=(0, 1))
