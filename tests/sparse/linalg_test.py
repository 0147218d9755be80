"""Solvers and eigenvalues."""

import numpy as np
import pytest
import scipy.sparse

import jax
import jax.numpy as jnp
from jax.experimental.sparse import linalg


def system(n=6):
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((n, n)) * (rng.random((n, n)) < 0.4) + 5 * np.eye(n)
    mat = scipy.sparse.csr_matrix(dense.astype(np.float32))
    return (
        dense,
        (mat.data, mat.indices, mat.indptr),
        rng.standard_normal(n).astype("f"),
    )


def test_spsolve_and_its_derivatives():
    dense, (data, indices, indptr), b = system()
    x = jax.jit(linalg.spsolve)(data, indices, indptr, b)
    np.testing.assert_allclose(x, np.linalg.solve(dense, b), rtol=1e-4)

    def f(data, b):
        return jnp.sin(linalg.spsolve(data, indices, indptr, b)).sum()

    rows = np.repeat(np.arange(len(b)), np.diff(indptr))

    def of_dense(data, b):
        full = jnp.zeros((len(b), len(b))).at[rows, indices].add(data)
        return jnp.sin(jnp.linalg.solve(full, b)).sum()

    for transform in (jax.grad, jax.jacfwd):
        found = transform(f, (0, 1))(data, b)
        expected = transform(of_dense, (0, 1))(data, b)
        jax.tree.map(
            lambda a, c: np.testing.assert_allclose(a, c, atol=1e-4), found, expected
        )


def test_spsolve_is_mapped():
    dense, (data, indices, indptr), b = system()
    many = np.stack([b, 2 * b])
    found = jax.vmap(lambda b: linalg.spsolve(data, indices, indptr, b))(many)
    np.testing.assert_allclose(found, np.linalg.solve(dense, many.T).T, rtol=1e-4)


@pytest.mark.parametrize("k", [1, 3])
def test_lobpcg_finds_the_largest_eigenvalues(k):
    rng = np.random.default_rng(k)
    a = rng.standard_normal((40, 40)).astype(np.float32)
    a = a @ a.T
    start = rng.standard_normal((40, k)).astype(np.float32)
    theta, vectors, steps = linalg.lobpcg_standard(a, start, m=200)
    expected = np.linalg.eigvalsh(a)[::-1][:k]
    np.testing.assert_allclose(theta, expected, rtol=1e-4)
    np.testing.assert_allclose(a @ vectors, vectors * theta, atol=2e-2)
    assert 0 < int(steps) < 200
    by_function = linalg.lobpcg_standard(lambda x: a @ x, start, m=200)[0]
    np.testing.assert_allclose(by_function, expected, rtol=1e-4)


def test_lobpcg_with_a_start_that_is_deficient():
    a = np.diag(np.arange(1.0, 31.0)).astype(np.float32)
    theta, _, _ = linalg.lobpcg_standard(a, jnp.ones((30, 2)), m=100)
    np.testing.assert_allclose(theta, [30.0, 29.0], rtol=1e-4)


def test_mistakes():
    _, (data, indices, indptr), b = system()
    for args in [
        (data, indices, indptr, b.astype(np.float16)),
        (data[None], indices, indptr, b),
        (data, indices.astype(float), indptr, b),
        (data[1:], indices, indptr, b),
        (data, indices, indptr[1:], b),
    ]:
        with pytest.raises(ValueError, match="spsolve"):
            linalg.spsolve(*args)
    with pytest.raises(ValueError, match="reorder"):
        linalg.spsolve(data, indices, indptr, b, reorder=4)
    with pytest.raises(ValueError, match="5 \\* k < n"):
        linalg.lobpcg_standard(jnp.eye(8), jnp.ones((8, 2)))
    with pytest.raises(ValueError, match="does not fit"):
        linalg.lobpcg_standard(jnp.eye(8), jnp.ones((9, 1)))


def test_lobpcg_that_is_recorded_climbs_to_the_largest_eigenvalues():
    random = np.random.default_rng(0)
    n, k, m = 60, 3, 25
    vectors, _ = np.linalg.qr(random.normal(size=(n, n)))
    values = np.arange(1.0, n + 1)
    A = jnp.asarray((vectors * values) @ vectors.T, jnp.float32)
    X = jnp.asarray(random.normal(size=(n, k)), jnp.float32)
    theta, U, steps, records = linalg._lobpcg_standard_matrix(A, X, m, 0.0, True)
    assert steps == m and U.shape == (n, k)
    np.testing.assert_allclose(theta, values[: -k - 1 : -1], rtol=1e-3)
    history = np.asarray(records["lambda history"])
    assert (np.diff(history, axis=0) > -1e-5 * values[-1]).all()
    np.testing.assert_array_equal(history[-1], theta)
    assert {name: x.shape for name, x in records.items()} == {
        **dict.fromkeys(records, (m,)),
        "lambda history": (m, k),
        "residual history": (m, k),
    }
    for name in ("X zeros", "P zeros", "converged"):
        assert not np.any(records[name])
    for name in ("X orth", "P orth", "P.X"):
        assert np.max(records[name]) < 1e-5
    assert (records["basis rank"] == 3 * k).sum() >= m - 1
    errors = [records[f"adjusted residual {q}"] for q in ("min", "p50", "max")]
    assert (np.diff(errors, axis=0) >= 0).all()
    plain = linalg._lobpcg_standard_matrix(A, X, m, 0.0)
    np.testing.assert_allclose(plain[0], theta, rtol=1e-5)
