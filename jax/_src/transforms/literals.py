"""Numbers and NumPy arrays that know their types, as users' rules and third-party traces get them.

To our traces they are what they are without: a number, an array.
"""

from typing import Any

import numpy as np

from jax._src.base import scalars
from jax._src.core import avals


class _AbstractTyped:
    """A number of Python of a dtype, which gives way to others.

    Args:
        value: the number.
        dtype: its dtype.
    """

    __slots__ = ()

    dtype: np.dtype
    aval: avals.ShapedArray
    _kind: type

    def __new__(cls, value: Any, dtype: np.dtype):
        made = super().__new__(cls, value)  # type: ignore[call-arg]
        made.dtype, made.aval = dtype, avals.ShapedArray((), dtype, weak_type=True)
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._kind(self)}, dtype={self.dtype.name})"

    def __getnewargs__(self):
        return self._kind(self), self.dtype


class TypedInt(_AbstractTyped, int):
    """An integer of a dtype."""

    _kind = int


class TypedFloat(_AbstractTyped, float):
    """A floating-point number of a dtype."""

    __slots__ = ("aval", "dtype")
    _kind = float

    def __str__(self) -> str:
        return str(float(self))


class TypedComplex(_AbstractTyped, complex):
    """A complex number of a dtype."""

    __slots__ = ("aval", "dtype")
    _kind = complex


class TypedNdArray(np.ndarray):
    """A NumPy array with a type, whose dtype may give way. What NumPy makes of it is a plain array.

    Args:
        val: the array.
        aval: its type; None: that of the array as it is.
    """

    def __new__(cls, val: Any, aval: avals.ShapedArray | None = None):
        plain = np.asarray(val)
        made = plain.view(cls)
        made._aval = (
            avals.ShapedArray(plain.shape, plain.dtype) if aval is None else aval
        )
        return made

    def __array_finalize__(self, source: Any) -> None:
        self._aval = None

    @property
    def aval(self) -> avals.ShapedArray:
        """The type."""
        if self._aval is None:
            self._aval = avals.ShapedArray(self.shape, self.dtype)
        return self._aval

    @property
    def weak_type(self) -> bool:
        """Whether the dtype gives way to others."""
        return self.aval.weak_type

    @property
    def val(self) -> np.ndarray:
        """The plain array."""
        return self.view(np.ndarray)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any):
        plain = [_plain(x) for x in inputs]
        if "out" in options:
            options["out"] = tuple(map(_plain, options["out"]))
        if "where" in options:
            options["where"] = _plain(options["where"])
        return getattr(ufunc, method)(*plain, **options)

    def __repr__(self) -> str:
        return f"TypedNdArray({self.tolist()}, dtype={self.dtype.name})"

    def __reduce__(self):
        return TypedNdArray, (self.val, self._aval)


def _plain(x):
    return x.val if isinstance(x, TypedNdArray) else x


typed_scalar_types = {TypedInt, TypedFloat, TypedComplex}
_TYPED: dict[type, type] = {kind._kind: kind for kind in typed_scalar_types}


def typed(value: Any) -> Any:
    """The value with its type, if it is a number or an array of NumPy; else itself."""
    kind = type(value)
    if kind in _TYPED:
        return _TYPED[kind](value, scalars.python_scalar_dtype(kind))
    if isinstance(value, np.ndarray | np.generic) and kind is not TypedNdArray:
        aval = avals.get_aval(value)
        return TypedNdArray(np.asarray(value).astype(aval.dtype, copy=False), aval)
    return value


for _kind in (*typed_scalar_types, TypedNdArray):
    avals.register_value_type(_kind, lambda value: value.aval)
