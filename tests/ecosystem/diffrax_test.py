"""Diffrax, Lineax and Optimistix on our package: their own loops, primitives and derivative rules."""

import diffrax
import equinox as eqx
import lineax
import numpy as np
import optax
import optimistix
import pytest

import jax
import jax.numpy as jnp

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
VECTOR = np.array([1.0, 2.0], np.float32)
SOLUTION = np.linalg.solve(MATRIX.astype(np.float64), VECTOR)


@pytest.mark.parametrize(
    "solver",
    [
        lineax.LU(),
        lineax.QR(),
        lineax.SVD(),
        lineax.Cholesky(),
        lineax.CG(1e-6, 1e-6),
        lineax.GMRES(1e-6, 1e-6),
        lineax.BiCGStab(1e-6, 1e-6),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_linear_systems_are_solved(solver):
    operator = lineax.MatrixLinearOperator(MATRIX, lineax.positive_semidefinite_tag)
    found = lineax.linear_solve(operator, VECTOR, solver).value
    np.testing.assert_allclose(found, SOLUTION, rtol=1e-5)


def test_solutions_of_linear_systems_are_differentiated():
    def total(matrix):
        operator = lineax.MatrixLinearOperator(matrix)
        return lineax.linear_solve(operator, VECTOR).value.sum()

    adjoint = np.linalg.solve(MATRIX.T.astype(np.float64), np.ones(2))
    expected = -np.outer(adjoint, SOLUTION)
    np.testing.assert_allclose(
        jax.grad(total)(jnp.asarray(MATRIX)), expected, rtol=1e-4
    )


def decay(rate, start, adjoint):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(lambda t, y, rate: -rate * y),
        diffrax.Tsit5(),
        0,
        1,
        0.1,
        start,
        args=rate,
        stepsize_controller=diffrax.PIDController(1e-5, 1e-5),
        adjoint=adjoint,
    ).ys[-1]


@pytest.mark.parametrize(
    "adjoint",
    [
        diffrax.RecursiveCheckpointAdjoint(),
        diffrax.DirectAdjoint(),
        diffrax.BacksolveAdjoint(),
    ],
    ids=lambda adjoint: type(adjoint).__name__,
)
def test_differential_equations_are_differentiated(adjoint):
    start = jnp.array([1.0, 2.0])
    gradient = jax.grad(lambda rate: decay(rate, start, adjoint).sum())(2.0)
    np.testing.assert_allclose(gradient, -3 * np.exp(-2), rtol=1e-3)


def test_a_neural_differential_equation_learns():
    class Field(eqx.Module):
        network: eqx.nn.MLP

        def __call__(self, t, y, args):
            return self.network(y)

    field = Field(eqx.nn.MLP(2, 2, 16, 2, key=jax.random.key(0)))
    optimizer = optax.adam(1e-2)
    state = optimizer.init(eqx.filter(field, eqx.is_inexact_array))
    starts = jax.random.normal(jax.random.key(1), (8, 2))
    ends = jnp.sin(starts)

    def end_of(field, start):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Heun(), 0.0, 1.0, 0.25, start
        ).ys[-1]

    @eqx.filter_value_and_grad
    def loss(field):
        return ((jax.vmap(lambda y: end_of(field, y))(starts) - ends) ** 2).mean()

    @eqx.filter_jit
    def step(field, state):
        value, grads = loss(field)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(field, updates), state, value

    values = []
    for _ in range(40):
        field, state, value = step(field, state)
        values.append(float(value))
    assert values[-1] < 0.2 * values[0]


def test_roots_are_found_and_differentiated():
    def root(target):
        solver = optimistix.Newton(1e-6, 1e-6)
        return optimistix.root_find(
            lambda y, target: y**2 - target, solver, jnp.array(1.0), target
        ).value

    np.testing.assert_allclose(root(2.0), np.sqrt(2), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(root)(2.0), 0.5 / np.sqrt(2), rtol=1e-5)


@pytest.mark.parametrize(
    "solver",
    [optimistix.LevenbergMarquardt(1e-5, 1e-5), optimistix.Dogleg(1e-5, 1e-5)],
    ids=lambda solver: type(solver).__name__,
)
def test_least_squares_are_solved(solver):
    def residuals(y, args):
        return jnp.array([10 * (y[1] - y[0] ** 2), 1 - y[0]])

    found = optimistix.least_squares(residuals, solver, jnp.array([-1.2, 1.0])).value
    np.testing.assert_allclose(found, [1, 1], rtol=1e-3)
