"""Quasi-Newton methods: second derivatives are guessed from changes of the gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.numpy import matrix_products, numpy_api as jnp, operands
from jax._src.numpy.linalg import norms
from jax._src.scipy.optimize import line_search
from jax._src.transforms.differentiate import value_and_grad

Array = Any

RUNNING, CONVERGED = -1, 0
TOO_MANY_STEPS, TOO_MANY_VALUES, NO_DECREASE, SMALL_DECREASE = 1, 2, 3, 4


class _State(NamedTuple):
    x: Array
    value: Array
    value_before: Array
    gradient: Array
    memory: Any
    status: Array
    steps: Array
    evaluations: Array


class _Method(NamedTuple):
    """What distinguishes one method from another.

    Attributes:
        direction: from memory and gradient to where to go.
        update: from memory, and the changes of `x` and the gradient, to the next one.
        judge: from the states before and after a step to a status.
    """

    direction: Callable
    update: Callable
    judge: Callable


def _integer(value: int) -> Array:
    return jnp.asarray(value, dtypes.default_int_dtype())


def _run(
    method: _Method,
    fun: Callable,
    x0: Array,
    memory: Any,
    *,
    norm: Any,
    gtol: float,
    most_trials: int,
) -> _State:
    """Steps until there is a status.

    Args:
        method: the method.
        fun: the function.
        x0: where to start.
        memory: what the method knows of second derivatives.
        norm: the order of the norm of gradients.
        gtol: the norm that is small enough.
        most_trials: how many distances a search tries.
    """
    evaluate = value_and_grad(fun)

    def is_flat(gradient):
        return norms.norm(gradient, ord=norm) < gtol

    def step(state):
        way = method.direction(state.memory, state.gradient)
        # As far as the function fell in the last step; at first by half a slope.
        fall = 2.02 * (state.value - state.value_before)
        slope = matrix_products.dot(state.gradient, way)
        first = jnp.minimum(1, fall / jnp.where(slope == 0, 1, slope))
        first = jnp.where(first > 0, first, 1)
        found = line_search.search(
            evaluate,
            state.x,
            state.value,
            state.gradient,
            way,
            first=first,
            most=most_trials,
        )
        works = found.succeeded
        change = jnp.where(works, found.point.distance, 0) * way
        gradient = jnp.where(works, found.point.gradient, state.gradient)
        new = _State(
            state.x + change,
            jnp.where(works, found.point.value, state.value),
            state.value,
            gradient,
            method.update(state.memory, change, gradient - state.gradient),
            state.status,
            state.steps + 1,
            state.evaluations + found.steps,
        )
        status = jnp.where(works, method.judge(state, new), NO_DECREASE)
        status = jnp.where(is_flat(gradient), CONVERGED, status)
        return new._replace(status=status.astype(state.status.dtype))

    value, gradient = evaluate(x0)
    zero, one = _integer(0), _integer(1)
    status = jnp.where(is_flat(gradient), CONVERGED, RUNNING).astype(zero.dtype)
    before = value + norms.norm(gradient) / 2
    start = _State(x0, value, before, gradient, memory, status, zero, one)
    return while_loop(lambda state: state.status == RUNNING, step, start)


def _results(state: _State, inverse: Array | None) -> tuple:
    return (
        state.x,
        state.status == CONVERGED,
        state.status,
        state.value,
        state.gradient,
        inverse,
        state.evaluations,
        state.evaluations,
        state.steps,
    )


def minimize_bfgs(
    fun: Callable,
    x0: Array,
    maxiter: int | None = None,
    norm: Any = np.inf,
    gtol: float = 1e-5,
    line_search_maxiter: int = 10,
) -> tuple:
    """Broyden's, Fletcher's, Goldfarb's and Shanno's method.

    Reference: Nocedal and Wright, algorithm 6.1.
    """
    n = operands.size(x0)
    most = 200 * n if maxiter is None else maxiter

    def update(inverse, s, y):
        """The nearest matrix that explains the last change; as before where none does."""
        curvature = matrix_products.dot(s, y)
        is_useful = curvature > 0
        rho = 1 / jnp.where(is_useful, curvature, 1)
        way = matrix_products.matmul(inverse, y)
        both = matrix_products.outer(way, s)
        weight = rho * (1 + rho * matrix_products.dot(y, way))
        changed = inverse - rho * (both + both.T) + weight * matrix_products.outer(s, s)
        return jnp.where(is_useful, changed, inverse)

    method = _Method(
        direction=lambda inverse, gradient: -matrix_products.matmul(inverse, gradient),
        update=update,
        judge=lambda before, after: jnp.where(
            after.steps >= most, TOO_MANY_STEPS, RUNNING
        ),
    )
    start = jnp.eye(n, dtype=x0.dtype)
    options = {"norm": norm, "gtol": gtol, "most_trials": line_search_maxiter}
    state = _run(method, fun, x0, start, **options)
    return _results(state, state.memory)


class _History(NamedTuple):
    """The last changes of `x` and the gradient, the oldest first; unused ones are zero."""

    steps: Array
    gradients: Array
    weights: Array
    scale: Array


def _pushed(history: _History, s: Array, y: Array) -> _History:
    curvature = matrix_products.dot(s, y)
    is_useful = curvature > 0
    safe = jnp.where(is_useful, curvature, 1)
    entries = (s, y, 1 / safe)
    rows = [
        jnp.concatenate([old[1:], new[None]])
        for old, new in zip(history[:3], entries, strict=True)
    ]
    scale = safe / jnp.where(is_useful, matrix_products.dot(y, y), 1)
    pairs = zip(_History(*rows, scale), history, strict=True)
    return _History(*(jnp.where(is_useful, new, old) for new, old in pairs))


def _two_loops(history: _History, gradient: Array) -> Array:
    """The direction that the history gives, without a matrix: algorithm 7.4."""
    count = operands.size(history.weights)

    def back(i, carry):
        q, shares = carry
        i = count - 1 - i
        share = history.weights[i] * matrix_products.dot(history.steps[i], q)
        return q - share * history.gradients[i], shares.at[i].set(share)

    start = gradient, jnp.zeros_like(history.weights)
    q, shares = fori_loop(0, count, back, start)

    def forth(i, r):
        share = history.weights[i] * matrix_products.dot(history.gradients[i], r)
        return r + (shares[i] - share) * history.steps[i]

    return -fori_loop(0, count, forth, history.scale * q)


def minimize_lbfgs(
    fun: Callable,
    x0: Array,
    maxiter: float | None = None,
    norm: Any = 2,
    maxcor: int = 10,
    ftol: float = 2.220446049250313e-09,
    gtol: float = 1e-05,
    maxfun: float | None = None,
    maxgrad: float | None = None,
    maxls: int = 20,
) -> tuple:
    """Minimizes a function by BFGS with limited memory (L-BFGS).

    Reference: Nocedal and Wright, algorithm 7.5.
    """
    unlimited = np.iinfo(np.int32).max
    most = unlimited if maxiter is None else maxiter
    values = min(unlimited if m is None else m for m in (maxfun, maxgrad))

    def judge(before, after):
        sizes = jnp.maximum(jnp.abs(before.value), jnp.abs(after.value))
        small = before.value - after.value <= ftol * jnp.maximum(sizes, 1)
        status = jnp.where(small, SMALL_DECREASE, RUNNING)
        status = jnp.where(after.evaluations >= values, TOO_MANY_VALUES, status)
        return jnp.where(after.steps >= most, TOO_MANY_STEPS, status)

    vectors = jnp.zeros((maxcor, operands.size(x0)), x0.dtype)
    weights = jnp.zeros((maxcor,), x0.dtype)
    memory = _History(vectors, vectors, weights, jnp.ones((), x0.dtype))
    method = _Method(direction=_two_loops, update=_pushed, judge=judge)
    state = _run(method, fun, x0, memory, norm=norm, gtol=gtol, most_trials=maxls)
    return _results(state, None)
