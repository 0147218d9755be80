"""Zeros and sums of tangents, as libraries that write rules of their own ask for them."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np

from jax._src.core import avals, primitive
from jax._src.dtypes import known
from jax._src.interpreters import ad
from jax._src.interpreters.ad import zeros
from jax._src.lax.ops import arithmetic

# Older programs had it for functions with a rule of their own; interpreters still name it in their tables of rules.
custom_jvp_call_jaxpr_p = primitive.Primitive("custom_jvp_call_jaxpr")


def p2tz(primal_value: Any) -> ad.Zero:
    """The zero tangent of a value."""
    return ad.Zero(avals.get_aval(primal_value).to_tangent_aval())


def p2cz(primal_value: Any) -> ad.Zero:
    """The zero cotangent of a value."""
    return ad.Zero(avals.get_aval(primal_value).to_cotangent_aval())


def a2tz(primal_aval: avals.AbstractValue) -> ad.Zero:
    """The zero tangent of values of a type."""
    return ad.Zero(primal_aval.to_tangent_aval())


def zeros_like_jaxval(val: Any) -> Any:
    """Zeros of the shape and dtype of a value."""
    return ad.zeros_like_aval(avals.get_aval(val))


def replace_internal_symbolic_zeros(x: Any) -> Any:
    """A `SymbolicZero`, which rules of users see, in place of a `Zero`."""
    return ad.SymbolicZero(x.aval) if type(x) is ad.Zero else x


def replace_rule_output_symbolic_zeros(x: Any) -> Any:
    """A `Zero` in place of a `SymbolicZero`, which rules of users return."""
    return ad.Zero(x.aval) if type(x) is ad.SymbolicZero else x


def add_impl(x: Any, y: Any) -> Any:
    """The sum of two values of one type."""
    return raw_jaxval_adders[type(x)](x, y)


def add_abstract(x: Any, y: Any) -> Any:
    """The type of the sum of two values of these types."""
    return arithmetic.add_any_p.infer((x, y), {})[0]


class _Extended(MutableMapping):
    """A table by class: entries for what this package adds up itself, and a library's own."""

    def __init__(self, ours: dict[type, Callable], others: dict[type, Callable]):
        self._ours = ours
        self._others = others

    def __getitem__(self, kind: type) -> Callable:
        found = self._others.get(kind) or self._ours.get(kind)
        if found is None:
            raise KeyError(kind)
        return found

    def __setitem__(self, kind: type, function: Callable) -> None:
        self._others[kind] = function

    def __delitem__(self, kind: type) -> None:
        del self._others[kind]

    def __iter__(self) -> Iterator[type]:
        return iter({**self._ours, **self._others})

    def __len__(self) -> int:
        return len({**self._ours, **self._others})


_VALUES = (
    *(bool, int, float, complex, np.ndarray),
    *(dtype.type for dtype in known.array_dtypes),
)
# Class of values -> (x, y) -> x + y; a live table.
raw_jaxval_adders = _Extended(
    dict.fromkeys(_VALUES, arithmetic.add_any), arithmetic.library_adders
)
# Class of types -> (aval) -> zeros; a live table.
aval_zeros_likers = _Extended(
    {avals.ShapedArray: ad.zeros_like_aval}, zeros.library_zeros
)
