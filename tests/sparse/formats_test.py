"""Each format: from dense and back, products, trees, empty ones and diagonals."""

import numpy as np
import pytest
import scipy.sparse

import jax
import jax.numpy as jnp
from jax.experimental import sparse

DENSE = np.array([[0, 1, 0, 4], [2, 0, 3, 0], [0, 0, 0, 0]], np.float32)
FORMATS = [sparse.BCOO, sparse.BCSR, sparse.COO, sparse.CSR, sparse.CSC]
every_format = pytest.mark.parametrize("kind", FORMATS)


@every_format
def test_products(kind):
    v, b = np.arange(4, dtype=np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    for nse in (None, 7):
        mat = kind.fromdense(DENSE, nse=nse)
        np.testing.assert_allclose(mat.todense(), DENSE)
        np.testing.assert_allclose(mat @ v, DENSE @ v)
        np.testing.assert_allclose(jax.jit(lambda m, b: m @ b)(mat, b), DENSE @ b)


@pytest.mark.parametrize("kind", [sparse.BCOO, sparse.COO, sparse.CSR, sparse.CSC])
def test_transposes(kind):
    mat = kind.fromdense(DENSE, nse=6)
    v = np.arange(3, dtype=np.float32)
    np.testing.assert_allclose(mat.T.todense(), DENSE.T)
    np.testing.assert_allclose(mat.T @ v, DENSE.T @ v)


@every_format
def test_trees_keep_shape_and_promises(kind):
    mat = kind.fromdense(DENSE)
    leaves, structure = jax.tree.flatten(mat)
    again = jax.tree.unflatten(structure, leaves)
    assert repr(again) == repr(mat)
    assert jax.tree.structure(again) == structure
    assert "<invalid>" in repr(jax.tree.unflatten(structure, [None] * len(leaves)))


@pytest.mark.parametrize("name", ["bcoo", "bcsr", "coo", "csr", "csc"])
def test_empty(name):
    mat = sparse.empty((2, 3), np.int16, sparse_format=name)
    assert (mat.nse, mat.dtype) == (0, np.int16)
    np.testing.assert_array_equal(mat.todense(), np.zeros((2, 3)))


@pytest.mark.parametrize("name", ["bcoo", "coo", "csr", "csc"])
@pytest.mark.parametrize("args", [(3,), (2, 4, 1), (4, 2, -1), (3, 3, 5)])
def test_diagonals(name, args):
    mat = sparse.eye(*args, sparse_format=name)
    np.testing.assert_array_equal(mat.todense(), np.eye(*args))


def test_scipy_matrices():
    for convert in (scipy.sparse.csr_matrix, scipy.sparse.coo_matrix):
        for kind in (sparse.BCOO, sparse.BCSR):
            mat = kind.from_scipy_sparse(convert(DENSE))
            np.testing.assert_array_equal(mat.todense(), DENSE)


def test_compressed_rows_of_batches():
    dense = np.stack([DENSE, DENSE[::-1], 0 * DENSE])
    mat = sparse.BCSR.fromdense(dense, n_batch=1)
    np.testing.assert_array_equal(mat.todense(), dense)
    np.testing.assert_array_equal(sparse.BCSR.from_bcoo(mat.to_bcoo()).todense(), dense)
    b = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    np.testing.assert_allclose(mat @ b, dense @ b)
    twice = sparse.bcsr_concatenate([mat, mat], dimension=1)
    np.testing.assert_array_equal(twice.todense(), np.concatenate([dense, dense], 1))
    taken = sparse.bcsr_extract(mat.indices, mat.indptr, dense)
    np.testing.assert_array_equal(taken, mat.data)
    row = jax.vmap(lambda m: 1 * m.todense())(mat)
    np.testing.assert_array_equal(row, dense)


def test_random_arrays():
    key = jax.random.key(0)
    mat = sparse.random_bcoo(key, (5, 40), nse=0.1, n_batch=1)
    assert (mat.nse, mat.shape) == (4, (5, 40))
    assert all(len(np.unique(row)) == 4 for row in np.asarray(mat.indices[..., 0]))
    ordered = sparse.random_bcoo(key, (6, 6), nse=9, sorted_indices=True)
    assert ordered.indices_sorted
    np.testing.assert_array_equal(ordered.indices, ordered.sort_indices().indices)


def test_sparsify_knows_control_flow_and_tracers():
    mat = sparse.BCOO.fromdense(DENSE[:, :3])

    def f(m):
        m = jax.lax.cond(True, lambda x: 2 * x, lambda x: -x, m)
        m = jax.lax.fori_loop(0, 3, lambda _, x: 2 * x, m)
        return jax.jit(jnp.sin)(m), jax.nn.relu(sparse.todense(m))

    for use_tracer in (False, True):
        sin, relu = sparse.sparsify(f, use_tracer=use_tracer)(mat)
        assert isinstance(sin, sparse.BCOO)
        np.testing.assert_allclose(sin.todense(), np.sin(16 * DENSE[:, :3]), rtol=1e-5)
        np.testing.assert_allclose(relu, 16 * DENSE[:, :3])


def test_sparsify_takes_rules_of_others():
    rules = sparse.transform.sparse_rules_bcoo
    (eqn,) = jax.make_jaxpr(jax.lax.erfc)(1.0).eqns
    assert eqn.primitive not in rules
    rules[eqn.primitive] = lambda spenv, x, **_: [spenv.dense(jnp.float32(7))]
    try:
        mat = sparse.BCOO.fromdense(DENSE)
        assert sparse.sparsify(jax.lax.erfc)(mat) == 7
    finally:
        del rules[eqn.primitive]
