"""Products of bytes and of bfloat16, vectors of tiny numbers in loops, and arrays of many narrow pieces."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

SHAPES = [
    (5, 7, 9),
    (64, 64, 64),
    (1, 300, 40),
    (300, 40, 1),
    (40, 1100, 50),
    (33, 65, 70),
]


@pytest.mark.parametrize("right", ["int8", "uint8"])
@pytest.mark.parametrize("left", ["int8", "uint8"])
def test_products_of_bytes_are_exact(left, right):
    random = np.random.RandomState(0)
    for rows, terms, columns in SHAPES:
        x = random.randint(0, 256, (rows, terms)).astype(left)
        y = random.randint(0, 256, (terms, columns)).astype(right)
        found = jax.jit(lambda x, y: lax.dot(x, y, preferred_element_type="int32"))(
            x, y
        )
        np.testing.assert_array_equal(found, x.astype("int32") @ y.astype("int32"))
        turned = jax.jit(lambda x, y: lax.dot(x.T, y.T, preferred_element_type="int32"))
        np.testing.assert_array_equal(turned(x.T, y.T), found)


def test_sums_of_bytes_wrap_and_batches_are_products_of_their_own():
    random = np.random.RandomState(1)
    x = random.randint(-128, 128, (3, 40, 70)).astype("int8")
    y = random.randint(-128, 128, (3, 70, 35)).astype("int8")
    expected = (x.astype("int64") @ y.astype("int64")).astype("int8")
    np.testing.assert_array_equal(jax.jit(jnp.matmul)(x, y), expected)


def test_products_of_bfloat16_keep_numbers_that_are_not_normal():
    random = np.random.RandomState(2)
    x, y = (
        jnp.asarray(random.randn(*shape), "bfloat16") for shape in ((50, 90), (90, 70))
    )
    product = jax.jit(lambda x, y: lax.dot(x, y, preferred_element_type="float32"))
    for scale in (1.0, 2.0**-120, 2.0**-130):
        small = x * jnp.bfloat16(scale)
        exact = np.asarray(small, "float64") @ np.asarray(y, "float64")
        bound = 91 * (
            2.0**-24
            * (np.abs(np.asarray(small, "float64")) @ np.abs(np.asarray(y, "float64")))
            + 2.0**-149
        )
        assert (np.abs(np.asarray(product(small, y), "float64") - exact) <= bound).all()


def _in_a_loop(product):
    return jax.jit(lambda m, v: lax.fori_loop(0, 1, lambda _, v: product(m, v), v))


@pytest.mark.parametrize(
    "dtype, exponents",
    [("float32", (0, -110, -130, -145)), ("float64", (0, -1000, -1060))],
)
@pytest.mark.parametrize("size", [40, 300])
def test_products_with_tiny_vectors_in_loops_are_as_exact(dtype, exponents, size):
    random = np.random.RandomState(3)
    with jax.enable_x64(True):
        matrix = random.randn(size, size).astype(dtype)
        for product in (lambda m, v: m @ v, lambda m, v: v @ m):
            once = _in_a_loop(product)
            for exponent in exponents:
                vector = np.ldexp(random.randn(size), exponent).astype(dtype)
                wide, tiny = matrix.astype("longdouble"), vector.astype("longdouble")
                info = np.finfo(dtype)
                magnitude = product(np.abs(wide), np.abs(tiny))
                bound = (size + 1) * (
                    info.eps * magnitude + info.smallest_subnormal.astype("longdouble")
                )
                assert (
                    np.abs(np.asarray(once(matrix, vector)) - product(wide, tiny))
                    <= bound
                ).all()


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64", "bool"])
@pytest.mark.parametrize(
    "pieces, shape",
    [(13, (500, 10, 3)), (64, (3000, 1)), (200, (1000, 1)), (70, (7, 300, 2))],
)
def test_many_narrow_pieces_are_side_by_side(pieces, shape, dtype):
    random = np.random.RandomState(4)
    arrays = [random.randint(-9, 9, shape).astype(dtype) for _ in range(pieces)]
    found = jax.jit(lambda *arrays: jnp.concatenate(arrays, -1))(*arrays)
    np.testing.assert_array_equal(found, np.concatenate(arrays, -1))
    turned = jax.jit(lambda *arrays: jnp.concatenate([a[::-1] for a in arrays], -1))(
        *arrays
    )
    np.testing.assert_array_equal(turned, np.concatenate(arrays, -1)[::-1])
