"""Reductions along axes, each with its own operation; see broadcast_and_reduce_sum for sums."""

import operator
from collections.abc import Callable, Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core import slots
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Trait, declare_table
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import div, mul
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_axes,
    broadcast_in_dim,
    check_axes,
    reduce_sum,
    shape_without,
)
from jax._src.lax.ops.checks import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMBER,
    ORDERED,
    Accepts,
    check_kind,
    int_tuple,
    kind_of,
)
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.creation import full, scalar_like
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import move_axis, reshape, squeeze
from jax._src.lax.ops.slicing_padding import pad, slice_in_dim

_ALWAYS_NAMED = releases.rule("extremes_name_their_sharding")


def least(dtype):
    """The number not above any other of a dtype."""
    kind = kind_of(dtype)
    if kind is BOOL:
        return np.array(False)
    if kind & INTEGER:
        return np.array(dtypes.iinfo(dtype).min, dtype)
    if kind is COMPLEX:
        return np.array(complex(-np.inf, -np.inf), dtype)
    return np.array(-np.inf if _has_infinity(dtype) else dtypes.finfo(dtype).min, dtype)


def greatest(dtype):
    """The number not below any other of a dtype."""
    kind = kind_of(dtype)
    if kind is BOOL:
        return np.array(True)
    if kind & INTEGER:
        return np.array(dtypes.iinfo(dtype).max, dtype)
    if kind is COMPLEX:
        return np.array(complex(np.inf, np.inf), dtype)
    return np.array(np.inf if _has_infinity(dtype) else dtypes.finfo(dtype).max, dtype)


def _has_infinity(dtype) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isinf(np.array(np.inf, np.float32).astype(dtype)))


def reducer(
    name: str,
    *,
    accepts: Accepts,
    lower: str,
    identity: Callable,
    reference: Callable,
    jvp_all: Callable | None = None,
    samples: Sequence[np.ndarray] = (),
    doc: str,
    names_sharding: bool = False,
    **rules,
):
    """A reduction along axes with one operation.

    Args:
        name: the name of the primitive.
        accepts: the kinds of element types.
        lower: the StableHLO operation that joins two values.
        identity: from a dtype to the value from which to start.
        reference: the NumPy version, taking the array and ``axis=``.
        jvp_all: derivative rule; none: there is no derivative.
        samples: arrays for the law tests, each reduced along several axes.
        doc: the first line of the docstring.
        names_sharding: whether the function has the keyword `out_sharding`.
    """

    def types(x, *, axes, out_sharding=None):
        if not kind_of(x.dtype) & accepts:
            check_kind(name, x, accepts)
        check_axes(name, x, axes)
        return x.update(shape=shape_without(x.shape, axes))

    def sharding(x, *, axes, out_sharding=None):
        if out_sharding is not None:
            return out_sharding
        return splitting.dropping(axes, x)

    def batch(axis, args, dims, *, axes, **sharded):
        (x,), (dim,) = args, dims
        axes, dim_out = batch_axes(axes, dim)
        if sharded.get("out_sharding") is not None:
            given = sharded["out_sharding"]
            sharded = {"out_sharding": splitting.with_batch_axis(given, axis, dim_out)}
        return primitive.bind(x, axes=axes, **sharded), dim_out

    def lower_rule(ctx, x, *, axes, out_sharding=None):
        dtype = ctx.avals_in[0].dtype
        return emit.reduce_with(lower, x, identity(dtype), axes, dtype)

    def reference_rule(x, *, axes, out_sharding=None):
        return np.asarray(reference(x, axis=tuple(axes))).astype(x.dtype)

    table = {
        "types": types,
        "sharding": sharding,
        "batch": batch,
        "lower": lower_rule,
        "reference": reference_rule,
        "jvp_all": jvp_all,
        "samples": [
            Sample((x,), {"axes": axes})
            for x in samples
            for axes in {(0,), tuple(range(x.ndim)), (x.ndim - 1,), ()}
        ],
        **rules,
    }
    traits = Trait.NONE if jvp_all else Trait.NOT_DIFFERENTIABLE
    primitive = declare_table(name, table, traits=traits, doc=doc)

    def function(operand, axes):
        return primitive.bind(operand, axes=int_tuple(axes))

    def sharded_function(operand, axes, *, out_sharding=None):
        axes = int_tuple(axes)
        if out_sharding is None and not _ALWAYS_NAMED:
            return primitive.bind(operand, axes=axes)
        ndim = np.ndim(operand) - len(axes)
        given = splitting.given_sharding(f"lax.{name}", out_sharding, ndim)
        return primitive.bind(operand, axes=axes, out_sharding=given)

    more = ""
    if names_sharding:
        function = sharded_function
        more = "    out_sharding: of the result, over Explicit mesh axes.\n"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\nArgs:\n    operand: array of {accepts.describe()} dtype.\n"
        f"    axes: the axes to reduce, counted from 0, each at most once.\n{more}\n"
        "Returns:\n    Array of the same dtype, without the axes.\n\nRaises:\n    TypeError: "
        "the dtype is another. ValueError: an axis is out of bounds or repeated.\n"
    )
    return primitive, function


