"""Sending values between the devices of mesh axes, or the batch elements of an axis of `vmap`."""

import math
import operator
from collections.abc import Sequence

import numpy as np

from jax._src import tree as trees
from jax._src.base import errors, options, releases, traceback_filter
from jax._src.core import mesh_context
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Trait, declare
from jax._src.lax.collectives import (
    axes,
    axis_index,
    casts,
    emit as collective,
    reductions,
)
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front
from jax._src.lax.ops.checks import canonical_axis
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.creation import zeros_like
from jax._src.lax.ops.joining_splitting import stack
from jax._src.lax.ops.messages import explain, value_error
from jax._src.lax.ops.reshaping import move_axis, reshape, transpose
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import index_in_dim


@declare("ppermute", traits=Trait.COLLECTIVE)
class ppermute_p:
    """Sends values from device to device."""

    def types(x, *, axis_name, perm):
        axes.size_of(axis_name)
        return x

    def effects(x, *, axis_name, perm):
        return axes.named_effects(axis_name)

    sharding = splitting.like_first

    def manual(x, *, axis_name, perm):
        return x.manual_axis_type

    jvp = (lambda t, x, **params: ppermute_p.bind(t, **params),)

    def transpose(ct, x, *, axis_name, perm):
        back = tuple((target, source) for source, target in perm)
        return [ppermute_p.bind(ct, axis_name=axis_name, perm=back)]

    def batch(axis, args, dims, *, axis_name, perm):
        (x,), (dim,) = args, dims
        if axis.name not in axis_name:
            return ppermute_p.bind(x, axis_name=axis_name, perm=perm), dim
        if len(axis_name) > 1:
            axes.refuse_mixture("ppermute", axis_name, axis.name)
        rows = batch_in_front(x, dim, axis.size)
        source_of = {target: source for source, target in perm}
        pieces = [
            index_in_dim(rows, source_of[i], 0, keepdims=False)
            if i in source_of
            else zeros_like(index_in_dim(rows, 0, 0, keepdims=False))
            for i in range(axis.size)
        ]
        return stack(pieces, 0), 0

    def lower(ctx, x, *, axis_name, perm):
        region = axes.region_of(ctx, "ppermute", axis_name)
        # Participants count in the order of the mesh, whatever that of the names.
        names = [name for name in region.mesh.axis_names if name in axis_name]
        rows = region.groups(names, None)
        if rows.size == 1:
            return x if perm else emit.zeros(ctx.avals_out[0])
        pairs = [(row[a], row[b]) for row in rows for a, b in perm]
        return collective.collective_permute(x, pairs)


def checked_pairs(
    name: str, perm: Sequence[tuple[int, int]], size: int
) -> tuple[tuple[int, int], ...]:
    """Pairs of a source and its target, counted from 0.

    Raises:
        IndexError: a position is out of range. ValueError: one is named twice.
    """
    given = [(operator.index(source), operator.index(to)) for source, to in perm]
    for index in (i for pair in given for i in pair):
        if not -size <= index < size:
            raise IndexError(
                explain(
                    f"lax.{name}: there is no such position along the axis.",
                    [("perm", given), ("position", index), ("size of the axis", size)],
                    "Positions count from 0, negative ones from the end.",
                )
            )
    pairs = tuple((source % size, to % size) for source, to in given)
    for side in zip(*pairs, strict=True):
        if len(set(side)) != len(side):
            raise value_error(
                f"lax.{name}: {name} sources and destinations must be unique.",
                [("perm", given), ("size of the axis", size)],
                "Each is the source of at most one other, and the target of one.",
                "lax.all_gather gives all the values of one.",
            )
    return pairs


def ppermute(x, axis_name, perm: Sequence[tuple[int, int]]):
    """Sends the values of devices to other devices, or of batch elements to other batch elements.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names; several are counted in
            the order of the mesh.
        perm: pairs of a source and its target; none is named twice on a side. Negative
            numbers count from the end. Who gets nothing has zeros.

    Raises:
        NameError: no axis of that name is bound. ValueError: a source or a target is
            named twice. IndexError: a number is out of range.
    """
    names = axes.names_of(axis_name)
    size = axes.size_of(names)
    if not names or len(set(names)) < len(names):
        raise errors.value_error(
            f"lax.ppermute: {'an axis is named twice' if names else 'no axis'}.",
            [("axis_name", repr(names))],
            "Each axis has one position in the numbers of participants.",
        )
    pairs = checked_pairs("ppermute", perm, size)
    _check_order(names)

    def send(leaf):
        leaf = axes.make_varying("ppermute", leaf, names)
        return ppermute_p.bind(leaf, axis_name=names, perm=pairs)

    return trees.tree_map(send, axes.leaves_of("ppermute", x))


