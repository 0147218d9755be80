"""Arrays made from nothing: full, zeros, iota."""

import operator

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, scalars, traceback_filter
from jax._src.core import (
    avals,
    mesh_context,
    shardings,
    slots,
    state,
    trace,
    vma,
    wide_values,
)
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.checks import NUMBER, canonical_shape, check_kind
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lib import client
from jax._src.runtime.transfers import device_put_get

PYTHON_SCALARS = (bool, int, float, complex)


_ONES = {"f": 1.0, "c": complex(1)}


def scalar_like(x, value):
    """A scalar of the dtype of `x`, weakly typed where that is possible.

    A Python scalar of the default dtype stays one, so that it does not make a weakly
    typed result strong.
    """
    dtype = avals.get_aval(x).dtype
    if dtypes.is_extended(dtype):
        raise TypeError(f"arrays of dtype {dtype} hold no numbers")
    if type(value) in PYTHON_SCALARS:
        # An integer is exact as a float, and as a complex number.
        widened = value * _ONES.get(dtype.kind, 1)
        if avals.get_aval(widened).dtype == dtype:
            return widened
    made = np.asarray(value, dtype)[()]
    return wide_values.kept_scalar(made)


def zero_like(x):
    """Returns the zero of cotangents of the dtype of `x`, as a scalar."""
    dtype = avals.get_aval(x).dtype
    return dtype.zero() if dtypes.is_extended(dtype) else scalar_like(x, 0)


def full(shape, fill_value, dtype=None, *, sharding=None):
    """An array filled with one value.

    Args:
        shape: the shape of the result.
        fill_value: a scalar.
        dtype: its dtype; default: that of `fill_value`.
        sharding: the sharding of the result.

    Raises:
        TypeError: `fill_value` is not a scalar, or `shape` is not a shape.
    """
    shape = canonical_shape(shape, "full")
    if np.shape(fill_value):
        raise type_error(
            "lax.full: full must be called with scalar fill_value, got fill_value.shape "
            f"{np.shape(fill_value)}.",
            [],
            "One value fills the array.",
            "To repeat an array: lax.broadcast_in_dim or jnp.broadcast_to.",
        )
    if dtypes.is_extended(dtype):
        return _full_of_extended(shape, fill_value, dtype)
    if dtype is not None:
        wanted = dtypes.check_and_canonicalize_user_dtype(dtype, "full")
        fill_value = as_dtype(fill_value, wanted)
    if isinstance(sharding, shardings.Sharding) and not splitting.is_explicit(sharding):
        return device_put_get.device_put(
            broadcast_in_dim(fill_value, shape, ()), sharding
        )
    sharding = _for_explicit_axes("full", sharding, len(shape))
    return broadcast_in_dim(fill_value, shape, (), out_sharding=sharding)


def _for_explicit_axes(name, sharding, ndim):
    """Returns the sharding in the form that types have; None if it concerns no Explicit axis."""
    sharding = splitting.given_sharding(name, sharding, ndim)
    if sharding is None or not sharding.mesh.explicit_axes:
        return None
    return sharding


def _full_of_extended(shape, fill_value, dtype):
    """Returns an array of an extended dtype, filled with a value of it or made of a number."""
    if avals.get_aval(fill_value).dtype == dtype:
        return broadcast_in_dim(fill_value, shape, ())
    return dtype.full(shape, fill_value)


