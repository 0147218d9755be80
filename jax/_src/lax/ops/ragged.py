"""Products of matrices in groups of different sizes, and of matrices with scales."""

import dataclasses

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import mul, sub
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.checks import INTEGER, int_tuple, kind_of
from jax._src.lax.ops.comparison import ge, lt
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota, zeros_like
from jax._src.lax.ops.cumulative import cumsum
from jax._src.lax.ops.dot import dot_general
from jax._src.lax.ops.dynamic_slicing import dynamic_slice_in_dim
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.reshaping import move_axis, reshape
from jax._src.lax.ops.resharding import alike, moved
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import pad


@dataclasses.dataclass(frozen=True)
class RaggedDotDimensionNumbers:
    """Which axes of `ragged_dot_general` are contracted, batched, ragged, or of groups.

    Args:
        dot_dimension_numbers: as of `dot_general`: ``((lhs_contracting, rhs_contracting),
            (lhs_batch, rhs_batch))``.
        lhs_ragged_dimensions: the axis of `lhs` that falls into groups; one.
        rhs_group_dimensions: the axis of `rhs` that counts groups; one or none.
    """

    dot_dimension_numbers: tuple
    lhs_ragged_dimensions: tuple[int, ...]
    rhs_group_dimensions: tuple[int, ...]

    def __post_init__(self):
        (a, b), (c, d) = self.dot_dimension_numbers
        numbers = ((int_tuple(a), int_tuple(b)), (int_tuple(c), int_tuple(d)))
        set_field = object.__setattr__
        set_field(self, "dot_dimension_numbers", numbers)
        set_field(self, "lhs_ragged_dimensions", int_tuple(self.lhs_ragged_dimensions))
        set_field(self, "rhs_group_dimensions", int_tuple(self.rhs_group_dimensions))


def _fail(what, facts, rule):
    raise type_error(f"lax.ragged_dot_general: {what}.", facts, rule)


def _outer_axes(numbers, ragged, rank):
    """The axes of lhs along which group sizes may differ: those before the ragged one."""
    (lhs_sum, _), (lhs_batch, _) = numbers
    free = [a for a in range(rank) if a not in (*lhs_sum, *lhs_batch)]
    if ragged in lhs_batch:
        return lhs_batch[: lhs_batch.index(ragged)]
    inner = list(lhs_sum) if ragged in lhs_sum else free
    return (*lhs_batch, *inner[: inner.index(ragged)])


def _checked_sizes(lhs, rhs, group_sizes, numbers, has_offset):
    sizes = get_aval(group_sizes)
    facts = [
        ("lhs", get_aval(lhs).str_short()),
        ("rhs", get_aval(rhs).str_short()),
        ("group_sizes", sizes.str_short()),
        ("numbers", repr(numbers)),
    ]
    if not kind_of(sizes.dtype) & INTEGER:
        _fail(
            "ragged_dot_general requires that group_sizes.dtype is subtype of "
            "np.integer",
            facts,
            "Groups have whole sizes.",
        )
    if len(numbers.lhs_ragged_dimensions) != 1:
        _fail(
            "ragged_dot_general expects exactly one lhs ragged dimension",
            facts,
            "One axis is ragged.",
        )
    ragged = numbers.lhs_ragged_dimensions[0]
    for name, kind, operand, axes in (
        ("lhs", "ragged", lhs, numbers.lhs_ragged_dimensions),
        ("rhs", "group", rhs, numbers.rhs_group_dimensions),
    ):
        if any(not 0 <= axis < np.ndim(operand) for axis in axes):
            _fail(
                f"ragged_dot_general requires {name} {kind} dimension numbers to be "
                f"nonnegative and less than the number of axes of the {name} value",
                [*facts, ("axis", axes)],
                f"{name} has {np.ndim(operand)} axes, counted from 0.",
            )
    if not sizes.shape:
        _fail(
            "expected rank of group_sizes to be >=1",
            facts,
            "It has one number for each group.",
        )
    is_free = _check_groups(numbers, ragged, facts)
    count = sizes.shape[-1]
    if has_offset and not is_free:
        _fail(
            "there is a group_offset, but rhs has no axis of groups",
            facts,
            "The offset says with which group the matrices in rhs begin.",
        )
    for axis in numbers.rhs_group_dimensions:
        if np.shape(rhs)[axis] != count and not has_offset:
            _fail(
                f"expected rhs group dimension size to be {count}, got "
                f"{np.shape(rhs)[axis]}",
                facts,
                "The axis of groups of rhs is as long as the last axis of group_sizes.",
            )
    outer = _outer_axes(numbers.dot_dimension_numbers, ragged, np.ndim(lhs))
    wanted = (*(np.shape(lhs)[a] for a in outer), count)
    if sizes.shape not in ((count,), wanted):
        _fail(
            f"expected group_sizes to have shape {wanted}, got {sizes.shape}",
            [*facts, ("wanted", f"{wanted} or ({count},)")],
            "The sizes are the same for all rows, or are given for each.",
        )
    return ragged, outer


