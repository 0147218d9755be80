"""Steps along a line that decrease a function enough, and its slope too.

Reference: Moré and Thuente, Line search algorithms with guaranteed sufficient decrease,
ACM Transactions on Mathematical Software 20(3), 1994. SciPy searches by it too, so that
both visit the same points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.numpy import matrix_products, numpy_api as jnp

Array = Any

_DECREASE = 1e-4
_SLOPE = 0.9
# How far a search without an interval goes beyond its last step, and how much of an
# interval two steps have to cut off.
_LEAST_GROWTH, _MOST_GROWTH = 1.1, 4.0
_SHRINKAGE = 0.66


class Point(NamedTuple):
    """A point of the line: distance, value, slope, and the gradient there."""

    distance: Array
    value: Array
    slope: Array
    gradient: Array


class _Search(NamedTuple):
    """The interval of uncertainty and the next distance to try.

    Attributes:
        best: the end with the least value.
        other: the other end.
        trial: the distance to try next.
        has_bracket: whether a minimum is between the ends.
        is_late: whether the function itself is searched, not what it lacks of a decrease.
        width: the length of the interval.
        width_before: its length one step before.
        done: whether the best end satisfies the conditions.
        steps: how many distances were tried.
    """

    best: Point
    other: Point
    trial: Array
    has_bracket: Array
    is_late: Array
    width: Array
    width_before: Array
    done: Array
    steps: Array


class Step(NamedTuple):
    """The point that was found, whether it decreases enough, and how many were tried."""

    point: Point
    succeeded: Array
    steps: Array


def _chosen(condition: Array, x: Point, y: Point) -> Point:
    return Point(*(jnp.where(condition, a, b) for a, b in zip(x, y, strict=True)))


def _tilted(point: Point, slope: Array) -> Point:
    """The point on the function less the line of that slope."""
    return point._replace(
        value=point.value - point.distance * slope, slope=point.slope - slope
    )


def search(
    value_and_grad: Callable,
    x: Array,
    value: Array,
    gradient: Array,
    direction: Array,
    *,
    first: Array,
    most: int,
) -> Step:
    """Finds a step that satisfies the strong conditions of Wolfe.

    Args:
        value_and_grad: from a vector to the function's value and gradient.
        x: where the line begins, a vector.
        value: the value there.
        gradient: the gradient there.
        direction: of descent, a vector.
        first: the first distance to try.
        most: how many distances to try.
    """

    def at(distance):
        found, slope = value_and_grad(x + distance * direction)
        return Point(distance, found, matrix_products.dot(slope, direction), slope)

    origin = matrix_products.dot(gradient, direction)
    start = Point(jnp.zeros_like(value), value, origin, gradient)
    wanted_slope = _DECREASE * origin

    def step(state):
        point = at(state.trial)
        bound = value + point.distance * wanted_slope
        is_finite = jnp.isfinite(point.value) & jnp.isfinite(point.slope)
        decreases = is_finite & (point.value <= bound)
        done = decreases & (abs(point.slope) <= -_SLOPE * origin)
        is_late = state.is_late | (decreases & (point.slope >= 0))
        tilt = ~is_late & (point.value <= state.best.value) & (point.value > bound)
        next_state = _narrowed(state, point, jnp.where(tilt, wanted_slope, 0))
        # Where the function has no value, half of the way is tried.
        halved = (state.trial + state.best.distance) / 2
        return _Search(
            _chosen(done, point, _chosen(is_finite, next_state.best, state.best)),
            _chosen(is_finite, next_state.other, state.other),
            jnp.where(is_finite, next_state.trial, halved),
            jnp.where(is_finite, next_state.has_bracket, state.has_bracket),
            is_late,
            jnp.where(is_finite, next_state.width, state.width),
            jnp.where(is_finite, next_state.width_before, state.width_before),
            done,
            state.steps + 1,
        )

    def goes_on(state):
        is_stuck = state.has_bracket & (state.trial == state.best.distance)
        return ~state.done & ~is_stuck & (state.steps < most)

    no = np.bool_(False)
    first = jnp.asarray(first, value.dtype)
    wide = jnp.full_like(value, np.inf)
    begin = _Search(start, start, first, no, no, wide, wide, no, np.int32(0))
    found = while_loop(goes_on, step, begin)
    # Any decrease is a step, also where the slope is still steep.
    decreases = (found.best.distance > 0) & (found.best.value < value)
    return Step(found.best, found.done | decreases, found.steps)


def _narrowed(state: _Search, point: Point, slope: Array) -> _Search:
    """The smaller interval after a step to `point`, and the distance to try next.

    The function less the line of that slope is searched: at first the wanted decrease.
    """
    best, other, new = (_tilted(p, slope) for p in (state.best, state.other, point))
    trial, has_bracket = _next_trial(best, other, new, state.has_bracket)
    is_higher = new.value > best.value
    turned = new.slope * jnp.sign(best.slope) < 0
    other = _chosen(is_higher, point, _chosen(turned, state.best, state.other))
    best = _chosen(is_higher, state.best, point)
    width = abs(other.distance - best.distance)
    is_slow = width >= _SHRINKAGE * state.width_before
    middle = (best.distance + other.distance) / 2
    trial = jnp.where(has_bracket & is_slow, middle, trial)
    low = jnp.minimum(best.distance, other.distance)
    high = jnp.maximum(best.distance, other.distance)
    is_stuck = has_bracket & ((trial <= low) | (trial >= high))
    return _Search(
        best,
        other,
        jnp.where(is_stuck, best.distance, trial),
        has_bracket,
        state.is_late,
        jnp.where(has_bracket, width, state.width),
        jnp.where(has_bracket, state.width, state.width_before),
        state.done,
        state.steps,
    )


def _cubic(x: Point, y: Point, *, may_lack: bool = False) -> tuple[Array, Array]:
    """The share of the way from `y` to `x` at which the cubic through both is least.

    Returns:
        The share, and whether the cubic has a minimum; without `may_lack` it has one.
    """
    way = x.distance - y.distance
    safe = jnp.where(way == 0, 1, way)
    theta = 3 * (y.value - x.value) / safe + x.slope + y.slope
    scale = jnp.maximum(abs(theta), jnp.maximum(abs(x.slope), abs(y.slope)))
    unit = jnp.where(scale == 0, 1, scale)
    inside = (theta / unit) ** 2 - (x.slope / unit) * (y.slope / unit)
    gamma = scale * jnp.sqrt(jnp.where(inside > 0, inside, 0))
    gamma = jnp.where(y.distance > x.distance, -gamma, gamma)
    top = gamma - y.slope + theta
    bottom = (
        gamma + (x.slope - y.slope) + gamma
        if may_lack
        else (gamma - y.slope + gamma) + x.slope
    )
    share = top / jnp.where(bottom == 0, 1, bottom)
    return share, (share < 0) & (gamma != 0)


def _next_trial(best: Point, other: Point, new: Point, has_bracket: Array) -> tuple:
    """The next distance, by cubic and quadratic interpolation; and whether it is inside.

    The four cases are those of the reference's section 4.
    """
    way = new.distance - best.distance
    safe = jnp.where(way == 0, 1, way)
    # 1: a higher value. A minimum is between the two, nearer to the best.
    share, _ = _cubic(new, best)
    cubic = best.distance + share * way
    rise = (best.value - new.value) / safe + best.slope
    square = best.distance + best.slope / jnp.where(rise == 0, 1, rise) / 2 * way
    nearer = abs(cubic - best.distance) <= abs(square - best.distance)
    higher = jnp.where(nearer, cubic, cubic + (square - cubic) / 2)
    # 2: a lower value, a slope of the other sign. Of both, the farther from the new one.
    change = new.slope - best.slope
    secant = new.distance - new.slope / jnp.where(change == 0, 1, change) * way
    share, _ = _cubic(best, new)
    cubic = new.distance - share * way
    farther = abs(cubic - new.distance) > abs(secant - new.distance)
    crossed = jnp.where(farther, cubic, secant)
    # 3: a lower value, a smaller slope of the same sign.
    share, has_minimum = _cubic(best, new, may_lack=True)
    limit = new.distance + _MOST_GROWTH * way
    end = jnp.where(has_bracket, other.distance, limit)
    cubic = jnp.where(has_minimum, new.distance - share * way, end)
    nearer = abs(cubic - new.distance) < abs(secant - new.distance)
    inner = jnp.where(nearer, cubic, secant)
    bound = new.distance + _SHRINKAGE * (other.distance - new.distance)
    inner = jnp.where(way > 0, jnp.minimum(bound, inner), jnp.maximum(bound, inner))
    outer = jnp.where(nearer, secant, cubic)
    flatter = jnp.where(has_bracket, inner, outer)
    # 4: a lower value, and the slope is no smaller.
    share, _ = _cubic(other, new)
    cubic = new.distance + share * (other.distance - new.distance)
    steeper = jnp.where(has_bracket, cubic, limit)
    is_higher = new.value > best.value
    turned = new.slope * jnp.sign(best.slope) < 0
    is_flatter = abs(new.slope) < abs(best.slope)
    trial = jnp.where(is_flatter, flatter, steeper)
    # Without an interval the steps grow, by a factor that has bounds.
    least = jnp.where(best.distance == 0, 0, new.distance + _LEAST_GROWTH * way)
    trial = jnp.where(has_bracket, trial, jnp.clip(trial, least, limit))
    trial = jnp.where(is_higher, higher, jnp.where(turned, crossed, trial))
    return trial, has_bracket | is_higher | turned
