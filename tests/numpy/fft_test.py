"""Fourier transforms agree with NumPy's, in float64, for any axes, lengths and norms."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import jax
import jax.numpy as jnp

COMPLEX = ["fft", "ifft"]
REAL = ["rfft", "ihfft"]
HALF = ["irfft", "hfft"]
NORMS = [None, "backward", "ortho", "forward"]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def values(shape, kind, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=shape)
    return x + 1j * random.normal(size=shape) if kind == "c" else x


def operand(name, shape, seed=0):
    return values(shape, "r" if name.startswith(("rfft", "ihfft")) else "c", seed)


@hypothesis.settings(max_examples=40)
@hypothesis.given(
    name=st.sampled_from(COMPLEX + REAL + HALF),
    size=st.integers(2, 20),
    n=st.none() | st.integers(1, 24),
    axis=st.sampled_from([0, 1, -1]),
    norm=st.sampled_from(NORMS),
)
def test_transforms_of_one_axis_agree(name, size, n, axis, norm):
    shape = (size, 3) if axis == 0 else (3, size)
    x = operand(name, shape)
    expected = getattr(np.fft, name)(x, n, axis, norm)
    found = getattr(jnp.fft, name)(x, n, axis, norm)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@hypothesis.settings(max_examples=30)
@hypothesis.given(
    name=st.sampled_from(["fftn", "ifftn", "rfftn", "irfftn"]),
    shape=st.lists(st.integers(2, 4), min_size=2, max_size=5),
    data=st.data(),
    norm=st.sampled_from(NORMS),
)
def test_transforms_of_several_axes_agree(name, shape, data, norm):
    count = data.draw(st.integers(1, len(shape)))
    axes = data.draw(st.permutations(range(len(shape))))[:count]
    lengths = data.draw(
        st.none() | st.lists(st.integers(1, 5), min_size=count, max_size=count)
    )
    x = operand(name, tuple(shape))
    expected = getattr(np.fft, name)(x, lengths, axes, norm)
    found = getattr(jnp.fft, name)(x, lengths, axes, norm)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_transforms_of_two_axes_agree(name):
    x = operand(name, (3, 4, 5))
    for kwargs in ({}, {"axes": (2, 0)}, {"s": (2, 6)}):
        expected = getattr(np.fft, name)(x, **kwargs)
        np.testing.assert_allclose(
            getattr(jnp.fft, name)(x, **kwargs), expected, atol=1e-12
        )


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8])
def test_frequencies_and_shifts_agree(n):
    for name in ("fftfreq", "rfftfreq"):
        if n:
            expected = getattr(np.fft, name)(n, 0.25)
            np.testing.assert_allclose(getattr(jnp.fft, name)(n, 0.25), expected)
    x = np.arange(n * 3).reshape(n, 3)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (1,)):
            expected = getattr(np.fft, name)(x, axes)
            np.testing.assert_array_equal(getattr(jnp.fft, name)(x, axes), expected)


def test_frequencies_can_be_traced_in_the_spacing():
    found = jax.jit(lambda d: jnp.fft.fftfreq(5, d))(0.5)
    np.testing.assert_allclose(found, np.fft.fftfreq(5, 0.5))


@pytest.mark.parametrize("name", COMPLEX + REAL + HALF)
def test_transforms_are_linear_under_derivatives_and_batches(name):
    x = operand(name, (4, 6))
    function = getattr(jnp.fft, name)
    _, tangent = jax.jvp(function, (x,), (2 * x,))
    np.testing.assert_allclose(tangent, 2 * function(x), rtol=1e-12)
    by_row = jax.jit(jax.vmap(function, in_axes=1))(x)
    np.testing.assert_allclose(by_row, function(x.T), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: jnp.fft.rfft(x + 1j), ValueError, "jnp.fft.rfft: the array is comp"),
        (lambda x: jnp.fft.fft(x, norm="no"), ValueError, "Invalid norm value no"),
        (lambda x: jnp.fft.fft(x, n=0), ValueError, "should be positive"),
        (lambda x: jnp.fft.fft(x, n=2.0), TypeError, "integer"),
        (lambda x: jnp.fft.fft(x, axis=2), ValueError, "out of bounds"),
        (
            lambda x: jnp.fft.fft(x, axis=(0, 1)),
            ValueError,
            "does not support multiple axes",
        ),
        (lambda x: jnp.fft.fft2(x, axes=(0,)), ValueError, "only supports 2 axes"),
        (
            lambda x: jnp.fft.fftn(x, axes=(0, 0)),
            ValueError,
            "does not support repeated axes",
        ),
        (
            lambda x: jnp.fft.fftn(x, s=(2,), axes=(0, 1)),
            ValueError,
            "have different lengths",
        ),
        (lambda x: jnp.fft.fft([1, 2]), TypeError, "requires ndarray or scalar"),
        (lambda x: jnp.fft.fftfreq([4]), ValueError, "single numbers"),
    ],
)
def test_misfits_are_explained(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((2, 3)))


@pytest.mark.parametrize("name", ["rfft", "rfftn", "ihfft"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_not_transformed_as_real_numbers(name, dtype):
    with pytest.raises(ValueError, match="float32 and float64"):
        getattr(jnp.fft, name)(jnp.ones(2, dtype))
