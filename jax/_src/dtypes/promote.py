"""The dtypes of values, and the dtype that holds several of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src.base import config, options, traceback_filter
from jax._src.dtypes import canonical, extension, known, lattice, query

DType = np.dtype
DTypeLike = Any

_WEAK_CLASSES = (int, float, complex)
_weak_scalar_classes: set[type] = {int, float, complex}
_uncanonical_classes: set[type] = set()


def register_weak_scalar_type(kind: type) -> None:
    """Declares that instances of `kind` are scalars that adapt to their company."""
    _weak_scalar_classes.add(kind)


def register_type_whose_dtype_should_not_be_canonicalized(kind: type) -> None:
    """Declares that instances of `kind` keep 64-bit dtypes whatever the mode."""
    _uncanonical_classes.add(kind)


def is_python_scalar(x: Any) -> bool:
    """Whether `x` is a Python bool, int, float or complex."""
    return type(x) in known.python_scalar_dtypes


def is_weakly_typed(x: Any) -> bool:
    """Whether `x` adapts its dtype to its company: Python numbers and what came of them."""
    kind = type(x)
    if kind in _weak_scalar_classes:
        return True
    if kind is np.ndarray or isinstance(x, (np.generic, type, str)):
        return False
    weak = getattr(x, "weak_type", None)
    if weak is None:
        is_number = isinstance(x, (int, float, complex)) and not isinstance(x, bool)
        weak = getattr(getattr(x, "aval", None), "weak_type", is_number)
    return bool(weak)


def is_weakly_typed_scalar(x: Any) -> bool:
    """Whether `x` is weakly typed and has no axes."""
    return is_weakly_typed(x) and np.ndim(x) == 0


def dtype(x: Any) -> Any:
    """The dtype of a value, or of what names a dtype.

    NumPy values are narrowed when `jax_enable_x64` is off; arrays keep theirs.

    Raises:
        TypeError: `x` has no dtype.
    """
    kind = type(x)
    if kind in known.python_scalar_dtypes:
        return canonical.scalar_type_to_dtype(kind)
    if isinstance(x, (np.ndarray, np.generic)):
        return _checked(x, _narrow_value(x.dtype))
    found = getattr(x, "dtype", None)
    if isinstance(found, np.dtype):
        if isinstance(x, type):
            return _checked(x, _narrow_value(found))  # a class of `jax.numpy`
        return _checked(x, found)  # most often: an array
    if isinstance(x, type) and x in known.python_scalar_dtypes:
        return canonical.scalar_type_to_dtype(x)
    if isinstance(x, (type, np.dtype, str)):
        requested = np.dtype(x)
        _checked(x, requested)
        return canonical.check_and_canonicalize_user_dtype(requested)
    if extension.is_extended(x):
        return x
    if extension.is_extended(found):
        return found
    # A named tuple of leaves or a user's class: NumPy would make an object array.
    for weak in _weak_scalar_classes:
        if isinstance(x, weak) and weak in known.python_scalar_dtypes:
            return canonical.scalar_type_to_dtype(weak)
    raise TypeError(
        f"A value of type {kind.__name__} has no dtype.\n"
        "Wanted: an array, a number, or a dtype."
    )


def _narrow_value(found: DType) -> DType:
    return found if options.enable_x64.value else known.narrowed(found)


def _checked(x: Any, found: DType) -> DType:
    if known.is_array_dtype(found) or found == known.float0:
        return found
    raise TypeError(
        f"A value of type {type(x).__name__} with dtype {found} is not a valid JAX "
        "array type.\nArrays hold numbers, booleans or random keys."
    )


def _dtype_and_weakness(x: Any) -> tuple[Any, bool]:
    """The dtype and whether it is weak; Python's scalar classes name weak dtypes."""
    if x is None:
        return canonical.default_float_dtype(), False
    if isinstance(x, type) and x in _WEAK_CLASSES:
        return canonical.scalar_type_to_dtype(x), True
    return dtype(x), is_weakly_typed(x)


def _node(found: DType, weak: bool) -> Any:
    if not weak:
        return found
    if found.kind == "b":
        return found
    if query.issubdtype(found, np.integer):
        return int
    return float if query.issubdtype(found, np.floating) else complex


def is_strict() -> bool:
    """Whether `jax_numpy_dtype_promotion` is strict."""
    return options.numpy_dtype_promotion.value == config.NumpyDtypePromotion.STRICT


