"""Operations across the rows of a named axis: sums, gathers, exchanges."""

from collections.abc import Hashable, Sequence

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import traceback_filter
from jax._src.core import effects as fx, state
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Trait, Unsupported, declare, declare_table
from jax._src.lax.ops import emit
from jax._src.lax.ops.arithmetic import add, div, mul
from jax._src.lax.ops.broadcasting import (
    batch_in_front,
    broadcast_in_dim,
    reduce_sum,
    shape_without,
)
from jax._src.lax.ops.checks import (
    ANY,
    BOOL,
    NUMBER,
    canonical_axis,
    check_kind,
    kind_of,
)
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota, scalar_like, zeros_like
from jax._src.lax.ops.joining import index_in_dim, stack
from jax._src.lax.ops.messages import explain
from jax._src.lax.ops.reductions import greatest, least, reduce_max, reduce_min
from jax._src.lax.ops.reshaping import move_axis, reshape


def _names(axis_name) -> tuple[Hashable, ...]:
    return tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)


def _refuse_groups(name, axis_index_groups) -> None:
    if axis_index_groups is not None:
        raise NotImplementedError(
            f"lax.{name}: axis_index_groups are not supported for axes of jax.vmap."
        )


def _refuse_names(name, names) -> None:
    raise NotImplementedError(
        explain(
            f"lax.{name}: a named axis is left over when compiling.",
            [("axis", ", ".join(map(repr, names)))],
            "Named axes of jax.vmap are supported; those of a mesh are not yet.",
        )
    )


def _named_effects(axes):
    return frozenset(
        fx.NamedAxisEffect(name) for name in _names(axes) if not isinstance(name, int)
    )


def _check_bound(axis_name) -> int:
    """The size of the axis; NameError where there is none of that name."""
    return state.axis_size(axis_name)


def _named_size(axes) -> int:
    """The product of the sizes of the named axes; those by position do not count."""
    return _check_bound([axis for axis in axes if not isinstance(axis, int)])


def _placed(name, x, axes):
    """The axes of a reduction of `x`, those by position counted from the front."""
    rank = np.ndim(x)
    return tuple(
        canonical_axis(axis, rank, name) if isinstance(axis, int) else axis
        for axis in axes
    )


def _reduction(
    name, reduce_positions, of_equal, lower, identity, accepts, doc, **rules
):
    """A reduction over named axes, and over axes by position."""

    def types(x, *, axes, axis_index_groups):
        check_kind(name, x, accepts)
        for axis in axes:
            if not isinstance(axis, int):
                _check_bound(axis)
        positions = [axis for axis in axes if isinstance(axis, int)]
        return x.update(shape=shape_without(x.shape, positions))

    def effects(x, *, axes, axis_index_groups):
        return _named_effects(axes)

    def batch(axis, args, dims, *, axes, axis_index_groups):
        (x,), (dim,) = args, dims
        if axis.name is not None and axis.name in axes:
            _refuse_groups(name, axis_index_groups)
            rest = [a for a in axes if a != axis.name]
            if dim is None:
                return bind(of_equal(x, axis.size), rest), None
            moved = [a + (a >= dim) if isinstance(a, int) else a for a in rest]
            return bind(x, [*moved, dim]), None
        positions = [a for a in axes if isinstance(a, int)]
        moved = [a + (a >= dim) if isinstance(a, int) else a for a in axes]
        place = dim - sum(a + (a >= dim) < dim for a in positions)
        return bind(x, moved), place

    def bind(x, axes):
        axes = tuple(axes)
        if not axes:
            return x
        if all(isinstance(a, int) for a in axes):
            return reduce_positions(x, axes)
        return primitive.bind(x, axes=axes, axis_index_groups=None)

    def lower_rule(ctx, x, *, axes, axis_index_groups):
        named = [a for a in axes if not isinstance(a, int)]
        if named:
            _refuse_names(name, named)
        dtype = ctx.avals_in[0].dtype
        return emit.reduce_with(lower, x, identity(dtype), axes, dtype)

    table = {
        "types": types,
        "effects": effects,
        "batch": batch,
        "lower": lower_rule,
        **rules,
    }
    primitive = declare_table(
        name, table, traits=rules.pop("traits", Trait.NONE) | Trait.COLLECTIVE, doc=doc
    )
    return primitive, bind


