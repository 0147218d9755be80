"""Images are resized by the weights that the methods promise, in float64."""

import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import jax
import jax.image
import jax.numpy as jnp

SMOOTH = ["linear", "cubic", "cubic-pytorch", "lanczos3", "lanczos5"]
METHODS = [*SMOOTH, "area"]
sizes = st.integers(1, 12)


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def image(*shape):
    return np.random.default_rng(0).normal(size=shape)


def keys(a):
    def kernel(x):
        x = abs(x)
        if x < 1:
            return (a + 2) * x**3 - (a + 3) * x**2 + 1
        return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0

    return kernel


def lanczos(radius):
    def kernel(x):
        return np.sinc(x) * np.sinc(x / radius) if abs(x) <= radius else 0.0

    return kernel


KERNELS = {
    "linear": lambda x: max(0.0, 1 - abs(x)),
    "cubic": keys(-0.5),
    "cubic-pytorch": keys(-0.75),
    "lanczos3": lanczos(3),
    "lanczos5": lanczos(5),
}


def resized_slowly(x, after, kernel, width):
    """The definition, pixel by pixel."""
    result = np.zeros(after)
    for i in range(after):
        centre = (i + 0.5) * len(x) / after
        weights = [kernel((j + 0.5 - centre) / width) for j in range(len(x))]
        result[i] = np.dot(weights, x) / np.sum(weights)
    return result


@hypothesis.settings(max_examples=12)
@hypothesis.given(before=sizes, after=sizes, method=st.sampled_from(SMOOTH))
def test_methods_agree_with_their_definition(before, after, method):
    x = image(before)
    expected = resized_slowly(x, after, KERNELS[method], 1.0)
    found = jax.image.resize(x, (after,), method, antialias=False)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-5)
    kernel = keys(-0.5) if method == "cubic-pytorch" else KERNELS[method]
    width = max(1.0, before / after)
    found = jax.image.resize(x, (after,), method)
    expected = resized_slowly(x, after, kernel, width)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-5)


@pytest.mark.parametrize("method", [*METHODS, "nearest"])
def test_constant_images_stay_constant(method):
    for shape in ((3, 9), (8, 4), (1, 1)):
        found = jax.image.resize(np.full((5, 6), 2.5), shape, method)
        np.testing.assert_allclose(found, np.full(shape, 2.5), rtol=1e-12)


def test_whole_factors_repeat_or_average_pixels():
    x = image(4, 6)
    larger = np.repeat(np.repeat(x, 3, 0), 2, 1)
    for method in ("nearest", "area"):
        found = jax.image.resize(x, larger.shape, method)
        np.testing.assert_allclose(found, larger, rtol=1e-12)
    blocks = x.reshape(2, 2, 3, 2).mean((1, 3))
    np.testing.assert_allclose(jax.image.resize(x, (2, 3), "area"), blocks, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "bool", "complex64"])
def test_nearest_takes_the_cell_below_the_centre(dtype):
    for before, after in itertools.product([1, 2, 3, 4, 7, 12], [1, 2, 3, 4, 6, 9, 24]):
        x = (10 * image(2, before, 3)).astype(dtype)
        cells = [int((i + 0.5) * before / after + 1e-9) for i in range(after)]
        found = jax.image.resize(x, (2, after, 3), "nearest")
        np.testing.assert_array_equal(found, x[:, cells], str((before, after)))


def test_the_gradient_of_nearest_adds_up_what_came_from_each_cell():
    x = image(3, 4)
    for shape in [(6, 4), (3, 2), (5, 3)]:
        resize = lambda x, shape=shape: jax.image.resize(x, shape, "nearest")
        y = image(*shape)
        (found,) = jax.vjp(resize, x)[1](y)
        numbers = np.asarray(resize(np.arange(12).reshape(3, 4))).reshape(-1)
        counted = np.bincount(numbers, y.reshape(-1), minlength=12).reshape(3, 4)
        np.testing.assert_allclose(found, counted, rtol=1e-12)


def test_nearest_keeps_integers_and_others_make_floats():
    x = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert jax.image.resize(x, (4, 6), "nearest").dtype == np.uint8
    assert jax.image.resize(x, (4, 6), "linear").dtype.kind == "f"
    assert jax.image.resize(jnp.ones(3, "bfloat16"), (2,), "cubic").dtype == "bfloat16"


@pytest.mark.parametrize("method", METHODS)
def test_moving_by_whole_pixels_shifts_and_fills_with_zeros(method):
    x = image(5)
    one, two = np.ones(1), np.full(1, 2.0)
    found = jax.image.scale_and_translate(x, (7,), (0,), one, two, method)
    np.testing.assert_allclose(found, [0, 0, *x], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_resizing_is_scaling_without_translation(method):
    x = image(5, 3)
    scale, zeros = np.array([8 / 5, 2 / 3]), np.zeros(2)
    found = jax.image.scale_and_translate(x, (8, 2), (0, 1), scale, zeros, method)
    expected = jax.image.resize(x, (8, 2), method)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_are_limits_of_differences(method):
    x, weights = image(6), image(9)

    def fun(x, scale, translation):
        moved = jax.image.scale_and_translate(x, (9,), (0,), scale, translation, method)
        return jnp.sum(moved * weights)

    point = (x, np.array([1.37]), np.array([0.21]))
    slopes = jax.grad(fun, (0, 1, 2))(*point)
    for i, slope in enumerate(slopes):
        step = 1e-6 * np.ones_like(point[i])
        ahead, behind = (
            fun(*[p + s * step if j == i else p for j, p in enumerate(point)])
            for s in (1, -1)
        )
        np.testing.assert_allclose(slope.sum(), (ahead - behind) / 2e-6, rtol=1e-6)


def test_resizing_maps_over_batches_under_jit():
    x = image(3, 4, 5)
    found = jax.jit(jax.vmap(lambda x: jax.image.resize(x, (6, 2), "cubic")))(x)
    np.testing.assert_allclose(found, jax.image.resize(x, (3, 6, 2), "cubic"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: jax.image.resize(x, (4,), "linear"), "number of axes"),
        (lambda x: jax.image.resize(x, (4, 4), "best"), "no such method"),
        (lambda x: jax.image.resize(x, (4, 4), 1), "not a method"),
        (lambda x: jax.image.resize(x[:0], (4, 4), "linear"), "without pixels"),
        (
            lambda x: jax.image.scale_and_translate(
                x, (4, 4), (0,), np.ones(1), np.ones(1), "nearest"
            ),
            "NEAREST",
        ),
        (
            lambda x: jax.image.scale_and_translate(
                x, (4, 4), (0,), np.ones(2), np.ones(1), "linear"
            ),
            "`scale` does not fit",
        ),
    ],
)
def test_misfits_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call(image(3, 3))