def lattice_result_type(*args: Any) -> tuple[Any, bool]:
    """The dtype that holds all `args`, values or dtypes, and whether it is weak.

    The dtype is not yet narrowed to the 32-bit one.
    """
    if len(args) == 1:
        return _dtype_and_weakness(args[0])
    pairs = [_dtype_and_weakness(x) for x in args]
    found = {pair[0] for pair in pairs}
    weak = all(pair[1] for pair in pairs)
    if len(found) == 1:
        return found.pop(), weak
    nodes = frozenset(_node(*pair) for pair in pairs)
    bound = lattice.least_upper_bound(is_strict(), nodes)
    if isinstance(bound, type):
        return known.python_scalar_dtypes[bound], True
    return bound, weak and bound.kind != "b"


def promote_dtypes_of(*args: Any) -> tuple[Any, bool]:
    """Returns the result of `lattice_result_type`, with the dtype narrowed when x64 is off.

    Arrays that have 64 bits all the same keep them among themselves and beside numbers
    that give way.
    """
    found, weak = lattice_result_type(*args)
    narrow = canonical.canonicalize_dtype(found, allow_extended_dtype=True)
    if narrow is found or narrow == found:
        return narrow, weak
    strong = {d for d, is_weak in map(_dtype_and_weakness, args) if weak or not is_weak}
    return (found if strong == {found} else narrow), weak


@traceback_filter.hides_frames
def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    """The dtype to which JAX promotes `args`, which may be values or dtypes.

    Python numbers, and the classes ``int``, ``float`` and ``complex``, are weak: they
    give way to the dtype of an array of their kind.

    Args:
        args: arrays, numbers and dtypes.
        return_weak_type_flag: whether to return a pair: the dtype, and whether it is
            weak.

    Raises:
        TypePromotionError: no dtype holds them all.
        TypeError: one of them has no dtype.

    Differs from NumPy: an integer and a float give the float's dtype, whatever
    their widths.

    Examples:
        >>> jnp.result_type(jnp.int32(1), 2.5)
        dtype('float32')
    """
    if not args:
        raise ValueError("result_type needs at least one array or dtype.")
    found, weak = promote_dtypes_of(*args)
    return (found, weak) if return_weak_type_flag else found


@traceback_filter.hides_frames
def promote_types(a: DTypeLike, b: DTypeLike) -> DType:
    """The smallest dtype that holds both dtypes; Python's scalar classes are weak.

    64-bit dtypes stay, whether `jax_enable_x64` lets arrays have them or not.

    Args:
        a, b: dtypes, by class, name or object.

    Returns:
        A dtype; no array is made.

    Raises:
        TypePromotionError: there is none.
        TypeError: `a` or `b` names no dtype.
    """
    weak_a, weak_b = (x if _names_weak(x) else np.dtype(x) for x in (a, b))
    for dtype in (weak_a, weak_b):
        if not (
            _names_weak(dtype) or known.is_array_dtype(dtype) or dtype == known.float0
        ):
            raise ValueError(
                f"promote_types: {dtype} is not a dtype that JAX arrays may have.\n"
                "Arrays hold numbers, booleans or random keys."
            )
    bound = weak_a
    if weak_a != weak_b:
        bound = lattice.least_upper_bound(is_strict(), frozenset({weak_a, weak_b}))
        if not (isinstance(bound, type) or bound in (weak_a, weak_b)):
            bound = canonical.canonicalize_dtype(bound)
    return np.dtype(known.python_scalar_dtypes.get(bound, bound))


def _names_weak(x: Any) -> bool:
    return isinstance(x, type) and x in _WEAK_CLASSES


@traceback_filter.hides_frames
def scalar_type_of(x: Any) -> type:
    """The Python class of the kind of `x`: bool, int, float or complex.

    Args:
        x: array or number, of any shape.

    Raises:
        TypeError: `x` is not a number.
    """
    found = dtype(x)
    if extension.is_extended(found):
        raise TypeError(f"{found} is not the dtype of a number.")
    if found.kind == "b":
        return bool
    for abstract, kind in (
        (np.integer, int),
        (np.floating, float),
        (np.complexfloating, complex),
    ):
        if query.issubdtype(found, abstract):
            return kind
    raise TypeError(f"{found} is not the dtype of a number.")


def safe_to_cast(source: Any, target: Any) -> bool:
    """Whether promotion alone would turn `source` into `target`.

    Both may be values or dtypes.
    """
    if dtype(source) == dtype(target):
        return True
    try:
        return result_type(source, target) == dtype(target)
    except lattice.TypePromotionError:
        return False
