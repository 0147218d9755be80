"""One step of a Runge-Kutta method, its error, its length, and its interpolant.

Method: the pair of orders 5 and 4 of J. R. Dormand and P. J. Prince, "A family of
embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6 (1980), with the interpolant of
L. F. Shampine, "Some practical Runge-Kutta formulas", Math. Comp. 46 (1986), and the
first step of E. Hairer, S. P. Nørsett, G. Wanner, "Solving Ordinary Differential
Equations I", II.4.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import flatten_util
from jax._src.base import traceback_filter
from jax._src.compat import linear_util
from jax._src.numpy import (
    creation,
    elementwise,
    joining_splitting,
    matrix_products,
    reductions,
    selection,
    ufuncs,
)

# Nodes, stages, weights of the solution of order 5, and of the estimate of its error.
_NODES = np.array([1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
_STAGES = (
    np.array([1 / 5]),
    np.array([3 / 40, 9 / 40]),
    np.array([44 / 45, -56 / 15, 32 / 9]),
    np.array([19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]),
    np.array([9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]),
    np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
)
_ERROR = np.array(
    [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]
)
# Row: stage. Column: power of the position in the step, from 1 to 4.
_INTERPOLANT = np.array(
    [
        [
            1,
            -8048581381 / 2820520608,
            8663915743 / 2820520608,
            -12715105075 / 11282082432,
        ],
        [0, 0, 0, 0],
        [
            0,
            131558114200 / 32700410799,
            -68118460800 / 10900136933,
            87487479700 / 32700410799,
        ],
        [
            0,
            -1754552775 / 470086768,
            14199869525 / 1410260304,
            -10690763975 / 1880347072,
        ],
        [
            0,
            127303824393 / 49829197408,
            -318862633887 / 49829197408,
            701980252875 / 199316789632,
        ],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)
ORDER, STAGES = 4, len(_ERROR)


def abs2(x: Any) -> Any:
    """The square of the absolute value, real also of complex numbers."""
    x = creation.asarray(x)
    if np.issubdtype(x.dtype, np.complexfloating):
        return elementwise.square(elementwise.real(x)) + elementwise.square(
            elementwise.imag(x)
        )
    return elementwise.square(x)


def _norm(x):
    return elementwise.sqrt(reductions.sum(abs2(x)))


def initial_step_size(
    fun: Callable,
    t0: Any,
    y0: Any,
    order: int,
    rtol: Any,
    atol: Any,
    f0: Any,
) -> Any:
    """A step for which an explicit Euler step changes the value by about a hundredth.

    Args:
        fun: ``f(y, t)``, the slope.
        t0: the time at the start.
        y0: the value there, a vector.
        order: of the method.
        rtol: tolerance, relative to the value.
        atol: tolerance, absolute.
        f0: the slope at the start.
    """
    dtype = elementwise.real(creation.asarray(y0)).dtype
    scale = atol + elementwise.abs(y0) * rtol
    size, speed = _norm(y0 / scale), _norm(f0 / scale)
    tiny = (size < 1e-5) | (speed < 1e-5)
    guess = selection.where(tiny, 1e-6, 0.01 * size / selection.where(tiny, 1.0, speed))
    guess = guess.astype(dtype)
    bend = _norm((fun(y0 + guess * f0, t0 + guess) - f0) / scale) / guess
    flat = (speed <= 1e-15) & (bend <= 1e-15)
    largest = selection.where(flat, 1.0, ufuncs.maximum(speed, bend))
    step = selection.where(
        flat,
        ufuncs.maximum(1e-6, guess * 1e-3),
        (0.01 / largest) ** (1 / (order + 1)),
    )
    return ufuncs.minimum(100.0 * guess, step).astype(dtype)


def _combined(weights, slopes):
    return matrix_products.tensordot(weights.astype(slopes.dtype), slopes, 1)


def runge_kutta_step(func: Callable, y0: Any, f0: Any, t0: Any, dt: Any) -> tuple:
    """One step.

    Args:
        func: ``f(y, t)``, the slope.
        y0: the value at the start, a vector.
        f0: the slope there.
        t0: the time there.
        dt: the length of the step.

    Returns:
        The value at the end, the slope there, an estimate of the value's error, and the
        slopes of all stages, one a row.
    """
    dt = creation.asarray(dt)
    slopes = [f0]
    for node, weights in zip(_NODES, _STAGES, strict=True):
        end = y0 + dt * _combined(weights, joining_splitting.stack(slopes))
        slopes.append(func(end, t0 + dt * node.astype(dt.dtype)))
    # The last stage stands at the end of the step.
    rows = joining_splitting.stack(slopes)
    return end, rows[-1], dt * _combined(_ERROR, rows), rows


def mean_error_ratio(
    error_estimate: Any, rtol: Any, atol: Any, y0: Any, y1: Any
) -> Any:
    """How large an error is against what is tolerated, in the mean; 1: just as large.

    Args:
        error_estimate: the error of each element.
        rtol: tolerance, relative to the larger value of a step's ends.
        atol: tolerance, absolute.
        y0: the value at the start of the step.
        y1: the value at its end.
    """
    scale = atol + rtol * ufuncs.maximum(elementwise.abs(y0), elementwise.abs(y1))
    # No element, no error.
    count = max(np.size(scale), 1)
    return elementwise.sqrt(reductions.sum(abs2(error_estimate / scale)) / count)


def optimal_step_size(
    last_step: Any,
    mean_error_ratio: Any,
    safety: float = 0.9,
    ifactor: float = 10.0,
    dfactor: float = 0.2,
    order: float = 5.0,
) -> Any:
    """The length of the next step, of which the error is likely tolerated.

    Args:
        last_step: the length of the last one.
        mean_error_ratio: its error, as the function of that name returns it.
        safety: how much shorter than calculated the step shall be.
        ifactor: by how much a step may grow.
        dfactor: by how much it may shrink, after an error that is not tolerated.
        order: of the method.
    """
    # A step that was good enough is no reason to make shorter ones.
    least = selection.where(mean_error_ratio < 1, 1.0, dfactor)
    some = selection.where(mean_error_ratio == 0, 1.0, mean_error_ratio)
    factor = ufuncs.minimum(
        ifactor, ufuncs.maximum(some ** (-1.0 / order) * safety, least)
    )
    return selection.where(
        mean_error_ratio == 0, last_step * ifactor, last_step * factor
    )


def interpolant(y0: Any, slopes: Any, dt: Any) -> list[Any]:
    """The polynomial of the part of a step, from 0 to 1: the highest power first."""
    weights = _INTERPOLANT.astype(np.dtype(slopes.dtype).type(0).real.dtype)
    powers = matrix_products.tensordot(weights.T.astype(slopes.dtype), slopes, 1) * dt
    return [*powers[::-1], y0]


def polynomial(coefficients: Any, part: Any) -> Any:
    """The value of a polynomial whose coefficients are vectors."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * part + coefficient
    return value


