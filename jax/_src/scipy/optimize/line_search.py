"""Steps along a line that decrease a function enough, and its slope too.

Reference: Nocedal and Wright, Numerical Optimization, 2nd edition, 2006, algorithms 3.5
and 3.6; both phases are one loop here, so that each step evaluates once.
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


class Point(NamedTuple):
    """A place on the line: distance, value, slope, and the gradient there."""

    distance: Array
    value: Array
    slope: Array
    gradient: Array


class _Search(NamedTuple):
    low: Point
    high: Point
    trial: Array
    has_bracket: Array
    done: Array
    steps: Array


class Step(NamedTuple):
    """The place that was found, whether it decreases enough, and how many were tried."""

    point: Point
    succeeded: Array
    steps: Array


def _chosen(condition: Array, x: Point, y: Point) -> Point:
    return Point(*(jnp.where(condition, a, b) for a, b in zip(x, y, strict=True)))


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
        value_and_grad: from a place to the function's value and gradient.
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

    def step(state):
        point = at(state.trial)
        enough = value + _DECREASE * point.distance * origin
        # NaN is too high as well.
        too_high = ~(point.value <= enough)
        is_first = ~state.has_bracket & (state.steps == 0)
        too_high = too_high | (~is_first & (point.value >= state.low.value))
        done = ~too_high & (abs(point.slope) <= -_SLOPE * origin)
        # Where the function rises from the lower end, that end becomes the upper one.
        ahead = jnp.where(
            state.has_bracket, state.high.distance - state.low.distance, 1
        )
        turned = ~state.has_bracket | (point.slope * ahead >= 0)
        high = _chosen(turned, state.low, state.high)
        high = _chosen(too_high, point, high)
        low = _chosen(too_high, state.low, point)
        has_bracket = state.has_bracket | too_high | (point.slope >= 0)
        trial = jnp.where(has_bracket, _inside(low, high), 2 * state.trial)
        return _Search(low, high, trial, has_bracket, done, state.steps + 1)

    def goes_on(state):
        return ~state.done & (state.steps < most)

    no = np.bool_(False)
    first = jnp.asarray(first, value.dtype)
    found = while_loop(goes_on, step, _Search(start, start, first, no, no, np.int32(0)))
    # Any decrease is a step, also where the slope is still steep.
    decreases = (found.low.distance > 0) & (found.low.value < value)
    return Step(found.low, found.done | decreases, found.steps)


def _inside(low: Point, high: Point) -> Array:
    """The minimum of the cubic through both ends; the middle where it is useless."""
    width = high.distance - low.distance
    safe = jnp.where(width == 0, 1, width)
    mean = low.slope + high.slope - 3 * (high.value - low.value) / safe
    inside = mean**2 - low.slope * high.slope
    root = jnp.sign(safe) * jnp.sqrt(jnp.where(inside > 0, inside, 0))
    bottom = high.slope - low.slope + 2 * root
    share = (high.slope + root - mean) / jnp.where(bottom == 0, 1, bottom)
    place = high.distance - safe * share
    relative = (place - low.distance) / safe
    useful = (inside > 0) & (bottom != 0) & (relative > 0.1) & (relative < 0.9)
    return jnp.where(useful, place, low.distance + width / 2)
