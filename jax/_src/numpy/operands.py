"""Checks, promotes and broadcasts the operands of the functions of `jax.numpy`."""

from __future__ import annotations

import enum
import functools as ft
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import config, errors, options, traceback_filter, util
from jax._src.core import avals, concrete as concrete_values, trace
from jax._src.core.symbols import expressions
from jax._src.lax import mesh_modes
from jax._src.lib import client
from jax._src.numpy import lax_api as lax

Array = Any
ArrayLike = Any


def explain(fun_name: str, what: str, facts=(), rule: str = "", ways: str = "") -> str:
    """A four-part message that starts with the user's name for the function.

    Names without a package are those of `jax.numpy`; ``random.`` is `jax.random`.
    """
    if fun_name.startswith("random."):
        name = f"jax.{fun_name}"
    else:
        name = fun_name if fun_name.startswith("jax.") else f"jnp.{fun_name}"
    return errors.explain(f"{name}: {what}", list(facts), rule, ways)


type_error = errors.maker(TypeError, explain)
value_error = errors.maker(ValueError, explain)
not_implemented = errors.maker(NotImplementedError, explain)


def explain_call(
    fun_name: str, what: str, facts=(), rule: str = "", ways: str = ""
) -> str:
    """Composes an error message whose first sentence has the function as its subject."""
    text = explain(fun_name, what, facts, rule, ways)
    return text.replace(": ", " ", 1)


def type_name(x: Any) -> str:
    """An operand in a message: its dtype and shape, or its class."""
    if avals.is_value(x):
        return avals.get_aval(x).str_short()
    return type(x).__name__


def is_arraylike(x: Any) -> bool:
    """Whether `x` is an array or scalar, or can turn itself into one."""
    return avals.is_value(x) or hasattr(x, "__jax_array__")


def check_arraylike(fun_name: str, *args: Any, emit_warning: bool = False) -> None:
    """Raises TypeError unless all `args` are arrays or scalars.

    Lists and tuples are refused on purpose: each would be copied element by element.
    """
    for position, arg in enumerate(args):
        if is_arraylike(arg):
            if isinstance(arg, (np.ndarray, np.generic)):
                _check_numpy(fun_name, arg, position)
            continue
        way = "Convert it first: jnp.asarray(x)."
        if isinstance(arg, str | bytes):
            way = "For a text out of a list of names, pass its number: names.index(x)."
        if arg is None:
            way = "None is no array: leave the argument out, or pass an array."
        raise TypeError(
            explain_call(
                fun_name,
                f"requires ndarray or scalar arguments, got {type(arg)} at position "
                f"{position}.",
                [("argument", _shown(arg))],
                "Functions of jax.numpy take arrays and numbers.",
                way,
            )
        )