def as_dtype(scalar, dtype):
    """Converts a scalar to another dtype, in NumPy if its value is known."""
    if isinstance(scalar, (*PYTHON_SCALARS, np.ndarray, np.generic)):
        if dtypes.is_extended(dtype):
            return slots.convert(scalar, dtype, False)
        dtypes.refuse_complex(scalar, dtype)
        with np.errstate(all="ignore"):
            return scalars.converted(np.asarray(scalar), np.dtype(dtype))[()]
    if avals.get_aval(scalar).dtype == dtype and not avals.get_aval(scalar).weak_type:
        return scalar
    return slots.convert(scalar, dtype, False)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """An array like `x` filled with one value.

    Args:
        x: array, whose shape and dtype are defaults.
        fill_value: a scalar.
        dtype: the dtype of the result.
        shape: the shape of the result.
        sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `fill_value` is no scalar, or a size is negative.
    """
    aval = avals.get_aval(x)
    if dtype is None and wide_values.begun and wide_values.are_among([aval]):
        with wide_values.allowed():
            made = full_like(x, fill_value, None, shape, sharding)
            return wide_values.kept([made])[0]
    weak = dtype is None and aval.weak_type
    found = None if sharding is not None else committed_sharding(x, shape)
    same = shape is None or tuple(shape) == aval.shape
    if sharding is None and found is None and same:
        sharding = sharding_of(aval)
    if dtype is None:
        dtype = aval.dtype
    elif not dtypes.is_extended(dtype):
        dtype = dtypes.canonicalize_dtype(dtype)
    if shape is None:
        shape = aval.shape
    if weak and not np.shape(fill_value):
        dtypes.refuse_complex(fill_value, dtype)
        fill_value = slots.convert(fill_value, dtype, True)
        dtype = None
    made = put_beside(full(shape, fill_value, dtype, sharding=sharding), found)
    return vma.like(made, aval)


def sharding_of(aval):
    """Returns the sharding in the type of a value; None if it does not determine devices."""
    spec, mesh = aval.sharding.spec, aval.sharding.mesh
    is_split = spec.names or spec.unreduced or spec.reduced
    # Outside of traces, a mesh without devices counts only if it splits an axis.
    is_known = is_split or not mesh_context.get_abstract_mesh().empty
    return aval.sharding if mesh.explicit_axes and is_known else None


def committed_sharding(x, shape=None):
    """The sharding of an array made like `x`: that of `x`, if `x` is committed.

    None where nothing says: `x` is traced, or was put nowhere, or has parts that do not
    fit `shape`.
    """
    if not isinstance(x, client.Array) or not x.committed:
        return None
    if state.current() is not trace.evaluation:
        return None
    fits = shape is None or tuple(shape) == x.shape
    return x.sharding if fits or x.sharding.num_devices == 1 else None


def put_beside(made, found):
    """Puts an array that was just made where a sharding says; a traced array stays as it is."""
    if found is None or not isinstance(made, client.Array):
        return made
    return device_put_get.put(made, found)


def zeros_like(x):
    """Zeros of the shape and dtype of `x`."""
    return full_like(x, 0)


@slots.zeros.fill
def zeros(aval):
    """Zeros of the type `aval`."""
    if aval.dtype == dtypes.float0:
        return np.zeros(aval.shape, dtypes.float0)
    if dtypes.is_extended(aval.dtype):
        return vma.like(
            broadcast_in_dim(
                aval.dtype.zero(), aval.shape, (), out_sharding=sharding_of(aval)
            ),
            aval,
        )
    if wide_values.begun and wide_values.are_among([aval]):
        with wide_values.allowed():
            return wide_values.kept([zeros(aval)])[0]
    if aval.weak_type:
        zero = device_put_get.weak_scalar(0, aval.dtype)
    else:
        zero = np.zeros((), aval.dtype)[()]
    wanted = sharding_of(aval)
    if not aval.shape and wanted is None:
        return vma.like(zero, aval)
    made = broadcast_in_dim(zero, aval.shape, (), out_sharding=wanted)
    return vma.like(made, aval)


def empty(shape, dtype, *, out_sharding=None):
    """An array with unspecified elements; at present they are zero.

    Args:
        shape: the shape of the result.
        dtype: its dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: a size is negative, or `dtype` names none. NotImplementedError:
            `out_sharding` is given.
    """
    wanted = None
    if not dtypes.is_extended(dtype):
        wanted = dtypes.check_and_canonicalize_user_dtype(dtype, "empty")
    if wanted is None or not releases.rule("empty_is_a_primitive"):
        return full(shape, 0, dtype, sharding=out_sharding)
    shape = canonical_shape(shape, "empty")
    sharding = _for_explicit_axes("empty", out_sharding, len(shape))
    return empty_p.bind(shape=shape, dtype=wanted, sharding=sharding)


