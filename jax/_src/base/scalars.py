"""The dtypes that Python scalars have, narrowing without x64, and float0."""

import abc
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import options

# The dtype of a tangent of an integer: it holds nothing.
float0: np.dtype = np.dtype([("float0", np.void, 0)])


class ExtendedDType(metaclass=abc.ABCMeta):
    """A dtype that NumPy does not know, such as that of random keys.

    Subclasses answer `name`, `itemsize`, and in `physical(shape)` the shape and the
    NumPy dtype of the array that holds one of `shape`. Those of libraries have a class
    `_rules` instead, whose `physical_element_aval(dtype)` is the type of one element.
    """

    type: Any

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name that users see, such as ``key<fry>``."""

    def physical(self, shape: tuple) -> tuple[tuple, np.dtype]:
        """The shape and dtype of the array behind one of `shape`."""
        rules = getattr(self, "_rules", None)
        if rules is None:
            raise NotImplementedError(f"dtype {self.name} does not say what holds it")
        element = rules.physical_element_aval(self)
        return (*shape, *element.shape), element.dtype

    def unwrap(self, value: Any) -> Any:
        """The array behind a value of this dtype."""
        raise NotImplementedError(f"values of dtype {self.name} hold no array")

    def wrap(self, array: Any) -> Any:
        """The value of this dtype that stands for an array."""
        raise NotImplementedError(f"values of dtype {self.name} hold no array")

    def converts(self, other: Any, to_other: bool) -> bool:
        """Whether values of this dtype become such of another one, or are made of those."""
        rules = getattr(self, "_rules", None)
        if rules is None:
            return False
        if to_other:
            return rules.convert_from(self, other)
        return rules.convert_to(other, self)

    def tangent(self) -> Any:
        """The dtype of tangents."""
        rules = getattr(self, "_rules", None)
        return float0 if rules is None else rules.tangent_dtype(self)

    def full(self, shape: tuple, fill_value: Any) -> Any:
        """An array of one value."""
        return self._rules.full(shape, fill_value, self)


def set_guest_values(
    wrap: Callable[[ExtendedDType, Any], Any], unwrap: Callable[[Any], Any]
) -> None:
    """Says what values of dtypes of libraries are, which do not say it themselves."""
    ExtendedDType.wrap = wrap  # type: ignore[method-assign]
    ExtendedDType.unwrap = lambda self, value: unwrap(value)  # type: ignore[method-assign]


_NARROW = {
    np.dtype("int64"): np.dtype("int32"),
    np.dtype("uint64"): np.dtype("uint32"),
    np.dtype("float64"): np.dtype("float32"),
    np.dtype("complex128"): np.dtype("complex64"),
}

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
    return dtype if options.enable_x64.value else _NARROW.get(dtype, dtype)


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


def is_inexact(dtype: Any) -> bool:
    """Whether a dtype is a floating-point or complex one, bfloat16 and its kin included."""
    if isinstance(dtype, ExtendedDType):
        return False
    return dtype.kind in "fc" or dtype in _INEXACT


def tangent_dtype(dtype: Any) -> np.dtype:
    """The dtype of tangents: the same for inexact dtypes, `float0` for the others; extended ones say theirs."""
    if isinstance(dtype, ExtendedDType):
        return dtype.tangent()
    return dtype if is_inexact(dtype) else float0