def interp_fit_dopri(y0: Any, y1: Any, k: Any, dt: Any) -> Any:
    """`interpolant` of a step whose ends and slopes are known, one coefficient a row.

    Args:
        y0: the value at the start.
        y1: the value at the end, which the slopes give too.
        k: the slopes of the stages, one a row.
        dt: the length of the step.
    """
    return joining_splitting.stack(interpolant(y0, k, dt))


def fit_4th_order_polynomial(
    y0: Any, y1: Any, y_mid: Any, dy0: Any, dy1: Any, dt: Any
) -> tuple:
    """The polynomial of order 4 with given values and slopes, the highest power first.

    Args:
        y0: its value at 0.
        y1: its value at 1.
        y_mid: its value at a half.
        dy0: the slope at 0, for a time that runs from 0 to `dt`.
        dy1: the slope at 1.
        dt: that time.
    """
    first, last = dt * dy0, dt * dy1
    # With q = y - y0 - first·x: q(1), q(1/2) and q'(1) are linear in the other three.
    end, middle, turn = y1 - y0 - first, y_mid - y0 - first / 2, last - first
    return (
        2 * turn - 8 * end + 16 * middle,
        -3 * turn + 14 * end - 32 * middle,
        turn - 5 * end + 16 * middle,
        first,
        y0,
    )


@linear_util.transformation2
def ravel_first_arg_(f, unravel, y_flat, *args):
    """`ravel_first_arg` as a transformation of a wrapped function."""
    return flatten_util.ravel_pytree(f(unravel(y_flat), *args))[0]


def ravel_first_arg(f: Callable, unravel: Callable, debug_info: Any) -> Callable:
    """A function of a vector, of one whose first argument and result are trees.

    Args:
        f: the function.
        unravel: makes a tree of a vector, as `ravel_pytree` returns it.
        debug_info: what `f` is called in messages.
    """
    wrapped = linear_util.wrap_init(f, debug_info=debug_info)
    return ravel_first_arg_(wrapped, unravel).call_wrapped


traceback_filter.hide_frames(globals())
