"""From what a user writes as a dtype to the dtype that arrays get.

With `jax_enable_x64` off, the 64-bit dtypes become their 32-bit counterparts:
silently where a value or Python's ``float`` brought them in, with a warning where
the user named them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src.base import config, errors, options, traceback_filter
from jax._src.dtypes import extension, known

DType = np.dtype
DTypeLike = Any


def default_int_dtype() -> DType:
    """The dtype of Python integers: int32, or int64 with `jax_enable_x64`."""
    return _by_mode(np.dtype("int64"))


def default_uint_dtype() -> DType:
    """The unsigned counterpart of `default_int_dtype`."""
    return _by_mode(np.dtype("uint64"))


def default_float_dtype() -> DType:
    """The dtype of Python floats: float32, or float64 with `jax_enable_x64`."""
    return _by_mode(np.dtype("float64"))


def default_complex_dtype() -> DType:
    """The dtype of Python complex numbers, as for `default_float_dtype`."""
    return _by_mode(np.dtype("complex128"))


def _by_mode(dtype: DType) -> DType:
    return dtype if options.enable_x64.value else known.narrowed(dtype)


# Dtypes that arrays have whatever `jax_enable_x64` says, by themselves and by their classes.
_NAMED: dict[Any, DType] = {
    name: dtype
    for dtype in known.array_dtypes
    if known.narrowed(dtype) == dtype
    for name in (dtype, dtype.type)
}


def jax_dtype(dtype: DTypeLike, *, align: bool = False, copy: bool = False) -> Any:
    """Makes a dtype object of anything that names one; None names the default float.

    Raises:
        TypeError: it names none.
    """
    if dtype is None:
        return default_float_dtype()
    if isinstance(dtype, (np.dtype, extension.ExtendedDType)):
        return dtype
    if isinstance(dtype, type) and dtype in known.python_scalar_dtypes:
        return _by_mode(known.python_scalar_dtypes[dtype])
    return np.dtype(dtype, align=align, copy=copy)


@traceback_filter.hides_frames
def canonicalize_dtype(dtype: DTypeLike, allow_extended_dtype: bool = False) -> Any:
    """The dtype that an array gets where `dtype` is requested.

    With `jax_enable_x64` off, 64-bit dtypes become 32-bit ones, without a warning.

    Args:
        dtype: a dtype, by class, name or object.
        allow_extended_dtype: whether key dtypes are let through.

    Raises:
        TypeError: `dtype` names no dtype.
        ValueError: it is an extended dtype and these are not allowed.
    """
    if extension.is_extended(dtype):
        if not allow_extended_dtype:
            raise ValueError(
                f"{dtype} is an extended dtype and has no canonical NumPy dtype."
            )
        return dtype
    return _by_mode(jax_dtype(dtype))


def narrowed_from(dtype: DType, source: DType) -> DType:
    """A dtype made of that of operands: narrowed when x64 is off and these are narrow."""
    if extension.is_extended(dtype) or known.narrowed(source) != source:
        return dtype
    return _by_mode(dtype)


def check_valid_dtype(dtype: DType) -> None:
    """Raises TypeError unless arrays may have `dtype`."""
    if not (known.is_array_dtype(dtype) or dtype == known.float0):
        raise TypeError(
            f"{dtype} is not a dtype that JAX arrays may have.\n"
            "Arrays hold numbers, booleans or random keys."
        )


def check_and_canonicalize_user_dtype(
    dtype: DTypeLike, fun_name: str | None = None
) -> Any:
    """The dtype for an argument ``dtype=`` written by the user of `fun_name`.

    Warns when `jax_enable_x64` is off and the user named a 64-bit dtype. Python's
    ``int``, ``float`` and ``complex`` mean the default dtypes and never warn.

    Raises:
        TypeError: no array can have that dtype.
        ValueError: 64-bit dtypes are refused by `jax_explicit_x64_dtypes`.
    """
    try:
        found = _NAMED.get(dtype)
    except TypeError:  # no dtype, as a message below says
        found = None
    if found is not None:
        return found
    if extension.is_extended(dtype):
        return dtype
    if isinstance(dtype, type) and dtype in known.python_scalar_dtypes:
        return _by_mode(known.python_scalar_dtypes[dtype])
    where = "" if fun_name is None else f"jnp.{fun_name}: "
    if hasattr(dtype, "__array__") and not isinstance(dtype, np.generic | type):
        raise errors.UnfitArgumentError(
            f"{where}an array was given for a dtype.\nWrite dtype=x.dtype, not dtype=x."
        )
    requested = np.dtype(dtype) if dtype is not None else default_float_dtype()
    if not (known.is_array_dtype(requested) or requested == known.float0):
        raise TypeError(
            f"{where}JAX only supports number, bool, and string dtypes, got dtype "
            f"{requested}.\nOn devices, arrays hold numbers, booleans or random keys."
        )
    return _narrow_explicit(requested, fun_name)


def refuse_complex(value: Any, dtype: DType) -> None:
    """Raises TypeError for a complex number of Python's that is to become a real one."""
    if isinstance(value, complex) and not isinstance(value, np.generic):
        if dtype.kind not in "cb":
            raise TypeError(
                f"the complex number {value} cannot have dtype {dtype}.\n"
                "Take a part first: x.real, x.imag or abs(x)."
            )


def check_user_dtype_supported(dtype: DTypeLike, fun_name: str | None = None) -> None:
    """Warns or raises as `check_and_canonicalize_user_dtype` does, and returns nothing."""
    if dtype is not None:
        check_and_canonicalize_user_dtype(dtype, fun_name)


def _narrow_explicit(requested: DType, fun_name: str | None) -> DType:
    narrow = _by_mode(requested)
    if narrow == requested:
        return requested
    mode = options.explicit_x64_dtypes.value
    if mode == config.ExplicitX64Mode.ALLOW:
        return requested
    # Programs filter this warning by its first words.
    where = "" if fun_name is None else f" in jnp.{fun_name}"
    message = (
        f"Explicitly requested dtype {requested} is not available{where} while "
        "jax_enable_x64 is off"
    )
    way_out = (
        "To have 64 bits, set JAX_ENABLE_X64=1 or call "
        "jax.config.update('jax_enable_x64', True) at start-up."
    )
    if mode == config.ExplicitX64Mode.ERROR:
        raise ValueError(f"{message}.\n{way_out}")
    traceback_filter.warn(
        f"{message}; it is truncated to {narrow}.\n{way_out}", UserWarning
    )
    return narrow


def scalar_type_to_dtype(kind: type, value: Any = None) -> DType:
    """The dtype of a Python scalar of class `kind`; checks that an int `value` fits.

    Raises:
        OverflowError: `value` does not fit the default integer dtype.
    """
    dtype = _by_mode(known.python_scalar_dtypes[kind])
    if kind is int and value is not None:
        bounds = np.iinfo(dtype)
        if not bounds.min <= value <= bounds.max:
            raise OverflowError(
                f"Python int {value} is too large to convert to {dtype}."
            )
    return dtype


def coerce_to_array(x: Any, dtype: DTypeLike | None = None) -> np.ndarray:
    """A NumPy array of a scalar or array, Python scalars at their default dtypes."""
    if dtype is None and type(x) in known.python_scalar_dtypes:
        dtype = scalar_type_to_dtype(type(x), x)
    return np.asarray(x) if dtype is None else np.asarray(x, dtype)