def _check_groups(numbers, ragged, facts):
    """Whether the ragged axis stays: only then rhs has an axis of groups."""
    is_free = ragged not in (
        *numbers.dot_dimension_numbers[0][0],
        *numbers.dot_dimension_numbers[1][0],
    )
    if len(numbers.rhs_group_dimensions) != is_free:
        _fail(
            "ragged_dot_general requires exactly one rhs group dimension when lhs "
            "ragged dimension is noncontracting"
            if is_free
            else "ragged_dot_general requires zero group dimensions in the rhs when lhs "
            "ragged dimension is contracting or batch",
            facts,
            "It has one where the ragged axis of lhs is neither contracted nor batched, "
            "and otherwise none.",
        )
    (_, contracted), (_, batched) = numbers.dot_dimension_numbers
    if {*numbers.rhs_group_dimensions} & {*contracted, *batched}:
        _fail(
            "ragged_dot_general requires rhs group dimension numbers to be distinct from "
            "contracting and batch dimensions",
            facts,
            "An axis has one part in the product.",
        )
    return is_free


def _from_group(bounds, offset, count):
    """`count` of the bounds of groups from `offset` on; there are zeros behind the last."""
    rank = np.ndim(bounds)
    nothing = [(0, 0, 0)] * (rank - 1)
    padded = pad(bounds, np.int32(0), [*nothing, (0, count, 0)])
    return dynamic_slice_in_dim(padded, offset, count, rank - 1)


def _offset_of(group_offset):
    aval = get_aval(group_offset)
    if aval.dtype.kind not in "iu" or aval.shape not in ((), (1,)):
        raise type_error(
            "lax.ragged_dot_general: group_offset is not one integer.",
            [("group_offset", aval.str_short())],
            "It is the number of the group to which the first matrix of rhs belongs.",
        )
    return reshape(convert(group_offset, np.dtype(np.int32)), ())


def _membership(lhs, group_sizes, ragged, outer, count, group_offset):
    """Truth values of shape (groups, *lhs.shape): whether the element is of the group."""
    shape = (count, *np.shape(lhs))
    sizes = convert(group_sizes, np.dtype(np.int32))
    ends = cumsum(sizes, axis=np.ndim(sizes) - 1)
    starts = sub(ends, sizes)
    if group_offset is not None:
        offset = _offset_of(group_offset)
        starts, ends = (_from_group(x, offset, count) for x in (starts, ends))
    axes = [a + 1 for a in outer] if np.ndim(sizes) > 1 else []
    spread = lambda x: broadcast_in_dim(x, shape, (*axes, 0))  # noqa: E731
    index = broadcasted_iota(np.dtype(np.int32), shape, ragged + 1)
    return bitwise_and(ge(index, spread(starts)), lt(index, spread(ends)))


def ragged_dot_general(
    lhs,
    rhs,
    group_sizes,
    ragged_dot_dimension_numbers,
    precision=None,
    preferred_element_type=None,
    group_offset=None,
    out_sharding=None,
):
    """Sums products over contracted axes, in groups of rows of different sizes.

    What the ragged axis of `lhs` is decides about the result:

    * an axis that stays: its rows are multiplied by the part of `rhs` of their group;
      rows beyond the last group give zeros;
    * a contracted axis: each group is summed on its own, and groups are the first axis
      of the result;
    * a batch axis: as `dot_general`.

    Args:
        lhs: array.
        rhs: array.
        group_sizes: integers: for each group, its size along the ragged axis; or those
            for each row along the axes of `lhs` before the ragged one, groups last.
        ragged_dot_dimension_numbers: a `RaggedDotDimensionNumbers`.
        precision: as of `dot_general`.
        preferred_element_type: the dtype of sums and result.
        group_offset: integer, a scalar or of shape (1,): the group to which the first part
            of `rhs` belongs, where it has the parts of some groups only; rows of others
            give zeros. None: 0, and `rhs` has all.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array with the axes of `dot_general`'s result, after an axis of groups where the
        ragged axis is contracted.

    Raises:
        TypeError: shapes, axes or dtypes do not fit.
    """
    numbers = ragged_dot_dimension_numbers
    has_offset = group_offset is not None
    ragged, outer = _checked_sizes(lhs, rhs, group_sizes, numbers, has_offset)
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = numbers.dot_dimension_numbers
    options = {"precision": precision, "preferred_element_type": preferred_element_type}
    if ragged in lhs_batch:
        options["out_sharding"] = out_sharding
        return dot_general(lhs, rhs, numbers.dot_dimension_numbers, **options)
    groups = [np.shape(rhs)[axis] for axis in numbers.rhs_group_dimensions]
    count = groups[0] if groups else np.shape(group_sizes)[-1]
    inside = _membership(lhs, group_sizes, ragged, outer, count, group_offset)
    copies = broadcast_in_dim(lhs, inside.shape, range(1, inside.ndim))
    parts = select(*alike("ragged_dot_general", inside, copies, zeros_like(copies)))
    moved_sum = [a + 1 for a in lhs_sum]
    moved_batch = [a + 1 for a in lhs_batch]
    if numbers.rhs_group_dimensions:
        sums = ((0, *moved_sum), (*numbers.rhs_group_dimensions, *rhs_sum))
        options["out_sharding"] = out_sharding
        return dot_general(parts, rhs, (sums, (moved_batch, rhs_batch)), **options)
    sums = ((moved_sum, rhs_sum), (moved_batch, rhs_batch))
    found = move_axis(dot_general(parts, rhs, sums, **options), len(lhs_batch), 0)
    if out_sharding is None:
        return found
    wanted = splitting.given_sharding(
        "ragged_dot_general", out_sharding, np.ndim(found)
    )
    return moved(found, wanted)