class _Named:
    """An object whose `repr` is a name."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _shown(arg):
    """Returns an argument as text for messages; traced values are shown by their types."""
    leaves, structure = trees.tree_flatten(arg)
    if not trees.treedef_is_leaf(structure) and type(arg) not in (list, tuple, dict):
        return f"a tree of type {type(arg).__name__}"
    names = [
        _Named(leaf.aval.str_short()) if isinstance(leaf, trace.Tracer) else leaf
        for leaf in leaves
    ]
    text = repr(trees.tree_unflatten(structure, names))
    return text if len(text) <= 60 else text[:59] + "…"


def not_numeric(value: Any, dtype: Any) -> str:
    """The sentence that refuses a value whose dtype arrays cannot have."""
    return (
        f"Value {repr(value)[:60]} with dtype {dtype} is not a valid JAX array type. Only "
        "arrays of numeric types are supported by JAX."
    )


def _check_numpy(fun_name, arg, position):
    if not (dtypes.is_array_dtype(arg.dtype) or arg.dtype == dtypes.float0):
        raise type_error(
            fun_name,
            not_numeric(arg, arg.dtype),
            [("argument", str(position))],
            "Arrays hold numbers, booleans or random keys.",
        )


def to_array(x: ArrayLike) -> Any:
    """`x` as a value that primitives take; `__jax_array__` is called where there is one.

    Values of types above arrays may have one too, and their traced values by their type.
    """
    if type(x) is client.Array or (isinstance(x, trace.Tracer) and not x.aval.is_high):
        return x
    return x.__jax_array__() if hasattr(x, "__jax_array__") else x


def ensure_arraylike(fun_name: str, *args: Any) -> Any:
    """Checks `args`, and returns them as values; one alone without a tuple."""
    if len(args) == 1:
        (x,) = args
        if type(x) is client.Array:
            return x
        check_arraylike(fun_name, x)
        return to_array(x)
    check_arraylike(fun_name, *args)
    return tuple(map(to_array, args))


def ensure_numbers(fun_name: str, x: Any) -> Any:
    """Converts a value to an array as `ensure_arraylike` does; random keys raise TypeError too."""
    x = ensure_arraylike(fun_name, x)
    _refuse_extended(fun_name, x)
    return x


def shape(x: Any) -> tuple[int, ...]:
    """The shape of a value."""
    return np.shape(x) if isinstance(x, (np.ndarray, np.generic)) else _shape(x)


def _shape(x):
    found = getattr(x, "shape", None)
    return np.shape(x) if found is None else found


def ndim(x: Any) -> int:
    """The number of axes of a value."""
    return len(shape(x))


def size(x: Any) -> int:
    """The number of elements of a value."""
    return math.prod(shape(x))


def dtype_of(x: Any) -> Any:
    """The dtype that a value has in a program."""
    if type(x) is client.Array:
        return x.dtype
    if isinstance(x, trace.Tracer) and type(x.aval) is avals.ShapedArray:
        return x.aval.dtype
    return dtypes.dtype(x)


def is_large(x: Any) -> bool:
    """Whether an integer of Python or NumPy is out of the range of the dtype that it would have in an array."""
    if type(x) is int:
        return not -(2**31) <= x < 2**31
    if not isinstance(x, np.integer) or x.dtype.itemsize <= 4:
        return False
    held = np.iinfo(dtypes.dtype(x))
    return not held.min <= x <= held.max


def as_float(x: Any) -> Any:
    """Returns `x`, or as a float if it is an integer that no dtype holds (see `is_large`)."""
    if not is_large(x):
        return x
    if type(x) is not int:
        return x.astype(np.float32)
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def convert(x: Any, dtype: Any, weak: bool = False) -> Array:
    """Converts `x` to an array of `dtype`, weakly typed if `weak`."""
    if isinstance(x, (np.ndarray, np.generic)) and kind(dtype) == "b":
        return lax.convert(x.astype(bool), dtype, weak)
    if is_large(x) and kind(dtype) in "fc":
        x = as_float(x)
    loses = getattr(dtype_of(x), "kind", "O") == "c" and kind(dtype) not in "cO"
    if loses:
        traceback_filter.warn(
            errors.explain(
                "Casting complex values to real discards the imaginary part.",
                [("values", type_name(x)), ("dtype", str(np.dtype(dtype)))],
                ways="Take a part first: x.real, x.imag or abs(x).",
            ),
            np.exceptions.ComplexWarning,
        )
    return lax.convert(x, dtype, weak)


def counted(size: Any) -> Any:
    """Returns the numbers from 0 to `size` - 1 as int32: in NumPy, or traced if `size` is symbolic."""
    if expressions.is_dimension(size):
        return lax.iota(np.int32, size)
    return np.arange(size, dtype=np.int32)


def int32(size: Any) -> Any:
    """Returns a size as an int32 scalar."""
    if expressions.is_dimension(size):
        return lax.convert(to_array(size), np.int32, False)
    return np.int32(size)


def strong(x: Any) -> Array:
    """Returns `x` without weak type: its dtype takes part in promotion."""
    return convert(x, dtype_of(x), False)


class Promotion(enum.Enum):
    """How the dtype is chosen to which the operands of a function are converted."""

    COMMON = enum.auto()  # the common dtype of all
    NUMERIC = enum.auto()  # the common dtype; integer where that is boolean
    INEXACT = (
        enum.auto()
    )  # the common dtype; floating-point where that is boolean or integer
    COMPLEX = enum.auto()  # the common dtype, made complex


# The target of promotion, by the operands' types; emptied when an option changes.
_found_targets = config.of_options(dict)
_NUMBERS = frozenset((bool, int, float, complex))
# Dtypes of NumPy's arrays that no option narrows.
_KEPT_DTYPES = frozenset(d for d in dtypes.array_dtypes if dtypes.narrowed(d) == d)


def _at_once(promotion: Promotion, args: Sequence[Any]) -> list[Array] | None:
    """Promotes arrays, traced values and numbers by their types alone, which a table remembers.

    Returns None if something else is among them, or no dtype holds them all.
    """
    types: list[Any] = []
    for x in args:
        kind = type(x)
        if kind is client.Array:
            types.append((x.dtype, x.weak_type))
        elif isinstance(x, trace.Tracer):
            aval = x.aval
            if type(aval) is not avals.ShapedArray:
                return None
            types.append((aval.dtype, aval.weak_type))
        elif kind in _NUMBERS and not (kind is int and is_large(x)):
            types.append(kind)
        elif kind is np.ndarray and x.dtype in _KEPT_DTYPES:
            types.append((x.dtype, False))
        else:
            return None
    key = (promotion, *types)
    known = _found_targets()
    found = known.get(key)
    if found is None:
        found = known[key] = _target(promotion, types)
    if found is _NO_TARGET:
        return None
    return [
        x if own == found and type(x) is not np.ndarray else lax.convert(x, *found)
        for x, own in zip(args, types, strict=True)
    ]


_NO_TARGET = (None, None)


def _target(promotion, types):
    """The dtype to which promotion leads, and whether it is weak."""
    values = [
        avals.ShapedArray((), *own) if isinstance(own, tuple) else own(0)
        for own in types
    ]
    if not all(dtypes.is_array_dtype(dtypes.dtype(x)) for x in values):
        return _NO_TARGET
    if promotion is Promotion.COMMON and len(values) == 1:
        return dtypes.dtype(values[0]), dtypes.is_weakly_typed(values[0])
    try:
        to_dtype, weak = dtypes.result_type(*values, return_weak_type_flag=True)
    except (TypeError, ValueError):
        return _NO_TARGET
    make = _MADE_OF_COMMON.get(promotion)
    return to_dtype if make is None else make(to_dtype), weak


_MADE_OF_COMMON = {
    Promotion.NUMERIC: lambda d: dtypes.narrowed_from(dtypes.to_numeric_dtype(d), d),
    Promotion.INEXACT: lambda d: dtypes.narrowed_from(dtypes.to_inexact_dtype(d), d),
    Promotion.COMPLEX: lambda d: dtypes.narrowed_from(dtypes.to_complex_dtype(d), d),
}


def _promoted(promotion: Promotion, args: Sequence[Any]) -> list[Array]:
    """The operands at the dtype to which `promotion` leads."""
    known = _at_once(promotion, args)
    if known is not None:
        return known
    to_dtype, weak = dtypes.result_type(*args, return_weak_type_flag=True)
    make = _MADE_OF_COMMON.get(promotion)
    wanted = to_dtype if make is None else make(to_dtype)
    return [convert(x, wanted, weak) for x in args]


def prepared_of_one_dtype(*args: Any) -> list[Array] | None:
    """Returns the operands at their one strong dtype, to which weakly typed ones are converted.

    Returns None if there are several strong dtypes, or promotion by types alone does not decide.
    """
    values = _at_once(Promotion.COMMON, args)
    if values is None:
        return None
    strong = {dtype_of(x) for x in args if not dtypes.is_weakly_typed(x)}
    return values if len(strong) < 2 else None


def promote_dtypes(*args: Any) -> list[Array]:
    """The operands at their common dtype."""
    if len(args) < 2:
        return [convert(x, dtype_of(x), dtypes.is_weakly_typed(x)) for x in args]
    return _promoted(Promotion.COMMON, args)


def promote_dtypes_inexact(*args: Any) -> list[Array]:
    """The operands at their common dtype, made floating-point where it is not."""
    return _promoted(Promotion.INEXACT, args)


def promote_dtypes_numeric(*args: Any) -> list[Array]:
    """The operands at their common dtype, an integer one for booleans."""
    return _promoted(Promotion.NUMERIC, args)


def promote_dtypes_complex(*args: Any) -> list[Array]:
    """The operands at their common dtype, made complex where it is not."""
    return _promoted(Promotion.COMPLEX, args)


def promote_shapes(fun_name: str, *args: Any) -> list[Array]:
    """Gives all operands but scalars the same number of axes, by leading ones of size 1.

    Raises:
        TypeError: the shapes do not broadcast together, though of one rank.
        ValueError: the same with different ranks.
    """
    shapes = [shape(x) for x in args]
    different = {s for s in shapes if s}
    if len(different) <= 1:
        return list(args)
    _refuse_misfits(fun_name, shapes)
    rank = max(map(len, different))
    if all(len(s) == rank for s in different):
        return list(args)
    _report_rank_promotion(fun_name, shapes)
    return [with_rank(x, rank) if ndim(x) else x for x in args]


def with_rank(x: Any, rank: int) -> Array:
    """`x` with leading axes of size 1, so that it has at least `rank` axes.

    Functions of ours broadcast so: `jax_numpy_rank_promotion` is about the user's arrays.
    """
    missing = rank - ndim(x)
    if missing <= 0:
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return x.reshape((1,) * missing + x.shape)
    return lax.broadcast_in_dim(
        x, (1,) * missing + shape(x), tuple(range(missing, rank))
    )


# In these functions, shapes that do not fit raise ValueError whatever their ranks, as in JAX 0.10.2.
_BROADCAST_FIRST = frozenset("copysign gcd heaviside lcm expn hyp1f1 hyp2f1".split())


def _by_size(size):
    """A key that sorts numbers before symbolic sizes, and those by their text."""
    return (0, size, "") if type(size) is int else (1, 0, str(size))


def _refuse_misfits(fun_name, shapes):
    for back in range(1, max(map(len, shapes)) + 1):
        sizes = {s[-back] for s in shapes if len(s) >= back} - {1}
        if len(sizes) > 1:
            one_rank = len({len(s) for s in shapes if s}) == 1
            of_values = not one_rank or fun_name.rpartition(".")[2] in _BROADCAST_FIRST
            raise (ValueError if of_values else TypeError)(
                explain_call(
                    fun_name,
                    "got incompatible shapes for broadcasting: "
                    f"{', '.join(map(str, shapes))}.",
                    rule="Counted from the last axis, sizes are equal or 1: here "
                    f"axis {-back} has {' and '.join(map(str, sorted(sizes, key=_by_size)))}.",
                )
            )


def _report_rank_promotion(fun_name, shapes):
    mode = options.numpy_rank_promotion.value
    if mode == "allow":
        return
    message = explain(
        fun_name,
        "operands could not be broadcast together, as their numbers of axes differ.",
        [(f"operand {i}", f"shape {s}") for i, s in enumerate(shapes)],
        f"jax_numpy_rank_promotion is {mode!r}.",
        "Add the axes with jnp.expand_dims, or set the option to 'allow'.",
    )
    if mode == "raise":
        raise ValueError(message)
    traceback_filter.warn(message, UserWarning)


def prepare(fun_name: str, promotion: Promotion, args: Sequence[Any]) -> list[Array]:
    """Checks the operands of a function, and gives them one dtype and one number of axes.

    Raises:
        TypeError: one is no array or number, or holds no numbers; the shapes do not
            broadcast, though of one rank.
        ValueError: the same with different ranks.
    """
    values = _at_once(promotion, args)
    if values is None:
        check_arraylike(fun_name, *args)
        given = [to_array(x) for x in args]
        if promotion is Promotion.NUMERIC:
            _refuse_extended(fun_name, *given)
        _check_no_float0s(fun_name, *given)
        try:
            one = promotion is Promotion.COMMON and len(given) == 1
            values = promote_dtypes(*given) if one else _promoted(promotion, given)
        except (TypeError, ValueError):
            _refuse_extended(fun_name, *given)
            raise
    return values if len(values) == 1 else promote_shapes(fun_name, *values)


def promote_args(fun_name: str, *args: Any) -> list[Array]:
    """Checks the operands, and gives them one dtype and one number of axes."""
    return prepare(fun_name, Promotion.COMMON, args)


def promote_args_inexact(fun_name: str, *args: Any) -> list[Array]:
    """Promotes operands to a common floating-point or complex dtype; see `promote_args`."""
    return prepare(fun_name, Promotion.INEXACT, args)


def promote_args_numeric(fun_name: str, *args: Any) -> list[Array]:
    """Promotes operands to a common dtype, booleans to integers; see `promote_args`."""
    return prepare(fun_name, Promotion.NUMERIC, args)


def _refuse_extended(fun_name, *values):
    if any(map(is_extended, values)):
        raise errors.UnfitArgumentError(
            explain(
                fun_name,
                "the elements of an array are no numbers.",
                [(f"operand {i}", type_name(x)) for i, x in enumerate(values)],
                ways="For the raw words of random keys: jax.random.key_data(keys).",
            )
        ) from None


def _check_no_float0s(fun_name, *args):
    if any(getattr(x, "dtype", None) == dtypes.float0 for x in args):
        raise type_error(
            fun_name,
            "an operand has dtype float0.",
            [(f"operand {i}", type_name(x)) for i, x in enumerate(args)],
            "float0 is the type of derivatives with respect to integers: it holds "
            "nothing to compute with.",
            "If zeros are wanted: x.astype(float).",
        )


def broadcast_shapes(fun_name: str, *shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape, by NumPy's rules.

    Raises:
        ValueError: there is none.
    """
    try:
        return expressions.broadcast_shapes(*shapes)
    except ValueError:
        raise value_error(
            fun_name,
            "Incompatible shapes for broadcasting.",
            [(f"shape {i}", str(tuple(s))) for i, s in enumerate(shapes)],
            "Counted from the last axis, sizes are equal or 1.",
        ) from None


