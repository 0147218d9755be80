"""Sums and extremes over the devices of mesh axes, or the batch elements of axes of `vmap`."""

from typing import Any

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Trait, Unsupported, declare_table
from jax._src.lax.collectives import axes as axes_lib, casts, emit as collective
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import div, mul
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    broadcast_in_dim,
    reduce_sum,
    shape_without,
)
from jax._src.lax.ops.checks import ANY, BOOL, NUMBER, check_kind, kind_of
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import scalar_like
from jax._src.lax.ops.messages import not_implemented
from jax._src.lax.ops.reductions import greatest, least, reduce_max, reduce_min


def _reduction(
    name, reduce_positions, of_equal, lower, identity, accepts, doc, **rules
):
    """A reduction over named axes, and over axes by position."""

    def types(x, *, axes, axis_index_groups):
        check_kind(name, x, accepts)
        for axis in axes:
            if not isinstance(axis, int):
                axes_lib.size_of(axis)
        positions = [axis for axis in axes if isinstance(axis, int)]
        return x.update(shape=shape_without(x.shape, positions))

    def effects(x, *, axes, axis_index_groups):
        return axes_lib.named_effects(axes)

    def manual(x, *, axes, axis_index_groups):
        # Groups get different results.
        take = "varying" if axis_index_groups is None else None
        return axes_lib.changed(x, axes, take=take)

    def batch(axis, args, dims, *, axes, axis_index_groups):
        (x,), (dim,) = args, dims
        if axis.name is not None and axis.name in axes:
            axes_lib.refuse_groups(name, axis_index_groups)
            rest = [a for a in axes if a != axis.name]
            if dim is None:
                return bind(of_equal(x, axis.size), rest), None
            moved = [a + (a >= dim) if isinstance(a, int) else a for a in rest]
            return bind(x, [*moved, dim]), None
        positions = [a for a in axes if isinstance(a, int)]
        moved = [a + (a >= dim) if isinstance(a, int) else a for a in axes]
        out_dim = dim - sum(a + (a >= dim) < dim for a in positions)
        return bind(x, moved, axis_index_groups), out_dim

    def bind(x, axes, groups=None):
        axes = tuple(axes)
        if not axes:
            return x
        if all(isinstance(a, int) for a in axes):
            return reduce_positions(x, axes)
        return primitive.bind(x, axes=axes, axis_index_groups=groups)

    def lower_rule(ctx, x, *, axes, axis_index_groups):
        named = [a for a in axes if not isinstance(a, int)]
        positions = [a for a in axes if isinstance(a, int)]
        region = axes_lib.region_of(ctx, name, named)
        dtype = ctx.avals_in[0].dtype
        if positions:
            x = emit.reduce_with(lower, x, identity(dtype), positions, dtype)
        groups = region.groups(named, axis_index_groups)
        return collective.all_reduce(x, groups, emit.operation(lower))

    table = {
        "types": types,
        "sharding": splitting.like_first,
        "effects": effects,
        "manual": manual,
        "batch": batch,
        "lower": lower_rule,
        **rules,
    }
    primitive = declare_table(name, table, traits=Trait.COLLECTIVE, doc=doc)
    return primitive, bind


def _sum_transpose(ct, x, *, axes, axis_index_groups):
    positions = [a for a in axes if isinstance(a, int)]
    if positions:
        shape = x.aval.shape
        kept = [i for i in range(len(shape)) if i not in positions]
        ct = broadcast_in_dim(ct, shape, kept)
    named = tuple(a for a in axes if not isinstance(a, int))
    return [_bind_sum(ct, named, axis_index_groups)]


psum_p, _bind_sum = _reduction(
    "psum",
    reduce_sum,
    lambda x, size: mul(x, scalar_like(x, size)),
    "add",
    lambda dtype: np.zeros((), dtype),
    NUMBER,
    "Sums over named axes.",
    jvp=(
        lambda t, x, *, axes, axis_index_groups: _bind_sum(t, axes, axis_index_groups),
    ),
    transpose=_sum_transpose,
)
_no_derivative = (Unsupported("use all_gather and jnp.max, which have one"),)
pmax_p, _bind_max = _reduction(
    "pmax",
    reduce_max,
    lambda x, size: x,
    "maximum",
    least,
    ANY,
    "The largest over named axes.",
    jvp=_no_derivative,
)
pmin_p, _bind_min = _reduction(
    "pmin",
    reduce_min,
    lambda x, size: x,
    "minimum",
    greatest,
    ANY,
    "The smallest over named axes.",
    jvp=_no_derivative,
)


