"""Batches of small matrices, which go side by side through vectors: as exact as one at a time, odd ones included."""

import numpy as np
import pytest
import scipy.linalg

import jax
import jax.numpy as jnp
from jax import lax

SIZES = (0, 1, 2, 3, 5, 8, 13, 16, 17)
COUNTS = (1, 3, 4, 7, 8, 9, 16, 17, 33)
DTYPES = (np.float32, np.float64)


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def drawn(count, m, n, dtype):
    random = np.random.default_rng(100 * m + n)
    return random.normal(size=(count, m, n)).astype(dtype)


def definite(count, n, dtype):
    x = drawn(count, n, n, dtype)
    return (x @ x.swapaxes(-1, -2) + np.eye(n)).astype(dtype)


def close(x, y, like, n, dtype):
    """Whether numbers of the size of `like` are equal but for roundings."""
    tolerance = 16 * max(n, 1) * np.finfo(dtype).eps
    size = np.max(np.abs(like), initial=0)
    np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * max(size, 1e-30))


def wide(*arrays):
    return [np.asarray(x, np.float64) for x in arrays]


def turned(x):
    return np.swapaxes(x, -1, -2)


cases = pytest.mark.parametrize(
    "count, n", [(COUNTS[i % len(COUNTS)], n) for i, n in enumerate(SIZES * 3)]
)
types = pytest.mark.parametrize("dtype", DTYPES)


@cases
@types
def test_cholesky_multiplies_to_the_matrix(count, n, dtype):
    x = definite(count, n, dtype)
    (factor,) = wide(lax.linalg.cholesky(x, symmetrize_input=False))
    close((factor @ turned(factor)), x, x, n, dtype)
    assert np.all(np.triu(factor, 1) == 0)


@cases
@types
def test_elimination_chooses_the_rows_that_one_matrix_has(count, n, dtype):
    x = drawn(count, n, n + 1, dtype)
    factors, pivots, order = lax.linalg.lu(x)
    (f,) = wide(factors)
    lower = np.tril(f[..., :, :n], -1) + np.eye(n)
    rows = np.take_along_axis(x, np.asarray(order)[..., None], -2)
    close((lower @ np.triu(f)), rows, x, n, dtype)
    if n:
        alone = np.stack([np.asarray(lax.linalg.lu(each)[1]) for each in x[:4]])
        np.testing.assert_array_equal(np.asarray(pivots)[:4], alone)


@types
def test_of_equal_pivots_the_first_is_chosen(dtype):
    x = np.tile(np.asarray([[1, 2, 3], [-1, 5, 4], [1, 0, -7]], dtype), (9, 1, 1))
    x[1::2] = np.abs(x[1::2, ::-1])
    _, pivots, _ = lax.linalg.lu(x)
    alone = np.stack([np.asarray(lax.linalg.lu(each)[1]) for each in x])
    np.testing.assert_array_equal(pivots, alone)
    assert np.all(np.asarray(pivots)[:, 0] == 0)


@pytest.mark.parametrize("shape", [(4, 4), (16, 3), (3, 16), (9, 1), (17, 2), (8, 7)])
@pytest.mark.parametrize("full", [False, True])
@types
def test_orthogonal_factors(shape, full, dtype):
    x = drawn(21, *shape, dtype)
    q, r = wide(*lax.linalg.qr(x, full_matrices=full))
    close((q @ r), x, x, max(shape), dtype)
    close(
        (turned(q) @ q),
        np.broadcast_to(np.eye(q.shape[-1]), (21, *q.shape[-1:] * 2)),
        1,
        max(shape),
        dtype,
    )
    alone = [np.asarray(y) for y in lax.linalg.qr(x[5], full_matrices=full)]
    close(q[5], alone[0], 1, 4 * max(shape), dtype)
    close(r[5], alone[1], x, 4 * max(shape), dtype)


@pytest.mark.parametrize(
    "shape", [(4, 4), (16, 3), (3, 16), (9, 1), (1, 9), (17, 2), (16, 16)]
)
@pytest.mark.parametrize("full", [False, True])
@types
def test_singular_values_and_vectors(shape, full, dtype):
    x = drawn(21, *shape, dtype)
    u, s, vt = wide(*jnp.linalg.svd(x, full_matrices=full))
    k, most = min(shape), max(shape)
    close(((u[..., :k] * s[..., None, :]) @ vt[..., :k, :]), x, x, most, dtype)
    close(s, np.linalg.svd(x.astype(float), compute_uv=False), s, most, dtype)
    for vectors in (u, turned(vt)):
        eye = np.broadcast_to(np.eye(vectors.shape[-1]), (21, *vectors.shape[-1:] * 2))
        close((turned(vectors) @ vectors), eye, 1, most, dtype)
    alone = jnp.linalg.svd(x, compute_uv=False)
    close(alone, s, s, most, dtype)