def _extreme_jvp(bind):
    """Ties share the tangent evenly."""

    def jvp_all(primals, tangents, *, axes, out_sharding=None):
        (x,), (tangent,) = primals, tangents
        out = bind(x, axes)
        shape = np.shape(x)
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        chosen = eq(x, broadcast_in_dim(out, shape, kept))
        weights = slots.convert(chosen, get_aval(x).dtype, False)
        count = reduce_sum(weights, axes)
        return out, div(reduce_sum(mul(tangent, weights), axes), count)

    return jvp_all


_numbers = [
    np.float32([[3.0, -1.0, 2.5], [0.5, 7.0, -2.0]]),
    np.int32([[3, -1, 2], [5, 7, -2]]),
]
_bits = [np.array([[True, False], [True, True]]), np.int32([[6, 3, 12], [5, 7, 8]])]


def _maximum(x, axis):
    return np.max(x, axis=axis, initial=least(x.dtype)[()])


def _minimum(x, axis):
    return np.min(x, axis=axis, initial=greatest(x.dtype)[()])


reduce_max_p, reduce_max = reducer(
    "reduce_max",
    accepts=ANY,
    lower="maximum",
    identity=least,
    reference=_maximum,
    jvp_all=_extreme_jvp(lambda x, axes: reduce_max(x, axes)),
    names_sharding=True,
    samples=[*_numbers, _bits[0]],
    doc="The largest element along axes; NaN if one is NaN.",
)
reduce_min_p, reduce_min = reducer(
    "reduce_min",
    accepts=ANY,
    lower="minimum",
    identity=greatest,
    reference=_minimum,
    jvp_all=_extreme_jvp(lambda x, axes: reduce_min(x, axes)),
    names_sharding=True,
    samples=[*_numbers, _bits[0]],
    doc="The smallest element along axes; NaN if one is NaN.",
)


def product_in_pairs(x, axes):
    """The product along axes as a tree of multiplications, for its derivative."""
    for i, axis in enumerate(sorted(axes, reverse=True)):
        x = move_axis(x, axis, np.ndim(x) - 1 - i)
    shape = np.shape(x)
    rest = shape[: len(shape) - len(axes)]
    x = reshape(x, (*rest, _rest_size(shape, rest)))
    return _pairs(x, len(rest), rest)


def _rest_size(shape, rest):
    size = 1
    for n in shape[len(rest) :]:
        size *= n
    return size


def _pairs(x, last, rest):
    one = scalar_like(x, 1)
    size = np.shape(x)[last]
    if size == 0:
        return full(rest, one)
    while size > 1:
        half = (size + 1) // 2
        left = slice_in_dim(x, 0, half, axis=last)
        right = slice_in_dim(x, half, size, axis=last)
        if size % 2:
            right = pad(right, one, [(0, 0, 0)] * last + [(0, 1, 0)])
        x, size = mul(left, right), half
    return reshape(x, rest)


def _product_jvp(primals, tangents, *, axes):
    outs, moved = ad.jvp(lambda x: [product_in_pairs(x, axes)], primals, tangents)
    return outs[0], moved[0]


reduce_prod_p, reduce_prod = reducer(
    "reduce_prod",
    accepts=NUMBER,
    lower="multiply",
    identity=lambda dtype: np.array(1, dtype),
    reference=np.prod,
    jvp_all=_product_jvp,
    samples=_numbers,
    ulp=16,
    doc="The product of the elements along axes.",
)
reduce_and_p, reduce_and = reducer(
    "reduce_and",
    accepts=BOOL | INTEGER,
    lower="and",
    identity=lambda dtype: np.array(-1).astype(dtype),
    reference=np.bitwise_and.reduce,
    samples=_bits,
    doc="The bits that all elements along axes have.",
)
reduce_or_p, reduce_or = reducer(
    "reduce_or",
    accepts=BOOL | INTEGER,
    lower="or",
    identity=lambda dtype: np.array(0).astype(dtype),
    reference=np.bitwise_or.reduce,
    samples=_bits,
    doc="The bits that some element along axes has.",
)
reduce_xor_p, reduce_xor = reducer(
    "reduce_xor",
    accepts=BOOL | INTEGER,
    lower="xor",
    identity=lambda dtype: np.array(0).astype(dtype),
    reference=np.bitwise_xor.reduce,
    samples=_bits,
    doc="The bits that an odd number of elements along axes have.",
)