def broadcast_to(
    x: Any, to_shape: Sequence[int], fun_name: str = "broadcast_to"
) -> Array:
    """`x` repeated along new leading axes and axes of size 1.

    Raises:
        ValueError: the shapes do not fit.
    """
    to_shape = tuple(to_shape)
    here = shape(x)
    if here == to_shape:
        return x if not isinstance(x, (bool, int, float, complex)) else strong_like(x)
    extra = len(to_shape) - len(here)
    fits = extra >= 0 and all(
        a in (1, b) for a, b in zip(here, to_shape[extra:], strict=True)
    )
    if not fits:
        raise value_error(
            fun_name,
            "the shapes do not fit.",
            [("array", f"shape {here}"), ("wanted", f"shape {to_shape}")],
            "Counted from the last axis, each size is the wanted one or 1.",
        )
    return lax.broadcast_in_dim(x, to_shape, tuple(range(extra, len(to_shape))))


def strong_like(x: Any) -> Array:
    """A Python scalar as an array of its weak type."""
    return convert(x, dtype_of(x), dtypes.is_weakly_typed(x))


def settled(x: Any) -> Array:
    """Returns `x` without weak type if it has axes: only scalars are weakly typed."""
    return strong(x) if ndim(x) else x


def settled_arrays(fun_name: str, *args: Any) -> list[Array]:
    """The operands at their common shape; weak types are for scalars alone."""
    return [settled(x) for x in broadcast_arrays(fun_name, *args)]


