"""Sums and products of series, which are lists of terms: coefficients of powers of the time."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import scalars
from jax._src.core import avals, primitive
from jax._src.numpy import creation
from jax._src.transforms import differentiate

# Stand for terms, and for whole series, that are zero. Both are trees without leaves.


class ZeroTerm:
    """One term that is zero."""


class ZeroSeries:
    """The series of a value that does not move."""


zero_term = ZeroTerm()
zero_series = ZeroSeries()
tree.register_pytree_node(ZeroTerm, lambda _: ((), None), lambda _, xs: zero_term)
tree.register_pytree_node(ZeroSeries, lambda _: ((), None), lambda _, xs: zero_series)


def can_move(x: Any) -> bool:
    """Whether a value can have a series: whole numbers have none."""
    return avals.get_aval(x).to_tangent_aval().dtype != scalars.float0


def moving(primals: Sequence[Any]) -> list[bool]:
    """`can_move` of each of several values."""
    return [can_move(p) for p in primals]


def filled(primal: Any, terms: Any, order: int) -> list[Any]:
    """A series in which every term is an array of the type of the value."""
    if terms is zero_series:
        terms = [zero_term] * order
    return [creation.zeros_like(primal) if t is zero_term else t for t in terms]


def by_result(prim: primitive.Primitive, terms: Sequence[Any]) -> Any:
    """Terms of all results, order by order, as one series for each result."""
    if not prim.multiple_results:
        return list(terms)
    return [list(series) for series in zip(*terms, strict=True)]


def convolved(
    left: Sequence[Any], right: Sequence[Any], k: int, apply: Callable | None = None
) -> Any:
    """The term of order `k` of a product, from all terms up to that order.

    Args:
        left: the value and the terms of one factor.
        right: those of the other.
        k: the order.
        apply: the product; that of numbers by default.
    """
    terms = [
        left[j] * right[k - j] if apply is None else apply(left[j], right[k - j])
        for j in range(k + 1)
    ]
    return total(terms)


def total(terms: Sequence[Any]) -> Any:
    """The sum of some arrays; there is one at least."""
    found = terms[0]
    for term in terms[1:]:
        found = found + term
    return found


def solved(
    first: Any, moved: Sequence[Any], rate: Callable[[list[Any]], Any]
) -> list[Any]:
    """The terms of a function whose derivative is known by what it is itself.

    Args:
        first: its value.
        moved: the value and the terms of its argument.
        rate: from the value and the terms of the function up to the order k, to the term of
            order k of its derivative.

    Returns:
        The value and the terms.
    """
    found, rates = [first], []
    for k in range(1, len(moved)):
        rates.append(rate(found))
        found.append(integrated(rates, moved, k))
    return found


def integrated(rates: Sequence[Any], moved: Sequence[Any], k: int) -> Any:
    """The term of order `k` of the function whose derivative has the terms `rates`."""
    return total([j * rates[k - j] * moved[j] for j in range(1, k + 1)]) / k


def at_time(point: Any, terms: Sequence[Any], time: Any) -> Any:
    """The value at a time, by Horner's rule."""
    found = None
    for term in reversed(terms):
        found = term if found is None else term + found * time
    return point if found is None else point + found * time


def derivatives(fun: Callable, order: int) -> list[list[Any]]:
    """The results of ``fun(0.0)`` and of its derivatives up to an order."""
    if order == 0:
        return [fun(0.0)]

    def value_and_slope(time):
        one = creation.ones((), avals.get_aval(time).dtype)
        outs, slopes = differentiate.jvp(fun, (time,), (one,))
        return [*outs, *slopes]

    pairs = derivatives(value_and_slope, order - 1)
    count = len(pairs[0]) // 2
    return [pairs[0][:count], *(p[count:] for p in pairs)]


def scaled_down(derivative: Any, order: int) -> Any:
    """The term that belongs to a derivative."""
    return derivative if order < 2 else derivative / math.factorial(order)