_ROWS = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))


def ragged_dot(
    lhs,
    rhs,
    group_sizes,
    precision=None,
    preferred_element_type=None,
    group_offset=None,
    out_sharding=None,
):
    """Multiplies groups of rows each by a matrix of its own.

    Args:
        lhs: array of shape ``(m, k)``.
        rhs: array of shape ``(g, k, n)``: a matrix for each group.
        group_sizes: array of shape ``(g,)`` of integers: how many rows of `lhs` belong to
            each group, in order. Rows beyond the last group give zeros.
        precision: as of `dot_general`.
        preferred_element_type: the dtype of sums and result.
        group_offset: integer, a scalar or of shape (1,): the group to which the first part
            of `rhs` belongs, where it has the parts of some groups only; rows of others
            give zeros. None: 0, and `rhs` has all.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array of shape ``(m, n)``.

    Raises:
        TypeError: shapes or dtypes do not fit.
    """
    return ragged_dot_general(
        lhs, rhs, group_sizes, _ROWS, precision, preferred_element_type,
        group_offset, out_sharding,
    )  # fmt: skip


def _default_numbers(rank):
    if rank < 2 or rank > 3:
        raise type_error(
            "lax.scaled_dot: the contracted axes are not known.",
            [("axes of lhs", str(rank))],
            "Without dimension_numbers, operands are matrices or stacks of matrices.",
            "Pass dimension_numbers.",
        )
    batch = tuple(range(rank - 2))
    return ((rank - 1,), (rank - 2,)), (batch, batch)


def _scaled(name, operand, scale, contracted, dtype):
    """The operand times its scale, each element of which counts for a block of elements."""
    operand = convert(operand, dtype)
    if scale is None:
        return operand
    shape, small = np.shape(operand), np.shape(scale)
    for axis, size in enumerate(shape):
        fits = len(small) == len(shape) and (
            small[axis] == size
            or (axis in contracted and small[axis] and size % small[axis] == 0)
        )
        if not fits:
            raise type_error(
                f"lax.scaled_dot: the scale of {name} does not fit.",
                [(name, str(shape)), ("its scale", str(small))],
                "Along contracted axes its size divides the operand's; along others "
                "it is the same.",
            )
    split = [(n, size // n) for n, size in zip(small, shape, strict=True) if n]
    wide = broadcast_in_dim(
        scale, [n for pair in split for n in pair], range(0, 2 * len(split), 2)
    )
    return mul(operand, convert(reshape(wide, shape), dtype))


def scaled_dot(
    lhs,
    rhs,
    *,
    lhs_scale=None,
    rhs_scale=None,
    dimension_numbers=None,
    preferred_element_type=None,
):
    """Computes ``(lhs * lhs_scale) @ (rhs * rhs_scale)`` for numbers of few bits.

    Args:
        lhs: array, a matrix or a stack of matrices unless `dimension_numbers` is given.
        rhs: array.
        lhs_scale: array with the axes of `lhs`; along the contracted axes its size divides
            that of `lhs`, and each of its elements counts for a block. None: 1.
        rhs_scale: likewise for `rhs`.
        dimension_numbers: as of `dot_general`.
        preferred_element_type: the dtype of products, sums and result; None: bfloat16.

    Returns:
        Array of that dtype, with the shape of `dot_general`'s result.

    Raises:
        TypeError: the shapes do not fit.
    """
    numbers = dimension_numbers or _default_numbers(np.ndim(lhs))
    dtype = np.dtype(preferred_element_type or "bfloat16")
    (lhs_sum, rhs_sum), _ = numbers
    return dot_general(
        _scaled("lhs", lhs, lhs_scale, int_tuple(lhs_sum), dtype),
        _scaled("rhs", rhs, rhs_scale, int_tuple(rhs_sum), dtype),
        numbers,
        preferred_element_type=dtype,
    )


traceback_filter.hide_frames(globals())
