"""Linear algebra of plain operations, which compilers without LAPACK get, beside LAPACK's."""

import numpy as np
import pytest

import jax
from jax._src.lax.linalg import (
    lu,
    qr,
    schur_hessenberg,
    tridiagonal,
)
from jax._src.lax.linalg.portable import factors, general, jacobi, real_schur

PLATFORMS = ("cuda", "acme")


def matrix(m, n, dtype):
    rng = np.random.default_rng(m * 100 + n)
    x = rng.normal(size=(m, n))
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=(m, n))
    return x.astype(dtype)


def close(found, wanted, tolerance=2e-4):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), atol=tolerance)


SHAPES = [(5, 5), (7, 4), (4, 7)]
DTYPES = [np.float32, np.complex64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_triangular_factors_are_lapacks(shape, dtype):
    x = matrix(*shape, dtype)
    close(jax.jit(factors.lu)(x), lu.lu_p.bind(x))
    packed, scales = jax.jit(factors.geqrf)(x)
    close([packed, scales], qr.geqrf_p.bind(x))
    free = np.zeros(shape[1], np.int32)
    close(jax.jit(factors.geqp3)(x, free), qr.geqp3_p.bind(x, free))
    if shape[0] < shape[1]:
        return
    product = jax.jit(factors.householder_product)(packed, scales)
    close([product], [qr.householder_product_p.bind(packed, scales)])
    for left in (True, False):
        c = matrix(shape[0], 3, dtype) if left else matrix(3, shape[0], dtype)
        for transpose in (True, False):
            sides = {"left": left, "transpose": transpose}
            found = factors.ormqr(packed, scales, c, **sides)
            close([found], [qr.ormqr_p.bind(packed, scales, c, **sides)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 5])
def test_reductions_are_lapacks(n, dtype):
    x = matrix(n, n, dtype)
    x = x + x.conj().T
    close(jax.jit(factors.hessenberg)(x), schur_hessenberg.hessenberg_p.bind(x))
    for lower in (True, False):
        found = factors.tridiagonal(x, lower=lower)
        close(found, tridiagonal.tridiagonal_p.bind(x, lower=lower))
    dl, d, du = (matrix(n, 1, dtype)[:, 0] for _ in range(3))
    dl, d, du = dl.copy(), d / 10, du.copy()
    dl[0] = du[-1] = 0
    b = matrix(n, 2, dtype)
    whole = np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
    close([whole @ jax.jit(factors.tridiagonal_solve)(dl, d, du, b)], [b], 2e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 5])
def test_eigenvalues_of_hermitian_matrices(n, dtype):
    x = matrix(n, n, dtype)
    for lower in (True, False):
        v, w = jax.jit(jacobi.eigh, static_argnames="lower")(x, lower=lower)
        half = np.tril(x, -1) if lower else np.triu(x, 1)
        whole = half + half.conj().T + np.diag(np.diag(x).real)
        close([w], [np.linalg.eigvalsh(whole)])
        v = np.asarray(v)
        close([(v * w) @ v.conj().T, v.conj().T @ v], [whole, np.eye(n)])


@pytest.mark.parametrize(
    "shape, dtype, full",
    [
        ((5, 5), np.float32, True),
        ((7, 4), np.complex64, True),
        ((7, 4), np.float32, False),
        ((4, 7), np.complex64, False),
    ],
)
def test_singular_values_and_vectors(shape, dtype, full):
    x = matrix(*shape, dtype)
    s, u, vh = map(np.asarray, jacobi.svd(x, full_matrices=full, compute_uv=True))
    k = min(shape)
    close([s], [np.linalg.svd(x, compute_uv=False)])
    close([(u[:, :k] * s) @ vh[:k]], [x])
    close([u.conj().T @ u], [np.eye(u.shape[1])])
    close([vh @ vh.conj().T], [np.eye(vh.shape[0])])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 7])
def test_eigenvalues_without_symmetry(n, dtype):
    x = matrix(n, n, dtype)
    t, q = map(np.asarray, jax.jit(general.schur)(x))
    close([q @ t @ q.conj().T, q.conj().T @ q, np.tril(t, -1)], [x, np.eye(n), 0 * x])
    both = {"compute_left_eigenvectors": True, "compute_right_eigenvectors": True}
    w, left, right = map(np.asarray, jax.jit(lambda x: general.eig(x, **both))(x))
    close([x @ right, left.conj().T @ x], [right * w, w[:, None] * left.conj().T])
    close([np.linalg.norm(left, axis=0), np.linalg.norm(right, axis=0)], [1, 1])


def test_matrices_that_shifts_lead_back_to_themselves():
    x = np.roll(np.eye(5, dtype=np.float32), 1, axis=1)
    neither = {"compute_left_eigenvectors": False, "compute_right_eigenvectors": False}
    (w,) = general.eig(x, **neither)
    close([np.sort(np.angle(w) % 6.2831)], [np.arange(5) * 2 * np.pi / 5], 1e-3)


def turned(angle):
    return [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]


# Matrices in which something is equal, zero, large, or hard to distinguish .
REAL = {
    "one": [[3]],
    "two equal": np.eye(2),
    "a block": [[1, 4], [-2, 1]],
    "a block that is none": [[1, 2], [3, 4]],
    "exchanged": [[0, 1], [1, 0]],
    "below alone": [[2, 0], [5, 2]],
    "opposite": [[0, -1], [1, 0]],
    "zeros": np.zeros((3, 3)),
    "nilpotent": np.eye(5, k=-1),
    "cycle": np.roll(np.eye(5), 1, axis=1),
    "cycle of eight": np.roll(np.eye(8), 1, axis=1),
    "symmetric": matrix(6, 6, np.float64) + matrix(6, 6, np.float64).T,
    "triangle": np.triu(matrix(6, 6, np.float64)),
    "blocks": np.kron(np.eye(3), turned(1.0)),
    "blocks above each other": np.kron(np.triu(np.ones((3, 3))), turned(0.3)),
    "multiple": np.eye(4) + np.eye(4, k=1),
    "companion": np.eye(7, k=-1) + np.outer(np.ones(7), np.eye(7)[6]),
    "large": matrix(5, 5, np.float64) * 1e15,
    "small": matrix(5, 5, np.float64) * 1e-15,
    "graded": matrix(6, 6, np.float64) * np.logspace(0, -6, 6),
    "any of seven": matrix(7, 7, np.float64),
    "any of twelve": matrix(12, 12, np.float64),
}