def broadcast_arrays(fun_name: str, *args: Any) -> list[Array]:
    """The operands at their common shape, split alike over Explicit mesh axes."""
    shapes = [shape(x) for x in args]
    if len(set(shapes)) <= 1:
        return lax.alike(fun_name, *args)
    common = broadcast_shapes(fun_name, *shapes)
    return lax.alike(fun_name, *(broadcast_to(x, common, fun_name) for x in args))


def refuse_negative(fun_name: str, **sizes: Any) -> None:
    """Raises ValueError if an argument is negative, or has a negative number in it."""
    for name, size in sizes.items():
        counts = size if isinstance(size, (tuple, list)) else (size,)
        if any(isinstance(n, (int, np.integer)) and n < 0 for n in counts):
            raise value_error(
                fun_name,
                "a size is negative.",
                [(name, str(size))],
                "Sizes are 0 or more.",
            )


def canonical_axis(fun_name: str, axis: Any, rank: int) -> int:
    """Returns an axis counted from the front.

    Raises:
        TypeError: `axis` is no whole number; a TracerIntegerConversionError if it is
            traced. AxisError, which is a ValueError and an
            IndexError: it is out of bounds.
    """
    try:
        index = operator.index(axis)
    except TypeError as error:
        is_traced = isinstance(error, errors.TracerIntegerConversionError)
        kind = errors.UnfitArgumentError if _is_array(axis) else TypeError
        raise (errors.TracerIntegerConversionError if is_traced else kind)(
            explain(
                fun_name,
                "an axis is not a concrete whole number.",
                [("axis", type_name(axis))],
                "Axes are part of a program's shape.",
                "Under jit, pass it as a static argument.",
            )
        ) from None
    if not -rank <= index < rank:
        raise np.exceptions.AxisError(
            explain(
                fun_name,
                f"axis {index} is out of bounds for array of dimension {rank}.",
                rule=f"An axis is between {-rank} and {rank - 1}."
                if rank
                else "A scalar has no axes.",
            )
        )
    return index % rank


