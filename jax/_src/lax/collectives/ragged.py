"""Exchanging parts of different lengths between devices."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Trait, declare
from jax._src.core.vma import ManualAxisType
from jax._src.interpreters import ad, mlir
from jax._src.lax.collectives import axes, exchanging, reductions
from jax._src.lax.control_flow.conditionals import cond
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import add, mul
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, broadcast_in_dim
from jax._src.lax.ops.checks import INTEGER, kind_of
from jax._src.lax.ops.comparison import eq, ge, gt, lt
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota, full, scalar_like, zeros_like
from jax._src.lax.ops.joining_splitting import stack
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reductions import reduce_or
from jax._src.lax.ops.reshaping import move_axis
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import index_in_dim, slice_in_dim
from jax._src.lax.ops.sorting import sort
from jax._src.lib.mlir import ir

_NAMES = ("input_offsets", "send_sizes", "output_offsets", "recv_sizes")


@declare("ragged_all_to_all", traits=Trait.COLLECTIVE)
class ragged_all_to_all_p:
    """Sends slices of rows to all devices, at offsets that the sender names."""

    def types(operand, output, *sizes, axis_name, axis_index_groups):
        axes.size_of(axis_name)
        return output

    def effects(*avals, axis_name, axis_index_groups):
        return axes.named_effects(axis_name)

    def sharding(operand, output, *sizes, **params):
        return splitting.entries(output)

    def manual(operand, output, *sizes, axis_name, axis_index_groups):
        return ManualAxisType(varying=output.vma | frozenset(axes.tracked(axis_name)))

    def jvp_all(primals, tangents, **params):
        operand, output, *sizes = primals
        out = ragged_all_to_all_p.bind(*primals, **params)
        moved = [ad.instantiate_zeros(t) for t in tangents[:2]]
        return out, ragged_all_to_all_p.bind(*moved, *sizes, **params)

    def transpose(ct, operand, output, *sizes, axis_name, axis_index_groups):
        starts, sends, offsets, receives = sizes
        there = _exchanged(offsets, axis_name, axis_index_groups)
        ct_operand = None
        if ad.is_undefined_primal(operand):
            params = {"axis_name": axis_name, "axis_index_groups": axis_index_groups}
            ct_operand = _returned(
                ct, operand.aval, starts, sends, there, receives, params
            )
        ct_output = None
        if ad.is_undefined_primal(output):
            ct_output = select(_written(ct, there, receives), zeros_like(ct), ct)
        return [ct_operand, ct_output, None, None, None, None]

    def batch(axis, args, dims, *, axis_name, **params):
        if axis.name in axis_name:
            axes.refuse_mixture("ragged_all_to_all", axis_name, axis.name)
        params = {"axis_name": axis_name, **params}
        if any(d is not None for d in dims[2:]):
            return _row_by_row(axis, args, dims, params), 0
        # Batch elements are sent along with the rows.
        moved = [
            move_axis(batch_in_front(x, d, axis.size), 0, 1)
            for x, d in zip(args[:2], dims[:2], strict=True)
        ]
        return ragged_all_to_all_p.bind(*moved, *args[2:], **params), 1

    def lower(ctx, *operands, axis_name, axis_index_groups):
        region = axes.region_of(ctx, "ragged_all_to_all", axis_name)
        groups = region.groups(axis_name, axis_index_groups)
        config = {
            "channel_id": emit.int_attribute(1),
            "replica_groups": mlir.dense_int_elements(groups),
        }
        attributes = {
            "call_target_name": ir.StringAttr.get("ragged_all_to_all"),
            "api_version": emit.int32_attribute(4),
            "backend_config": ir.DictAttr.get(config),
        }
        return emit.hlo(
            "custom_call", [operands[1].type], list(operands), attributes
        ).results[0]


def _row_by_row(axis, args, dims, params):
    """The results of all rows, each of which has offsets of its own."""
    rows = [batch_in_front(x, d, axis.size) for x, d in zip(args, dims, strict=True)]
    outs = [
        ragged_all_to_all_p.bind(
            *[index_in_dim(x, i, 0, keepdims=False) for x in rows], **params
        )
        for i in range(axis.size)
    ]
    return stack(outs, 0)


def _returned(ct, aval, starts, sends, there, receives, params):
    """The cotangent of the operand: slices go back to the rows that they came from.

    An exchange writes rows and does not add them up.  Rows that were sent more than once
    get the sum of what comes back, by an exchange for each slice; all devices do so where
    one of them sent such rows.
    """
    zeros = ad.zeros_like_aval(aval.to_cotangent_aval())
    names, groups = params["axis_name"], params["axis_index_groups"]
    back = _exchanged(starts, names, groups)
    slices = np.shape(starts)[0]

    def at_once(ct):
        return ragged_all_to_all_p.bind(
            ct, zeros, there, receives, back, sends, **params
        )

    def slice_by_slice(ct):
        def step(index, total):
            is_this = eq(
                broadcasted_iota(np.int32, (slices,), 0), full((slices,), index)
            )
            one = convert(is_this, get_aval(sends).dtype)
            sent = mul(receives, _exchanged(one, names, groups))
            found = ragged_all_to_all_p.bind(
                ct, zeros, there, sent, back, mul(sends, one), **params
            )
            return add(total, found)

        return fori_loop(0, slices, step, zeros)

    if slices == 1:
        return at_once(ct)
    return cond(_is_any_sent_twice(starts, sends, names), slice_by_slice, at_once, ct)


def _is_any_sent_twice(starts, sends, names):
    """Whether slices of any device overlap."""
    first, last = sort([starts, add(starts, sends)], num_keys=2)
    ends, begins = slice_in_dim(last, 0, -1), slice_in_dim(first, 1, None)
    overlaps = convert(reduce_or(gt(ends, begins), axes=(0,)), np.int32)
    return gt(reductions.pmax(overlaps, names), scalar_like(overlaps, 0))


def _exchanged(offsets, axis_name, groups):
    """What the others say to this device."""
    return exchanging.all_to_all(
        offsets, axis_name, 0, 0, axis_index_groups=groups, tiled=True
    )


def _written(like, starts, lengths):
    """Which rows are among slices, repeated to the shape of `like`."""
    rows, slices = np.shape(like)[0], np.shape(starts)[0]
    dtype = get_aval(starts).dtype
    row_index = broadcasted_iota(dtype, (rows, slices), 0)
    first = broadcast_in_dim(starts, (rows, slices), (1,))
    last = broadcast_in_dim(add(starts, lengths), (rows, slices), (1,))
    inside = bitwise_and(ge(row_index, first), lt(row_index, last))
    return broadcast_in_dim(reduce_or(inside, axes=(1,)), np.shape(like), (0,))


def ragged_all_to_all(
    operand,
    output,
    input_offsets,
    send_sizes,
    output_offsets,
    recv_sizes,
    *,
    axis_name,
    axis_index_groups=None,
):
    """Sends slices of rows of each device to the others, and puts them where it says.

    With `K` slices and `G` devices, slice `i` goes to device ``i // (K / G)``: its rows
    ``operand[input_offsets[i]:][:send_sizes[i]]`` become rows of that device's result,
    from ``output_offsets[i]`` on.

    Args:
        operand: array whose rows are sent.
        output: array of the shape of the result: rows that nobody sends are its.
        input_offsets: integers of shape ``(K,)``, where slices begin here.
        send_sizes: how many rows each slice has.
        output_offsets: where slices begin in the results of those who get them.
        recv_sizes: how many rows come; what the others have as `send_sizes` for this
            device.
        axis_name: the name of a mesh axis, or a sequence of names.
        axis_index_groups: lists of positions along the axes, of one length.

    Raises:
        NameError: no axis of that name is bound. ValueError: offsets or sizes are no
            integers, are not of rank 1, or not a multiple of the number of devices.
    """
    names = axes.names_of(axis_name)
    groups = axes.check_groups("ragged_all_to_all", axis_index_groups, names)
    given = (input_offsets, send_sizes, output_offsets, recv_sizes)
    _check(operand, output, given, axes.group_size(names, groups))
    values = [
        axes.make_varying("ragged_all_to_all", x, names)
        for x in (operand, output, *given)
    ]
    return ragged_all_to_all_p.bind(*values, axis_name=names, axis_index_groups=groups)


def _check(operand, output, sizes, devices):
    avals = [get_aval(x) for x in (operand, output)]
    of_sizes = [get_aval(x) for x in sizes]
    facts = [("operand", avals[0].str_short()), ("output", avals[1].str_short())]
    facts += [(name, a.str_short()) for name, a in zip(_NAMES, of_sizes, strict=True)]
    rule = None
    if any(not kind_of(a.dtype) & INTEGER for a in of_sizes):
        rule = "Offsets and sizes are integers."
    elif any(a.ndim != 1 for a in of_sizes):
        rule = "Offsets and sizes have one axis."
    elif len({a.shape for a in of_sizes}) > 1:
        rule = "There are as many offsets as sizes."
    elif of_sizes[0].shape[0] % devices or not of_sizes[0].shape[0]:
        rule = f"The number of slices is a multiple of that of devices, {devices}."
    elif avals[0].shape[1:] != avals[1].shape[1:] or not avals[0].ndim:
        rule = "Rows of operand and output have one shape."
    elif avals[0].dtype != avals[1].dtype:
        rule = "Operand and output have one dtype."
    if rule is not None:
        what = "lax.ragged_all_to_all: the arguments do not fit."
        raise value_error(what, facts, rule)


traceback_filter.hide_frames(globals())