@pytest.mark.parametrize("name", REAL)
def test_the_real_form_of_schur(name):
    x = np.asarray(REAL[name], np.float32)
    t, q = map(np.asarray, jax.jit(real_schur.schur)(x))
    n, size = len(x), max(np.abs(x).max(), 1e-30)
    close([q @ t @ q.T / size, q.T @ q], [x / size, np.eye(n)], 1e-4)
    assert not np.tril(t, -2).any()
    below = np.diag(t, -1)
    assert not (below[:-1] * below[1:]).any()
    for i in np.flatnonzero(below):
        # What LAPACK calls standard: two complex eigenvalues, read off at once.
        assert t[i, i] == t[i + 1, i + 1] and t[i, i + 1] * t[i + 1, i] < 0


def test_real_forms_of_many_matrices_at_once():
    x = np.float32([REAL["cycle"], REAL["nilpotent"], matrix(5, 5, np.float64)])
    each = [real_schur.schur(one) for one in x]
    close(jax.vmap(real_schur.schur)(x), [np.stack(s) for s in zip(*each, strict=True)])


def test_a_real_form_of_no_number_is_no_number():
    x = np.float32([[1, 2, 3], [4, np.nan, 5], [6, 7, 8]])
    t, q = real_schur.schur(x)
    assert np.isnan(t).all() and np.isnan(q).all()


def test_matrices_of_low_rank_have_whole_bases():
    for x in np.zeros((4, 3)), np.outer(range(1, 5), [1, 2, 3]):
        x = x.astype(np.float32)
        s, u, vh = map(np.asarray, jacobi.svd(x, full_matrices=True, compute_uv=True))
        assert (s[1:] < 1e-5).all()
        close([u.T @ u, vh @ vh.T, (u[:, :3] * s) @ vh], [np.eye(4), np.eye(3), x])


def test_no_number_stays_no_number():
    x = np.full((3, 3), np.nan, np.float32)
    assert np.isnan(jacobi.eigh(x, lower=True)[1]).all()
    assert np.isnan(jacobi.svd(x, full_matrices=True, compute_uv=False)[0]).all()


FUNCTIONS = {
    "lu": lambda x: jax.lax.linalg.lu(x),
    "qr": lambda x: jax.lax.linalg.qr(x),
    "pivoted qr": lambda x: jax.lax.linalg.qr(x, pivoting=True),
    "eigh": lambda x: jax.lax.linalg.eigh(x),
    "svd": lambda x: jax.lax.linalg.svd(x),
    "eig": lambda x: jax.lax.linalg.eig(x),
    "real schur": lambda x: jax.lax.linalg.schur(x),
    "complex schur": lambda x: jax.lax.linalg.schur(x + 0j),
    "cholesky": lambda x: jax.lax.linalg.cholesky(x),
    "solve": lambda x: jax.numpy.linalg.solve(x, x),
    "hessenberg": lambda x: jax.lax.linalg.hessenberg(x),
    "tridiagonal": lambda x: jax.lax.linalg.tridiagonal(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_for_other_platforms_call_nothing_of_the_cpus(name):
    x = jax.ShapeDtypeStruct((2, 4, 4), np.float32)
    for platform in PLATFORMS:
        lowered = (
            jax.jit(FUNCTIONS[name]).trace(x).lower(lowering_platforms=(platform,))
        )
        assert "lapack" not in lowered.as_text()
    on_cpu = jax.jit(FUNCTIONS[name]).trace(x).lower(lowering_platforms=("cpu",))
    assert "lapack" in on_cpu.as_text()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_batches_may_have_a_symbolic_size(name):
    (size,) = jax.export.symbolic_shape("a")
    x = jax.ShapeDtypeStruct((size, 3, 3), np.float32)
    found = jax.export.export(jax.jit(FUNCTIONS[name]), platforms=["cuda"])(x)
    assert "lapack" not in found.mlir_module()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_empty_matrices_and_empty_batches_compile(name):
    for shape in (0, 0), (2, 0, 0), (0, 3, 3), (3, 0), (0, 3):
        x = jax.ShapeDtypeStruct(shape, np.float32)
        try:
            traced = jax.jit(FUNCTIONS[name]).trace(x)
        except (TypeError, ValueError):  # It wants square matrices.
            assert shape in ((3, 0), (0, 3))
            continue
        assert "lapack" not in traced.lower(lowering_platforms=("acme",)).as_text()


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3)])
def test_empty_matrices_have_the_factors_of_lapack(shape):
    x = np.zeros(shape, np.float32)
    close(factors.lu(x), lu.lu_p.bind(x))
    close(factors.geqrf(x), qr.geqrf_p.bind(x))
    free = np.zeros(shape[1], np.int32)
    close(factors.geqp3(x, free), qr.geqp3_p.bind(x, free))
    if shape[0] == shape[1]:
        close(factors.hessenberg(x), schur_hessenberg.hessenberg_p.bind(x))
        close(
            factors.tridiagonal(x, lower=True),
            tridiagonal.tridiagonal_p.bind(x, lower=True),
        )