def whole_number(fun_name: str, name: str, x: Any) -> int:
    """Returns a whole number that must be known while tracing, such as an order.

    Raises:
        TypeError: `x` is no whole number; a TracerIntegerConversionError if it is traced.
    """
    try:
        return operator.index(x)
    except errors.TracerIntegerConversionError:
        raise
    except TypeError:
        raise (errors.UnfitArgumentError if _is_array(x) else TypeError)(
            explain(
                fun_name,
                f"{name} is not a whole number.",
                [(name, type_name(x))],
                "It is part of a program's shape.",
                f"Write int({name}) if it is one.",
            )
        ) from None


def _is_array(x):
    return hasattr(x, "dtype") or isinstance(x, list | dict | slice)


def canonical_axes(fun_name: str, axis: Any, rank: int) -> tuple[int, ...]:
    """Non-negative, distinct axes; None means all.

    Raises:
        ValueError: one is out of bounds, or two are the same.
    """
    if axis is None:
        return tuple(range(rank))
    named = util.listed(axis)
    if named is None:
        return (canonical_axis(fun_name, axis, rank),)
    axes = tuple(canonical_axis(fun_name, a, rank) for a in named)
    if len(set(axes)) != len(axes):
        raise value_error(
            fun_name,
            "an axis is named twice.",
            [("axis", str(named))],
            "Each axis counts once.",
        )
    return axes