@cases
@types
def test_eigenvalues_and_vectors(count, n, dtype):
    x = drawn(count, n, n, dtype)
    x = x + turned(x)
    w, v = wide(*jnp.linalg.eigh(x))
    close(((v * w[..., None, :]) @ turned(v)), x, w, n, dtype)
    close((turned(v) @ v), np.broadcast_to(np.eye(n), x.shape), 1, n, dtype)
    close(w, np.linalg.eigvalsh(x.astype(float)), w, n, dtype)


@pytest.mark.parametrize("columns", [1, 3, 16, 17])
@pytest.mark.parametrize("flags", range(16))
@types
def test_triangular_systems(flags, columns, dtype):
    left, lower, transpose, unit = (bool(flags >> i & 1) for i in range(4))
    n = 1 + flags
    a = (drawn(11, n, n, dtype) / (2 * n) + np.eye(n)).astype(dtype)
    b = drawn(11, n, columns, dtype) if left else drawn(11, columns, n, dtype)
    options = {"left_side": left, "lower": lower, "transpose_a": transpose}
    (x,) = wide(lax.linalg.triangular_solve(a, b, unit_diagonal=unit, **options))
    t = (np.tril if lower else np.triu)(a).astype(float)
    if unit:
        t = t - t * np.eye(n) + np.eye(n)
    t = turned(t) if transpose else t
    close((t @ x if left else x @ t), b, x, n, dtype)


def spoilt(x):
    """Every fourth matrix is fine; the others hold NaN, an infinity, or nothing."""
    x = x.copy()
    x[1::4, -1, -1], x[2::4, -1, -1], x[3::4] = np.nan, np.inf, 0
    return x


@pytest.mark.parametrize(
    "function",
    [
        jnp.linalg.cholesky,
        jnp.linalg.inv,
        jnp.linalg.det,
        jnp.linalg.slogdet,
        jnp.linalg.qr,
        jnp.linalg.eigvalsh,
        lax.linalg.lu,
        lambda x: jnp.linalg.svd(x, compute_uv=False),
        lambda x: jnp.linalg.solve(x, x[..., :2]),
    ],
)
@types
def test_odd_matrices_beside_good_ones_are_as_alone(function, dtype):
    x = spoilt(definite(18, 6, dtype))
    together = jax.tree.leaves(function(x))
    for i, each in enumerate(x):
        alone = jax.tree.leaves(function(each))
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_array_equal(np.isnan(a[i]), np.isnan(b))
            np.testing.assert_allclose(a[i], b, rtol=2e-3, atol=2e-3)


@types
def test_matrices_of_low_rank_have_orthonormal_vectors(dtype):
    x = drawn(19, 6, 2, dtype) @ drawn(19, 2, 6, dtype)
    x[3], x[4] = 0, np.eye(6)
    u, s, vt = wide(*jnp.linalg.svd(x))
    close(((u * s[..., None, :]) @ vt), x, x, 6, dtype)
    close((turned(u) @ u), np.broadcast_to(np.eye(6), x.shape), 1, 6, dtype)
    w, v = wide(*jnp.linalg.eigh(x @ turned(x)))
    close((turned(v) @ v), np.broadcast_to(np.eye(6), x.shape), 1, 6, dtype)
    assert np.all(w[3] == 0) and np.all(w[4] == 1)


@types
def test_vectors_do_not_depend_on_the_size_of_the_stack(dtype):
    x = definite(19, 6, dtype)
    for function in (jnp.linalg.eigh, jnp.linalg.svd):
        together = function(x)
        for size in (1, 2, 3, 8):
            for some, all_ in zip(function(x[:size]), together, strict=True):
                np.testing.assert_array_equal(some, all_[:size])


def test_a_matrix_alone_has_the_vectors_of_lapack():
    (x,) = definite(1, 6, np.float64)
    _, vectors = scipy.linalg.eigh(x, driver="evd")
    np.testing.assert_allclose(jnp.linalg.eigh(x)[1], vectors, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e12, 1e30])
def test_great_and_tiny_matrices(scale):
    x = (definite(12, 7, np.float64) * scale).astype(np.float32)
    w = np.linalg.eigvalsh(x.astype(float))
    close(jnp.linalg.eigh(x)[0], w, w, 7, np.float32)
    close(jnp.linalg.svd(x, compute_uv=False), w[:, ::-1], w, 7, np.float32)
    q, r = wide(*jnp.linalg.qr(x))
    close(q @ r, x, x, 7, np.float32)


def test_gradients_through_a_batch_are_those_of_its_members():
    x = definite(9, 4, np.float64)

    def loss(x):
        factor = jnp.linalg.cholesky(x)
        values, vectors = jnp.linalg.eigh(x)
        return jnp.sum(jnp.sin(factor)) + jnp.sum(values[0] * vectors[:, 0] ** 2)

    together = jax.vmap(jax.grad(loss))(x)
    alone = np.stack([np.asarray(jax.grad(loss)(each)) for each in x])
    np.testing.assert_allclose(together, alone, rtol=1e-8, atol=1e-10)
