"""Many small products, each computed where it stands, agree with NumPy's to the last bit: they are of whole numbers."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# What the products sum over: einsum's subscripts and the two shapes.
PRODUCTS = {
    "three": ("bij,bjk->bik", (40, 3, 3), (40, 3, 3)),
    "columns of two widths": ("bij,bjk->bik", (40, 5, 7), (40, 7, 6)),
    "columns covered twice": ("bij,bjk->bik", (20, 7, 5), (20, 5, 15)),
    "whole vectors": ("bij,bjk->bik", (20, 16, 16), (20, 16, 16)),
    "right factor copied": ("bij,bkj->bik", (20, 6, 9), (20, 11, 9)),
    "rows apart": ("bji,bjk->bik", (20, 8, 5), (20, 8, 12)),
    "two batches": ("abij,abjk->abik", (4, 5, 4, 6), (4, 5, 6, 4)),
    "batch in the middle": ("ibj,bjk->bik", (6, 20, 5), (20, 5, 7)),
    "vector after": ("bij,bj->bi", (20, 13, 13), (20, 13)),
    "vector before": ("bi,bij->bj", (20, 9), (20, 9, 12)),
    "vectors": ("bi,bi->b", (30, 43), (30, 43)),
    "vectors of a few": ("bi,bi->b", (300, 3), (300, 3)),
    "one": ("ij,jk->ik", (7, 10), (10, 11)),
    "lines of three": ("ij,jk->ik", (3000, 3), (3, 3)),
    "lines of eight": ("ij,jk->ik", (3000, 8), (8, 8)),
    "lines with a vector": ("ij,j->i", (3000, 5), (5,)),
    "long lines": ("bij,bjk->bik", (3, 70, 4), (3, 4, 5)),
    "many lines with a vector": ("ij,j->i", (9000, 8), (8,)),
    "long columns with a vector": ("ji,j->i", (3, 30000), (3,)),
    "vectors with long columns": ("bji,bj->bi", (2, 8, 9000), (2, 8)),
    "vector with long lines": ("j,ji->i", (300,), (300, 400)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_small_products_are_exact(name, dtype):
    subscripts, left, right = PRODUCTS[name]
    random = np.random.RandomState(len(name))
    x, y = (random.randint(-2, 3, shape) for shape in (left, right))
    with jax.enable_x64(True):
        found = jnp.einsum(subscripts, jnp.asarray(x, dtype), jnp.asarray(y, dtype))
    assert found.dtype == dtype
    np.testing.assert_array_equal(
        np.asarray(found, "float64"), np.einsum(subscripts, x, y)
    )
