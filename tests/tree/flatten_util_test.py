"""`ravel_pytree`: a tree as one vector, and back."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

TREES = {
    "dict": {"a": jnp.arange(3.0), "b": 2.0},
    "nothing": [],
    "mixed dtypes": [jnp.int8(1), jnp.ones((2, 2), jnp.float16)],
    "integers": (1, jnp.arange(4).reshape(2, 2)),
    "empty leaf": [jnp.zeros((0, 3)), jnp.ones(2)],
    "complex": [1j, jnp.ones(2)],
    "truth values": [True, False],
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_there_and_back(tree):
    vector, unravel = ravel_pytree(tree)
    back = unravel(vector)
    assert vector.shape == (sum(np.size(x) for x in jax.tree.leaves(tree)),)
    assert jax.tree.structure(back) == jax.tree.structure(tree)
    for got, want in zip(jax.tree.leaves(back), jax.tree.leaves(tree), strict=True):
        assert got.dtype == jnp.asarray(want).dtype
        np.testing.assert_array_equal(got, want)


def test_the_dtype_is_the_promoted_one():
    assert ravel_pytree([jnp.float16(1), jnp.bfloat16(2)])[0].dtype == jnp.float32
    assert ravel_pytree([1, 2])[0].weak_type
    assert not ravel_pytree([1, 2.0])[0].weak_type
    assert ravel_pytree([])[0].dtype == jnp.float32


def test_the_way_back_refuses_other_vectors():
    _, unravel = ravel_pytree({"a": 1, "b": 2.0})
    with pytest.raises(ValueError, match="length of the tree"):
        unravel(jnp.ones(5))
    with pytest.raises(TypeError, match="dtype of the tree"):
        unravel(jnp.ones(2, int))


def test_it_is_differentiable_and_batches():
    tree = {"a": jnp.arange(3.0), "b": jnp.float32(2.0)}

    def norm(tree):
        return jnp.sum(ravel_pytree(tree)[0] ** 2)

    found = jax.grad(norm)(tree)
    np.testing.assert_allclose(found["a"], 2 * np.arange(3.0))
    np.testing.assert_allclose(found["b"], 4.0)
    vector, unravel = ravel_pytree(tree)
    rows = jax.vmap(unravel)(jnp.stack([vector, 2 * vector]))
    np.testing.assert_allclose(rows["a"], np.outer([1, 2], np.arange(3.0)))
