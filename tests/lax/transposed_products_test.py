"""Sums of products of arrays that are stored in different orders agree with NumPy's to the last bit: they are of whole numbers."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# On both sides of a vector, of the shortest tile, and of one tile.
SIZES = (1, 2, 7, 8, 9, 16, 17, 64, 65, 130)
SHAPES = ((3, 7, 9), (2, 8, 64), (5, 65, 17), (1, 9, 130))
SUBSCRIPTS = ("nij,nji->n", "nij,jin->n", "nij,inj->i", "nij,jni->ni", "nij,jin->")


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
@pytest.mark.parametrize("rows", SIZES)
def test_traces_of_products_are_exact(rows, dtype):
    random = np.random.RandomState(rows)
    for columns in SIZES:
        x = random.randint(-1, 2, (rows, columns))
        # Few terms count, so that numbers of 16 bits hold their sum.
        y = random.randint(-1, 2, (columns, rows)) * (random.rand(columns, rows) < 0.02)
        with jax.enable_x64(True):
            a, b = jnp.asarray(x, dtype), jnp.asarray(y, dtype)
            found = [
                jnp.einsum("ij,ji->", a, b),
                jax.jit(lambda a, b: jnp.tensordot(a.T, b, 2))(a, b),
            ]
        wanted = np.einsum("ij,ji->", x, y)
        assert [float(sum_) for sum_ in found] == [wanted, wanted]


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_turned_products_of_three_dimensions_are_exact(subscripts):
    right = subscripts.split(",")[1].split("->")[0]
    for shape in SHAPES:
        random = np.random.RandomState(sum(shape))
        sizes = dict(zip("nij", shape, strict=True))
        x = random.randint(-3, 4, shape).astype("float32")
        y = random.randint(-3, 4, [sizes[name] for name in right]).astype("float32")
        np.testing.assert_array_equal(
            jnp.einsum(subscripts, x, y), np.einsum(subscripts, x, y)
        )
