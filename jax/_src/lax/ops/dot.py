"""Products of matrices and their kin: dot_general."""

from collections.abc import Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import options, traceback_filter
from jax._src.core import slots
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting, splitting_shapes
from jax._src.lax.ops.checks import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    check_kind,
    int_tuple,
    kind_of,
)
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.precision import canonical_precision
from jax._src.lax.ops.reshaping import counting, transpose

DotDimensionNumbers = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]


def free_axes(ndim: int, *used: Sequence[int]) -> tuple[int, ...]:
    """The axes that are neither contracted nor batched."""
    taken = {axis for axes in used for axis in axes}
    return tuple(axis for axis in range(ndim) if axis not in taken)


@declare("dot_general", traits=Trait.MULTILINEAR)
class dot_general_p:
    """Sums products over contracted axes, for each index of the batch axes."""

    def types(lhs, rhs, *, dimension_numbers, preferred_element_type, **params):
        _check_dot(lhs, rhs, dimension_numbers)
        (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
        shape = [lhs.shape[axis] for axis in lhs_batch]
        shape += [lhs.shape[i] for i in free_axes(lhs.ndim, lhs_sum, lhs_batch)]
        shape += [rhs.shape[i] for i in free_axes(rhs.ndim, rhs_sum, rhs_batch)]
        dtype = preferred_element_type or _wider(lhs.dtype, rhs.dtype)
        return ShapedArray(tuple(shape), dtype, lhs.weak_type and rhs.weak_type)

    def sharding(lhs, rhs, *, dimension_numbers, out_sharding, **params):
        return splitting_shapes.of_dot(lhs, rhs, dimension_numbers, out_sharding)

    def sums(lhs, rhs, *, out_sharding, **params):
        return splitting_shapes.sums_of_dot(lhs, rhs)

    def transpose(ct, lhs, rhs, *, dimension_numbers, **params):
        if ad.is_undefined_primal(lhs):
            return [
                _transpose_operand(ct, lhs, rhs, 0, dimension_numbers, params),
                None,
            ]
        return [None, _transpose_operand(ct, rhs, lhs, 1, dimension_numbers, params)]

    def batch(axis, args, dims, *, dimension_numbers, **params):
        numbers, dim = _batch_numbers(args, dims, dimension_numbers)
        wider = splitting.with_batch_axis(params["out_sharding"], axis, dim)
        params = {**params, "out_sharding": wider}
        return dot_general_p.bind(*args, dimension_numbers=numbers, **params), dim

    def lower(ctx, lhs, rhs, *, dimension_numbers, precision, **params):
        return emit.dot_general(ctx, lhs, rhs, dimension_numbers, precision)

    def show(*, dimension_numbers, **params):
        numbers = tuple(
            tuple(list(axes) for axes in pair) for pair in dimension_numbers
        )
        given = {name: value for name, value in params.items() if value is not None}
        return {"dimension_numbers": numbers, **given}

    def reference(lhs, rhs, *, dimension_numbers, preferred_element_type, **params):
        out = preferred_element_type or _wider(lhs.dtype, rhs.dtype)
        return _dot_by_einsum(lhs, rhs, dimension_numbers, np.dtype(out))

    ulp = 32

    def samples():
        return [
            Sample(
                (lhs, rhs),
                {
                    "dimension_numbers": numbers,
                    "precision": None,
                    "preferred_element_type": preferred,
                    "out_sharding": None,
                },
            )
            for lhs, rhs, numbers, preferred in [
                (_small(2, 3), _small(3, 4), (((1,), (0,)), ((), ())), None),
                (_small(3), _small(3), (((0,), (0,)), ((), ())), None),
                (_small(2, 3, 4), _small(2, 4, 5), (((2,), (1,)), ((0,), (0,))), None),
                (_small(3, 2, 4), _small(4, 3, 2), (((0, 2), (1, 0)), ((), ())), None),
                (_small(2, 3), _small(4), (((), ()), ((), ())), None),
                (_small(0, 3), _small(3, 2), (((1,), (0,)), ((), ())), None),
                (
                    counting(2, 3, dtype=np.int8),
                    counting(3, 2, dtype=np.int8),
                    (((1,), (0,)), ((), ())),
                    np.dtype(np.int32),
                ),
                (
                    _small(2, 3),
                    _small(3, 2),
                    (((1,), (0,)), ((), ())),
                    np.dtype(np.int32),
                ),
            ]
        ]


def _wider(first, second):
    """The dtype of a product: of two floats the one that reaches further, of others the longer one.

    Operands keep their dtypes: there need be none to which both are promoted.

    Raises:
        TypeError: two dtypes reach as far, with other numbers on the way.
    """
    if first == second:
        return first
    if _reach(first) == _reach(second):
        raise type_error(
            "lax.dot_general: neither dtype reaches further than the other.",
            [("lhs", first.name), ("rhs", second.name)],
            "Convert an operand: x.astype(...).",
        )
    return max(first, second, key=_reach)


def _reach(dtype):
    kind = kind_of(dtype)
    if kind is FLOATING:
        return 2, float(dtypes.finfo(dtype).max), 0
    if kind is COMPLEX:
        return 3, dtype.itemsize, 0
    if kind is BOOL:
        return 0, 0, 0
    return 1, dtypes.iinfo(dtype).bits, dtypes.iinfo(dtype).min < 0


def _small(*shape):
    return counting(*shape) / 7


def _check_dot(lhs, rhs, dimension_numbers) -> None:
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
    check_kind("dot_general", lhs, ANY, "lhs")
    check_kind("dot_general", rhs, ANY, "rhs")

    def fail(what, rule, *ways_out):
        facts = [
            ("lhs", lhs.str_short()),
            ("rhs", rhs.str_short()),
            ("contracting", (lhs_sum, rhs_sum)),
            ("batch", (lhs_batch, rhs_batch)),
        ]
        raise type_error(f"lax.dot_general: {what}.", facts, rule, *ways_out)

    for name, aval, batch, sums in (
        ("lhs", lhs, lhs_batch, lhs_sum),
        ("rhs", rhs, rhs_batch, rhs_sum),
    ):
        if any(not 0 <= axis < aval.ndim for axis in (*batch, *sums)):
            fail(
                f"dot_general requires {name} dimension numbers to be nonnegative and "
                f"less than the number of axes of the {name} value, got {name}_batch of "
                f"{batch} and {name}_contracting of {sums} for {name} of rank {aval.ndim}",
                f"{name} has {aval.ndim} axes, counted from 0.",
            )
        rule = "An axis is contracted or batched, and once."
        for kind, axes in (("batch", batch), ("contracting", sums)):
            if len(set(axes)) != len(axes):
                fail(
                    f"dot_general requires {name} {kind} dimensions to be distinct, got "
                    f"{name}_{kind} {axes}",
                    rule,
                )
        if set(batch) & set(sums):
            fail(
                f"dot_general requires {name} batch dimensions to be disjoint from "
                f"contracting dimensions, got {name}_batch {batch} and "
                f"{name}_contracting {sums}",
                rule,
            )
    if len(lhs_batch) != len(rhs_batch):
        fail(
            "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, "
            f"got lhs_batch {lhs_batch} and rhs_batch {rhs_batch}",
            "Each batch axis of lhs goes with one of rhs.",
        )
    for kind, lhs_axes, rhs_axes in (
        ("contracting dimensions", lhs_sum, rhs_sum),
        ("lhs batch dimensions and rhs batch dimensions", lhs_batch, rhs_batch),
    ):
        lhs_sizes = tuple(lhs.shape[axis] for axis in lhs_axes)
        rhs_sizes = tuple(rhs.shape[axis] for axis in rhs_axes)
        if lhs_sizes != rhs_sizes:
            fail(
                f"dot_general requires {kind} to have the same shape, got {lhs_sizes} and "
                f"{rhs_sizes}",
                "Axes that go together have one size.",
            )


def _transpose_operand(ct, operand, other, position, dimension_numbers, params):
    """The cotangent of one operand: a dot of that of the result with the other one."""
    sums, batches = dimension_numbers
    own_sum, other_sum = sums[position], sums[1 - position]
    own_batch, other_batch = batches[position], batches[1 - position]
    aval = operand.aval
    own_free = free_axes(aval.ndim, own_sum, own_batch)
    other_free = free_axes(np.ndim(other), other_sum, other_batch)
    n_batch, n_own = len(own_batch), len(own_free)
    start = n_batch + (n_own if position == 0 else 0)
    ct_other = tuple(range(start, start + len(other_free)))
    numbers = ((ct_other, other_free), (tuple(range(n_batch)), tuple(other_batch)))
    # What is left of the other operand are its contracted axes, in increasing order.
    order = np.argsort(other_sum)
    permutation = (*own_batch, *own_free, *(own_sum[i] for i in order))
    wanted = splitting.cotangent_sharding(aval)
    if wanted is not None:
        spec = wanted.spec
        entries = [spec.partitions[index] for index in permutation]
        wanted = wanted.update(spec=spec.update(partitions=entries))
    params = {
        **params,
        "preferred_element_type": aval.dtype,
        "out_sharding": wanted,
    }
    result = dot_general_p.bind(ct, other, dimension_numbers=numbers, **params)
    is_weak = get_aval(ct).weak_type and get_aval(other).weak_type
    if is_weak or np.dtype(result.dtype) != aval.dtype:
        result = slots.convert(result, aval.dtype, is_weak)
    return transpose(result, tuple(int(i) for i in np.argsort(permutation)))


def _batch_numbers(args, dims, dimension_numbers):
    """The axes of a dot with one more batch axis, and where that is in the result."""
    sums, batches = dimension_numbers
    sums, batches = [tuple(s) for s in sums], [tuple(b) for b in batches]
    free = [
        free_axes(np.ndim(x) - (d is not None), s, b)
        for x, d, s, b in zip(args, dims, sums, batches, strict=True)
    ]
    for i, dim in enumerate(dims):
        if dim is not None:
            sums[i], batches[i], free[i] = (
                tuple(axis + (axis >= dim) for axis in axes)
                for axes in (sums[i], batches[i], free[i])
            )
    if None not in dims:
        batches = [(dim, *axes) for dim, axes in zip(dims, batches, strict=True)]
        return (tuple(sums), tuple(batches)), 0
    which = 0 if dims[0] is not None else 1
    index = len(batches[0]) + sum(axis < dims[which] for axis in free[which])
    index += len(free[0]) if which else 0
    return (tuple(sums), tuple(batches)), index


def _dot_by_einsum(lhs, rhs, dimension_numbers, dtype):
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
    lhs_names = list(range(lhs.ndim))
    rhs_names = list(range(lhs.ndim, lhs.ndim + rhs.ndim))
    for i, j in zip((*lhs_sum, *lhs_batch), (*rhs_sum, *rhs_batch), strict=True):
        rhs_names[j] = lhs_names[i]
    out = [lhs_names[i] for i in lhs_batch]
    out += [lhs_names[i] for i in free_axes(lhs.ndim, lhs_sum, lhs_batch)]
    out += [rhs_names[i] for i in free_axes(rhs.ndim, rhs_sum, rhs_batch)]
    wide = np.result_type(dtype, lhs.dtype, rhs.dtype)
    if wide.kind in "fcV":
        wide = np.result_type(wide, np.float64)
    lhs, rhs = lhs.astype(wide), rhs.astype(wide)
    return np.einsum(lhs, lhs_names, rhs, rhs_names, out).astype(dtype)


def _check_preferred(lhs, rhs, preferred) -> None:
    """Refuses sums of integers or complex numbers in a narrower type."""
    dtype = _wider(get_aval(lhs).dtype, get_aval(rhs).dtype)
    kind, part = kind_of(dtype), dtype.itemsize
    if kind is COMPLEX:
        part //= 2
    if kind is FLOATING or preferred.itemsize >= part:
        return
    raise type_error(
        "lax.dot_general: preferred_element_type must not be narrower than the result.",
        [("result", dtype.name), ("preferred_element_type", preferred.name)],
        "Sums of integers and complex numbers keep the width of the operands.",
        "Convert the result instead: lax.convert_element_type(out, dtype).",
    )


def dot_general(
    lhs,
    rhs,
    dimension_numbers: DotDimensionNumbers,
    precision=None,
    preferred_element_type=None,
    *,
    out_sharding=None,
):
    """Sums products of elements over contracted axes.

    Args:
        lhs: array.
        rhs: array.
        dimension_numbers: ``((lhs_contracting, rhs_contracting), (lhs_batch,
            rhs_batch))``, sequences of axes. Contracted axes are summed over; batch
            axes correspond to each other and stay. None: the product of two vectors
            or matrices.
        precision: a `lax.Precision`, a pair of them, or an algorithm.
        preferred_element_type: the dtype of sums and result.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array whose axes are the batch axes, the other axes of `lhs`, and those of
        `rhs`.

    Raises:
        TypeError: corresponding axes differ in size, or an axis is out of bounds.
        ValueError: without `dimension_numbers`, the operands do not fit.

    Examples:
        >>> a, b = jnp.ones((5, 2, 3)), jnp.ones((5, 3, 4))
        >>> jax.lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))).shape
        (5, 2, 4)
    """
    if dimension_numbers is None:
        numbers = _of_vectors_and_matrices(get_aval(lhs), get_aval(rhs))
    else:
        numbers = _dimension_numbers(dimension_numbers)
    if preferred_element_type is not None:
        preferred_element_type = np.dtype(
            dtypes.check_and_canonicalize_user_dtype(
                preferred_element_type, "dot_general"
            )
        )
        _check_preferred(lhs, rhs, preferred_element_type)
    if out_sharding is not None:
        dropped = 2 * len(numbers[0][0]) + len(numbers[1][0])
        ndim = np.ndim(lhs) + np.ndim(rhs) - dropped
        out_sharding = splitting.given_sharding("dot_general", out_sharding, ndim)
    default = options.default_matmul_precision.value
    return dot_general_p.bind(
        lhs,
        rhs,
        dimension_numbers=numbers,
        precision=canonical_precision(precision, default),
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def _of_vectors_and_matrices(left, right) -> DotDimensionNumbers:
    fits = 1 <= left.ndim <= 2 and 1 <= right.ndim <= 2
    if not fits or left.shape[-1] != right.shape[0]:
        raise value_error(
            "lax.dot: dimension_numbers must be specified when not performing "
            "simple un-batched matrix-matrix, matrix-vector, or vector-vector products.",
            [("lhs", left.str_short()), ("rhs", right.str_short())],
            "The last axis of lhs and the first of rhs have one size.",
            "For other axes: dimension_numbers, or jnp.einsum.",
        )
    return (((left.ndim - 1,), (0,)), ((), ()))


def _dimension_numbers(given) -> DotDimensionNumbers:
    """Dimension numbers as tuples; a single axis stands for a sequence of one."""
    try:
        contracted, batch = given
        return tuple(
            tuple(int_tuple(axes if np.iterable(axes) else (axes,)) for axes in pair)
            for pair in ((left, right) for left, right in (contracted, batch))
        )
    except (TypeError, ValueError):
        raise type_error(
            "lax.dot_general: these are not dimension numbers.",
            [("dimension_numbers", repr(given))],
            "They are ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)), "
            "four sequences of axes.",
            "For a product of matrices: (((1,), (0,)), ((), ())).",
        ) from None


def dot(
    lhs,
    rhs,
    *,
    dimension_numbers=None,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
):
    """Products of vectors and matrices, or with `dimension_numbers` as `dot_general`.

    Args:
        lhs: array; a vector or matrix without `dimension_numbers`.
        rhs: array; a vector or matrix without `dimension_numbers`.
        dimension_numbers: as in `dot_general`.
        precision: as in `dot_general`.
        preferred_element_type: the dtype of sums and result.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: the operands are no vectors or matrices that fit. TypeError: see
            `dot_general`.
    """
    return dot_general(
        lhs,
        rhs,
        dimension_numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def batch_matmul(lhs, rhs, precision=None):
    """Products of corresponding matrices.

    Args:
        lhs: array of shape ``(..., m, k)``.
        rhs: array of shape ``(..., k, n)`` with the same leading axes.
        precision: as in `dot_general`.

    Returns:
        Array of shape ``(..., m, n)``.

    Raises:
        ValueError: an operand has fewer than two axes, or their numbers differ.
        TypeError: `lhs` or `rhs` is no array or number.
    """
    left, right = get_aval(lhs), get_aval(rhs)
    if left.ndim < 2 or left.ndim != right.ndim:
        raise value_error(
            "lax.batch_matmul: Arguments to batch_matmul must be at least 2D and have same ndim, got "
            f"{left.ndim}, {right.ndim}.",
            [("lhs", left.str_short()), ("rhs", right.str_short())],
            "Both have the same number of axes, at least 2.",
            "With broadcasting: jnp.matmul.",
        )
    batch = tuple(range(left.ndim - 2))
    numbers = (((left.ndim - 1,), (left.ndim - 2,)), (batch, batch))
    return dot_general(lhs, rhs, numbers, precision=precision)


traceback_filter.hide_frames(globals())
