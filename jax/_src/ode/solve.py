"""Initial value problems of ordinary differential equations.

`steps` has the method; reverse mode solves the adjoint equation backwards in time.
"""

import functools as ft
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes, flatten_util, tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals
from jax._src.jit import jit as jitting
from jax._src.lax.control_flow import scans, while_loops
from jax._src.numpy import (
    creation,
    elementwise,
    joining_splitting,
    matrix_products,
    selection,
    ufuncs,
)
from jax._src.ode import steps
from jax._src.transforms import (
    calls,
    closures,
    custom_vjp,
    differentiate,
    vectorize,
)


class _Settings(NamedTuple):
    rtol: float
    atol: float
    mxstep: float
    hmax: float


class _Solution(NamedTuple):
    """Where the solver stands: the end of a step, and all of the last step."""

    time: Any
    value: Any
    slope: Any
    step: Any
    # The last accepted step: its start, length, value at the start, and slopes.
    old_time: Any
    old_step: Any
    old_value: Any
    slopes: Any


def odeint(
    func: Callable,
    y0: Any,
    t: Any,
    *args: Any,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: float = np.inf,
    hmax: float = np.inf,
) -> Any:
    """Solves ``dy/dt = func(y, t, *args)`` from ``y(t[0]) = y0``.

    Args:
        func: ``f(y, t, *args)``, which returns a tree like `y`. It may close over arrays;
            derivatives follow those too.
        y0: tree of arrays of floats or complex numbers.
        t: vector of floats, ascending or descending: the times at which the solution is
            wanted. In any other order all results are NaN.
        *args: trees of arrays, which go to `func`.
        rtol: tolerance of the error of a step, relative to the value.
        atol: tolerance of the error of a step, absolute.
        mxstep: how many steps may be made between two of the times.
        hmax: the longest step.

    Returns:
        A tree like `y0`, each leaf with a new first axis of the length of `t`.

    Raises:
        TypeError: `func` is no function, `t` is no vector of floats, or an argument is no
            array.
        ValueError: the result of `func` is not like `y0`.

    Differs from SciPy's ``odeint``: another method, and stiff equations take many steps.

    Examples:
        >>> odeint(lambda y, t: -y, 1.0, jnp.array([0.0, 1.0]))
        Array([1.        , 0.36787945], dtype=float32)
    """
    calls.check_callable(func, "odeint")
    for leaf in tree.tree_leaves(args):
        if not avals.is_value(leaf):
            raise errors.type_error(
                f"The contents of odeint *args must be arrays or scalars, but got {leaf}.",
                [("type", type(leaf).__name__)],
            )
    t = creation.asarray(t)
    if t.ndim != 1 or not dtypes.issubdtype(t.dtype, np.floating):
        raise errors.type_error(
            "odeint: t must be an array of floats, with one axis.",
            [("t", avals.get_aval(t).str_short())],
            ways="Convert them: t.astype(float).",
        )
    converted, consts = closures.closure_convert(func, y0, t[0], *args)
    settings = _Settings(rtol, atol, mxstep, hmax)
    vector, unravel = flatten_util.ravel_pytree(y0)
    rows = _solve(converted, settings, unravel, vector, t, *args, *consts)
    return vectorize.vmap(unravel)(rows)


@ft.partial(jitting.jit, static_argnums=(0, 1, 2))
def _solve(func, settings, unravel, y0, t, *args):
    # Steps go forward: descending times are those of the equation turned round.
    direction = selection.where(t[-1] < t[0], -1, 1).astype(t.dtype)

    def flat(y, time, direction, *given):
        state = unravel(y)
        slopes = func(state, time * direction, *given)
        _check_like(state, slopes)
        slopes = flatten_util.ravel_pytree(slopes)[0].astype(y.dtype)
        return slopes * direction.astype(y.dtype)

    forward = t * direction
    rows = _trajectory(flat, settings, y0, forward, direction, *args)
    monotonic = (forward[1:] >= forward[:-1]).all()
    return selection.where(monotonic, rows, np.nan).astype(rows.dtype)


def _check_like(state, slopes):
    leaves, structure = tree.tree_flatten(state)
    found, found_structure = tree.tree_flatten(slopes)
    wanted = [avals.get_aval(x) for x in leaves]
    given = [avals.get_aval(x) for x in found]
    # Another structure is read in the order of its leaves: a list for a vector.
    if sum(a.size for a in wanted) != sum(a.size for a in given):
        raise errors.value_error(
            "odeint: func does not return a tree like y.",
            [
                ("y", f"{structure}: {', '.join(map(str, wanted))}"),
                ("result", f"{found_structure}: {', '.join(map(str, given))}"),
            ],
        )


