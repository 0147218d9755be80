"""Matrices of zeros, of lower rank, without elements, and with equal singular values."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

B = np.float32([1, 2, 2])
A = np.float32([[1, 2], [3, 4], [0, 1]])
DIRECTIONS = np.random.RandomState(0).randn(3, 3).astype(np.float32)
TURN = np.linalg.qr(DIRECTIONS)[0]
# Matrices of 3 rows and columns, two or all of whose singular values are equal.
EQUAL = {
    "diagonal": np.diag(np.float32([1, 1, 2])),
    "identity": np.eye(3, dtype=np.float32),
    "turn": 2 * TURN,
    "turned": TURN @ np.diag(np.float32([1, 1, 3])) @ TURN.T,
}


@pytest.mark.parametrize("run", [jnp.linalg.lstsq, jax.jit(jnp.linalg.lstsq)])
@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (3, 3), (1, 1)])
def test_least_squares_with_a_matrix_of_zeros_is_zero(run, shape):
    b = B[: shape[0]]
    x, residuals, rank, s = run(np.zeros(shape, np.float32), b)
    np.testing.assert_array_equal(x, np.zeros(shape[1]))
    np.testing.assert_array_equal(s, np.zeros(min(shape)))
    np.testing.assert_allclose(residuals, [np.sum(b**2)], rtol=1e-6)
    assert rank == 0


def test_least_squares_of_lower_rank_is_the_shortest_solution():
    a = np.outer(B, [1, 2, 0]).astype(np.float32)
    x, _, rank, _ = jnp.linalg.lstsq(a, 3 * B)
    np.testing.assert_allclose(x, np.linalg.lstsq(a, 3 * B, rcond=None)[0], atol=1e-6)
    assert rank == 1


def test_least_squares_with_nan_is_nan():
    x, residuals, _, _ = jnp.linalg.lstsq(np.full((3, 2), np.nan, np.float32), B)
    assert np.isnan(x).all() and np.isnan(residuals).all()


@pytest.mark.parametrize(
    "a", [A, np.float32([[2, 0], [0, 2], [0, 0]]), A.T], ids=["tall", "equal", "wide"]
)
def test_derivatives_of_least_squares_are_those_of_the_pseudo_inverse(a):
    b = B[: a.shape[0]]
    solved = lambda a, b: jnp.sum(jnp.linalg.lstsq(a, b)[0] ** 3)
    inverted = lambda a, b: jnp.sum((jnp.linalg.pinv(a) @ b) ** 3)
    found = jax.grad(solved, (0, 1))(a, b)
    wanted = jax.grad(inverted, (0, 1))(a, b)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-4, atol=2e-5)


def test_residuals_that_are_zero_have_the_derivative_zero():
    a, b = np.eye(2, dtype=np.float32), B[:2]
    found = jax.grad(lambda b: jnp.sum(jnp.linalg.lstsq(a, b)[1]))(b)
    np.testing.assert_allclose(found, [0, 0], atol=1e-6)


@pytest.mark.parametrize("p", [None, 2, -2])
def test_condition_of_singular_matrices(p):
    inverse = p == -2
    assert jnp.linalg.cond(np.diag(np.float32([1, 0])), p=p) == (
        0 if inverse else np.inf
    )
    assert jnp.linalg.cond(np.zeros((2, 2), np.float32), p=p) == np.inf
    assert np.isnan(jnp.linalg.cond(np.full((2, 2), np.nan, np.float32), p=p))


@pytest.mark.parametrize("p", [1, -1, "fro", np.inf, -np.inf])
def test_condition_in_other_norms_is_that_of_numpy(p):
    singular = [np.zeros((2, 2)), np.ones((3, 3)), np.diag([1.0, 0.0])]
    for x in map(np.float32, singular):
        assert jnp.linalg.cond(x, p=p) == np.linalg.cond(x, p=p) == np.inf
    assert np.isnan(jnp.linalg.cond(np.full((2, 2), np.nan, np.float32), p=p))
    many = np.float32([np.eye(2), np.zeros((2, 2)), np.diag([2.0, 1.0])])
    np.testing.assert_allclose(jnp.linalg.cond(many, p=p), np.linalg.cond(many, p=p))


def test_condition_in_the_nuclear_norm():
    # NumPy's decomposition of the infinite inverse does not converge.
    assert jnp.linalg.cond(np.ones((2, 2), np.float32), p="nuc") == np.inf
    regular = np.float32([[2, 1], [0, 3]])
    expected = np.linalg.cond(regular, p="nuc")
    np.testing.assert_allclose(jnp.linalg.cond(regular, p="nuc"), expected, 1e-5)


def by_svd(a):
    return jnp.linalg.svd(a, full_matrices=False)


def frobenius(a):
    u, s, vh = by_svd(a)
    return jnp.sqrt(jnp.sum(((u * s) @ vh) ** 2))


def nuclear(a):
    return jnp.sum(by_svd(a)[1])


def unitary_factor(a):
    u, _, vh = by_svd(a)
    return jnp.sum(DIRECTIONS * (u @ vh))


def projector_norm(a):
    u, _, _ = by_svd(a)
    return jnp.sum(DIRECTIONS * (u @ u.T))


# The derivatives of the functions, by formulas.
SLOPES = {
    frobenius: lambda a: a / np.linalg.norm(a),
    nuclear: lambda a: np.linalg.svd(a)[0] @ np.linalg.svd(a)[2],
    projector_norm: np.zeros_like,
}


@pytest.mark.parametrize("function", SLOPES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", EQUAL)
def test_what_does_not_depend_on_the_basis_is_differentiated_at_equal_values(
    function, name
):
    a = EQUAL[name]
    wanted = SLOPES[function](a)
    for gradient in (jax.grad(function), jax.jit(jax.grad(function))):
        np.testing.assert_allclose(gradient(a), wanted, atol=2e-5)
    _, along = jax.jvp(function, (a,), (DIRECTIONS,))
    np.testing.assert_allclose(along, np.sum(wanted * DIRECTIONS), atol=1e-4)


@pytest.mark.parametrize("name", EQUAL)
def test_the_unitary_factor_is_differentiated_at_equal_values(name):
    a = EQUAL[name].astype(np.float64)

    def factor(x):
        u, _, vh = np.linalg.svd(x)
        return np.sum(DIRECTIONS * (u @ vh))

    steps = 1e-6 * np.eye(9).reshape(9, 3, 3)
    slopes = [(factor(a + step) - factor(a - step)) / 2e-6 for step in steps]
    with jax.enable_x64(True):
        found = jax.grad(unitary_factor)(jnp.asarray(a))
    np.testing.assert_allclose(found, np.reshape(slopes, (3, 3)), atol=1e-6)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
def test_norms_are_differentiated_at_lower_rank(shape):
    a = np.zeros(shape, np.float32)
    a[0, 1] = 2
    np.testing.assert_allclose(jax.grad(frobenius)(a), a / 2, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_spaces_of_equal_eigenvalues_are_differentiated(dtype):
    a = np.diag([1, 1, 3]).astype(dtype)
    hermitian = DIRECTIONS + DIRECTIONS.T

    def projected(a):
        vectors = jnp.linalg.eigh(a)[1][:, :2]
        return jnp.sum(jnp.real(hermitian * (vectors @ vectors.conj().T)))

    # The part between the two spaces, over the gap of the eigenvalues.
    wanted = np.zeros((3, 3))
    wanted[:2, 2] = wanted[2, :2] = hermitian[:2, 2] / (1 - 3)
    np.testing.assert_allclose(jax.grad(projected)(a), wanted, atol=1e-5)


@pytest.mark.parametrize("order", ["nuc", 2, -2, "fro"])
def test_norms_are_differentiated_at_equal_values(order):
    slope = jax.grad(lambda a: jnp.linalg.norm(a, order))(EQUAL["turn"])
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("n", [2, 3])
def test_determinants_of_singular_matrices_are_differentiated(n):
    a = np.diag(np.arange(n, dtype=np.float32))
    wanted = np.zeros((n, n))
    wanted[0, 0] = np.prod(np.arange(1, n))
    np.testing.assert_allclose(jax.grad(jnp.linalg.det)(a), wanted, atol=1e-6)
    np.testing.assert_array_equal(
        jax.grad(jnp.linalg.det)(np.zeros((3, 3), np.float32)), np.zeros((3, 3))
    )
