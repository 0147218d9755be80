"""Functions of `jax.scipy.linalg` agree with SciPy in float64."""

import numpy as np
import pytest
import scipy.linalg

import jax
import jax.numpy as jnp
from tests.testing import refusals

linalg = jax.scipy.linalg
RNG = np.random.default_rng(0)
REAL = RNG.normal(size=(4, 4))
COMPLEX = REAL + 1j * RNG.normal(size=(4, 4))
both = pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def close(x, y, tolerance=1e-8):
    np.testing.assert_allclose(np.asarray(x), y, rtol=tolerance, atol=tolerance)


def definite(x):
    return x @ x.conj().T + np.eye(len(x))


@both
@pytest.mark.parametrize(
    "name", ["expm", "sqrtm", "inv", "det", "lu", "qr", "polar", "svdvals"]
)
def test_functions_of_one_matrix(name, x):
    if name == "svdvals":
        close(linalg.svd(x, compute_uv=False), scipy.linalg.svdvals(x))
        return
    # Negative eigenvalues have two roots that are equally good.
    x = definite(x) if name == "sqrtm" else x
    found, wanted = getattr(linalg, name)(x), getattr(scipy.linalg, name)(x)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        close(a, b)


@both
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_exponentials_of_any_size(x, scale):
    close(linalg.expm(x * scale), scipy.linalg.expm(x * scale))
    upper = np.triu(x * scale)
    close(linalg.expm(upper, upper_triangular=True), scipy.linalg.expm(upper))
    pair = zip(
        linalg.expm_frechet(x, x.T), scipy.linalg.expm_frechet(x, x.T), strict=True
    )
    for a, b in pair:
        close(a, b)


def test_exponentials_that_need_too_many_squarings_are_nan():
    found = linalg.expm(np.stack([np.eye(2), 1e9 * np.eye(2)]))
    close(found[0], np.e * np.eye(2))
    assert np.isnan(found[1]).all()


def test_the_exponential_differentiates_twice():
    def loss(x):
        return jnp.sum(linalg.expm(x))

    t = RNG.normal(size=(4, 4))
    close(jnp.sum(jax.grad(loss)(REAL) * t), jnp.sum(linalg.expm_frechet(REAL, t)[1]))
    hessian = jax.hessian(loss)(REAL)
    ahead, behind = jax.grad(loss)(REAL + 1e-6 * t), jax.grad(loss)(REAL - 1e-6 * t)
    close(jnp.einsum("ijkl,kl->ij", hessian, t), (ahead - behind) / 2e-6, 1e-6)


@both
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_equations(x, trans):
    right = RNG.normal(size=(4, 2)) + 0 * x[:, :2]
    turned = [x, x.T, x.conj().T][trans]
    close(
        linalg.lu_solve(linalg.lu_factor(x), right, trans),
        np.linalg.solve(turned, right),
    )
    for lower in (False, True):
        options = {"trans": trans, "lower": lower, "unit_diagonal": lower}
        wanted = scipy.linalg.solve_triangular(x, right, **options)
        close(linalg.solve_triangular(x, right, **options), wanted)
        a = definite(x)
        close(
            linalg.cho_solve(linalg.cho_factor(a, lower), right[:, 0]),
            np.linalg.solve(a, right[:, 0]),
        )
        close(
            linalg.solve(a, right, lower=lower, assume_a="pos"),
            np.linalg.solve(a, right),
        )


@both
@pytest.mark.parametrize("mode", ["full", "r", "economic"])
@pytest.mark.parametrize("pivoting", [False, True])
def test_qr_and_its_products(x, mode, pivoting):
    for y in (x[:, :3], x[:3]):
        found = linalg.qr(y, mode=mode, pivoting=pivoting)
        wanted = scipy.linalg.qr(y, mode=mode, pivoting=pivoting)
        for a, b in zip(found, wanted, strict=True):
            close(a, b)
    side = "left" if mode == "r" else "right"
    c = x[:3, :2] if side == "left" else x[:2]
    options = {"pivoting": pivoting, "conjugate": mode == "full"}
    found = linalg.qr_multiply(x[:, :3], c, side, **options)
    wanted = scipy.linalg.qr_multiply(x[:, :3], c, side, **options)
    for a, b in zip(found, wanted, strict=True):
        close(a, b)


