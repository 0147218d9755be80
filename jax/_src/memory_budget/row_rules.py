"""Which operations keep the rows of an axis apart, and how they work on fewer rows.

A rule is given an equation, the axes along which its operands hold rows (None: an operand
has none) and the number of rows; it returns a `Kept`, or None where rows meet. It reads the
structure alone: what a rule accepts computes each row from the same rows of its operands.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.core.primitive import Trait

Axes = Sequence[int | None]


@records.record
class Kept:
    """How an equation keeps rows apart."""

    # The axis of each result along which it holds rows.
    outs: tuple[int, ...]
    # The parameters for so many rows.
    params: Callable[[int], dict[str, Any]]
    # The operands without rows that must be cut along an axis, by number.
    cut: Mapping[int, int] = {}


def _same(eqn):
    return lambda count: eqn.params


def _with(eqn, **changes):
    """Parameters of which some depend on the number of rows."""

    def params(count):
        made = {k: f(count) if callable(f) else f for k, f in changes.items()}
        return {**eqn.params, **made}

    return params


def _put(sizes, axis, count):
    return (*sizes[:axis], count, *sizes[axis + 1 :])


def _common(axes):
    """The axis along which all operands that have rows have them, or None."""
    found = {a for a in axes if a is not None}
    return found.pop() if len(found) == 1 else None


def _elementwise(eqn, axes, rows):
    axis = _common(axes)
    if axis is None:
        return None
    rank = max(len(v.aval.shape) for v in eqn.outvars)
    cut = {}
    for number, (var, known) in enumerate(zip(eqn.invars, axes, strict=True)):
        shape = getattr(var.aval, "shape", ())
        if known is not None and len(shape) != rank:
            return None  # A scalar of the batch meets arrays: another rule.
        if known is None and len(shape) > axis and shape[axis] == rows:
            cut[number] = axis
    return Kept((axis,) * len(eqn.outvars), _same(eqn), cut)


def _barrier(eqn, axes, rows):
    del rows
    if any(a is None for a in axes):
        return None
    return Kept(tuple(axes), _same(eqn))


def _broadcast_in_dim(eqn, axes, rows):
    shape, dims = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    axis = dims[axes[0]]
    if shape[axis] != rows or eqn.params["sharding"] is not None:
        return None
    return Kept((axis,), _with(eqn, shape=lambda n: _put(shape, axis, n)))


def _reshape(eqn, axes, rows):
    if eqn.params["dimensions"] is not None or eqn.params["sharding"] is not None:
        return None
    old, new = eqn.invars[0].aval.shape, eqn.params["new_sizes"]
    before = math.prod(old[: axes[0]])
    axis = next(
        (i for i, n in enumerate(new) if n == rows and math.prod(new[:i]) == before),
        None,
    )
    if axis is None:
        return None
    return Kept((axis,), _with(eqn, new_sizes=lambda n: _put(new, axis, n)))


def _squeeze(eqn, axes, rows):
    del rows
    gone = eqn.params["dimensions"]
    if axes[0] in gone:
        return None
    return Kept((axes[0] - sum(d < axes[0] for d in gone),), _same(eqn))


def _transpose(eqn, axes, rows):
    del rows
    return Kept((eqn.params["permutation"].index(axes[0]),), _same(eqn))


def _along(name):
    """The rule of an operation that works along the axes that a parameter names."""

    def rule(eqn, axes, rows):
        del rows
        named = eqn.params[name]
        named = named if isinstance(named, tuple | list) else (named,)
        axis = _common(axes)
        if axis is None or axis in named or None in axes:
            return None
        return Kept((axis,) * len(eqn.outvars), _same(eqn))

    return rule


def _reduce(eqn, axes, rows):
    del rows
    gone = eqn.params["axes"]
    if axes[0] in gone or eqn.params.get("out_sharding") is not None:
        return None
    return Kept((axes[0] - sum(d < axes[0] for d in gone),), _same(eqn))


def _concatenate(eqn, axes, rows):
    axis = _common(axes)
    if axis is None or axis == eqn.params["dimension"]:
        return None
    cut = {i: axis for i, a in enumerate(axes) if a is None}
    if any(eqn.invars[i].aval.shape[axis] != rows for i in cut):
        return None
    return Kept((axis,), _same(eqn), cut)


def _stack(eqn, axes, rows):
    axis = _common(axes)
    if axis is None:
        return None
    cut = {i: axis for i, a in enumerate(axes) if a is None}
    if eqn.invars[0].aval.shape[axis] != rows:
        return None
    return Kept((axis + int(axis >= eqn.params["axis"]),), _same(eqn), cut)


def _unstack(eqn, axes, rows):
    del rows
    if axes[0] == eqn.params["axis"]:
        return None
    out = axes[0] - int(axes[0] > eqn.params["axis"])
    return Kept((out,) * len(eqn.outvars), _same(eqn))


def _sort(eqn, axes, rows):
    axis = _common(axes)
    if axis is None or axis == eqn.params["dimension"]:
        return None
    cut = {i: axis for i, a in enumerate(axes) if a is None}
    if eqn.invars[0].aval.shape[axis] != rows:
        return None
    return Kept((axis,) * len(eqn.outvars), _same(eqn), cut)


def _window(eqn, axes, rows):
    """Windows of one row, without padding of rows."""
    del rows
    axis = axes[0]
    if axis is None or any(a is not None for a in axes[1:]):
        return None
    size, stride = eqn.params["window_dimensions"], eqn.params["window_strides"]
    is_plain = size[axis] == stride[axis] == 1 and all(
        eqn.params[name][axis] == plain
        for name, plain in (
            ("padding", (0, 0)),
            ("base_dilation", 1),
            ("window_dilation", 1),
        )
        if name in eqn.params
    )
    return Kept((axis,), _same(eqn)) if is_plain else None


def _split(eqn, axes, rows):
    del rows
    if axes[0] == eqn.params["axis"]:
        return None
    return Kept((axes[0],) * len(eqn.outvars), _same(eqn))


def _pad(eqn, axes, rows):
    del rows
    if axes[0] is None or axes[1] is not None:
        return None
    if tuple(eqn.params["padding_config"][axes[0]]) != (0, 0, 0):
        return None
    return Kept((axes[0],), _same(eqn))


def _slice(eqn, axes, rows):
    axis = axes[0]
    starts, limits = eqn.params["start_indices"], eqn.params["limit_indices"]
    strides = eqn.params["strides"]
    if starts[axis] != 0 or limits[axis] != rows or (strides and strides[axis] != 1):
        return None
    return Kept((axis,), _with(eqn, limit_indices=lambda n: _put(limits, axis, n)))


def _dynamic_slice(eqn, axes, rows):
    sizes = eqn.params["slice_sizes"]
    axis = axes[0]
    if axis is None or any(a is not None for a in axes[1:]) or sizes[axis] != rows:
        return None
    return Kept((axis,), _with(eqn, slice_sizes=lambda n: _put(sizes, axis, n)))


def _dynamic_update_slice(eqn, axes, rows):
    axis = _common(axes[:2])
    if axis is None or any(a is not None for a in axes[2:]):
        return None
    cut = {i: axis for i in (0, 1) if axes[i] is None}
    if any(v.aval.shape[axis] != rows for v in eqn.invars[:2]):
        return None
    return Kept((axis,), _same(eqn), cut)


def _dot_general(eqn, axes, rows):
    sums, batches = eqn.params["dimension_numbers"]
    if eqn.params.get("out_sharding") is not None:
        return None
    ranks = [len(v.aval.shape) for v in eqn.invars]
    for this, other in ((0, 1), (1, 0)):
        axis = axes[this]
        if axis is None:
            continue
        if axis in sums[this]:
            return None
        if axis in batches[this]:
            position = list(batches[this]).index(axis)
            theirs = batches[other][position]
            if axes[other] is None:
                del rows
                return Kept((position,), _same(eqn), {other: theirs})
            return Kept((position,), _same(eqn)) if axes[other] == theirs else None
        if axes[other] is not None:
            return None  # Each row of one meets each row of the other.
        free = [
            i
            for i in range(ranks[this])
            if i not in sums[this] and i not in batches[this]
        ]
        position = len(batches[0]) + free.index(axis)
        if this == 1:
            position += ranks[0] - len(sums[0]) - len(batches[0])
        return Kept((position,), _same(eqn))
    return None


def _convolution(eqn, axes, rows):
    del rows
    numbers = eqn.params["dimension_numbers"]
    if axes[1] is not None or eqn.params["batch_group_count"] != 1:
        return None
    if axes[0] != numbers.lhs_spec[0]:
        return None
    return Kept((numbers.out_spec[0],), _same(eqn))


def _gather(eqn, axes, rows):
    numbers = eqn.params["dimension_numbers"]
    sizes = eqn.params["slice_sizes"]
    operand, indices = axes
    rank = len(eqn.outvars[0].aval.shape)
    offsets = numbers.offset_dims
    free = [i for i in range(rank) if i not in offsets]
    if operand is None:
        if indices == len(eqn.invars[1].aval.shape) - 1:
            return None
        batching = numbers.start_indices_batching_dims
        if indices in batching:
            theirs = numbers.operand_batching_dims[list(batching).index(indices)]
            return Kept((free[indices],), _same(eqn), {0: theirs})
        return Kept((free[indices],), _same(eqn))
    if operand in numbers.operand_batching_dims:
        position = list(numbers.operand_batching_dims).index(operand)
        theirs = numbers.start_indices_batching_dims[position]
        if indices is None:
            return Kept((free[theirs],), _same(eqn), {1: theirs})
        return Kept((free[theirs],), _same(eqn)) if indices == theirs else None
    is_whole = sizes[operand] == rows and operand not in numbers.start_index_map
    if indices is not None or not is_whole or operand in numbers.collapsed_slice_dims:
        return None
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    windows = [i for i in range(len(sizes)) if i not in gone]
    position = sorted(offsets)[windows.index(operand)]
    return Kept((position,), _with(eqn, slice_sizes=lambda n: _put(sizes, operand, n)))


def _scatter(eqn, axes, rows):
    """Scatters in which the rows are a batch, or have an axis of whole windows."""
    if len(axes) != 3 or eqn.params.get("update_consts"):
        return None
    for wanted in _scattered(eqn):
        fits = all(a in (None, w) for a, w in zip(axes, wanted, strict=True))
        has_rows = all(
            w is None or eqn.invars[i].aval.shape[w] == rows
            for i, w in enumerate(wanted)
        )
        if fits and has_rows:
            cut = {
                i: w
                for i, (a, w) in enumerate(zip(axes, wanted, strict=True))
                if a is None and w is not None
            }
            return Kept((wanted[0],), _same(eqn), cut)
    return None


def _scattered(eqn):
    """Axes of the operand, the indices and the updates that may hold the same rows."""
    numbers = eqn.params["dimension_numbers"]
    operand, _, updates = (v.aval.shape for v in eqn.invars)
    windows = numbers.update_window_dims
    free = [i for i in range(len(updates)) if i not in windows]
    batching = numbers.operand_batching_dims
    for axis, indices in zip(
        batching, numbers.scatter_indices_batching_dims, strict=True
    ):
        yield axis, indices, free[indices]
    gone = {*numbers.inserted_window_dims, *batching}
    whole = [i for i in range(len(operand)) if i not in gone]
    for axis, update in zip(whole, sorted(windows), strict=True):
        if axis not in numbers.scatter_dims_to_operand_dims:
            yield axis, None, update


def _of_matrices(eqn, axes, rows):
    """Operations on the matrices in the last two axes."""
    del rows
    axis = _common(axes)
    if axis is None or None in axes:
        return None
    if any(axis >= len(v.aval.shape) - 2 for v in eqn.invars):
        return None
    if any(axis >= len(v.aval.shape) for v in eqn.outvars):
        return None
    return Kept((axis,) * len(eqn.outvars), _same(eqn))


def _of_vectors(eqn, axes, rows):
    """Operations on the vectors in the last axis."""
    del rows
    if axes[0] is None or axes[0] >= len(eqn.invars[0].aval.shape) - 1:
        return None
    return Kept((axes[0],), _same(eqn))


def _fft(eqn, axes, rows):
    del rows
    if axes[0] >= len(eqn.invars[0].aval.shape) - len(eqn.params["fft_lengths"]):
        return None
    return Kept((axes[0],), _same(eqn))


_reductions = dict.fromkeys(
    """
    reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or reduce_xor argmax argmin
    """.split(),
    _reduce,
)
_matrices = dict.fromkeys(
    "cholesky lu qr geqrf householder_product eigh triangular_solve".split(),
    _of_matrices,
)
_more_elementwise = dict.fromkeys(
    """
    copy copy_p name stop_gradient conj reduce_precision threefry2x32 add_any nextafter
    """.split(),
    _elementwise,
)
_sums = dict.fromkeys(
    "cumsum cumprod cummax cummin cumlogsumexp".split(), _along("axis")
)
_scatters = dict.fromkeys(
    "scatter scatter-add scatter-mul scatter-min scatter-max scatter_add scatter_mul".split(),
    _scatter,
)
_windows = dict.fromkeys(
    """
    reduce_window_sum reduce_window_max reduce_window_min
    """.split(),
    _window,
)
_RULES: dict[str, Callable[[Any, Axes, int], Kept | None]] = {
    **_reductions,
    **_matrices,
    **_more_elementwise,
    **_sums,
    **_scatters,
    **_windows,
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "transpose": _transpose,
    "rev": _along("dimensions"),
    "sort": _sort,
    "stack": _stack,
    "unstack": _unstack,
    "top_k": _along("axis"),
    "concatenate": _concatenate,
    "split": _split,
    "pad": _pad,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "dot_general": _dot_general,
    "conv_general_dilated": _convolution,
    "gather": _gather,
    "fft": _fft,
    "lu_pivots_to_permutation": _of_vectors,
    "optimization_barrier": _barrier,
}


def rule_of(eqn: jaxpr_lib.JaxprEqn) -> Callable[[Any, Axes, int], Kept | None] | None:
    """The rule of an equation, or None: rows may meet in it."""
    if eqn.effects:
        return None
    found = _RULES.get(eqn.primitive.name)
    if found is None and Trait.ELEMENTWISE in eqn.primitive.traits:
        return _elementwise
    return found
