"""Functions of images whose batch, height and width are symbolic give what they give for each size."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax

# Smaller than some windows, odd, even.
SIZES = ((2, 7, 9), (1, 4, 6), (1, 8, 5), (3, 2, 3))
KERNEL = np.cos(np.arange(3 * 3 * 4 * 5, dtype=np.float32)).reshape(3, 3, 4, 5)
CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")


def convolved(strides, padding, **options):
    return lambda x: lax.conv_general_dilated(
        x, KERNEL, strides, padding, dimension_numbers=CHANNELS_LAST, **options
    )


def pooled(size, stride, padding, init=-np.inf, fold=lax.max):
    window, strides = (1, size, size, 1), (1, stride, stride, 1)
    return lambda x: lax.reduce_window(x, init, fold, window, strides, padding)


def slope(function):
    """The gradient of a function's sum of squares."""
    return jax.grad(lambda x: (function(x) ** 2).sum())


FORWARD = {
    "convolution VALID": convolved((1, 1), "VALID"),
    "convolution SAME": convolved((1, 1), "SAME"),
    "convolution SAME in steps": convolved((2, 3), "SAME"),
    "convolution SAME_LOWER in steps": convolved((2, 2), "SAME_LOWER"),
    "convolution VALID in steps": convolved((2, 2), "VALID"),
    "convolution with gaps in the kernel": convolved(
        (1, 1), "VALID", rhs_dilation=(2, 2)
    ),
    "convolution with gaps in the image": convolved(
        (1, 1), [(1, 1), (1, 1)], lhs_dilation=(2, 2)
    ),
    "greatest of windows, VALID": pooled(2, 2, "VALID"),
    "greatest of windows, SAME": pooled(3, 2, "SAME"),
    "sums of windows": pooled(2, 1, "SAME", 0.0, lax.add),
}
IMAGES = (
    FORWARD
    | {f"gradient of {name}": slope(f) for name, f in FORWARD.items()}
    | {
        "transposed convolution": lambda x: lax.conv_transpose(
            x, KERNEL, (2, 2), "SAME", dimension_numbers=CHANNELS_LAST
        ),
        "an image as its own kernel": lambda x: lax.conv_general_dilated(
            x[:1],
            x[:1].transpose(1, 2, 3, 0),
            (1, 1),
            "SAME",
            dimension_numbers=CHANNELS_LAST,
        ),
        "patches": lambda x: lax.conv_general_dilated_patches(
            x, (2, 2), (1, 1), "VALID", dimension_numbers=CHANNELS_LAST
        ),
        "a small network": lambda x: convolved((1, 1), "VALID")(
            pooled(2, 2, "SAME")(x)
        ).sum((1, 2)),
        "resized to a known size": lambda x: jax.image.resize(
            x, (x.shape[0], 8, 5, 4), "linear"
        ),
        "twice as large, cubic": lambda x: jax.image.resize(
            x, (x.shape[0], 2 * x.shape[1], x.shape[2], 4), "cubic"
        ),
        "twice as large, nearest": lambda x: jax.image.resize(
            x, (x.shape[0], x.shape[1], 2 * x.shape[2], 4), "nearest"
        ),
        "medians": lambda x: jnp.median(x, axis=1),
        "percentiles": lambda x: jnp.percentile(
            x, jnp.array([10.0, 60.0]), axis=(1, 2)
        ),
        "quantiles by weight": lambda x: jnp.quantile(
            x, 0.3, axis=2, method="inverted_cdf"
        ),
        "indices of some": lambda x: jnp.nonzero(x > 0, size=5),
        "some different ones": lambda x: jnp.unique(jnp.round(x), size=4),
        "drawn ones": lambda x: jax.random.choice(
            jax.random.key(0), x[0, :, 0, 0], (3,)
        ),
        "singular values": lambda x: jnp.linalg.svd(x[0, :, :, 0], compute_uv=False),
        "product of LU factors": lambda x: product_of_factors(x[0, :, :, 0]),
        "determinant": lambda x: tuple(
            jnp.linalg.slogdet(x[0, :, :, 0] @ x[0, :, :, 0].T + jnp.eye(x.shape[1]))
        ),
    }
)


def product_of_factors(x):
    factors, _, order = lax.linalg.lu(x)
    rows = lax.broadcasted_iota(np.int32, factors.shape, 0)
    columns = lax.broadcasted_iota(np.int32, factors.shape, 1)
    return jnp.where(rows > columns, factors, 0).sum(), jnp.sort(order)


@pytest.mark.parametrize("name", IMAGES)
def test_images_of_every_size(name):
    function = IMAGES[name]
    spec = jax.ShapeDtypeStruct(export.symbolic_shape("b, h, w, 4"), np.float32)
    program = export.export(jax.jit(function))(spec)
    program = export.deserialize(program.serialize())
    for n, h, w in SIZES:
        x = np.sin(np.arange(n * h * w * 4, dtype=np.float32) ** 1.5)
        x = jnp.asarray(x.reshape(n, h, w, 4))
        found, expected = (jax.tree.leaves(f(x)) for f in (program.call, function))
        for a, b in zip(found, expected, strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


def test_sizes_of_results_are_the_formulas_that_users_know():
    spec = jax.ShapeDtypeStruct(export.symbolic_shape("b, h, w, 4"), np.float32)
    found = {
        name: str(jax.eval_shape(FORWARD[name], spec).shape)
        for name in ("convolution VALID", "greatest of windows, VALID")
    }
    assert found == {
        "convolution VALID": "(b, max(h - 2, 0), max(w - 2, 0), 5)",
        "greatest of windows, VALID": "(b, floordiv(h - 2, 2) + 1, floordiv(w - 2, 2) + 1, 4)",
    }
