"""Making arrays: from other values, filled, with ones on a diagonal."""

from __future__ import annotations

import builtins
import functools as ft
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, releases, scalars, traceback_filter
from jax._src.core import avals, mesh_usage, vma, wide_values
from jax._src.lib import client
from jax._src.numpy import lax_api as lax, operands as op, placement
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


def array(
    object: Any,
    dtype: Any = None,
    *args: Any,
    copy: bool = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Makes an array of numbers, nested lists of them, or other arrays.

    Args:
        object: what holds the elements.
        dtype: the dtype; default: the one to which the elements promote.
        args: `copy`, `order` and `ndmin` by position, which is deprecated; an error
            from 0.12 on.
        copy: whether a new array is made even of an array.
        order: only C order is kept; ``"F"`` is refused.
        ndmin: the least number of axes; new ones come first.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: the elements are no numbers. ValueError: lists differ in length.
            NotImplementedError: Fortran order is requested.

    Examples:
        >>> jnp.array([[1, 2], [3, 4.5]])
        Array([[1. , 2. ],
               [3. , 4.5]], dtype=float32)
    """
    if dtype is None and device is None and out_sharding is None and not args:
        if order in ("K", None) and not ndmin:
            made = placement.uploaded(object)
            if made is not None:
                return made
    if args:
        if not releases.rule("array_options_by_position"):
            raise TypeError(_too_many(args))
        copy, order, ndmin = _by_position(args, (copy, order, ndmin))
    if order not in (None, "K", "A", "C"):
        raise op.not_implemented(
            "array", f"order={order!r} is not supported.", ways="Leave it out: C order."
        )
    wanted = op.user_dtype("array", dtype)
    if wanted is None and getattr(object, "dtype", None) == dtypes.float0:
        return object  # no numbers to put on a device
    if placement.holds_strings(object) and dtype is None:
        return placement.strings(object, device)
    result = _from_object(object, wanted, copy)
    if op.ndim(result) < ndmin:
        result = lax.expand_dims(result, tuple(range(ndmin - op.ndim(result))))
    return placement.put(placement.moved("array", result, out_sharding), device)


def _too_many(args):
    return op.explain(
        "array",
        "too many positional arguments.",
        [("given", str(2 + len(args)))],
        "object and dtype go by position, the others by keyword.",
    )


def _by_position(args, defaults):
    """The options of `array` that are given by position, and the others."""
    if len(args) > len(defaults):
        raise TypeError(_too_many(args))
    traceback_filter.warn(
        op.explain(
            "array",
            "copy, order and ndmin by position are deprecated.",
            ways="Name them: jnp.array(x, copy=False).",
        ),
        DeprecationWarning,
    )
    return (*args, *defaults[len(args) :])


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Converts a value to an array, without copying what is an array already.

    Args:
        a: what holds the elements.
        dtype: the dtype; default: the one to which the elements promote.
        order: only C order is kept.
        copy: whether to copy always; False demands that nothing is copied.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Array of the shape of nested lists; 64-bit dtypes become 32-bit ones while
        `jax_enable_x64` is off.

    Raises:
        TypeError: the elements are no numbers. ValueError: lists differ in length.
            NotImplementedError: `order` is ``"F"``.

    Examples:
        >>> jnp.asarray([[1, 2], [3, 4]], dtype=jnp.float32)
        Array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    if copy is False and not _is_array(a):
        raise op.value_error(
            "asarray",
            "the elements cannot be used without a copy.",
            [("a", type(a).__name__), ("copy", "False")],
            "Arrays and numbers are taken as they are; lists are not.",
            "Leave `copy` out.",
        )
    return array(
        a,
        dtype=dtype,
        copy=builtins.bool(copy),
        order=order,
        device=device,
        out_sharding=out_sharding,
    )


def _is_array(a):
    return avals.is_value(a) or any(hasattr(a, name) for name in _PROTOCOLS)


def _from_object(source, dtype, copy):
    """Makes an array of an object that has its elements behind a protocol, or in lists."""
    source = _unwrap(source)
    if avals.is_value(source):
        if op.is_extended(source):
            return source if dtype is None else op.convert(source, dtype)
        op.check_arraylike("array", source)
        weak = dtype is None and dtypes.is_weakly_typed(source)
        return placement.as_array(
            source, op.dtype_of(source) if dtype is None else dtype, weak, copy
        )
    if not isinstance(source, (list, tuple)):
        kind = ValueError if source is None else TypeError
        raise kind(
            op.explain(
                "array",
                "None is not a valid value for jnp.array."
                if source is None
                else op.not_numeric(source, np.asarray(source).dtype),
                [("type", type(source).__name__)],
                "Arrays are made of numbers, lists of numbers, or other arrays.",
            )
        )
    return _from_list(source, dtype)


# Protocols by which NumPy makes an array of an object without reading its elements one by one.
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")


def _unwrap(source):
    """A value, or the array behind an object that offers one by a protocol."""
    source = op.to_array(source)
    if avals.is_value(source):
        return source
    if any(hasattr(source, name) for name in _PROTOCOLS):
        return np.asarray(source)
    if not isinstance(source, (list, tuple, str, bytes)):
        try:
            return np.asarray(memoryview(source))
        except TypeError:
            pass
        if isinstance(source, Sequence):
            return [*source]
    return source


_NUMBERS = frozenset((bool, int, float, complex))
_NUMBER_TYPES = tuple(_NUMBERS)


def _from_list(source, dtype):
    """Makes an array of nested lists: in NumPy if all values are known there, else by stacking."""
    leaves = _leaves(source)
    # Long lists hold numbers of few classes, so it is enough to look at one of each class.
    if not _NUMBERS.issuperset(map(type, leaves)):
        leaves = [_unwrap(leaf) for leaf in leaves]
    distinct = _one_of_each_type(leaves)
    if any(value is None for value in distinct):
        raise op.value_error(
            "array",
            "None is not a valid value for jnp.array.",
            ways="Use jnp.nan for a gap in floats.",
        )
    if dtype is None:
        if not distinct:
            dtype = dtypes.default_float_dtype()
        else:
            op.check_arraylike("array", *distinct)
            dtype = dtypes.result_type(*distinct)
    if builtins.all(isinstance(value, _NUMBER_TYPES) for value in distinct):
        return placement.as_array(_host_array(source, dtype), dtype, False, False)
    if _is_converted_by_numpy(distinct, dtype):
        return placement.as_array(_numpy_array(source, dtype), dtype, False, False)
    rows = [_from_object(row, None, False) for row in source]
    shapes = {op.shape(row) for row in rows}
    if len(shapes) > 1:
        raise _ragged(source)
    stacked = [lax.expand_dims(op.convert(row, dtype), (0,)) for row in rows]
    return lax.concatenate(stacked, 0)


def _is_list(kind: type) -> bool:
    """Whether objects of a class are lists, such as tuples, ranges and deques."""
    if issubclass(kind, (list, tuple, range)):
        return True
    is_text = issubclass(kind, (str, bytes, bytearray, memoryview))
    return issubclass(kind, Sequence) and not is_text and not hasattr(kind, "__array__")


def _leaves(source):
    """Returns the values in nested lists and tuples, in order."""
    if not _is_list(type(source)):
        return [source]
    kinds = set(map(type, source))
    if kinds <= _NUMBERS or not any(map(_is_list, kinds)):
        return [*source]
    return [leaf for part in source for leaf in _leaves(part)]


def _one_of_each_type(leaves):
    """Returns one value of every type among `leaves`; of integers the least and the greatest."""
    by_class = {}
    for leaf in leaves:
        by_class.setdefault(type(leaf), []).append(leaf)
    distinct = []
    for kind, values in by_class.items():
        if kind is int:
            distinct += [builtins.min(values), builtins.max(values)]
        elif kind in _NUMBERS or issubclass(kind, np.generic):
            distinct.append(values[0])
        elif kind is np.ndarray:
            distinct += {value.dtype: value for value in values}.values()
        else:
            distinct += values
    return distinct


# The kinds of NumPy's values that become others by NumPy's conversion as by ours: floats
# that become integers do not, out of range.
_CONVERTED_BY_NUMPY = {"b": "b", "i": "biu", "u": "biu", "f": "biuf", "c": "biufc"}


def _is_converted_by_numpy(values, dtype) -> bool:
    """Whether all are numbers and arrays of the host that NumPy converts as we do."""
    if dtypes.is_extended(dtype):
        return False
    kinds = _CONVERTED_BY_NUMPY.get(np.dtype(dtype).kind, "")
    return builtins.all(
        (isinstance(x, (np.generic, *_NUMBER_TYPES)) or type(x) is np.ndarray)
        and np.result_type(x).kind in kinds
        for x in values
    )


def _numpy_array(source, dtype):
    try:
        if scalars.is_inexact(dtype):
            return scalars.converted(np.array(source), dtype)
        return np.array(source, dtype)
    except ValueError:
        raise _ragged(source) from None


def _host_array(source, dtype):
    try:
        plain = np.array(source)
    except ValueError:
        raise _ragged(source) from None
    if plain.dtype == object:
        # Python integers beyond 64 bits: NumPy's conversion raises the error.
        return np.array(source, dtype)
    if plain.dtype.kind == "c" and plain.size:
        dtypes.refuse_complex(complex(plain.flat[0]), dtype)
    is_whole = plain.dtype.kind in "iu" and not dtypes.issubdtype(dtype, np.inexact)
    return np.array(source, dtype) if is_whole else scalars.converted(plain, dtype)


def _ragged(source):
    return op.value_error(
        "array",
        "the lists differ in length.",
        [("object", repr(source)[:60])],
        "The rows of an array have one shape.",
        "Pad the short ones.",
    )


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """A copy of an array.

    Args:
        a: array.
        order: only C order is kept.

    Returns:
        Array of the shape and dtype of `a`, in memory of its own.

    Raises:
        TypeError: `a` is no array or number. NotImplementedError: `order` is ``"F"``.
    """
    op.check_arraylike("copy", a)
    return array(a, copy=True, order=order)


def astype(
    x: ArrayLike, dtype: Any, /, *, copy: bool = False, device: Any = None
) -> Array:
    """`x` converted to a dtype.

    Args:
        x: array.
        dtype: the new dtype; None means the default float.
        copy: whether to copy an array that has the dtype already.
        device: the device or sharding to put the array on.

    Complex numbers lose their imaginary part, with a warning: take a part first.

    Returns:
        Array of the shape of `x`.

    Raises:
        TypeError: `x` is no array or number, or `dtype` names none.
    """
    x = op.ensure_arraylike("astype", x)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, "astype"
    )
    if dtypes.is_extended(wanted) or dtypes.is_extended(op.dtype_of(x)):
        return placement.put(op.convert(x, wanted), device)
    here, there = op.kind_of(x), op.kind(wanted)
    if here == "c" and there not in "cb":
        traceback_filter.warn(
            errors.explain(
                "Casting from complex to real dtypes loses the imaginary part in jnp.astype.",
                [("x", op.type_name(x)), ("dtype", str(wanted))],
                "A later release will refuse this.",
                "Take a part first: x.real, x.imag or abs(x).",
            ),
            DeprecationWarning,
        )
    if there == "b" and here != "b":
        return placement.put(_truths(op.strong(x)), device)
    result = lax.convert(x, wanted, False)
    return placement.put(placement.fresh(result) if copy else result, device)


@jit
def _truths(x):
    return lax.ne(x, lax.full_like(x, 0))


def _filled(name, shape, value, dtype, device, out_sharding):
    shape = op.canonical_shape(name, shape)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, name
    )
    is_plain = placement.is_plain_call() and not mesh_usage.is_used
    if out_sharding is None and is_plain:
        filled = _constant(shape, value, wanted)
    else:
        filled = lax.full(shape, value, wanted, sharding=out_sharding)
    return placement.put(filled, device)


@ft.partial(jit, static_argnums=(0, 1, 2))
def _constant(shape, value, dtype):
    return lax.full(shape, value, dtype)


def zeros(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Array:
    """An array of zeros.

    Args:
        shape: a whole number or a sequence of them.
        dtype: the dtype, float by default.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: a size is negative or no whole number, or `dtype` names none.


    Examples:
        >>> jnp.zeros((2, 2), int)
        Array([[0, 0],
               [0, 0]], dtype=int32)
    """
    return _filled("zeros", shape, 0, dtype, device, out_sharding)


def ones(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Array:
    """An array of ones.

    The arguments are those of `jax.numpy.zeros`, and so are the dtype and errors.

    Examples:
        >>> jnp.ones((2, 3))
        Array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _filled("ones", shape, 1, dtype, device, out_sharding)


def empty(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Array:
    """An array with no particular elements; here, zeros.

    The arguments are those of `jax.numpy.zeros`, and so is the dtype.
    """
    if not releases.rule("empty_is_a_primitive"):
        return _filled("empty", shape, 0, dtype, device, out_sharding)
    shape = op.canonical_shape("empty", shape)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, "empty"
    )
    made = lax.empty(shape, wanted, out_sharding=out_sharding)
    return placement.put(made, device)


def full(
    shape: Any,
    fill_value: ArrayLike,
    dtype: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array filled with one value, or with an array that broadcasts to `shape`.

    Args:
        shape: a whole number or a sequence of them.
        fill_value: what to fill with.
        dtype: the dtype; default: that of `fill_value`.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Array of that shape.

    Raises:
        ValueError: `fill_value` does not broadcast to `shape`. TypeError: it is no
            number or array, or a size is negative or no whole number.

    Examples:
        >>> jnp.full((2, 2), 7)
        Array([[7, 7],
               [7, 7]], dtype=int32, weak_type=True)
    """
    fill_value = op.ensure_arraylike("full", fill_value)
    shape = op.canonical_shape("full", shape)
    wanted = op.user_dtype("full", dtype)
    weak = dtype is None and device is None and dtypes.is_weakly_typed(fill_value)
    if dtypes.is_extended(wanted) and not op.ndim(fill_value):
        made = lax.full(shape, fill_value, wanted)
        return placement.put(placement.moved("full", made, out_sharding), device)
    if dtype is None:
        is_plain = out_sharding is None and not mesh_usage.is_used
        if is_plain and not op.is_large(fill_value):
            filled = _repeated(fill_value, shape, op.dtype_of(fill_value), weak)
            return placement.put(filled, device)
        value = op.convert(fill_value, op.dtype_of(fill_value), weak)
    else:
        # Not by way of the default dtype, into which a large integer does not fit.
        _refuse_keys("full", fill_value, wanted)
        value = _cast(fill_value, wanted)
    if out_sharding is not None and not op.ndim(value):
        return placement.put(lax.full(shape, value, sharding=out_sharding), device)
    filled = op.broadcast_to(value, shape, "full")
    return placement.put(placement.moved("full", filled, out_sharding), device)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _repeated(value, shape, dtype, weak):
    return op.broadcast_to(op.convert(value, dtype, weak), shape, "full")


def _refuse_keys(name, value, dtype):
    if op.is_extended(value) and not dtypes.is_extended(dtype):
        raise op.value_error(
            name,
            "random keys are no numbers.",
            [("fill_value", op.type_name(value)), ("dtype", str(dtype))],
        )


def _cast(value, dtype):
    """A scalar in a dtype; Python integers that do not fit wrap around."""
    if isinstance(value, int) and not dtypes.is_extended(dtype):
        with np.errstate(all="ignore"):
            value = scalars.converted(np.asarray(value), dtype)[()]
    return asarray(value, dtype=dtype)


def _is_plain(a):
    """Whether an array made like `a` takes over only its shape and dtype, but no sharding."""
    return (
        type(a) is client.Array
        and not (a.committed or a.weak_type or mesh_usage.is_used)
        and dtypes.canonicalize_dtype(a.dtype) == a.dtype
        and a.sharding.num_devices == 1
        and placement.is_plain_call()
    )


def _like(name, a, value, dtype, shape, device, out_sharding=None):
    if dtype is shape is device is out_sharding is None:
        if type(value) is int and _is_plain(a):
            return _constant(a.shape, value, a.dtype)
    a = op.to_array(a)
    is_wide = dtype is None and wide_values.begun and wide_values.are_among([a])
    if is_wide:
        with wide_values.allowed():
            made = _filled_like(name, a, value, dtype, shape, device, out_sharding)
    else:
        made = _filled_like(name, a, value, dtype, shape, device, out_sharding)
    return vma.like(made, avals.get_aval(a)) if avals.is_value(a) else made


def _filled_like(name, a, value, dtype, shape, device, out_sharding):
    if not hasattr(a, "dtype") or not hasattr(a, "shape"):
        a = op.ensure_arraylike(name, a)
    wanted = op.user_dtype(name, dtype)
    weak = dtype is None and dtypes.is_weakly_typed(a)
    shape = op.shape(a) if shape is None else op.canonical_shape(name, shape)
    to = op.dtype_of(a) if wanted is None else wanted
    if to == dtypes.float0:
        return np.zeros(shape, to)
    if op.ndim(value) == 0:
        device = placement.beside(a, shape, device, out_sharding)
        if dtypes.is_extended(to):
            return placement.put(lax.full(shape, value, to), device)
        _refuse_keys(name, value, to)
        dtypes.refuse_complex(value, to)
        scalar = op.convert(value, to, weak) if weak else _cast(value, to)
        sharding = out_sharding
        if sharding is None:
            sharding = placement.sharding_like(a, shape)
        if sharding is not None and not dtypes.is_extended(to):
            return placement.put(lax.full(shape, scalar, sharding=sharding), device)
        return placement.spread(name, a, shape, scalar, device)
    value = op.broadcast_to(op.convert(value, to), shape, name)
    return placement.put(placement.moved(name, value, out_sharding), device)


def zeros_like(
    a: Any,
    dtype: Any = None,
    shape: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Zeros of the shape and dtype of `a`, or of those given.

    Args:
        a: array, or an object with `shape` and `dtype`.
        dtype: replaces that of `a`.
        shape: replaces that of `a`.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: `a` is no array or number, or a size is negative.

    Examples:
        >>> jnp.zeros_like(jnp.arange(3))
        Array([0, 0, 0], dtype=int32)
    """
    return _like("zeros_like", a, 0, dtype, shape, device, out_sharding)


def ones_like(
    a: Any,
    dtype: Any = None,
    shape: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Ones, in the shape and dtype of `a` or those given.

    The arguments are those of `jax.numpy.zeros_like`, and so are errors.

    Examples:
        >>> jnp.ones_like(jnp.array([0.5, 1.5]))
        Array([1., 1.], dtype=float32)
    """
    return _like("ones_like", a, 1, dtype, shape, device, out_sharding)


def empty_like(
    prototype: Any, dtype: Any = None, shape: Any = None, *, device: Any = None
) -> Array:
    """No particular elements, in the shape and dtype of `prototype`; here, zeros.

    The other arguments are those of `jax.numpy.zeros_like`, and so are errors.
    """
    return _like("empty_like", prototype, 0, dtype, shape, device)


def full_like(
    a: Any,
    fill_value: ArrayLike,
    dtype: Any = None,
    shape: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of the shape and dtype of `a`, filled with `fill_value`.

    The other arguments are those of `jax.numpy.zeros_like`.

    Raises:
        ValueError: `fill_value` does not broadcast to the shape. TypeError: `a` is no
            array or number.

    Examples:
        >>> jnp.full_like(jnp.arange(3), 9)
        Array([9, 9, 9], dtype=int32)
    """
    fill_value = op.ensure_arraylike("full_like", fill_value)
    return _like("full_like", a, fill_value, dtype, shape, device, out_sharding)


def eye(
    N: Any, M: Any = None, k: ArrayLike = 0, dtype: Any = None, *, device: Any = None
) -> Array:
    """A matrix of zeros with ones on a diagonal.

    Args:
        N: the number of rows.
        M: the number of columns; default: `N`.
        k: which diagonal: 0 the main one, positive above it.
        dtype: the dtype, float by default.
        device: the device or sharding to put the array on.

    Returns:
        Array of shape ``(N, M)``.

    Raises:
        ValueError: a size is negative, or `k` is no whole number. TypeError: a size is
            no whole number.

    Examples:
        >>> jnp.eye(2, 3, k=1)
        Array([[0., 1., 0.],
               [0., 0., 1.]], dtype=float32)
    """
    sizes = (N, N if M is None else M)
    op.refuse_negative("eye", N=N, M=M)
    if op.is_arraylike(k) and op.kind_of(k) not in "iub":
        raise op.value_error(
            "eye", "k is not a whole number.", [("k", op.type_name(k))]
        )
    rows, columns = op.canonical_shape("eye", sizes)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, "eye"
    )
    return placement.put(_eye(k, (rows, columns), wanted), device)


@ft.partial(jit, static_argnums=(1, 2))
def _eye(k, shape, dtype):
    row = lax.broadcasted_iota(np.int32, shape, 0)
    column = lax.broadcasted_iota(np.int32, shape, 1)
    offset = op.broadcast_to(op.convert(k, np.int32), shape)
    return op.convert(lax.eq(lax.add(row, offset), column), dtype)


def identity(n: Any, dtype: Any = None) -> Array:
    """The square matrix with ones on the main diagonal.

    Args:
        n: the number of rows and of columns.
        dtype: the dtype, float by default.

    Returns:
        Array of shape ``(n, n)``.

    Raises:
        ValueError: `n` is negative. TypeError: it is no whole number.

    Examples:
        >>> jnp.identity(2)
        Array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


traceback_filter.hide_frames(globals())
