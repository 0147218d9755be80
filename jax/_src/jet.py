"""Taylor series of a function along a curve.

The curve is ``x(t) = x + s_1 t + s_2 t^2 / 2 + …``; the series of ``f(x(t))`` at 0 are
its derivatives, which nested forward differentiation gives: all that can be
differentiated forwards has a series. The cost doubles with each order.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals as av
from jax._src.lax.ops import special
from jax._src.numpy import creation, lax_api as lax
from jax._src.transforms import calls, differentiate


def jet(
    fun: Callable,
    primals: Sequence[Any],
    series: Sequence[Any],
    factorial_scaled: bool = True,
    **_: Any,
) -> tuple[Any, Any]:
    """The Taylor series of a function along a curve that is given by its series.

    Args:
        fun: the function of trees of arrays.
        primals: tuple of arguments, where the curve is at time 0.
        series: for each argument a tree like it, with a list of the coefficients of
            orders 1, 2, … in place of each leaf.
        factorial_scaled: whether coefficients are derivatives; else they are those of the
            powers of the time, smaller by the factorial of the order.

    Returns:
        ``(value, series)`` of ``fun`` along the curve, in the same form.

    Raises:
        ValueError: series differ in length.

    Examples:
        >>> value, (first, second) = jet(jnp.sin, (0.0,), ((1.0, 0.0),))
        >>> first, second
        (Array(1., dtype=float32, weak_type=True), Array(-0., dtype=float32, weak_type=True))
    """
    calls.check_callable(fun, "jet")
    leaves, structure = tree.tree_flatten(tuple(primals))
    terms = structure.flatten_up_to(tuple(series))
    order = _common_length(terms)
    scales = [math.factorial(k) if factorial_scaled else 1 for k in range(order + 1)]
    points = [creation.asarray(leaf) for leaf in leaves]
    curves = [
        [creation.asarray(c, dtype=x.dtype) for c in coefficients]
        for x, coefficients in zip(points, terms, strict=True)
    ]
    out_tree = None

    def along(time):
        nonlocal out_tree
        moved = [
            _polynomial(x, c, scales, time) for x, c in zip(points, curves, strict=True)
        ]
        outs, out_tree = tree.tree_flatten(fun(*tree.tree_unflatten(structure, moved)))
        return outs

    derivatives = _derivatives(along, order)
    outs = tree.tree_unflatten(out_tree, derivatives[0])
    found = [
        [
            d[i] / (math.factorial(k) // scales[k])
            for k, d in enumerate(derivatives)
            if k
        ]
        for i in range(len(derivatives[0]))
    ]
    return outs, tree.tree_unflatten(out_tree, found)


def jet2(
    fun: Callable,
    primals: Sequence[Any],
    series: Sequence[Any],
    *,
    factorial_scaled: bool = False,
    **_: Any,
) -> tuple[Any, Any]:
    """`jet` whose coefficients are, if nothing is said, those of the powers of the time."""
    return jet(fun, primals, series, factorial_scaled)


def fact(n: Any) -> Any:
    """The factorial of a number, as a float: what scales coefficients."""
    return lax.exp(special.lgamma(creation.asarray(n + 1.0)))


def _common_length(terms):
    lengths = {len(coefficients) for coefficients in terms}
    if len(lengths) > 1:
        raise ValueError(
            errors.explain(
                "jet: the series of the arguments differ in length.",
                [("lengths", ", ".join(str(len(c)) for c in terms))],
                ways="Fill the shorter ones with zeros.",
            )
        )
    return lengths.pop() if lengths else 0


def _polynomial(point, coefficients, scales, time):
    """``x + c_1 t + c_2 t^2 …`` by Horner's rule."""
    total = None
    for k in range(len(coefficients), 0, -1):
        term = coefficients[k - 1] / scales[k]
        total = term if total is None else term + total * time
    return point if total is None else point + total * time


def _derivatives(fun, order):
    """The results of ``fun(0.0)`` and of its derivatives up to an order."""
    if order == 0:
        return [fun(0.0)]

    def value_and_slope(time):
        outs, slopes = differentiate.jvp(fun, (time,), (_one(time),))
        return [*outs, *slopes]

    pairs = _derivatives(value_and_slope, order - 1)
    count = len(pairs[0]) // 2
    return [pairs[0][:count], *(p[count:] for p in pairs)]


def _one(time):
    """The tangent 1 of a time."""
    return creation.ones((), av.get_aval(time).dtype)


traceback_filter.hide_frames(globals())
