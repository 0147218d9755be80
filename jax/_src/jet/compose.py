"""Rules of primitives that are made of others: by their derivative, or as a composition."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core import primitive
from jax._src.jet import api, series
from jax._src.jet.trace import jet_rules


def def_deriv(prim: primitive.Primitive, deriv: Callable) -> None:
    """Gives a primitive of one operand the rule that follows from its derivative.

    Args:
        prim: the primitive.
        deriv: its derivative, a function that has a series itself.
    """
    jet_rules[prim] = functools.partial(deriv_prop, prim, deriv)


def deriv_prop(
    prim: primitive.Primitive,
    deriv: Callable,
    primals_in: Sequence[Any],
    series_in: Sequence[Any],
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of a primitive of one operand whose derivative is known."""
    (x,), (terms,) = primals_in, series_in
    out = prim.bind(x, **params)
    moved = [x, *terms]
    # The last term of the derivative adds to none of the terms that are requested.
    first, rest = api.jet2(deriv, (x,), (terms[:-1],))
    rates = [first, *rest]
    return out, [series.integrated(rates, moved, k) for k in range(1, len(moved))]


def def_comp(prim: primitive.Primitive, comp: Callable, **kwargs: Any) -> None:
    """Gives a primitive the rule of a function that computes the same.

    Args:
        prim: the primitive.
        comp: a function of its operands.
        **kwargs: further arguments of `jet2`.
    """

    def rule(primals_in, series_in, **_):
        return api.jet2(comp, primals_in, series_in, **kwargs)

    jet_rules[prim] = rule


traceback_filter.hide_frames(globals())
