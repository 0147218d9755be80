"""Mistakes with sparse arrays are explained."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import sparse

DENSE = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
MAT = sparse.BCOO.fromdense(DENSE)
ROWS = sparse.BCSR.fromdense(DENSE)

CASES = [
    (lambda: MAT @ jnp.ones(4), TypeError, "contract|sizes|axes"),
    (lambda: MAT + 1, NotImplementedError, "a smaller dense one"),
    (lambda: MAT + jnp.ones(3), NotImplementedError, "a smaller dense one"),
    (lambda: MAT == MAT, NotImplementedError, "dense output"),
    (lambda: 2 / MAT, NotImplementedError, "dense output"),
    (lambda: MAT**0, NotImplementedError, "exponent"),
    (lambda: sparse.sparsify(jnp.cos)(MAT), NotImplementedError, "sparse rule for cos"),
    (lambda: sparse.sparsify(jnp.cumsum)(MAT), NotImplementedError, "cumsum"),
    (lambda: jnp.asarray(MAT), ValueError, "todense"),
    (lambda: jnp.sin(MAT), TypeError, "BCOO"),
    (lambda: hash(MAT), TypeError, "unhashable"),
    (lambda: MAT.update_layout(n_batch=1), sparse.SparseEfficiencyError, "zeros"),
    (lambda: MAT.update_layout(n_batch=3), ValueError, "add up"),
    (lambda: ROWS + ROWS, NotImplementedError, "BCSR has no sum"),
    (lambda: ROWS[0], NotImplementedError, "BCSR has no indexing"),
    (lambda: ROWS.T, NotImplementedError, "to_bcoo"),
    (lambda: jnp.ones(2) @ ROWS, NotImplementedError, "BCSR"),
    (lambda: jax.vmap(lambda m: m)(MAT), ValueError, "Cannot map in_axis=0"),
    (lambda: jax.jit(sparse.BCOO.fromdense)(DENSE), TypeError, "Pass nse"),
    (lambda: jax.jit(lambda m: m.sum_duplicates())(MAT), ValueError, "Pass nse"),
    (lambda: sparse.empty((2, 3), sparse_format="no"), ValueError, "bcsr"),
    (lambda: sparse.COO.fromdense(jnp.ones(3)), AssertionError, "matrices"),
    (lambda: sparse.BCOO((DENSE, MAT.indices), shape=(2, 3)), ValueError, "nse"),
]


@pytest.mark.parametrize(("mistake", "kind", "text"), CASES)
def test_mistake(mistake, kind, text):
    with pytest.raises(kind, match=text):
        mistake()


def test_a_warning_where_it_is_wanted():
    with pytest.warns(sparse.SparseEfficiencyWarning, match="zeros"):
        MAT.update_layout(n_dense=1, on_inefficient="warn")
