"""Joining the values of all devices or batch elements, and cutting their sum: mutual transposes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core.primitive import Trait, declare_table
from jax._src.lax.collectives import axes, axis_index, casts, emit as collective
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import mul
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, reduce_sum
from jax._src.lax.ops.checks import NUMBER, canonical_axis, check_kind
from jax._src.lax.ops.dynamic_slicing import dynamic_slice_in_dim
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reshaping import move_axis, reshape, squeeze


def _gathered_type(
    x, *, all_gather_dimension, axis_name, axis_size, tiled, axis_index_groups
):
    axes.size_of(axis_name)
    shape = list(x.shape)
    if tiled:
        shape[all_gather_dimension] *= axis_size
    else:
        shape.insert(all_gather_dimension, axis_size)
    return x.update(shape=tuple(shape))


def _batch_gather(bind, axis, args, dims, *, all_gather_dimension, axis_name, **params):
    (x,), (dim,) = args, dims
    dimension = all_gather_dimension
    if axis.name not in axis_name:
        out = bind(
            move_axis(x, dim, 0),
            all_gather_dimension=dimension + 1,
            axis_name=axis_name,
            **params,
        )
        return out, 0
    axes.refuse_groups("all_gather", params["axis_index_groups"])
    at = axis_name.index(axis.name)
    rows = batch_in_front(x, dim, axis.size)
    rows = _gather_in_front(bind, rows, axis_name[at + 1 :], 1)
    rows = _gather_in_front(bind, _merge(rows, 0), axis_name[:at], 0)
    rows = move_axis(_merge(rows, 0), 0, dimension)
    return (_merge(rows, dimension) if params["tiled"] else rows), None


def _gather_in_front(bind, x, names, dimension):
    """The values along `names`, stacked at `dimension`; a new axis of size 1 for no names."""
    if not names:
        return reshape(x, (*np.shape(x)[:dimension], 1, *np.shape(x)[dimension:]))
    return bind(
        x,
        all_gather_dimension=dimension,
        axis_name=names,
        axis_size=axes.size_of(names),
        tiled=False,
        axis_index_groups=None,
    )


def _merge(x, axis: int):
    """`x` with an axis and the next one made one."""
    shape = list(np.shape(x))
    shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
    return reshape(x, shape)


def _lower_gather(
    ctx, x, *, all_gather_dimension, axis_name, axis_size, tiled, axis_index_groups
):
    region = axes.region_of(ctx, "all_gather", axis_name)
    if not tiled:
        shape = list(emit.shape_of(x))
        shape.insert(all_gather_dimension, 1)
        x = emit.broadcast_in_dim(
            x, shape, [i for i in range(len(shape)) if i != all_gather_dimension]
        )
    groups = region.groups(axis_name, axis_index_groups)
    return collective.all_gather(x, groups, all_gather_dimension)


def _gathered_entries(x, *, all_gather_dimension, tiled, out, **params):
    if tiled:
        return splitting.resized("all_gather", x, out.shape)
    known, dimension = splitting.entries(x), all_gather_dimension
    return (*known[:dimension], None, *known[dimension:])


def _scattered_entries(x, *, scatter_dimension, tiled, out, **params):
    if tiled:
        return splitting.resized("psum_scatter", x, out.shape)
    return splitting.dropping([scatter_dimension], x)


def _gather(name: str, manual: dict[str, str], transpose: Callable, doc: str):
    """A primitive that gives every device the values of all."""
    table = {
        "types": _gathered_type,
        "sharding": _gathered_entries,
        "effects": lambda x, *, axis_name, **params: axes.named_effects(axis_name),
        "manual": lambda x, *, axis_name, **params: axes.changed(
            x, axis_name, **manual
        ),
        "jvp": (lambda t, x, **params: primitive.bind(t, **params),),
        "transpose": lambda ct, x, **params: [transpose(ct, x, params)],
        "batch": lambda axis, args, dims, **params: _batch_gather(
            primitive.bind, axis, args, dims, **params
        ),
        "lower": _lower_gather,
    }
    primitive = declare_table(name, table, traits=Trait.COLLECTIVE, doc=doc)
    return primitive


def _scatter_params(params):
    """The parameters of the transpose of a gather."""
    rest = dict(params)
    return {"scatter_dimension": rest.pop("all_gather_dimension"), **rest}


def _own_part(ct, x, params):
    """The part of a cotangent, the same on every device, that belongs to this device."""
    dimension, names = params["all_gather_dimension"], params["axis_name"]
    groups = params["axis_index_groups"]
    if groups is not None:
        raise NotImplementedError("lax.all_gather_invariant with axis_index_groups.")
    length = x.aval.shape[dimension] if params["tiled"] else 1
    start = mul(axis_index.axis_index(names), np.int32(length))
    part = dynamic_slice_in_dim(ct, start, length, dimension)
    return part if params["tiled"] else squeeze(part, (dimension,))


all_gather_p = _gather(
    "all_gather",
    {},
    lambda ct, x, params: reduce_scatter_p.bind(ct, **_scatter_params(params)),
    "The values of all devices along axes; each device has its own copy of all.",
)
all_gather_invariant_p = _gather(
    "all_gather_invariant",
    {"take": "varying"},
    _own_part,
    "The values of all devices along axes; a result that devices share.",
)
all_gather_reduced_p = _gather(
    "all_gather_reduced",
    {"take": "varying", "give": "reduced"},
    lambda ct, x, params: unreduced_reduce_scatter_p.bind(
        ct, **_scatter_params(params)
    ),
    "The values of all devices along axes; cotangents are parts of a sum.",
)


def _scattered_type(
    x, *, scatter_dimension, axis_name, axis_size, tiled, axis_index_groups
):
    check_kind("psum_scatter", x, NUMBER)
    axes.size_of(axis_name)
    shape = list(x.shape)
    size = shape[scatter_dimension] if shape else 0
    if not shape or (size % axis_size if tiled else size != axis_size):
        raise value_error(
            "lax.psum_scatter: the axis cannot be cut into a part for each.",
            [
                ("operand", x.str_short()),
                ("scatter_dimension", scatter_dimension),
                ("parts", axis_size),
            ],
            "Its size is a multiple of the number of parts."
            if tiled
            else "Its size is the number of parts.",
            *(() if tiled else ("To leave each several rows: tiled=True.",)),
        )
    if tiled:
        shape[scatter_dimension] = size // axis_size
    else:
        del shape[scatter_dimension]
    return x.update(shape=tuple(shape))


def cut_axis(x: Any, axis: int, count: int) -> Any:
    """`x` with one axis cut into `count` parts, along a new axis before it."""
    shape = list(np.shape(x))
    shape[axis : axis + 1] = [count, shape[axis] // count]
    return reshape(x, shape)


def _batch_scatter(bind, axis, args, dims, *, scatter_dimension, axis_name, **params):
    (x,), (dim,) = args, dims
    dimension = scatter_dimension
    if axis.name not in axis_name:
        out = bind(
            move_axis(x, dim, 0),
            scatter_dimension=dimension + 1,
            axis_name=axis_name,
            **params,
        )
        return out, 0
    axes.refuse_groups("psum_scatter", params["axis_index_groups"])
    at = axis_name.index(axis.name)
    before, after = axis_name[:at], axis_name[at + 1 :]
    total = reduce_sum(batch_in_front(x, dim, axis.size), (0,))
    total = cut_axis(total, dimension, axes.size_of(before))
    total = cut_axis(total, dimension + 1, axis.size)
    total = cut_axis(total, dimension + 2, axes.size_of(after))
    total = _scatter_at(bind, total, after, dimension + 2)
    total = _scatter_at(bind, total, before, dimension)
    # What is left: the batch elements of the mapped axis, and the part of each.
    return (total if params["tiled"] else squeeze(total, (dimension + 1,))), dimension


def _scatter_at(bind, x, names, dimension):
    if not names:
        return squeeze(x, (dimension,))
    return bind(
        x,
        scatter_dimension=dimension,
        axis_name=names,
        axis_size=axes.size_of(names),
        tiled=False,
        axis_index_groups=None,
    )


def _lower_scatter(
    ctx, x, *, scatter_dimension, axis_name, axis_size, tiled, axis_index_groups
):
    region = axes.region_of(ctx, "psum_scatter", axis_name)
    groups = region.groups(axis_name, axis_index_groups)
    out = collective.reduce_scatter(x, groups, scatter_dimension)
    if tiled:
        return out
    shape = list(emit.shape_of(out))
    del shape[scatter_dimension]
    return emit.reshape(out, shape)


def _scatter(name: str, manual: dict[str, str], transpose: Callable, doc: str):
    """A primitive that leaves every device its part of the sum."""
    table = {
        "types": _scattered_type,
        "sharding": _scattered_entries,
        "effects": lambda x, *, axis_name, **params: axes.named_effects(axis_name),
        "manual": lambda x, *, axis_name, **params: axes.changed(
            x, axis_name, **manual
        ),
        "jvp": (lambda t, x, **params: primitive.bind(t, **params),),
        "transpose": lambda ct, x, *, scatter_dimension, **params: [
            transpose(ct, all_gather_dimension=scatter_dimension, **params)
        ],
        "batch": lambda axis, args, dims, **params: _batch_scatter(
            primitive.bind, axis, args, dims, **params
        ),
        "lower": _lower_scatter,
    }
    primitive = declare_table(name, table, traits=Trait.COLLECTIVE, doc=doc)
    return primitive


reduce_scatter_p = _scatter(
    "reduce_scatter",
    {},
    lambda ct, **params: all_gather_p.bind(ct, **params),
    "The sum over the devices along axes; each has its part of it.",
)
unreduced_reduce_scatter_p = _scatter(
    "unreduced_reduce_scatter",
    {"take": "unreduced", "give": "varying"},
    lambda ct, **params: all_gather_reduced_p.bind(ct, **params),
    "The sum that was due; each device has its part of it.",
)

_GATHERS = {
    "varying": all_gather_p,
    "invarying": all_gather_invariant_p,
    "reduced": all_gather_reduced_p,
}


def all_gather(
    x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"
):
    """Stacks the values of all devices of mesh axes, or of all batch elements of an axis of `vmap`.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names, of which the last one
            runs fastest.
        axis_index_groups: lists of positions along the axes, of one length; each group
            gathers its own values. Not for axes of `jax.vmap`.
        axis: the axis of the result along which values are stacked.
        tiled: whether to join the values along an axis that is there, not a new one.
        to: where types track what varies: "varying", "invarying" or "reduced".

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis, or
            the groups differ in size.
    """
    names = axes.names_of(axis_name)
    if to not in _GATHERS:
        raise ValueError(
            f"lax.all_gather: to is {to!r}; it is one of {', '.join(_GATHERS)}."
        )
    if not names:
        return axes.leaves_of("all_gather", x)
    groups = axes.check_groups("all_gather", axis_index_groups, names)
    size = axes.group_size(names, groups)
    is_tracked = bool(axes.tracked(names))
    # What devices share is on trust without types; its derivative is that of a share.
    is_told = is_tracked or to == "invarying"
    primitive = _GATHERS[to] if is_told else all_gather_p

    def gather(leaf):
        rank = np.ndim(leaf) + (not tiled)
        dimension = canonical_axis(axis, rank, "all_gather")
        if to == "reduced" and is_tracked:
            casts.state_along("all_gather", leaf, names)
        return primitive.bind(
            axes.make_varying("all_gather", leaf, names),
            all_gather_dimension=dimension,
            axis_name=names,
            axis_size=size,
            tiled=bool(tiled),
            axis_index_groups=groups,
        )

    return trees.tree_map(gather, axes.leaves_of("all_gather", x))


def all_gather_invariant(x, axis_name, *, axis=0, tiled=False):
    """`all_gather` with ``to="invarying"``: a result that the devices share."""
    return all_gather(x, axis_name, axis=axis, tiled=tiled, to="invarying")


def psum_scatter(
    x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False
):
    """Sums over all devices or batch elements and leaves each its part of the sum.

    Args:
        x: a tree of arrays.
        axis_name: the name of an axis, or a sequence of names, of which the last one
            runs fastest.
        scatter_dimension: the axis of the arrays that is cut into parts.
        axis_index_groups: lists of positions along the axes, of one length; each group
            has a sum of its own. Not for axes of `jax.vmap`.
        tiled: whether parts keep that axis; else its size is the number of parts.

    Raises:
        NameError: no axis of that name is bound. ValueError: the axis cannot be cut, or
            there is no such axis, or the groups differ in size.
    """
    names = axes.names_of(axis_name)
    if not names:
        return axes.leaves_of("psum_scatter", x)
    groups = axes.check_groups("psum_scatter", axis_index_groups, names)
    size = axes.group_size(names, groups)

    def scatter(leaf):
        dimension = canonical_axis(scatter_dimension, np.ndim(leaf), "psum_scatter")
        params = {
            "scatter_dimension": dimension,
            "axis_name": names,
            "axis_size": size,
            "tiled": bool(tiled),
            "axis_index_groups": groups,
        }
        is_due = axes.tracked(names) and (
            casts.state_along("psum_scatter", leaf, names) == "unreduced"
        )
        if is_due:
            return unreduced_reduce_scatter_p.bind(leaf, **params)
        leaf = axes.make_varying("psum_scatter", leaf, names)
        return reduce_scatter_p.bind(leaf, **params)

    return trees.tree_map(scatter, axes.leaves_of("psum_scatter", x))


traceback_filter.hide_frames(globals())