def _check_order(names):
    """Refuses axes in another order than the mesh's, from 0.12 on: they would be sorted."""
    if not releases.rule("ppermute_keeps_the_order_of_the_mesh"):
        return
    known = [n for n in mesh_context.get_abstract_mesh().axis_names if n in names]
    own = [n for n in names if n in known]
    if known != own and options.raise_on_ppermute_sort_diff.value:
        raise errors.runtime_error(
            "Make sure that the axis_name passed to jax.lax.ppermute is in the order "
            "of the mesh.",
            [("axis_name", repr(tuple(own))), ("mesh", repr(tuple(known)))],
            "Participants are numbered in the order of the mesh.",
            "Sort the names, or set jax_raise_on_ppermute_sort_diff to False.",
        )


def pshuffle(x, axis_name, perm: Sequence[int]):
    """Gives each device or batch element the values of another one.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names.
        perm: for each position the one whose values it gets; a permutation.

    Raises:
        NameError: no axis of that name is bound. ValueError: not a permutation.
    """
    size = axes.size_of(axis_name)
    if sorted(perm) != list(range(size)):
        raise ValueError(
            f"lax.pshuffle: {tuple(perm)} is not a permutation of the {size} positions."
        )
    return ppermute(x, axis_name, list(zip(perm, range(size), strict=True)))


@declare("all_to_all", traits=Trait.COLLECTIVE)
class all_to_all_p:
    """Exchanges parts between all devices."""

    def types(x, *, axis_name, split_axis, concat_axis, axis_index_groups, tiled):
        size = axes.group_size(axis_name, axis_index_groups)
        _check_cut(x, size, split_axis, tiled)
        shape = list(x.shape)
        if tiled:
            shape[split_axis] //= size
            shape[concat_axis] *= size
        else:
            shape.insert(concat_axis, shape.pop(split_axis))
        return x.update(shape=tuple(shape))

    def effects(x, *, axis_name, **params):
        return axes.named_effects(axis_name)

    def sharding(x, *, split_axis, concat_axis, tiled, out, **params):
        if tiled:
            return splitting.resized("all_to_all", x, out.shape)
        entries = list(splitting.entries(x))
        entries.insert(concat_axis, entries.pop(split_axis))
        return entries

    def manual(x, **params):
        return x.manual_axis_type

    jvp = (lambda t, x, **params: all_to_all_p.bind(t, **params),)

    def transpose(ct, x, *, split_axis, concat_axis, **params):
        back = {"split_axis": concat_axis, "concat_axis": split_axis}
        return [all_to_all_p.bind(ct, **back, **params)]

    def batch(axis, args, dims, *, axis_name, split_axis, concat_axis, **params):
        (x,), (dim,) = args, dims
        if axis.name not in axis_name:
            out = all_to_all_p.bind(
                move_axis(x, dim, 0),
                axis_name=axis_name,
                split_axis=split_axis + 1,
                concat_axis=concat_axis + 1,
                **params,
            )
            return out, 0
        axes.refuse_groups("all_to_all", params["axis_index_groups"])
        rows = batch_in_front(x, dim, axis.size)
        return _exchange_rows(
            rows, axis, axis_name, split_axis + 1, concat_axis + 1, params["tiled"]
        ), 0

    def lower(ctx, x, *, axis_name, split_axis, concat_axis, axis_index_groups, tiled):
        region = axes.region_of(ctx, "all_to_all", axis_name)
        groups = region.groups(axis_name, axis_index_groups)
        if tiled:
            return collective.all_to_all(x, groups, split_axis, concat_axis)
        # The axis that is cut stays, of size 1, and goes where the parts are stacked.
        out = collective.all_to_all(x, groups, split_axis, split_axis)
        order = [i for i in range(len(emit.shape_of(out))) if i != split_axis]
        order.insert(concat_axis, split_axis)
        return emit.transpose(out, order)


def _exchange_rows(rows, axis, names, split_axis, concat_axis, tiled):
    """Exchanges between devices and batch elements: one of the axes is mapped, its positions in front.

    The parts are along one axis for the names before the mapped one, one for it and one
    for those behind. Along each of them participants exchange by themselves.
    """
    at, axis_index = names.index(axis.name), split_axis
    before, after = names[:at], names[at + 1 :]
    counts = [axes.size_of(before), axis.size, axes.size_of(after)]
    shape = list(np.shape(rows))
    length = shape[axis_index] // math.prod(counts)
    shape[axis_index : axis_index + 1] = [*counts, length] if tiled else counts
    parts = _exchange_at(reshape(rows, shape), before, axis_index)
    order = list(range(len(shape)))
    order[0], order[axis_index + 1] = axis_index + 1, 0
    parts = transpose(parts, order)
    parts = _exchange_at(parts, after, axis_index + 2)
    shape[axis_index : axis_index + 3] = [math.prod(counts)]
    parts = move_axis(reshape(parts, shape), axis_index, concat_axis)
    if tiled:
        shape = list(np.shape(parts))
        merged = math.prod(shape[concat_axis : concat_axis + 2])
        shape[concat_axis : concat_axis + 2] = [merged]
        parts = reshape(parts, shape)
    return parts


