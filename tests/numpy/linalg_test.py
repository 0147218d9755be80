"""Functions of `jax.numpy.linalg` agree with NumPy in float64, and with their derivatives by differences."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(4, 4))
STACK = RNG.normal(size=(2, 4, 4))
TALL, WIDE = RNG.normal(size=(5, 3)), RNG.normal(size=(2, 3, 5))
COMPLEX = SQUARE + 1j * RNG.normal(size=(4, 4))
EMPTY = np.zeros((0, 0))
VECTOR = RNG.normal(size=4)
MATRICES = [
    SQUARE,
    STACK,
    COMPLEX,
    np.eye(1),
    EMPTY,
    np.zeros((2, 0, 0)),
    np.zeros((0, 2, 2)),
]


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def close(x, y, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(x), y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("x", MATRICES, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("name", ["det", "inv", "slogdet", "svdvals", "matrix_norm"])
def test_functions_of_square_matrices(name, x):
    found, wanted = getattr(jnp.linalg, name)(x), getattr(np.linalg, name)(x)
    for a, b in zip(
        jax.tree.leaves(found),
        jax.tree.leaves(tuple(wanted) if isinstance(wanted, tuple) else wanted),
        strict=True,
    ):
        close(a, b)


@pytest.mark.parametrize(
    "x", [*MATRICES[:3], TALL, WIDE], ids=lambda x: f"{x.dtype}{x.shape}"
)
@pytest.mark.parametrize("name", ["pinv", "matrix_rank", "cond", "matrix_transpose"])
def test_functions_of_any_matrices(name, x):
    close(getattr(jnp.linalg, name)(x), getattr(np.linalg, name)(x))


@pytest.mark.parametrize("order", [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices(order, keepdims):
    for x in (TALL, COMPLEX, 0.01 * SQUARE):
        options = {"ord": order, "keepdims": keepdims}
        close(jnp.linalg.norm(x, **options), np.linalg.norm(x, **options))
    options = {"ord": order, "axis": (2, 0), "keepdims": keepdims}
    close(jnp.linalg.norm(WIDE, **options), np.linalg.norm(WIDE, **options))


@pytest.mark.parametrize("order", [None, 0, 1, -1, 2, 3, 0.5, np.inf, -np.inf])
def test_norms_of_vectors(order):
    for x, axis in ((VECTOR, None), (WIDE, 1), (COMPLEX, 0)):
        found = jnp.linalg.norm(x, ord=order, axis=axis)
        close(found, np.linalg.norm(x, ord=order, axis=axis))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (SQUARE, VECTOR),
        (STACK, VECTOR),
        (SQUARE, RNG.normal(size=(3, 4, 2))),
        (STACK, RNG.normal(size=(4, 2))),
        (STACK[:, None], RNG.normal(size=(3, 4, 2))),
        (COMPLEX, VECTOR),
        (EMPTY, np.zeros((0, 2))),
    ],
)
def test_equations(a, b):
    close(jnp.linalg.solve(a, b), np.linalg.solve(a, b))


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 7])
def test_powers(n):
    close(jnp.linalg.matrix_power(STACK, n), np.linalg.matrix_power(STACK, n), 1e-7)


@pytest.mark.parametrize("rcond", [None, 0.3, -1.0])
@pytest.mark.parametrize("a", [TALL, TALL.T, SQUARE, np.ones((3, 2))])
def test_least_squares(a, rcond):
    b = RNG.normal(size=(a.shape[0], 2))
    found = jnp.linalg.lstsq(a, b, rcond, numpy_resid=True)
    for x, y in zip(found, np.linalg.lstsq(a, b, rcond), strict=True):
        close(x, y)


def test_tensors():
    a = RNG.normal(size=(4, 6, 8, 3))
    close(jnp.linalg.tensorinv(a), np.linalg.tensorinv(a))
    b = RNG.normal(size=(4, 6))
    close(jnp.linalg.tensorsolve(a, b), np.linalg.tensorsolve(a, b))
    moved = RNG.normal(size=(3, 6, 2))
    right = RNG.normal(size=(6,))
    close(
        jnp.linalg.tensorsolve(moved, right, axes=(0,)),
        np.linalg.tensorsolve(moved, right, axes=(0,)),
    )
    chain = [RNG.normal(size=s) for s in ((2, 9), (9, 3), (3, 8), (8,))]
    close(jnp.linalg.multi_dot(chain), np.linalg.multi_dot(chain))


def test_hermitian_singular_values():
    x = SQUARE + SQUARE.T
    u, s, vh = jnp.linalg.svd(x, hermitian=True)
    close((u * s) @ vh, x)
    close(s, np.linalg.svd(x, compute_uv=False))
    close(jnp.linalg.pinv(x, hermitian=True), np.linalg.pinv(x))


@pytest.mark.parametrize("x", [SQUARE, COMPLEX, STACK, np.diag([1.0, 2.0, 0.0, 3.0])])
@pytest.mark.parametrize(
    "function",
    [jnp.linalg.det, jnp.linalg.inv, jnp.linalg.pinv, jnp.linalg.slogdet],
)
def test_derivatives(function, x):
    if np.any(np.abs(np.linalg.det(x)) == 0) and function is not jnp.linalg.det:
        pytest.skip("not smooth where the matrix is singular")
    t = RNG.normal(size=x.shape) + (1j if x.dtype.kind == "c" else 0)
    _, tangents = jax.jvp(function, (x,), (t,))
    ahead, behind = function(x + 1e-6 * t), function(x - 1e-6 * t)
    for found, a, b in zip(
        *map(jax.tree.leaves, (tangents, ahead, behind)), strict=True
    ):
        close(found, (a - b) / 2e-6, 1e-5)


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_the_gradient_of_a_determinant_is_its_cofactors(rank):
    u, _, vh = np.linalg.svd(SQUARE)
    x = (u[:, :rank] * np.arange(1, rank + 1)) @ vh[:rank]
    wanted = np.empty((4, 4))
    for i, j in np.ndindex(4, 4):
        minor = np.delete(np.delete(x, i, 0), j, 1)
        wanted[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    close(jax.grad(jnp.linalg.det)(x), wanted, 1e-7)


def test_determinants_have_second_derivatives_at_the_identity():
    hessian = jax.hessian(jnp.linalg.det)(jnp.eye(4))
    close(hessian[0, 0, 1, 1], 1.0)
    close(hessian[0, 1, 1, 0], -1.0)


def test_solutions_differentiate_under_vmap_and_jit():
    def loss(a, b):
        return jnp.sum(jnp.sin(jnp.linalg.solve(a, b)))

    right = RNG.normal(size=(2, 4))
    found = jax.jit(jax.vmap(jax.grad(loss, (0, 1))))(STACK, right)
    for i in range(2):
        wanted = jax.grad(loss, (0, 1))(STACK[i], right[i])
        for a, b in zip(found, wanted, strict=True):
            close(a[i], b)
    shared = jax.vmap(jax.grad(loss, 1), (None, 0))(SQUARE, right)
    close(shared[1], jax.grad(loss, 1)(SQUARE, right[1]))


@pytest.mark.parametrize(
    ("call", "error", "fact"),
    [
        (lambda: jnp.linalg.inv(TALL), ValueError, "float64[5,3]"),
        (lambda: jnp.linalg.det(VECTOR), ValueError, "float64[4]"),
        (lambda: jnp.linalg.solve(SQUARE, TALL), ValueError, "float64[5,3]"),
        (lambda: jnp.linalg.cholesky([[1.0]]), TypeError, "list"),
        (lambda: jnp.linalg.eigh(SQUARE, UPLO="X"), ValueError, "'X'"),
        (lambda: jnp.linalg.qr(SQUARE, mode="bad"), ValueError, "'bad'"),
        (lambda: jnp.linalg.matrix_power(SQUARE, 1.5), TypeError, "1.5"),
        (lambda: jnp.linalg.norm(STACK, ord=2), ValueError, "(0, 1, 2)|float64[2,4,4]"),
        (lambda: jnp.linalg.norm(VECTOR, ord="fro"), ValueError, "'fro'"),
        (lambda: jnp.linalg.vector_norm(VECTOR, ord="inf"), ValueError, "jnp.inf"),
        (lambda: jnp.linalg.slogdet(SQUARE, method="svd"), ValueError, "'svd'"),
        (lambda: jnp.linalg.pinv(SQUARE, rtol=0.1, rcond=0.1), ValueError, "rcond"),
        (lambda: jnp.linalg.lstsq(STACK, VECTOR), TypeError, "float64[2,4,4]"),
        (lambda: jnp.linalg.multi_dot([SQUARE]), ValueError, "float64[4,4]"),
        (lambda: jnp.linalg.cross(VECTOR, VECTOR), ValueError, "float64[4]"),
        (lambda: jnp.linalg.outer(SQUARE, VECTOR), ValueError, "float64[4,4]"),
        (lambda: jnp.linalg.tensorinv(SQUARE, ind=0), ValueError, "ind"),
        (
            lambda: jnp.linalg.inv(np.eye(2, dtype=np.float16)),
            NotImplementedError,
            "float16",
        ),
    ],
)
def test_misfits_are_explained(call, error, fact):
    with pytest.raises(error) as caught:
        call()
    assert any(part in str(caught.value) for part in fact.split("|"))


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
@pytest.mark.parametrize("compiled", [False, True])
def test_norms_of_narrow_floats_do_not_overflow_by_their_squares(dtype, compiled):
    norm = jax.jit(jnp.linalg.norm) if compiled else jnp.linalg.norm
    x = jnp.array([300.0, 400.0], dtype)
    assert norm(x).dtype == dtype and norm(x) == 500
    assert jnp.linalg.vector_norm(x) == 500
    assert norm(jnp.full((3, 3), 200.0, dtype)) == 600
    np.testing.assert_allclose(jax.grad(norm)(x).astype(float), [0.6, 0.8], rtol=1e-2)