@both
def test_forms(x):
    t, z = map(np.asarray, linalg.schur(x, output="complex"))
    close(z @ t @ z.conj().T, x)
    close(np.tril(t, -1), 0 * t)
    h, q = map(np.asarray, linalg.hessenberg(x, calc_q=True))
    close(q @ h @ q.conj().T, x)
    close(np.tril(h, -2), 0 * h)
    t, z = map(np.asarray, linalg.rsf2csf(*scipy.linalg.schur(REAL)))
    close(z @ t @ z.conj().T, REAL)
    close(np.tril(t, -1), 0 * t)


@both
def test_functions_by_forms(x):
    close(linalg.funm(x, jnp.sin), scipy.linalg.funm(x, np.sin))
    root = np.asarray(linalg.sqrtm(x))
    close(root @ root, x)
    for method in ("schur", "eigen"):
        found = linalg.solve_sylvester(x, definite(x), x, method=method)
        close(found, scipy.linalg.solve_sylvester(x, definite(x), x))
    assert np.isnan(linalg.solve_sylvester(x, -x, x)).all()


@both
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("method", ["qdwh", "svd"])
def test_polar_factors(x, side, method):
    y = x[:3] if side == "left" else x[:, :3]
    found = linalg.polar(y, side, method=method)
    for a, b in zip(found, scipy.linalg.polar(y, side), strict=True):
        close(a, b)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("method", ["qdwh", "svd"])
def test_polar_factors_of_many(side, method):
    many = np.stack([REAL, REAL.T, REAL + 2]).reshape(1, 3, 4, 4)
    u, p = linalg.polar(many, side, method=method)
    for i in range(3):
        for found, one in zip(
            (u, p), scipy.linalg.polar(many[0, i], side), strict=True
        ):
            close(found[0, i], one)


def test_definite_equations_of_two_dtypes():
    a = jnp.asarray(REAL @ REAL.T + np.eye(4), jnp.float32)
    found = linalg.solve(a, REAL[0], assume_a="pos")
    assert found.dtype == jnp.float64
    close(found, np.linalg.solve(np.float64(a), REAL[0]))
    narrow = jnp.eye(3, dtype=jnp.bfloat16)
    wide = linalg.solve(narrow, jnp.ones(3, jnp.float32), assume_a="pos")
    assert wide.dtype == jnp.float32


def test_tridiagonal_eigenvalues():
    d, e = REAL[0], REAL[1, :3]
    values, vectors = linalg.eigh_tridiagonal(d, e)
    dense = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    close(dense @ vectors, vectors * values)
    chosen = {"eigvals_only": True, "select": "i", "select_range": (1, 2)}
    close(
        linalg.eigh_tridiagonal(d, e, **chosen),
        scipy.linalg.eigh_tridiagonal(d, e, **chosen),
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *[
            ("convolution_matrix", (REAL[0], n, mode))
            for n in (1, 3, 6)
            for mode in ("full", "same", "valid")
        ],
        *[
            (name, (COMPLEX[0],))
            for name in ("toeplitz", "hankel", "circulant", "companion")
        ],
        *[(name, (REAL[0], REAL[1])) for name in ("toeplitz", "hankel")],
        *[("fiedler_companion", (np.arange(1.0, n),)) for n in (3, 4, 5, 6)],
        *[(name, (n,)) for name in ("hilbert", "invhilbert") for n in (1, 5)],
        *[
            (name, (5, kind))
            for name in ("pascal", "invpascal")
            for kind in ("symmetric", "lower", "upper")
        ],
        *[("dft", (5, scale)) for scale in (None, "sqrtn", "n")],
        *[("hadamard", (n,)) for n in (1, 2, 8)],
        ("helmert", (4,)),
        ("helmert", (4, True)),
        ("fiedler", (REAL[0],)),
        ("leslie", (REAL[0], REAL[1, :3])),
        ("block_diag", (REAL, REAL[0], 2.0, np.zeros((0, 3)))),
    ],
)
def test_special_matrices(name, arguments):
    close(getattr(linalg, name)(*arguments), getattr(scipy.linalg, name)(*arguments))


