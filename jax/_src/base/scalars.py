"""The dtypes that Python scalars have, narrowing without x64, and float0."""

import abc
import math
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import options, slot

# The dtype of tangents of integers, whose elements hold no data.
float0: np.dtype = np.dtype([("float0", np.void, 0)])


class ExtendedDType(metaclass=abc.ABCMeta):
    """A dtype that NumPy does not know, such as that of random keys.

    Values of one stand for arrays of numbers, which have the axes of an element behind
    their own. Subclasses of ours answer the queries below themselves. Those of other
    libraries have a class of static methods, `_rules`, which answers:

    `physical_element_aval(dtype)`
        The type of the array behind one element.
    `convert_from(dtype, other)`, `convert_to(other, dtype)`
        Whether a value becomes an array of the dtype `other`, and the other way round.
    `full(shape, fill_value, dtype)`
        Values made of one number.
    `tangent_dtype(dtype)`
        The dtype of tangents; by default there are none.
    `add(dtype, x, y)`, `zero(dtype)`
        The sum of two tangents of this dtype, and what changes none.
    """

    type: Any

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name that users see, such as ``key<fry>``."""

    @property
    def itemsize(self) -> int:
        """The bytes that an element takes."""
        shape, dtype = self.physical(())
        return math.prod(shape) * dtype.itemsize

    def physical(self, shape: tuple) -> tuple[tuple, np.dtype]:
        """The shape and dtype of the array behind one of `shape`."""
        element = self._rule("physical_element_aval")(self)
        return (*shape, *element.shape), element.dtype

    def unwrap(self, value: Any) -> Any:
        """The array behind a value of this dtype."""
        return array_behind(value)

    def wrap(self, array: Any) -> Any:
        """The value of this dtype that stands for an array."""
        return value_of_array(array, self)

    def becomes(self, other: Any) -> bool:
        """Whether users may convert values to the dtype `other`, that of the arrays behind them."""
        return self._answer("convert_from", self, other)

    def is_made_of(self, other: Any) -> bool:
        """Whether users may convert arrays of the dtype `other` to values."""
        return self._answer("convert_to", other, self)

    def full(self, shape: tuple, fill_value: Any) -> Any:
        """Returns values of this dtype that are all made of one number."""
        return self._rule("full")(shape, fill_value, self)

    def tangent(self) -> Any:
        """The dtype of tangents."""
        rule = getattr(self._rules, "tangent_dtype", None)
        return float0 if rule is None else rule(self)

    def zero(self) -> Any:
        """Returns the zero of tangents of this dtype."""
        return self._rule("zero")(self)

    def add(self, x: Any, y: Any) -> Any:
        """The sum of two tangents of this dtype."""
        return self._rule("add")(self, x, y)

    _rules: Any = None

    def _answer(self, rule, *args):
        found = getattr(self._rules, rule, None)
        return found is not None and bool(found(*args))

    def _rule(self, name):
        rule = getattr(self._rules, name, None)
        if rule is None:
            raise NotImplementedError(
                f"The dtype {self.name} does not know how to do this: its rules have "
                f"no {name}."
            )
        return rule


# Conversions of values of extended dtypes; they do not ask whether the rules allow them.
array_behind = slot.Slot("the array behind a value of an extended dtype", "lax")
value_of_array = slot.Slot("the value of an extended dtype for an array", "lax")


# The 64-bit dtypes, and what stands for each while x64 is off.
NARROW = {
    np.dtype("int64"): np.dtype("int32"),
    np.dtype("uint64"): np.dtype("uint32"),
    np.dtype("float64"): np.dtype("float32"),
    np.dtype("complex128"): np.dtype("complex64"),
}
WIDE = frozenset(NARROW)

BOOL = np.dtype("bool")
INT32 = np.dtype("int32")
INT64 = np.dtype("int64")
FLOAT32 = np.dtype("float32")
FLOAT64 = np.dtype("float64")
COMPLEX64 = np.dtype("complex64")
COMPLEX128 = np.dtype("complex128")

PYTHON_SCALARS = (bool, int, float, complex)


def narrow(dtype: np.dtype) -> np.dtype:
    """The dtype that stands for `dtype` while x64 is off, `dtype` itself while on."""
    if isinstance(dtype, ExtendedDType):
        return dtype
    return dtype if options.enable_x64.value else NARROW.get(dtype, dtype)


def python_scalar_dtype(kind: type) -> np.dtype:
    """The dtype of a `bool`, `int`, `float` or `complex` in the current mode."""
    wide = options.enable_x64.value
    if kind is float:
        return FLOAT64 if wide else FLOAT32
    if kind is int:
        return INT64 if wide else INT32
    if kind is bool:
        return BOOL
    return COMPLEX128 if wide else COMPLEX64


def short_name(dtype: Any) -> str:
    """The name of a dtype in printed programs: ``f32``, ``i8``, ``bool``, ``bf16``."""
    if isinstance(dtype, ExtendedDType):
        return dtype.name
    short = _SHORT_NAMES.get(dtype)
    if short is None:
        short = _SHORT_NAMES[dtype] = _make_short_name(dtype)
    return short


def _make_short_name(dtype):
    if dtype == float0:
        return "float0"
    for long, short in (
        ("bfloat", "bf"),
        ("float", "f"),
        ("uint", "u"),
        ("int", "i"),
        ("complex", "c"),
    ):
        if dtype.name.startswith(long):
            return short + dtype.name[len(long) :]
    return dtype.name


_SHORT_NAMES: dict[Any, str] = {}

_INEXACT = frozenset(
    np.dtype(getattr(ml_dtypes, name))
    for name in dir(ml_dtypes)
    if name.startswith(("bfloat", "float"))
)

_POWERS_OF_TWO = np.dtype(ml_dtypes.float8_e8m0fnu)


def is_inexact(dtype: Any) -> bool:
    """Whether a dtype is a floating-point or complex one, bfloat16 and its kin included."""
    if isinstance(dtype, ExtendedDType):
        return False
    return dtype.kind in "fc" or dtype in _INEXACT


def tangent_dtype(dtype: Any) -> np.dtype:
    """The dtype of tangents: the same for inexact dtypes, `float0` for the others.

    Extended dtypes say theirs.
    """
    if isinstance(dtype, ExtendedDType):
        return dtype.tangent()
    return dtype if is_inexact(dtype) else float0


def converted(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A NumPy array in another dtype, each number rounded once, to the nearest one.

    ml_dtypes converts by way of float32, which rounds doubles and long integers twice:
    those are rounded to odd first, after which rounding again gives the nearest number
    (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
    """
    if dtype in _INEXACT and array.dtype.kind in "iufc" and array.dtype.itemsize >= 4:
        array = np.asarray(_rounded_to_odd(array))
        if dtype == _POWERS_OF_TWO:
            # ml_dtypes rounds numbers just below the least power of two up to it.
            is_least = (array > 0) & (array < 0.75 * 2.0**-126)
            array = np.where(is_least, FLOAT32.type(2.0**-127), array)
    return array if array.dtype == dtype else np.asarray(array.astype(dtype))


def _rounded_to_odd(array):
    """Numbers as float32; inexact ones become the neighbour whose last bit is odd."""
    if array.dtype.kind == "c":
        array = array.real
    if array.dtype == FLOAT32:
        return array
    if array.dtype.kind in "iu":
        array = _integers_to_odd(array)
    with np.errstate(all="ignore"):
        near = np.asarray(array, FLOAT32)
        back = near.astype(array.dtype)
        # Subtracting 1 from the bits undoes a rounding up, also one to infinity.
        bits = near.view(np.uint32) - (abs(back) > abs(array)).astype(np.uint32)
        is_odd = (back != array) & ~np.isnan(array)
    return (bits | is_odd.astype(np.uint32)).view(FLOAT32)


def _integers_to_odd(array):
    """Converts integers to float64, which holds 53 bits, rounded to odd."""
    if array.dtype.itemsize > 4:
        rest = array & 0x7FF
        odd = (array - rest) | ((rest != 0).astype(array.dtype) << 11)
        array = np.where((array > 2**53) | (array < -(2**53)), odd, array)
    return array.astype(FLOAT64)