def _is_host_number(x):
    return isinstance(x, int | float | complex | np.generic)


def _named(axis_name):
    """The axes as a tuple, and those among them that have names; NameError if unbound."""
    names = axes_lib.names_of(axis_name)
    named = tuple(name for name in names if not isinstance(name, int))
    axes_lib.size_of(named)
    return names, named


def psum(x, axis_name, *, axis_index_groups=None):
    """Sums over all devices of mesh axes, or over all batch elements of axes of `vmap`.

    Args:
        x: a tree of arrays of numbers; booleans count as integers. A Python number is
            multiplied by the size of the axes.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: lists of positions along the axes; each group has a sum of
            its own. Not for axes of `jax.vmap`, nor where types track what varies.

    Returns:
        The same tree; all have the sum.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis, or
            the groups do not cover it.

    Examples:
        >>> jax.vmap(lambda x: jax.lax.psum(x, "row"), axis_name="row")(jnp.arange(3))
        Array([3, 3, 3], dtype=int32)
    """
    names, named = _named(axis_name)
    groups = axes_lib.check_groups("psum", axis_index_groups, named, even=False)
    size = axes_lib.group_size(named, groups)

    def add_up(leaf):
        axes = axes_lib.placed("psum", leaf, names)
        if _is_host_number(leaf):
            return leaf * size
        if kind_of(get_aval(leaf).dtype) is BOOL:
            leaf = convert(leaf, np.dtype(np.int32))
        if axes_lib.tracked(named):
            return _tracked_sum(leaf, axes, named, groups)
        return _bind_sum(leaf, axes, groups)

    return trees.tree_map(add_up, axes_lib.leaves_of("psum", x))


def _tracked_sum(x, axes, named, groups):
    """A sum where types say what varies."""
    if groups is not None:
        raise not_implemented(
            "lax.psum: axis_index_groups in jax.shard_map with check_vma=True.",
            [("operand", get_aval(x).str_short()), ("axes", named)],
            "The sums of groups differ: the result would vary, and not at random.",
            "Turn the check off: jax.shard_map(..., check_vma=False).",
            "Make the groups an axis of the mesh.",
        )
    if axes != named:
        raise NotImplementedError(
            "lax.psum: axes by position in jax.shard_map with check_vma=True. Sum over "
            "them with jnp.sum."
        )
    start = casts.state_along("psum", x, named)
    if start == "unreduced":
        return casts.unreduced_psum_p.bind(x, axes=axes)
    return casts.psum_invariant_p.bind(
        axes_lib.make_varying("psum", x, axes), axes=axes
    )


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean over all devices of mesh axes, or over all batch elements of axes of `vmap`.

    Args:
        x: a tree of arrays; the mean of integers is a floating-point number.
        axis_name: the name of an axis, or a sequence of names.
        axis_index_groups: as for `psum`, in groups of one size.

    Raises:
        NameError: no axis of that name is bound.
    """
    named = axes_lib.names_of(axis_name)
    groups = axes_lib.check_groups("pmean", axis_index_groups, named)
    size = axes_lib.group_size(named, groups)
    total = psum(x, axis_name, axis_index_groups=groups)

    def divide(leaf):
        if _is_host_number(leaf):
            return leaf / size
        leaf = convert(leaf, dtypes.to_inexact_dtype(get_aval(leaf).dtype))
        return div(leaf, scalar_like(leaf, size))

    return trees.tree_map(divide, total)


def pmax(x, axis_name, *, axis_index_groups=None):
    """The largest over all devices of mesh axes, or all batch elements of axes of `vmap`.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: lists of positions along the axes; each group has a result
            of its own. Not for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.
    """
    return _extreme("pmax", _bind_max, x, axis_name, axis_index_groups)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The smallest over all devices of mesh axes, or all batch elements of axes of `vmap`.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: lists of positions along the axes; each group has a result
            of its own. Not for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.
    """
    return _extreme("pmin", _bind_min, x, axis_name, axis_index_groups)


def _extreme(name, bind, x, axis_name, axis_index_groups) -> Any:
    names, named = _named(axis_name)
    groups = axes_lib.check_groups(name, axis_index_groups, named, even=False)

    def reduce(leaf):
        leaf = axes_lib.make_varying(name, leaf, named)
        return bind(leaf, axes_lib.placed(name, leaf, names), groups)

    return trees.tree_map(reduce, axes_lib.leaves_of(name, x))


traceback_filter.hide_frames(globals())