@declare("empty", traits=Trait.NOT_DIFFERENTIABLE)
class empty_p:
    """An array of which the elements are unspecified; they are zero."""

    def types(*, shape, dtype, sharding):
        return ShapedArray(shape, dtype)

    sharding = splitting.or_given(splitting.replicated)

    def lower(ctx, *, shape, dtype, sharding):
        return emit.full(0, ctx.avals_out[0])

    def batch(axis, args, dims, **params):
        return empty_p.bind(**params), None

    def reference(*, shape, dtype, sharding):
        return np.zeros(shape, dtype)

    samples = [
        Sample((), {"shape": s, "dtype": np.dtype(d), "sharding": None})
        for s, d in [((2, 3), np.float32), ((), np.int32), ((0,), np.bool_)]
    ]


@declare("iota", traits=Trait.NOT_DIFFERENTIABLE)
class iota_p:
    """Counts along one axis."""

    def types(*, dtype, shape, dimension, sharding):
        aval = ShapedArray(shape, dtype)
        check_kind("iota", aval, NUMBER, "dtype")
        if not 0 <= dimension < len(shape):
            raise value_error(
                "lax.broadcasted_iota: iota dimension must be between 0 and len(shape), got "
                f"dimension={dimension} for shape={shape}",
                [],
                "The dimension is one of the axes of the shape, counted from 0.",
            )
        return aval

    sharding = splitting.or_given(splitting.replicated)

    def lower(ctx, *, dtype, shape, dimension, sharding):
        return emit.iota(ctx.avals_out[0], dimension)

    def batch(axis, args, dims, **params):
        return iota_p.bind(**params), None

    def reference(*, dtype, shape, dimension, sharding):
        sizes = [1] * len(shape)
        sizes[dimension] = shape[dimension]
        counts = np.arange(shape[dimension]).astype(dtype).reshape(sizes)
        return np.broadcast_to(counts, shape).copy()

    samples = [
        Sample(
            (),
            {"dtype": np.dtype(d), "shape": s, "dimension": axis, "sharding": None},
        )
        for d, s, axis in [
            (np.int32, (4,), 0),
            (np.float32, (2, 3), 1),
            (np.uint8, (2, 3), 0),
            (np.int32, (0,), 0),
        ]
    ]


def iota(dtype, size, *, out_sharding=None):
    """The numbers 0, 1, … up to but not including `size`.

    Args:
        dtype: a dtype of numbers.
        size: how many.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Vector of that dtype.

    Raises:
        TypeError: the dtype is boolean, or the size negative or not an integer.
        ValueError: `dtype` is None.
    """
    return broadcasted_iota(dtype, (size,), 0, out_sharding=out_sharding)


def broadcasted_iota(dtype, shape, dimension, *, out_sharding=None):
    """An array whose elements are their index along one axis.

    Args:
        dtype: a dtype of numbers.
        shape: the shape of the result.
        dimension: the axis along which to count.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: the dtype is boolean, or `shape` is not a shape. ValueError: the
            dimension is not an axis, or `dtype` is None.
    """
    if dtype is None:
        raise value_error(
            "lax.iota: there is no dtype.",
            [("dtype", dtype), ("shape", shape)],
            "What is counted has one.",
            "Usual: numpy.int32.",
        )
    shape = canonical_shape(shape, "broadcasted_iota")
    return iota_p.bind(
        dtype=dtypes.check_and_canonicalize_user_dtype(dtype, "iota"),
        shape=shape,
        dimension=operator.index(dimension),
        sharding=splitting.given_sharding("iota", out_sharding, len(shape)),
    )


traceback_filter.hide_frames(globals())