test_misfits_are_explained = refusals.each(
    [
        (lambda: linalg.cholesky(REAL[:3]), ValueError, "float64[3,4]"),
        (lambda: linalg.cho_solve((REAL, True), REAL[:3]), ValueError, "float64[3,4]"),
        (lambda: linalg.solve_triangular(REAL, REAL, trans=3), ValueError, "3"),
        (
            lambda: linalg.lu_solve(linalg.lu_factor(REAL), REAL, trans="T"),
            ValueError,
            "'T'",
        ),
        (lambda: linalg.solve(REAL, REAL, assume_a="no"), ValueError, "'no'"),
        (lambda: linalg.eigh(REAL, REAL), NotImplementedError, "b"),
        (lambda: linalg.qr(REAL, mode="raw"), ValueError, "'raw'"),
        (lambda: linalg.qr_multiply(REAL, REAL[:, :3]), ValueError, "float64[4,3]"),
        (lambda: linalg.qr_multiply(1.0, 1.0), ValueError, "a is no matrix"),
        (lambda: linalg.qr_multiply(REAL, 1.0), IndexError, "c is a scalar"),
        (lambda: linalg.expm(REAL[0]), ValueError, "float64[4]"),
        (lambda: linalg.expm_frechet(REAL, REAL[:3, :3]), ValueError, "float64[3,3]"),
        (lambda: linalg.sqrtm(REAL, blocksize=2), NotImplementedError, "blocksize"),
        (lambda: linalg.schur(REAL, "no"), ValueError, "'no'"),
        (
            lambda: linalg.solve_sylvester(REAL, REAL, REAL[:3]),
            ValueError,
            "float64[3,4]",
        ),
        (lambda: linalg.polar(REAL[:3]), NotImplementedError, "svd"),
        (lambda: linalg.eigh_tridiagonal(REAL[0], REAL[0]), TypeError, "float64[4]"),
        (
            lambda: linalg.eigh_tridiagonal(REAL[0], REAL[0, :3], select="v"),
            NotImplementedError,
            "'v'",
        ),
        (lambda: linalg.block_diag(REAL[None]), ValueError, "float64[1,4,4]"),
        (lambda: linalg.rsf2csf(REAL, REAL[:2, :2]), ValueError, "T and Z differ"),
        (lambda: linalg.companion(REAL[0, :1]), ValueError, "float64[1]"),
        (lambda: linalg.convolution_matrix(REAL[0], 0), ValueError, "n"),
        (lambda: linalg.dft(3, "no"), ValueError, "'no'"),
        (lambda: linalg.hadamard(3), ValueError, "3"),
        (lambda: linalg.pascal(3, "no"), ValueError, "'no'"),
        (lambda: linalg.leslie(REAL[0], REAL[0]), ValueError, "float64[4]"),
    ]
)


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((3, 3)),
        [[1.0, 2, 3], [0, 0, 0], [0, 0, 0]],
        [[0.0, 0, 1], [0, 4, 2], [0, 0, 9]],
        np.diag([0.0, 0, 4]),
    ],
)
def test_singular_matrices_have_square_roots_where_there_is_one(x):
    root = linalg.sqrtm(np.asarray(x))
    close(root @ root, x)


def test_a_matrix_without_square_root_gives_nan():
    assert np.isnan(linalg.sqrtm(np.array([[0.0, 1], [0, 0]]))).any()