def canonical_shape(fun_name: str, shape_: Any) -> tuple[int, ...]:
    """A shape as a tuple of whole numbers; one number means one axis.

    Raises:
        TypeError: it holds something else, such as traced values, or a size is negative.
    """
    if type(shape_) is tuple and all(type(n) is int and n >= 0 for n in shape_):
        return shape_
    sizes = util.listed(shape_)
    shape_ = (shape_,) if sizes is None else sizes
    if any(isinstance(size, int) and size < 0 for size in shape_):
        raise type_error(
            fun_name,
            "a size is negative.",
            [("shape", str(shape_))],
            "Sizes are 0 or more.",
        )
    return avals.canonical_shape(shape_)


def refuse_out(fun_name: str, out: Any) -> None:
    """Raises NotImplementedError for NumPy's argument `out`: arrays do not change."""
    if out is not None:
        raise not_implemented(
            fun_name,
            "the argument `out` is not supported.",
            rule="Arrays of JAX do not change: no result can be put into one.",
            ways="Use the returned array.",
        )


def placed(fun: Callable, out_sharding: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns ``fun(*args, **kwargs)``, sharded as `out_sharding` says.

    How to get there is left to the compiler.
    """
    return mesh_modes.placed_by_compiler(fun, out_sharding=out_sharding)(
        *args, **kwargs
    )


def user_dtype(fun_name: str, dtype: Any) -> Any:
    """The dtype for an argument `dtype` written by the user; None stays None."""
    if dtype is None:
        return None
    return dtypes.check_and_canonicalize_user_dtype(dtype, fun_name)


def known(x: Any) -> bool:
    """Whether the elements of `x` are known: it is not being traced."""
    if expressions.is_dimension(x):
        return False
    value = getattr(x, "known_value", None)
    return value is None or value() is not None


def concrete(fun_name: str, what: str, x: Any) -> np.ndarray:
    """The elements of `x`, on which a shape depends.

    Raises:
        ConcretizationTypeError: `x` is traced.
    """
    context = explain(fun_name, f"the result's shape depends on `{what}`.")
    return np.asarray(concrete_values.concrete_or_error(np.asarray, x, context))


@ft.lru_cache(maxsize=64)
def kind(dtype: Any) -> str:
    """``'b'``, ``'i'``, ``'u'``, ``'f'`` or ``'c'``, small and brain floats included."""
    for abstract, letter in (
        (np.bool_, "b"),
        (np.unsignedinteger, "u"),
        (np.signedinteger, "i"),
        (np.floating, "f"),
        (np.complexfloating, "c"),
    ):
        if dtypes.issubdtype(dtype, abstract):
            return letter
    return "O"


def kind_of(x: Any) -> str:
    """The kind of a value's dtype, see `kind`."""
    return kind(dtype_of(x))


def is_extended(x: Any) -> bool:
    """Whether `x` holds random keys or the like, which are stored as words."""
    return dtypes.is_extended(getattr(x, "dtype", None))