@ft.partial(custom_vjp.custom_vjp, nondiff_argnums=(0, 1))
def _trajectory(func, settings, y0, t, *args):
    """The solution at all times, one row each; `func` is one of vectors."""

    def slope_at(y, time):
        return func(y, time, *args)

    def advance(state, target):
        state = _advance(slope_at, settings, state, target)
        return state, _interpolated(state, target)

    slope = slope_at(y0, t[0])
    step = steps.initial_step_size(
        slope_at, t[0], y0, steps.ORDER, settings.rtol, settings.atol, slope
    )
    step = ufuncs.minimum(step, settings.hmax)
    slopes = joining_splitting.stack([slope] * steps.STAGES)
    nothing = creation.zeros_like(t[0])
    start = _Solution(t[0], y0, slope, step, t[0], nothing, y0, slopes)
    _, rows = scans.scan(advance, start, t[1:])
    return joining_splitting.concatenate([y0[None], rows])


def _advance(slope_at, settings, state, target):
    """Makes steps until the last one ends behind `target`."""

    def goes_on(carry):
        count, state = carry
        return (state.time < target) & (count < settings.mxstep) & (state.step > 0)

    def try_step(carry):
        count, state = carry
        time, value, step = state.time, state.value, state.step
        end, _, error, slopes = steps.runge_kutta_step(
            slope_at, value, state.slope, time, step
        )
        ratio = steps.mean_error_ratio(error, settings.rtol, settings.atol, value, end)
        grown = steps.optimal_step_size(step, ratio)
        grown = ufuncs.minimum(grown, settings.hmax).astype(step.dtype)
        done = state._replace(
            time=time + step,
            value=end,
            slope=slopes[-1],
            old_time=time,
            old_step=step,
            old_value=value,
            slopes=slopes,
        )
        kept = tree.tree_map(
            lambda new, old: selection.where(ratio <= 1, new, old), done, state
        )
        return count + 1, kept._replace(step=grown)

    return while_loops.while_loop(goes_on, try_step, (0, state))[1]


def _interpolated(state, target):
    length = selection.where(state.old_step == 0, 1, state.old_step)
    part = (target - state.old_time) / length
    step = state.old_step
    return steps.polynomial(
        steps.interpolant(state.old_value, state.slopes, step), part
    )


def _forward(func, settings, y0, t, *args):
    rows = _trajectory(func, settings, y0, t, *args)
    return rows, (rows, t, args)


def _backward(func, settings, residuals, cts):
    """The adjoint equation, from the last time to the first."""
    rows, t, args = residuals

    def adjoint(augmented, negated, *given):
        y, y_ct, _, _ = augmented
        slope, pull_back = differentiate.vjp(func, y, -negated, *given)
        y_change, t_change, *given_change = pull_back(y_ct)
        return -slope, y_change, t_change, tuple(given_change)

    def interval(carry, now):
        y_ct, t0_ct, args_ct = carry
        y, y_before, time, time_before, ct = now
        t_ct = matrix_products.vdot(elementwise.conj(func(y, time, *args)), ct).real
        start = (y, y_ct + ct, -t_ct + t0_ct, args_ct)
        times = joining_splitting.stack([-time, -time_before])
        ends = odeint(adjoint, start, times, *args, **settings._asdict())
        _, y_ct, t0_ct, args_ct = tree.tree_map(lambda leaf: leaf[-1], ends)
        return (y_ct, t0_ct, args_ct), t_ct

    zeros = tree.tree_map(creation.zeros_like, args)
    last = (creation.zeros_like(rows[0]), creation.zeros_like(t[0]), zeros)
    backwards = (rows[:0:-1], rows[-2::-1], t[:0:-1], t[-2::-1], cts[:0:-1])
    (y_ct, t0_ct, args_ct), t_cts = scans.scan(interval, last, backwards)
    t_ct = joining_splitting.concatenate([t0_ct[None], t_cts[::-1]])
    return (y_ct + cts[0], t_ct, *args_ct)


_trajectory.defvjp(_forward, _backward)


traceback_filter.hide_frames(globals())
