"""Jaxopt on our package: solvers, and derivatives of what they find."""

import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data

with warnings.catch_warnings():
    # It says that it is no longer maintained.
    warnings.simplefilter("ignore", DeprecationWarning)
    import jaxopt
    from jaxopt import objective, projection, prox

POINTS, VALUES = data.regression()
START = jnp.zeros(3)


def squares(weights):
    return 0.5 * jnp.mean((POINTS @ weights - VALUES) ** 2)


def ridge(weights, penalty):
    return squares(weights) + 0.5 * penalty * jnp.sum(weights**2)


def ridge_solution(penalty):
    points = POINTS.astype(np.float64)
    matrix = points.T @ points / len(points) + penalty * np.eye(3)
    return matrix, np.linalg.solve(matrix, points.T @ VALUES / len(points))


@pytest.mark.parametrize(
    "solver",
    [
        jaxopt.LBFGS(ridge, tol=1e-5),
        jaxopt.BFGS(ridge, tol=1e-5),
        jaxopt.GradientDescent(ridge, maxiter=300, tol=1e-5),
        jaxopt.NonlinearCG(ridge, tol=1e-5),
        jaxopt.ScipyMinimize(fun=ridge, method="BFGS", tol=1e-5),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_solutions_and_their_derivatives(solver):
    matrix, expected = ridge_solution(0.1)
    found = solver.run(START, 0.1).params
    np.testing.assert_allclose(found, expected, atol=2e-4)
    # Of the equation that the solution fulfils, by the implicit function theorem.
    slope = jax.jacobian(lambda penalty: solver.run(START, penalty).params)(0.1)
    np.testing.assert_allclose(slope, -np.linalg.solve(matrix, expected), atol=5e-3)


def test_projections_keep_to_the_simplex():
    solver = jaxopt.ProjectedGradient(squares, projection.projection_simplex)
    found = solver.run(jnp.ones(3) / 3).params
    # Of JAX 0.10.2.
    np.testing.assert_allclose(found, [0.6728315, 0.0, 0.3271686], atol=1e-5)


def test_the_lasso_is_upstreams():
    solver = jaxopt.ProximalGradient(objective.least_squares, prox.prox_lasso)
    found, state = solver.run(START, 0.3, (POINTS, VALUES))
    # Of JAX 0.10.2.
    np.testing.assert_allclose(found, [0.7288094, -1.4687743, 0.3610759], atol=1e-5)
    assert state.iter_num == 10


def test_quadratic_programs_with_constraints():
    solver = jaxopt.OSQP()
    found = solver.run(
        params_obj=(jnp.array([[2.0, 0.5], [0.5, 1.0]]), jnp.ones(2)),
        params_eq=(jnp.ones((1, 2)), jnp.ones(1)),
        params_ineq=(-jnp.eye(2), jnp.zeros(2)),
    ).params.primal
    np.testing.assert_allclose(found, [0.25, 0.75], atol=2e-3)


def test_residuals_roots_and_fixed_points():
    times = jnp.arange(5.0)
    values = 2 * jnp.exp(-0.7 * times)
    solver = jaxopt.LevenbergMarquardt(lambda p: p[0] * jnp.exp(-p[1] * times) - values)
    np.testing.assert_allclose(solver.run(jnp.ones(2)).params, [2, 0.7], rtol=1e-4)
    bisection = jaxopt.Bisection(lambda x, cube: x**3 - cube, 0.0, 3.0)
    slope = jax.grad(lambda cube: bisection.run(None, cube).params)(8.0)
    np.testing.assert_allclose(slope, 1 / 12, rtol=1e-4)
    for solver in jaxopt.AndersonAcceleration, jaxopt.FixedPointIteration:
        found = solver(jnp.cos).run(jnp.float32(1)).params
        np.testing.assert_allclose(found, 0.73908513, atol=1e-4)