def _argument_types(name):
    def types(x, *, axes, index_dtype):
        (axis,) = axes
        facts = [
            ("operand", x.str_short()),
            ("axis", axis),
            ("index_dtype", index_dtype),
        ]
        check_kind(name, x, ORDERED)
        if not kind_of(index_dtype) & INTEGER:
            raise type_error(
                f"lax.{name}: index_dtype must be an integer type.",
                facts,
                "Indices along an axis are integers.",
                'Usual: index_dtype="int32".',
            )
        if not 0 <= axis < x.ndim:
            raise value_error(
                f"lax.{name}: Invalid axis {axis} for operand shape {x.shape}.",
                facts,
                f"The operand has {x.ndim} axes, counted from 0.",
                f"Negative axes are counted by jnp.{name}.",
            )
        if x.shape[axis] == 0:
            raise value_error(
                f"lax.{name}: argmin and argmax require non-empty reduced dimension. "
                f"operand.shape={x.shape} axis={axis}",
                facts,
                "Among no elements none is the extreme one.",
            )
        return ShapedArray(shape_without(x.shape, axes), index_dtype)

    return types


def _argument_op(name, direction, identity, find, doc):
    def batch(axis, args, dims, *, axes, index_dtype):
        (x,), (dim,) = args, dims
        axes, dim_out = batch_axes(axes, dim)
        return primitive.bind(x, axes=axes, index_dtype=index_dtype), dim_out

    def lower(ctx, x, *, axes, index_dtype):
        return emit.find_extreme(ctx, x, axes[0], direction, identity)

    def reference(x, *, axes, index_dtype):
        (axis,) = axes
        if kind_of(x.dtype) is FLOATING:
            nans = np.isnan(x)
            first_nan = np.argmax(nans, axis)
            found = np.where(nans.any(axis), first_nan, find(x, axis))
        else:
            found = find(x, axis)
        return np.asarray(found).astype(index_dtype)

    table = {
        "types": _argument_types(name),
        "sharding": lambda x, *, axes, **params: splitting.dropping(axes, x),
        "batch": batch,
        "lower": lower,
        "reference": reference,
        "samples": [
            Sample((x,), {"axes": (axis,), "index_dtype": np.dtype(np.int32)})
            for x, axis in [
                (_numbers[0], 0),
                (_numbers[1], 1),
                (_bits[0], 1),
                (np.float32([1.0, np.nan, 7.0, np.nan]), 0),
                (np.float32([2.0, 2.0, 0.0, 0.0]), 0),
            ]
        ],
    }
    primitive = declare_table(name, table, traits=Trait.NOT_DIFFERENTIABLE, doc=doc)

    def function(operand, axis, index_dtype):
        dtype = dtypes.check_and_canonicalize_user_dtype(index_dtype, name)
        return primitive.bind(
            operand, axes=(operator.index(axis),), index_dtype=np.dtype(dtype)
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\nArgs:\n    operand: array of ordered dtype.\n"
        "    axis: the axis, counted from 0, not empty.\n"
        "    index_dtype: integer dtype of the result.\n\nRaises:\n"
        "    ValueError: the axis is empty or out of bounds.\n"
        "    TypeError: the operand is complex, or `index_dtype` not one of integers.\n"
    )
    return primitive, function


argmax_p, argmax = _argument_op(
    "argmax",
    "GT",
    least,
    np.argmax,
    "The first index of the largest element along an axis; NaN counts as largest.",
)
argmin_p, argmin = _argument_op(
    "argmin",
    "LT",
    greatest,
    np.argmin,
    "The first index of the smallest element along an axis; NaN counts as smallest.",
)


@slots.sum_axis.fill
def sum_axis(x, axis: int):
    """The sum of tangents along one axis, by the rules of an extended dtype if need be."""
    if not dtypes.is_extended(x.dtype):
        return reduce_sum(x, (axis,))
    aval = get_aval(x)
    if not x.shape[axis]:
        return slots.zeros(aval.without_axis(axis))
    while (size := x.shape[axis]) > 1:
        half = size // 2
        total = slots.add_cotangents(
            slice_in_dim(x, 0, half, axis=axis),
            slice_in_dim(x, half, 2 * half, axis=axis),
        )
        rest = slice_in_dim(x, 2 * half, size, axis=axis)
        x = concatenate([total, rest], axis) if size % 2 else total
    return squeeze(x, (axis,))


traceback_filter.hide_frames(globals())
