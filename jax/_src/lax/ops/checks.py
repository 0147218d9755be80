"""Checks of shapes, axes and dtypes that many operations share."""

import enum
import functools as ft
import math
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter, util
from jax._src.core.symbols import expressions
from jax._src.lax.ops.messages import positions, type_error, value_error


class Accepts(enum.Flag):
    """Kinds of element types that an operation takes."""

    BOOL = enum.auto()
    SIGNED = enum.auto()
    UNSIGNED = enum.auto()
    FLOATING = enum.auto()
    COMPLEX = enum.auto()
    INTEGER = SIGNED | UNSIGNED
    INEXACT = FLOATING | COMPLEX
    NUMBER = INTEGER | INEXACT
    ORDERED = BOOL | INTEGER | FLOATING
    ANY = BOOL | NUMBER

    def describe(self) -> str:
        """The kinds in words."""
        found = [word for kind, word in _WORDS.items() if kind & self]
        if {"signed integer", "unsigned integer"} <= set(found):
            found[found.index("signed integer")] = "integer"
            found.remove("unsigned integer")
        return " and ".join(filter(None, [", ".join(found[:-1]), found[-1]]))

    def categories(self) -> str:
        """The kinds by the names of their abstract dtypes in NumPy."""
        found = [name for kind, name in _CATEGORIES if kind & self == kind]
        return ", ".join(found) or self.describe()


_CATEGORIES = (
    (Accepts.SIGNED | Accepts.UNSIGNED, "integer"),
    (Accepts.FLOATING, "floating"),
    (Accepts.COMPLEX, "complexfloating"),
    (Accepts.BOOL, "bool"),
)

_WORDS = {
    Accepts.BOOL: "boolean",
    Accepts.SIGNED: "signed integer",
    Accepts.UNSIGNED: "unsigned integer",
    Accepts.FLOATING: "floating-point",
    Accepts.COMPLEX: "complex",
}

BOOL = Accepts.BOOL
SIGNED = Accepts.SIGNED
UNSIGNED = Accepts.UNSIGNED
INTEGER = Accepts.INTEGER
FLOATING = Accepts.FLOATING
COMPLEX = Accepts.COMPLEX
INEXACT = Accepts.INEXACT
NUMBER = Accepts.NUMBER
ORDERED = Accepts.ORDERED
ANY = Accepts.ANY

_KINDS = (
    (np.bool_, Accepts.BOOL),
    (np.signedinteger, Accepts.SIGNED),
    (np.unsignedinteger, Accepts.UNSIGNED),
    (np.floating, Accepts.FLOATING),
    (np.complexfloating, Accepts.COMPLEX),
)


@ft.cache
def kind_of(dtype) -> Accepts:
    """The kind of an element type; no kind for extended ones such as keys."""
    for scalar_type, kind in _KINDS:
        if dtypes.issubdtype(dtype, scalar_type):
            return kind
    return Accepts(0)


def is_inexact(dtype) -> bool:
    return bool(kind_of(dtype)._value_ & INEXACT._value_)


def is_complex(dtype) -> bool:
    return kind_of(dtype) is COMPLEX


# Names of the operands of binary functions in messages.
_POSITIONS = {"x": 0, "y": 1}


def check_kind(name: str, aval, accepts: Accepts, operand: str = "operand") -> None:
    """Raises TypeError if the operation `name` does not take this element type."""
    # As integers: `&` of enum flags makes a new object at every traced operation.
    if not kind_of(aval.dtype)._value_ & accepts._value_:
        at = f" at position {_POSITIONS[operand]}" if operand in _POSITIONS else ""
        raise type_error(
            f"lax.{name} does not accept dtype {aval.dtype.name}{at}. Accepted dtypes"
            f"{at} are subtypes of {accepts.categories()}.",
            [(operand, aval.str_short())],
            f"lax.{name} takes {accepts.describe()} dtypes.",
            "Convert first: lax.convert_element_type(x, dtype).",
        )


def _tip(function):
    if not function:
        return ""
    return (
        f" (Tip: {function} is a similar function that does automatic type promotion on "
        "inputs)."
    )


def check_same_dtypes(name: str, avals: Sequence, tip: str = "") -> None:
    """Raises TypeError unless all operands have one element type."""
    if any(aval.dtype != avals[0].dtype for aval in avals[1:]):
        raise type_error(
            f"lax.{name} requires arguments to have the same dtypes, got "
            f"{', '.join(aval.dtype.name for aval in avals)}." + _tip(tip),
            positions(aval.str_short() for aval in avals),
            "Functions of jax.lax do not promote types.",
            "Explicitly: lax.convert_element_type(x, dtype).",
        )


def canonical_shape(shape, name: str) -> tuple[int, ...]:
    """The shape as a tuple of integers, none of them negative.

    Raises:
        TypeError: an entry is not a concrete integer, or is negative.
    """
    try:
        entries = util.listed(shape)
        sizes = int_tuple((shape,) if entries is None else entries)
    except TypeError as error:
        raise type_error(
            f"lax.{name}: Shapes must be 1D sequences of concrete values of integer "
            f"type, got {shape}.",
            [],
            "A shape is a sequence of concrete integers.",
            "Under jit, pass sizes as static arguments.",
        ) from error
    if any(type(size) is int and size < 0 for size in sizes):
        raise type_error(
            f"lax.{name}: shape must have every element be nonnegative, got {sizes}.",
            [],
            "Every size of a shape is at least 0.",
        )
    return sizes


def canonical_axis(axis, ndim: int, name: str) -> int:
    """A non-negative axis; ValueError where it is out of bounds."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise value_error(
            f"lax.{name}: axis {axis} is out of bounds for array of dimension {ndim}.",
            [],
            f"An axis is between {-ndim} and {ndim - 1}."
            if ndim
            else "A scalar has no axes.",
        )
    return axis % ndim


def int_tuple(values: Iterable) -> tuple[int, ...]:
    """Concrete integers and symbolic dimensions; TypeError for anything else."""
    return tuple(map(expressions.size_index, values))


@traceback_filter.hides_frames
def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which shapes broadcast by NumPy's rules, a tuple of integers.

    Args:
        shapes: shapes of arrays, sequences of integers.

    Raises:
        ValueError: the shapes do not fit.
    """
    if not shapes:
        return ()
    rank = max(len(shape) for shape in shapes)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[axis] not in (1, size):
                raise value_error(
                    "lax.broadcast_shapes: Incompatible shapes for broadcasting: shapes="
                    f"{[tuple(s) for s in shapes]}",
                    [],
                    "Counted from the last axis, sizes are equal or 1.",
                )
            if size != 1:
                result[axis] = size
    return tuple(result)


def size_of(shape: Sequence[int]) -> int:
    return math.prod(shape)


def ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


def refuse_sharding(name: str, sharding) -> None:
    """Raises NotImplementedError for a sharding, which the operation does not take."""
    if sharding is not None:
        raise NotImplementedError(
            f"lax.{name}: out_sharding is not supported yet; got {sharding}."
        )


_HOST_TYPES = (np.ndarray, np.generic, bool, int, float, complex)


def is_array(x) -> bool:
    """Whether `x` is an array of ours or a traced value, not one of NumPy or Python."""
    return not isinstance(x, _HOST_TYPES)
