"""Symbolic zeros, operands that have no value yet, and sums of both."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import scalars, traceback_filter
from jax._src.core import avals, slots


class Zero:
    """A tangent or cotangent that is known to be zero, of the type `aval`.

    A cotangent `is_found` if a rule returned it, and not because no result depends on
    the value.
    """

    __slots__ = ("aval", "is_found")

    def __init__(self, aval: avals.AbstractValue, is_found: bool = False):
        self.aval = aval
        self.is_found = is_found

    def instantiate(self) -> Any:
        """The zeros as an array."""
        return zeros_like_aval(self.aval)

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


class SymbolicZero:
    """A zero as the rules of users see it, where they ask for symbolic zeros."""

    __slots__ = ("aval",)

    def __init__(self, aval: avals.AbstractValue):
        self.aval = aval

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the zeros."""
        return getattr(self.aval, "shape", ())

    @property
    def dtype(self) -> Any:
        """The dtype of the zeros."""
        return getattr(self.aval, "dtype", None)

    def __repr__(self) -> str:
        return f"SymbolicZero({self.aval})"


@traceback_filter.hides_frames
def zero_from_primal(val: Any, symbolic_zeros: bool = False) -> Any:
    """The zero tangents of a tree of values.

    Args:
        val: the tree. Integers and Booleans have zeros of dtype float0.
        symbolic_zeros: whether the leaves are `SymbolicZero` instead of arrays.

    Returns:
        A tree of the same structure.
    """

    def zero_of(leaf):
        aval = avals.get_aval(leaf).to_tangent_aval()
        return SymbolicZero(aval) if symbolic_zeros else zeros_like_aval(aval)

    return tree.tree_map(zero_of, val)


class UndefinedPrimal:
    """Stands for a linear operand in a transpose rule: its type, and no value."""

    __slots__ = ("aval",)

    def __init__(self, aval: avals.AbstractValue):
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: Any) -> bool:
    """Whether an operand of a transpose rule is a linear one."""
    return type(x) is UndefinedPrimal


# Class of types that are not arrays' -> (aval) -> zeros.
library_zeros: dict[type, Callable[[Any], Any]] = {}


def zeros_like_aval(aval: avals.AbstractValue) -> Any:
    """An array of zeros of the type `aval`."""
    if isinstance(aval, avals.ShapedArray) and aval.dtype == scalars.float0:
        return np.zeros(aval.shape, scalars.float0)
    if aval.is_high:
        return aval.vspace_zero()  # type: ignore[attr-defined]
    if type(aval) in library_zeros:
        return library_zeros[type(aval)](aval)
    return slots.zeros.function(aval)


def instantiate_zeros(tangent: Any) -> Any:
    """An array in place of a symbolic zero; anything else as it is."""
    return zeros_like_aval(tangent.aval) if type(tangent) is Zero else tangent


def add_tangents(x: Any, y: Any) -> Any:
    """The sum of two tangents or cotangents, either of which may be `Zero`."""
    if type(x) is Zero:
        return y
    if type(y) is Zero:
        return x
    return add_jaxvals(x, y)


def add_jaxvals(x: Any, y: Any) -> Any:
    """The sum of two values of one type."""
    aval = avals.get_aval(x)
    if aval.is_high:
        return aval.vspace_add(x, y)
    return slots.add_cotangents.function(x, y)
