"""Factorizations of `jax.lax.linalg`: their defining equations, and derivatives in directions that keep them."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.interpreters.partial_eval import dce_jaxpr
from tests.testing import refusals

REAL, COMPLEX = np.float64, np.complex128
SHAPES = st.tuples(st.integers(0, 5), st.integers(0, 5))
BATCHES = st.sampled_from([(), (0,), (2,), (2, 1)])
DTYPES = st.sampled_from([REAL, COMPLEX])
few = hypothesis.settings(max_examples=6)


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def drawn(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=shape)
    return x + 1j * random.normal(size=shape) if dtype is COMPLEX else x


def adjoint(x):
    return np.swapaxes(x, -1, -2).conj()


def close(x, y, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(x), y, rtol=tolerance, atol=tolerance)


@few
@hypothesis.given(BATCHES, SHAPES, DTYPES, st.booleans())
def test_qr_is_orthonormal_times_triangular(batch, shape, dtype, full):
    x = drawn((*batch, *shape), dtype)
    q, r = map(np.asarray, lax.linalg.qr(x, full_matrices=full))
    k = shape[0] if full else min(shape)
    assert q.shape == (*batch, shape[0], k) and r.shape == (*batch, k, shape[1])
    close(q @ r, x)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(k), (*batch, k, k)))
    close(np.tril(r, -1), 0 * r)


@few
@hypothesis.given(BATCHES, SHAPES, DTYPES)
def test_pivoted_qr_has_a_falling_diagonal(batch, shape, dtype):
    x = drawn((*batch, *shape), dtype)
    q, r, order = map(np.asarray, lax.linalg.qr(x, pivoting=True, full_matrices=False))
    close(q @ r, np.take_along_axis(x, order[..., None, :], -1))
    sizes = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    assert np.all(sizes[..., 1:] <= sizes[..., :-1] + 1e-12)


@few
@hypothesis.given(BATCHES, SHAPES, DTYPES)
def test_lu_multiplies_to_the_permuted_matrix(batch, shape, dtype):
    x = drawn((*batch, *shape), dtype)
    factors, pivots, order = map(np.asarray, lax.linalg.lu(x))
    k = min(shape)
    lower = np.tril(factors, -1)[..., :k] + np.eye(shape[0], k)
    close(
        lower @ np.triu(factors)[..., :k, :],
        np.take_along_axis(x, order[..., None], -2),
    )
    again = lax.linalg.lu_pivots_to_permutation(pivots, shape[0])
    np.testing.assert_array_equal(order, again)


@few
@hypothesis.given(BATCHES, SHAPES, DTYPES, st.booleans())
def test_svd_is_orthonormal_times_falling_values(batch, shape, dtype, full):
    x = drawn((*batch, *shape), dtype)
    u, s, vh = map(np.asarray, lax.linalg.svd(x, full_matrices=full))
    k = min(shape)
    close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x)
    close(
        adjoint(u) @ u,
        np.broadcast_to(np.eye(u.shape[-1]), (*batch, *[u.shape[-1]] * 2)),
    )
    close(
        vh @ adjoint(vh),
        np.broadcast_to(np.eye(vh.shape[-2]), (*batch, *[vh.shape[-2]] * 2)),
    )
    assert np.all(s >= 0) and np.all(s[..., 1:] <= s[..., :-1])
    (alone,) = [lax.linalg.svd(x, compute_uv=False)]
    close(alone, s)


@few
@hypothesis.given(BATCHES, st.integers(0, 5), DTYPES)
def test_hermitian_matrices_have_real_eigenvalues(batch, n, dtype):
    x = drawn((*batch, n, n), dtype)
    x = x + adjoint(x)
    v, w = map(np.asarray, lax.linalg.eigh(x))
    assert w.dtype == REAL and np.all(np.diff(w) >= 0)
    close(x @ v, v * w[..., None, :])
    close(adjoint(v) @ v, np.broadcast_to(np.eye(n), x.shape))


@few
@hypothesis.given(BATCHES, st.integers(0, 5), DTYPES)
def test_eigenvectors_from_both_sides(batch, n, dtype):
    x = drawn((*batch, n, n), dtype)
    w, left, right = map(np.asarray, lax.linalg.eig(x))
    close(x @ right, right * w[..., None, :], 1e-7)
    close(adjoint(left) @ x, w[..., :, None] * adjoint(left), 1e-7)


@few
@hypothesis.given(BATCHES, st.integers(0, 5), DTYPES)
def test_cholesky_multiplies_to_the_matrix(batch, n, dtype):
    x = drawn((*batch, n, n), dtype)
    x = x @ adjoint(x) + np.eye(n)
    factor = np.asarray(lax.linalg.cholesky(x))
    close(factor @ adjoint(factor), x)
    close(np.triu(factor, 1), 0 * x)


@few
@hypothesis.given(BATCHES, st.integers(1, 5), DTYPES)
def test_schur_and_hessenberg_forms_are_similar(batch, n, dtype):
    x = drawn((*batch, n, n), dtype)
    t, z = map(np.asarray, lax.linalg.schur(x))
    close(z @ t @ adjoint(z), x)
    close(np.tril(t, -1 if dtype is COMPLEX else -2), 0 * x)
    packed, scales = lax.linalg.hessenberg(x)
    assert packed.shape == x.shape and scales.shape == (*batch, n - 1)


@few
@hypothesis.given(
    BATCHES, st.integers(0, 4), st.integers(0, 3), DTYPES, *[st.booleans()] * 5
)
def test_triangular_solves_invert(batch, n, k, dtype, left, lower, turn, conj, unit):
    a = drawn((*batch, n, n), dtype) + 3 * np.eye(n)
    b = drawn((*batch, n, k) if left else (*batch, k, n), dtype, 1)
    x = lax.linalg.triangular_solve(
        a,
        b,
        left_side=left,
        lower=lower,
        transpose_a=turn,
        conjugate_a=conj,
        unit_diagonal=unit,
    )
    used = np.tril(a) if lower else np.triu(a)
    used = np.where(np.eye(n, dtype=bool), 1, used) if unit else used
    used = np.swapaxes(used, -1, -2) if turn else used
    used = used.conj() if conj else used
    close(used @ x if left else x @ used, b, 1e-7)


def test_what_has_no_factor_is_nan():
    assert np.isnan(np.asarray(lax.linalg.cholesky(-np.eye(2)))[0, 0])
    stack = np.stack([np.eye(2), -np.eye(2)])
    found = np.asarray(lax.linalg.cholesky(stack))
    close(found[0], np.eye(2))
    assert np.isnan(found[1]).any()
    full = np.full((2, 2), np.nan)
    assert np.isnan(lax.linalg.svd(full, compute_uv=False)).all()
    assert np.isnan(lax.linalg.eigh(full)[1]).all()
    zero = np.zeros(3)
    found = lax.linalg.tridiagonal_solve(zero, zero, zero, np.ones((3, 1)))
    assert np.isnan(found).all()


@pytest.mark.parametrize("dtype", [REAL, COMPLEX])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_eigenvalues_are_nan_where_the_matrix_is_not_finite(dtype, number, capfd):
    stack = np.stack([np.eye(3), np.eye(3)]).astype(dtype)
    stack[0, 0, 1] = number
    for found in map(np.asarray, lax.linalg.eig(stack)):
        assert np.isnan(found[0]).all() and np.isfinite(found[1]).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dtype", [REAL, COMPLEX])
@pytest.mark.parametrize("function", [lax.linalg.cholesky, lax.linalg.eigh])
def test_derivatives_along_hermitian_directions(function, dtype):
    x, t = drawn((4, 4), dtype), drawn((4, 4), dtype, 1)
    x, t = x @ adjoint(x) + np.eye(4), t + adjoint(t)

    def raw(x):
        # Eigenvectors have free phases; projectors have not.
        found = function(x, symmetrize_input=False)
        if isinstance(found, tuple):
            v, w = found
            return v[:, :1] @ v[:, :1].conj().T, w
        return found

    _, tangent = jax.jvp(raw, (x,), (t,))
    ahead, behind = raw(x + 1e-6 * t), raw(x - 1e-6 * t)
    for found, a, b in zip(
        *map(jax.tree.leaves, (tangent, ahead, behind)), strict=True
    ):
        close(found, (a - b) / 2e-6, 1e-6)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_complex_derivatives_of_factors(shape):
    x, t = drawn(shape, COMPLEX), drawn(shape, COMPLEX, 1)

    def facts(x):
        u, s, vh = lax.linalg.svd(x, full_matrices=False)
        # What does not depend on phases.
        return (
            lax.linalg.qr(x),
            lax.linalg.lu(x)[0],
            s,
            (u * s) @ vh,
            u[:, 0] * vh[0, 0],
        )

    _, tangents = jax.jvp(facts, (x,), (t,))
    ahead, behind = facts(x + 1e-6 * t), facts(x - 1e-6 * t)
    for found, a, b in zip(
        *map(jax.tree.leaves, (tangents, ahead, behind)), strict=True
    ):
        close(found, (a - b) / 2e-6, 1e-5)


def test_derivatives_of_eigenvectors_must_be_requested():
    x = drawn((3, 3), REAL)
    with pytest.raises(NotImplementedError, match="enable_eigvec_derivs"):
        jax.jvp(lax.linalg.eig, (x,), (x,))
    jax.jvp(lambda x: lax.linalg.eig(x, enable_eigvec_derivs=True), (x,), (x,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: lax.linalg.cholesky(x @ x.T + 4 * jnp.eye(3)),
        lambda x: lax.linalg.qr(x)[1],
        lambda x: lax.linalg.lu(x)[0],
        lambda x: lax.linalg.svd(x, compute_uv=False),
        lambda x: lax.linalg.eigh(x)[1],
        lambda x: lax.linalg.triangular_solve(x, x, left_side=True),
        lambda x: lax.linalg.tridiagonal_solve(x[0], x[1] + 5, x[2], x),
        lambda x: lax.linalg.cholesky_update(jnp.triu(x), x[0]),
        lambda x: lax.linalg.symmetric_product(x, x + x.T, alpha=2.0, beta=0.5),
    ],
)
def test_gradients_compose_with_vmap_and_jit(function):
    def loss(x):
        return jnp.sum(jnp.sin(function(x)))

    stack = drawn((3, 3, 3), REAL) + 2 * np.eye(3)
    found = jax.jit(jax.vmap(jax.grad(loss)))(stack)
    wanted = np.stack([jax.grad(loss)(x) for x in stack])
    close(found, wanted, 1e-7)
    second = jax.vmap(jax.hessian(loss))(stack)
    assert np.isfinite(second).all()
    backward = jax.jacrev(jax.grad(loss))(stack[0])
    close(second[0], backward, 1e-7)


def test_polar_factors_by_iteration():
    for dtype in (REAL, COMPLEX):
        x = drawn((5, 3), dtype)
        u, h, steps, is_converged = lax.linalg.qdwh(x)
        close(u @ h, x)
        close(adjoint(np.asarray(u)) @ u, np.eye(3))
        assert is_converged and steps <= 6
        assert np.linalg.eigvalsh(h).min() > 0


@pytest.mark.parametrize("transpose", [False, True])
def test_reflectors_multiply_as_their_product(transpose):
    a = np.random.default_rng(0).normal(size=(5, 3)).astype("f4")
    h, taus = jnp.linalg.qr(a, mode="raw")
    q = np.linalg.qr(a, mode="complete")[0]
    q = q.T if transpose else q
    c = np.arange(10, dtype="f4").reshape(5, 2)
    found = lax.linalg.ormqr(h.T, taus, c, transpose=transpose)
    np.testing.assert_allclose(found, q @ c, rtol=1e-4, atol=1e-4)
    found = lax.linalg.ormqr(h.T, taus, c.T, left=False, transpose=transpose)
    np.testing.assert_allclose(found, c.T @ q, rtol=1e-4, atol=1e-4)


test_misfits_are_explained = refusals.each(
    [
        (lambda: lax.linalg.cholesky(np.ones((2, 3))), TypeError, "float64[2,3]"),
        (lambda: lax.linalg.qr(np.ones(3)), TypeError, "float64[3]"),
        (lambda: lax.linalg.eig(np.ones((2, 3))), ValueError, "float64[2,3]"),
        (lambda: lax.linalg.lu(np.ones((2, 2), int)), TypeError, "int64[2,2]"),
        (
            lambda: lax.linalg.triangular_solve(
                np.eye(2), np.ones((3, 1)), left_side=True
            ),
            ValueError,
            "float64[3,1]",
        ),
        (
            lambda: lax.linalg.svd(np.eye(3), subset_by_index=(0, 2)),
            ValueError,
            "(0, 2)",
        ),
        (
            lambda: lax.linalg.eigh(np.eye(3), subset_by_index=(0, 2)),
            NotImplementedError,
            "(0, 2)",
        ),
        (
            lambda: lax.linalg.svd(np.eye(3), algorithm=lax.linalg.SvdAlgorithm.JACOBI),
            NotImplementedError,
            "JACOBI",
        ),
        (
            lambda: lax.linalg.qr(np.eye(2, dtype=np.float16)),
            NotImplementedError,
            "float16",
        ),
        (
            lambda: lax.linalg.schur(np.eye(2), sort_eig_vals=True),
            NotImplementedError,
            "sort",
        ),
        (
            lambda: lax.linalg.householder_product(np.ones((2, 3)), np.ones(2)),
            ValueError,
            "[2,3]",
        ),
        (
            lambda: lax.linalg.lu_pivots_to_permutation(np.zeros(3, np.int32), 2),
            ValueError,
            "2",
        ),
        (lambda: lax.linalg.qdwh(np.ones((2, 3))), ValueError, "[2,3]"),
        (
            lambda: jax.jvp(lax.linalg.svd, (np.ones((3, 2)),), (np.ones((3, 2)),)),
            NotImplementedError,
            "full_matrices",
        ),
        (
            lambda: jax.grad(lambda x: lax.linalg.schur(x)[0].sum())(np.eye(2)),
            NotImplementedError,
            "schur",
        ),
    ]
)


def _decomposed(name):
    def function(x):
        found = getattr(lax.linalg, name)(x)
        return dict(zip(RESULTS[name], found, strict=True))

    return function


# The results in order, and those that a routine has to be requested.
RESULTS = {
    "eigh": ("vectors", "values"),
    "svd": ("left", "values", "right"),
    "eig": ("values", "left", "right"),
    "schur": ("form", "vectors"),
}
KEPT = [
    ("eigh", "values", "mode = 78"),
    ("eigh", "vectors", "mode = 86"),
    ("svd", "values", "mode = 78"),
    ("svd", "right", "mode = 65"),
    ("eig", "values", "compute_left = 78 : ui8, compute_right = 78"),
    ("eig", "left", "compute_left = 86 : ui8, compute_right = 78"),
    ("eig", "right", "compute_left = 78 : ui8, compute_right = 86"),
    ("schur", "form", "mode = 78"),
    ("schur", "vectors", "mode = 86"),
]


@pytest.mark.parametrize(("name", "kept", "requested"), KEPT)
def test_vectors_that_nothing_uses_are_not_computed(name, kept, requested):
    x = drawn((2, 4, 4), REAL)
    x = x + adjoint(x)
    whole = _decomposed(name)

    def one(x):
        return whole(x)[kept]

    def called(x):
        return jax.jit(one)(x) + 0

    def looped(x):
        return lax.scan(lambda c, x: (c, jax.jit(one)(x)), 0, x)[1]

    for fun in (one, called, looped):
        assert requested in jax.jit(fun).lower(x).as_text()
        # Signs of vectors are the routine's choice.
        close(jnp.abs(jax.jit(fun)(x)), np.abs(jax.jit(whole)(x)[kept]))


@pytest.mark.parametrize(
    ("name", "flag"), [("eigh", "compute_vectors"), ("svd", "compute_uv")]
)
def test_programs_without_vectors_are_differentiated_and_mapped(name, flag):
    x = drawn((3, 4, 4), REAL)
    x = x + adjoint(x)
    one = _decomposed(name)

    def loss(x):
        return (one(x)["values"] ** 3).sum()

    traced = jax.make_jaxpr(loss)(x[0])
    smaller, _ = dce_jaxpr(traced.jaxpr, [True])

    def small_loss(x):
        return jax.core.eval_jaxpr(smaller, traced.consts, x)[0]

    assert f"{flag}=False" in str(smaller)
    close(jax.vmap(jax.grad(small_loss))(x), np.asarray(jax.vmap(jax.grad(loss))(x)))
