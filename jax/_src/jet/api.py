"""Taylor series of a function along a curve.

The curve is ``x(t) = x + s_1 t + s_2 t^2 / 2 + …``; the series of ``f(x(t))`` at 0 are its
derivatives. Each operation is applied to whole series (`trace`), so that the cost of most
functions grows with the square of the order.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.compat import linear_util, traces
from jax._src.core import state
from jax._src.jet import series as series_lib, trace as trace_lib
from jax._src.lax.ops import special
from jax._src.numpy import creation, lax_api as lax
from jax._src.transforms import calls


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
    points = [creation.asarray(leaf) for leaf in leaves]
    curves = [
        [_term(c, x, k, factorial_scaled) for k, c in enumerate(coefficients, 1)]
        for x, coefficients in zip(points, terms, strict=True)
    ]
    out_tree = None

    def of_leaves(*tracers):
        nonlocal out_tree
        outs, out_tree = tree.tree_flatten(
            fun(*tree.tree_unflatten(structure, tracers))
        )
        return outs

    outs, found = follow(of_leaves, order, points, curves)
    scales = [math.factorial(k) if factorial_scaled else 1 for k in range(1, order + 1)]
    found = [
        [
            t if s == 1 else t * s
            for t, s in zip(series_lib.filled(o, ts, order), scales, strict=True)
        ]
        for o, ts in zip(outs, found, strict=True)
    ]
    return tree.tree_unflatten(out_tree, outs), tree.tree_unflatten(out_tree, found)


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


def _term(coefficient, point, order, factorial_scaled):
    """A coefficient of the user's as that of a power of the time."""
    found = creation.asarray(coefficient)
    if found.dtype != point.dtype:
        found = found.astype(point.dtype)
    return series_lib.scaled_down(found, order) if factorial_scaled else found


def _common_length(terms):
    lengths = {len(coefficients) for coefficients in terms}
    if len(lengths) > 1:
        raise errors.value_error(
            "jet: the series of the arguments differ in length.",
            [("lengths", ", ".join(str(len(c)) for c in terms))],
            ways="Fill the shorter ones with zeros.",
        )
    return lengths.pop() if lengths else 0


def follow(
    fun: Callable,
    order: int,
    primals: Sequence[Any],
    series: Sequence[Any],
    tag: Any = None,
) -> tuple[list[Any], list[Any]]:
    """Values and series of a function of values; a series that is zero is `zero_series`."""
    tag = traces.TraceTag() if tag is None else tag
    trace = trace_lib.JetTrace(tag, state.current(), order)
    inputs = [trace.join(x, terms) for x, terms in zip(primals, series, strict=True)]
    with state.tracing(trace):
        outs = fun(*inputs)
    pairs = [trace.to_primal_terms_pair(out) for out in outs]
    trace.finish()
    return [p for p, _ in pairs], [terms for _, terms in pairs]


@linear_util.transformation2
def jet_subtrace(
    fun: Callable, tag: Any, order: int, primals: Sequence[Any], series: Sequence[Any]
) -> tuple[Any, Any]:
    """Makes of a wrapped function of values one of ``(tag, order, values, series)``.

    It returns the values and the series of the results, of which some may be `zero_series`.
    """
    return follow(fun, order, primals, series, tag)


@linear_util.transformation2
def jet_fun(
    fun: Callable, order: int, primals: Sequence[Any], series: Sequence[Any]
) -> tuple[Any, Any]:
    """Makes of what `jet_subtrace` returns a function of ``(order, values, series)``.

    Every term of its results is an array.
    """
    outs, found = fun(traces.TraceTag(), order, primals, series)
    return outs, [
        series_lib.filled(o, ts, order) for o, ts in zip(outs, found, strict=True)
    ]


@linear_util.transformation_with_aux2
def traceable(
    fun: Callable, store: Any, in_tree_def: Any, *primals_and_series: Any
) -> Any:
    """Makes of such a function one from leaves to leaves; the structure of results is its output."""
    primals, series = tree.tree_unflatten(in_tree_def, primals_and_series)
    leaves, structure = tree.tree_flatten(fun(primals, series))
    store.store(structure)
    return leaves


traceback_filter.hide_frames(globals())