def _sum_transpose(ct, x, *, axes, axis_index_groups):
    positions = [a for a in axes if isinstance(a, int)]
    if positions:
        shape = x.aval.shape
        kept = [i for i in range(len(shape)) if i not in positions]
        ct = broadcast_in_dim(ct, shape, kept)
    named = tuple(a for a in axes if not isinstance(a, int))
    return [_bind_sum(ct, named)]


psum_p, _bind_sum = _reduction(
    "psum",
    reduce_sum,
    lambda x, size: mul(x, scalar_like(x, size)),
    "add",
    lambda dtype: np.zeros((), dtype),
    NUMBER,
    "Sums over named axes.",
    jvp=(lambda t, x, *, axes, axis_index_groups: _bind_sum(t, axes),),
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


def psum(x, axis_name, *, axis_index_groups=None):
    """Sums over all rows of named axes.

    Args:
        x: a tree of arrays of numbers; booleans count as integers.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: not supported for axes of `jax.vmap`, except for the sum of
            a Python number: that times the size of a group.

    Returns:
        The same tree; every row has the sum.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.

    Examples:
        >>> jax.vmap(lambda x: jax.lax.psum(x, "row"), axis_name="row")(jnp.arange(3))
        Array([3, 3, 3], dtype=int32)
    """
    names = _names(axis_name)
    size = _named_size(names)
    if axis_index_groups is not None:
        size = len(axis_index_groups[0])

    def add_up(leaf):
        axes = _placed("psum", leaf, names)
        if _is_host_number(leaf):
            return leaf * size
        _refuse_groups("psum", axis_index_groups)
        if kind_of(get_aval(leaf).dtype) is BOOL:
            leaf = convert(leaf, np.dtype(np.int32))
        return _bind_sum(leaf, axes)

    return trees.tree_map(add_up, x)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean over all rows of named axes.

    Args:
        x: a tree of arrays; the mean of integers is a floating-point number.
        axis_name: the name of an axis, or a sequence of names.
        axis_index_groups: not supported for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound.
    """
    size = _check_bound(_names(axis_name))
    if axis_index_groups is not None:
        size = len(axis_index_groups[0])
    total = psum(x, axis_name, axis_index_groups=axis_index_groups)

    def divide(leaf):
        if _is_host_number(leaf):
            return leaf / size
        leaf = convert(leaf, dtypes.to_inexact_dtype(get_aval(leaf).dtype))
        return div(leaf, scalar_like(leaf, size))

    return trees.tree_map(divide, total)


def pmax(x, axis_name, *, axis_index_groups=None):
    """The largest over all rows of named axes.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: not supported for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.
    """
    names = _names(axis_name)
    _named_size(names)
    _refuse_groups("pmax", axis_index_groups)
    return trees.tree_map(lambda leaf: _bind_max(leaf, _placed("pmax", leaf, names)), x)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The smallest over all rows of named axes.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis, or a sequence of names; integers are axes of
            the arrays themselves.
        axis_index_groups: not supported for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.
    """
    names = _names(axis_name)
    _named_size(names)
    _refuse_groups("pmin", axis_index_groups)
    return trees.tree_map(lambda leaf: _bind_min(leaf, _placed("pmin", leaf, names)), x)


@declare("axis_index", traits=Trait.NOT_DIFFERENTIABLE | Trait.COLLECTIVE)
class axis_index_p:
    """The number of the row along a named axis."""

    def types(*, axis_name):
        _check_bound(axis_name)
        return ShapedArray((), np.dtype(np.int32))

    def effects(*, axis_name):
        return _named_effects(axis_name)

    def batch(axis, args, dims, *, axis_name):
        if axis.name != axis_name:
            return axis_index_p.bind(axis_name=axis_name), None
        return broadcasted_iota(np.int32, (axis.size,), 0), 0

    def lower(ctx, *, axis_name):
        _refuse_names("axis_index", [axis_name])


def axis_index(axis_name):
    """The number of the row along a named axis, from 0; int32.

    Args:
        axis_name: the name of an axis, or a sequence of names, counted row by row.

    Raises:
        NameError: no axis of that name is bound.
    """
    index = None
    for name in _names(axis_name):
        size = _check_bound(name)
        here = axis_index_p.bind(axis_name=name)
        index = here if index is None else add(mul(index, np.int32(size)), here)
    return index


def axis_size(axis_name) -> int:
    """The number of rows along a named axis, an integer; of several axes, the product.

    Args:
        axis_name: the name of an axis, or a sequence of names.

    Raises:
        NameError: no axis of that name is bound.
    """
    return _check_bound(axis_name)


@declare("all_gather", traits=Trait.COLLECTIVE)
class all_gather_p:
    """Stacks the values of all rows; every row has all."""

    def types(x, *, all_gather_dimension, axis_name, axis_size, tiled):
        _check_bound(axis_name)
        shape = list(x.shape)
        if tiled:
            shape[all_gather_dimension] *= axis_size
        else:
            shape.insert(all_gather_dimension, axis_size)
        return x.update(shape=tuple(shape))

    def effects(x, *, axis_name, **params):
        return _named_effects(axis_name)

    jvp = (lambda t, x, **params: all_gather_p.bind(t, **params),)

    def transpose(ct, x, *, all_gather_dimension, axis_name, axis_size, tiled):
        return [
            reduce_scatter_p.bind(
                ct,
                scatter_dimension=all_gather_dimension,
                axis_name=axis_name,
                axis_size=axis_size,
                tiled=tiled,
            )
        ]

    def batch(axis, args, dims, *, all_gather_dimension, axis_name, axis_size, tiled):
        (x,), (dim,) = args, dims
        place = all_gather_dimension
        if axis.name != axis_name:
            x = move_axis(x, dim, 0)
            out = all_gather_p.bind(
                x,
                all_gather_dimension=place + 1,
                axis_name=axis_name,
                axis_size=axis_size,
                tiled=tiled,
            )
            return out, 0
        rows = move_axis(batch_in_front(x, dim, axis.size), 0, place)
        if tiled:
            shape = list(np.shape(rows))
            shape[place : place + 2] = [shape[place] * shape[place + 1]]
            rows = reshape(rows, shape)
        return rows, None

    def lower(ctx, x, *, axis_name, **params):
        _refuse_names("all_gather", [axis_name])


def _one_name(name, axis_name):
    names = _names(axis_name)
    if len(names) != 1:
        raise NotImplementedError(f"lax.{name} over several axes is not supported yet.")
    return names[0], _check_bound(names[0])


def all_gather(
    x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"
):
    """Stacks the values of all rows; every row has all of them.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        axis_index_groups: not supported for axes of `jax.vmap`.
        axis: where the stacked rows lie in the result.
        tiled: whether to join the rows along an axis that is there, not a new one.
        to: accepted, and without effect here.

    Raises:
        NameError: no axis of that name is bound. ValueError: there is no such axis.
    """
    name, size = _one_name("all_gather", axis_name)
    _refuse_groups("all_gather", axis_index_groups)

    def gather(leaf):
        rank = np.ndim(leaf) + (not tiled)
        return all_gather_p.bind(
            leaf,
            all_gather_dimension=canonical_axis(axis, rank, "all_gather"),
            axis_name=name,
            axis_size=size,
            tiled=bool(tiled),
        )

    return trees.tree_map(gather, x)


@declare("reduce_scatter", traits=Trait.COLLECTIVE)
class reduce_scatter_p:
    """Sums over all rows; every row has its part of the sum."""

    def types(x, *, scatter_dimension, axis_name, axis_size, tiled):
        _check_bound(axis_name)
        shape = list(x.shape)
        size = shape[scatter_dimension]
        if (size % axis_size if tiled else size != axis_size) or not x.shape:
            raise ValueError(
                explain(
                    "lax.psum_scatter: the axis cannot be cut into a part for each row.",
                    [("operand", x.str_short()), ("rows", axis_size)],
                    "Its size is a multiple of the number of rows."
                    if tiled
                    else "Its size is the number of rows.",
                )
            )
        if tiled:
            shape[scatter_dimension] = size // axis_size
        else:
            del shape[scatter_dimension]
        return x.update(shape=tuple(shape))

    def effects(x, *, axis_name, **params):
        return _named_effects(axis_name)

    jvp = (lambda t, x, **params: reduce_scatter_p.bind(t, **params),)

    def transpose(ct, x, *, scatter_dimension, axis_name, axis_size, tiled):
        return [
            all_gather_p.bind(
                ct,
                all_gather_dimension=scatter_dimension,
                axis_name=axis_name,
                axis_size=axis_size,
                tiled=tiled,
            )
        ]

    def batch(axis, args, dims, *, scatter_dimension, axis_name, axis_size, tiled):
        (x,), (dim,) = args, dims
        if axis.name != axis_name:
            out = reduce_scatter_p.bind(
                move_axis(x, dim, 0),
                scatter_dimension=scatter_dimension + 1,
                axis_name=axis_name,
                axis_size=axis_size,
                tiled=tiled,
            )
            return out, 0
        total = reduce_sum(batch_in_front(x, dim, axis.size), (0,))
        if not tiled:
            return total, scatter_dimension
        return _cut_axis(total, scatter_dimension, axis.size), scatter_dimension

    def lower(ctx, x, *, axis_name, **params):
        _refuse_names("psum_scatter", [axis_name])


def _cut_axis(x, axis: int, count: int):
    """`x` with one axis cut into `count` parts, along a new axis before it."""
    shape = list(np.shape(x))
    shape[axis : axis + 1] = [count, shape[axis] // count]
    return reshape(x, shape)


def psum_scatter(
    x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False
):
    """Sums over all rows and leaves each row its part of the sum.

    Args:
        x: a tree of arrays.
        axis_name: the name of an axis.
        scatter_dimension: the axis of the arrays that is cut into parts.
        axis_index_groups: not supported for axes of `jax.vmap`.
        tiled: whether parts keep that axis; else its size is the number of rows.

    Raises:
        NameError: no axis of that name is bound. ValueError: the axis cannot be cut, or
            there is no such axis.
    """
    name, size = _one_name("psum_scatter", axis_name)
    _refuse_groups("psum_scatter", axis_index_groups)

    def scatter(leaf):
        place = canonical_axis(scatter_dimension, np.ndim(leaf), "psum_scatter")
        return reduce_scatter_p.bind(
            leaf,
            scatter_dimension=place,
            axis_name=name,
            axis_size=size,
            tiled=bool(tiled),
        )

    return trees.tree_map(scatter, x)


@declare("ppermute", traits=Trait.COLLECTIVE)
class ppermute_p:
    """Sends values from row to row."""

    def types(x, *, axis_name, perm):
        _check_bound(axis_name)
        return x

    def effects(x, *, axis_name, perm):
        return _named_effects(axis_name)

    jvp = (lambda t, x, **params: ppermute_p.bind(t, **params),)

    def transpose(ct, x, *, axis_name, perm):
        back = tuple((target, source) for source, target in perm)
        return [ppermute_p.bind(ct, axis_name=axis_name, perm=back)]

    def batch(axis, args, dims, *, axis_name, perm):
        (x,), (dim,) = args, dims
        if axis.name != axis_name:
            return ppermute_p.bind(x, axis_name=axis_name, perm=perm), dim
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
        _refuse_names("ppermute", [axis_name])


def ppermute(x, axis_name, perm: Sequence[tuple[int, int]]):
    """Sends the values of rows to other rows.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        perm: pairs of a source row and its target; no row is named twice on a side.
            Rows that get nothing have zeros.

    Raises:
        NameError: no axis of that name is bound. ValueError: a row is named twice.
    """
    name, size = _one_name("ppermute", axis_name)
    perm = tuple((int(source), int(target)) for source, target in perm)
    sources, targets = [s for s, _ in perm], [t for _, t in perm]
    is_valid = all(0 <= i < size for i in (*sources, *targets))
    if len(set(sources)) != len(perm) or len(set(targets)) != len(perm) or not is_valid:
        raise ValueError(
            explain(
                "lax.ppermute: the pairs of rows do not fit.",
                [("perm", perm), ("rows", size)],
                "Each row is the source of at most one other, and the target of one.",
            )
        )
    return trees.tree_map(
        lambda leaf: ppermute_p.bind(leaf, axis_name=name, perm=perm), x
    )


def pshuffle(x, axis_name, perm: Sequence[int]):
    """Gives each row the values of another one.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        perm: for each row the one whose values it gets; a permutation.

    Raises:
        NameError: no axis of that name is bound. ValueError: not a permutation.
    """
    size = _check_bound(axis_name)
    if sorted(perm) != list(range(size)):
        raise ValueError(
            f"lax.pshuffle: {tuple(perm)} is not a permutation of the {size} rows."
        )
    return ppermute(x, axis_name, list(zip(perm, range(size), strict=True)))


@declare("all_to_all", traits=Trait.COLLECTIVE)
class all_to_all_p:
    """Exchanges parts between all rows."""

    def types(x, *, axis_name, axis_size, split_axis, concat_axis, tiled):
        _check_bound(axis_name)
        _check_cut(x, axis_size, split_axis, tiled)
        shape = list(x.shape)
        if tiled:
            shape[split_axis] //= axis_size
            shape[concat_axis] *= axis_size
        else:
            shape.insert(concat_axis, shape.pop(split_axis))
        return x.update(shape=tuple(shape))

    def effects(x, *, axis_name, **params):
        return _named_effects(axis_name)

    jvp = (lambda t, x, **params: all_to_all_p.bind(t, **params),)

    def transpose(ct, x, *, split_axis, concat_axis, **params):
        back = {"split_axis": concat_axis, "concat_axis": split_axis}
        return [all_to_all_p.bind(ct, **back, **params)]

    def batch(
        axis, args, dims, *, axis_name, axis_size, split_axis, concat_axis, tiled
    ):
        (x,), (dim,) = args, dims
        if axis.name != axis_name:
            out = all_to_all_p.bind(
                move_axis(x, dim, 0),
                axis_name=axis_name,
                axis_size=axis_size,
                split_axis=split_axis + 1,
                concat_axis=concat_axis + 1,
                tiled=tiled,
            )
            return out, 0
        rows = batch_in_front(x, dim, axis.size)
        if tiled:
            rows = _cut_axis(rows, split_axis + 1, axis.size)
        # The parts become the rows, and the rows lie where the parts came from.
        swapped = move_axis(rows, split_axis + 1, 0)
        swapped = move_axis(swapped, 1, concat_axis + 1)
        if tiled:
            shape = list(np.shape(swapped))
            at = concat_axis + 1
            shape[at : at + 2] = [shape[at] * shape[at + 1]]
            swapped = reshape(swapped, shape)
        return swapped, 0

    def lower(ctx, x, *, axis_name, **params):
        _refuse_names("all_to_all", [axis_name])


def _check_cut(aval, rows, split_axis, tiled):
    size = aval.shape[split_axis]
    if size % rows if tiled else size != rows:
        raise ValueError(
            explain(
                "lax.all_to_all: the axis cannot be cut into a part for each row.",
                [
                    ("operand", aval.str_short()),
                    ("split_axis", split_axis),
                    ("rows", rows),
                ],
                "Its size is a multiple of the number of rows."
                if tiled
                else "Its size is the number of rows.",
            )
        )


def all_to_all(
    x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False
):
    """Cuts each row into parts and gives part `j` to row `j`.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        split_axis: the axis that is cut; it has the size of the named axis, or with
            `tiled` a multiple.
        concat_axis: the axis along which the received parts are put together.
        axis_index_groups: not supported for axes of `jax.vmap`.
        tiled: whether the two axes stay, and are cut and joined in blocks.

    Raises:
        NameError: no axis of that name is bound. ValueError: the axis cannot be cut, or
            there is no such axis.
    """
    name, size = _one_name("all_to_all", axis_name)
    _refuse_groups("all_to_all", axis_index_groups)

    def exchange(leaf):
        rank = np.ndim(leaf)
        split = canonical_axis(split_axis, rank, "all_to_all")
        # A batched row is never seen by the rule of types.
        _check_cut(get_aval(leaf), size, split, tiled)
        return all_to_all_p.bind(
            leaf,
            axis_name=name,
            axis_size=size,
            split_axis=split,
            concat_axis=canonical_axis(concat_axis, rank, "all_to_all"),
            tiled=bool(tiled),
        )

    return trees.tree_map(exchange, x)


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    """Exchanges a named axis with an axis of the arrays.

    Args:
        x: a tree of arrays of any dtype.
        axis_name: the name of an axis.
        axis: an axis of the arrays of the same size.
        axis_index_groups: not supported for axes of `jax.vmap`.

    Raises:
        NameError: no axis of that name is bound. ValueError: the sizes differ.
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def pbroadcast(x, axis_name, source: int):
    """Gives every row the values of one.

    Args:
        x: a tree of arrays.
        axis_name: the name of an axis.
        source: the number of the row.

    Raises:
        NameError: no axis of that name is bound.
    """
    name, size = _one_name("pbroadcast", axis_name)

    def take(leaf):
        rows = all_gather(leaf, name)
        return index_in_dim(rows, source, 0, keepdims=False)

    return trees.tree_map(take, x)


traceback_filter.hide_frames(globals())