def _exchange_at(x, names, axis_index):
    """Exchanges along axes of which none is mapped, each part along its own axis."""
    if not names:
        return x
    return all_to_all_p.bind(
        x,
        axis_name=names,
        split_axis=axis_index,
        concat_axis=axis_index,
        axis_index_groups=None,
        tiled=False,
    )


def _check_cut(aval, parts, split_axis, tiled):
    size = aval.shape[split_axis]
    if size % parts if tiled else size != parts:
        raise value_error(
            "lax.all_to_all: the axis cannot be cut into a part for each.",
            [
                ("operand", aval.str_short()),
                ("split_axis", split_axis),
                ("parts", parts),
            ],
            "Its size is a multiple of the number of parts."
            if tiled
            else "Its size is the number of parts.",
            *(() if tiled else ("To cut it into blocks: tiled=True.",)),
        )


def all_to_all(
    x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False
):
    """Cuts the array of each device or batch element into parts and gives part `j` to number `j`.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names, of which the last one
            runs fastest.
        split_axis: the axis that is cut; it has the size of the named axis, or with
            `tiled` a multiple.
        concat_axis: the axis along which the received parts are put together.
        axis_index_groups: lists of positions along the axes, of one length; each group
            exchanges among itself. Not for axes of `jax.vmap`.
        tiled: whether the two axes stay, and are cut and joined in blocks.

    Raises:
        NameError: no axis of that name is bound. ValueError: the axis cannot be cut, or
            there is no such axis, or the groups differ in size.
    """
    names = axes.names_of(axis_name)
    groups = axes.check_groups("all_to_all", axis_index_groups, names)
    size = axes.group_size(names, groups)

    def exchange(leaf):
        rank = np.ndim(leaf)
        split = canonical_axis(split_axis, rank, "all_to_all")
        # The rule of types never sees a batched value.
        _check_cut(get_aval(leaf), size, split, tiled)
        return all_to_all_p.bind(
            axes.make_varying("all_to_all", leaf, names),
            axis_name=names,
            split_axis=split,
            concat_axis=canonical_axis(concat_axis, rank, "all_to_all"),
            axis_index_groups=groups,
            tiled=bool(tiled),
        )

    return trees.tree_map(exchange, axes.leaves_of("all_to_all", x))


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    """Exchanges a named axis with an axis of the arrays.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        axis: an axis of the arrays of the same size.
        axis_index_groups: as for `all_to_all`.

    Raises:
        NameError: no axis of that name is bound. ValueError: the sizes differ.
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


@declare("pbroadcast", traits=Trait.COLLECTIVE)
class pbroadcast_p:
    """Gives every device the values of one."""

    def types(x, *, axis_name, source):
        axes.size_of(axis_name)
        return x

    def effects(x, *, axis_name, source):
        return axes.named_effects(axis_name)

    sharding = splitting.like_first

    def manual(x, *, axis_name, source):
        return x.manual_axis_type

    jvp = (lambda t, x, **params: pbroadcast_p.bind(t, **params),)

    def transpose(ct, x, *, axis_name, source):
        is_tracked = bool(axes.tracked(axis_name))
        total = reductions.psum(ct, axis_name)
        if is_tracked:
            total = axes.make_varying("pbroadcast", total, axis_name)
        is_source = eq(axis_index.axis_index(axis_name), np.int32(source))
        return [select(is_source, total, zeros_like(total))]

    def batch(axis, args, dims, *, axis_name, source):
        (x,), (dim,) = args, dims
        if axis.name not in axis_name:
            return pbroadcast_p.bind(x, axis_name=axis_name, source=source), dim
        if len(axis_name) > 1:
            axes.refuse_mixture("pbroadcast", axis_name, axis.name)
        if dim is None:
            return x, None
        return index_in_dim(x, source, dim, keepdims=False), None

    def lower(ctx, x, *, axis_name, source):
        region = axes.region_of(ctx, "pbroadcast", axis_name)
        groups = region.groups(axis_name, None)
        # The source is the first of its group.
        order = [source, *(i for i in range(groups.shape[1]) if i != source)]
        return collective.collective_broadcast(x, groups[:, order])


def pbroadcast(x, axis_name, source: int):
    """Gives every device or batch element the values of one.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names.
        source: the position of the one.

    Raises:
        NameError: no axis of that name is bound. ValueError: the operand does not vary
            along the axis. IndexError: there is no such position.
    """
    names = axes.names_of(axis_name)
    size = axes.size_of(names)
    if not -size <= source < size:
        raise IndexError(
            f"lax.pbroadcast: position {source} of an axis of size {size}."
        )

    def spread(leaf):
        is_tracked = bool(axes.tracked(names))
        if is_tracked and casts.state_along("pbroadcast", leaf, names) != "varying":
            raise value_error(
                "lax.pbroadcast: the operand does not vary along the axis.",
                [("operand", get_aval(leaf).str_short()), ("axis_name", names)],
                "What devices share needs no sending.",
                "Leave the call out.",
            )
        return pbroadcast_p.bind(leaf, axis_name=names, source=source % size)

    return trees.tree_map(spread, axes.leaves_of("pbroadcast", x))


traceback_filter.hide_frames(globals())
