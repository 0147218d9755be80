"""Iterative solvers, minimizers, and interpolation."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.scipy import cluster, integrate, interpolate, optimize
from jax.scipy.sparse import linalg
from tests.testing import refusals

RNG = np.random.default_rng(0)
RAW = RNG.normal(size=(6, 6)).astype("f4")
DEFINITE = RAW @ RAW.T + 6 * np.eye(6, dtype="f4")
GENERAL = RAW + 6 * np.eye(6, dtype="f4")
RIGHT = RNG.normal(size=6).astype("f4")
SOLVERS = [
    (linalg.cg, DEFINITE),
    (linalg.bicgstab, GENERAL),
    (linalg.gmres, GENERAL),
    (linalg.gmres, (GENERAL + 1j * RAW.T).astype("c8")),
]
LIMITED = "l-bfgs-experimental-do-not-rely-on-this"


@pytest.mark.parametrize(("solver", "a"), SOLVERS)
def test_solvers_solve(solver, a):
    x, _ = solver(a, RIGHT.astype(a.dtype), tol=1e-6)
    np.testing.assert_allclose(a @ x, RIGHT, atol=1e-4)
    x, _ = solver(lambda x: a @ x, RIGHT.astype(a.dtype), tol=1e-6, M=np.linalg.inv(a))
    np.testing.assert_allclose(a @ x, RIGHT, atol=1e-4)


@pytest.mark.parametrize(("solver", "a"), SOLVERS[:3])
def test_solvers_differentiate_the_equation(solver, a):
    def loss(a, b):
        return jnp.sum(jnp.sin(solver(a, b, tol=1e-7)[0]))

    def direct(a, b):
        return jnp.sum(jnp.sin(jnp.linalg.solve(a, b)))

    found = jax.jit(jax.grad(loss, (0, 1)))(a, RIGHT)
    for x, y in zip(found, jax.grad(direct, (0, 1))(a, RIGHT), strict=True):
        np.testing.assert_allclose(x, y, atol=1e-4)


def test_solvers_take_trees_and_vmap():
    b = {"u": RIGHT[:2], "v": RIGHT[2:]}
    x, _ = linalg.cg(lambda t: jax.tree.map(lambda v: 2 * v, t), b)
    np.testing.assert_allclose(x["v"], RIGHT[2:] / 2, rtol=1e-5)
    stack = np.stack([RIGHT, -RIGHT, 0 * RIGHT])
    found = jax.vmap(lambda b: linalg.gmres(GENERAL, b, tol=1e-6)[0])(stack)
    np.testing.assert_allclose(found @ GENERAL.T, stack, atol=1e-4)


def test_few_steps_of_gmres_restart():
    x, info = linalg.gmres(GENERAL, RIGHT, restart=2, maxiter=60, tol=1e-5)
    assert info == 0
    np.testing.assert_allclose(GENERAL @ x, RIGHT, atol=1e-3)


def rosenbrock(x, scale=100.0):
    return jnp.sum(scale * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("method", ["BFGS", LIMITED])
def test_minimizers_walk_through_the_valley(method):
    with jax.enable_x64(True):
        found = optimize.minimize(rosenbrock, np.zeros(3), (20.0,), method=method)
        np.testing.assert_allclose(found.x, np.ones(3), atol=1e-4)
        assert found.success and found.status == 0 and found.nfev == found.njev
        run = jax.jit(
            jax.vmap(lambda x: optimize.minimize(rosenbrock, x, method=method).x)
        )
        starts = np.array([[0.0, 0.0], [-1.2, 1.0], [1.0, 1.0]])
        np.testing.assert_allclose(run(starts), np.ones((3, 2)), atol=1e-4)


@pytest.mark.parametrize("method", ["BFGS", LIMITED])
def test_minimizers_say_why_they_stopped(method):
    start = np.zeros(2, "f4")
    limited = optimize.minimize(
        rosenbrock, start, method=method, options={"maxiter": 2}
    )
    assert not limited.success and limited.status == 1 and limited.nit == 2
    flat = optimize.minimize(lambda x: jnp.sum(x**2), start, method=method)
    assert flat.success and flat.nit == 0


def test_interpolation_is_exact_on_planes():
    grid = (np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.5]))
    plane = grid[0][:, None] * 2 + grid[1] * 3
    points = np.array([[0.5, 0.0], [2.9, 0.4], [3.0, -1.0], [4.0, 0.0]])
    inside = interpolate.RegularGridInterpolator(grid, plane)(points)
    np.testing.assert_allclose(inside[:3], points[:3] @ [2, 3], rtol=1e-5)
    assert np.isnan(inside[3])
    beyond = interpolate.RegularGridInterpolator(grid, plane, fill_value=None)(points)
    np.testing.assert_allclose(beyond, points @ [2, 3], rtol=1e-5)


def test_vectors_find_their_codes():
    codes = np.float32([[0, 0], [4, 0]])
    numbers, distances = cluster.vq.vq(np.float32([[1, 0], [4, 3]]), codes)
    np.testing.assert_array_equal(numbers, [0, 1])
    np.testing.assert_allclose(distances, [1, 3])


def test_trapezoids_add_up():
    np.testing.assert_allclose(integrate.trapezoid(np.float32([0, 1, 4]), dx=0.5), 1.5)


test_misfits_are_explained = refusals.each(
    [
        (lambda: linalg.cg("a", RIGHT), TypeError, "'a'"),
        (lambda: linalg.cg(RAW[:2], RIGHT), ValueError, "float32[2,6]"),
        (lambda: linalg.cg(RAW, RIGHT, x0=RIGHT[:3]), ValueError, "(3,)"),
        (lambda: linalg.gmres(RAW, RIGHT, solve_method="no"), ValueError, "'no'"),
        (lambda: optimize.minimize(jnp.sum, RIGHT, method="no"), ValueError, "no"),
        (
            lambda: optimize.minimize(jnp.sum, RIGHT, 1.0, method="BFGS"),
            TypeError,
            "1.0",
        ),
        (
            lambda: optimize.minimize(jnp.sum, RAW, method="BFGS"),
            ValueError,
            "float32[6,6]",
        ),
        (lambda: cluster.vq.vq(RAW, RIGHT), ValueError, "float32[6]"),
        (
            lambda: interpolate.RegularGridInterpolator((RIGHT,), RIGHT, "cubic"),
            ValueError,
            "'cubic'",
        ),
    ]
)
