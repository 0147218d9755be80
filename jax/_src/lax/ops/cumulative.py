"""Running sums, products and extremes along an axis."""

from collections.abc import Callable, Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import avals
from jax._src.core.primitive import Sample, Trait, declare_table
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import add, max, min, mul
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.checks import INEXACT, NUMBER, ceil_div, check_kind, int_tuple
from jax._src.lax.ops.creation import scalar_like
from jax._src.lax.ops.exponential import log_of_sum
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reductions import greatest, least
from jax._src.lax.ops.reshaping import counting, reshape, rev
from jax._src.lax.ops.scatter import update_program
from jax._src.lax.ops.slicing_padding import pad, slice_in_dim
from jax._src.lax.ops.windows import (
    reduce_window_max_p,
    reduce_window_min_p,
    reduce_window_p,
    reduce_window_sum_p,
)

# Blocks of this many elements are folded directly: their work is quadratic in it.
_BLOCK = 32


def scan_in_pairs(fun: Callable, arrays: Sequence, axis: int) -> list:
    """Running results of an associative function, in a logarithmic number of rounds.

    Args:
        fun: from two lists of arrays to one; associative along `axis`.
        arrays: arrays with the same size along `axis`.
        axis: the axis.

    Returns:
        Arrays whose index `i` holds the result for the indices 0 to `i`.

    Method: G. E. Blelloch, Prefix sums and their applications, 1990: join neighbours,
    scan the halves, fill in the indices between.
    """
    arrays = list(arrays)
    size = np.shape(arrays[0])[axis]
    if size < 2:
        return arrays

    def every_other(values, start, stop=None):
        return [slice_in_dim(x, start, stop, 2, axis) for x in values]

    pairs = fun(every_other(arrays, 0, size - 1), every_other(arrays, 1))
    odd = scan_in_pairs(fun, pairs, axis)
    before = odd if size % 2 else [slice_in_dim(x, 0, -1, 1, axis) for x in odd]
    even = fun(before, every_other(arrays, 2))
    return [_in_turn(*parts, axis) for parts in zip(arrays, odd, even, strict=True)]


def _in_turn(x, odd, even, axis):
    """The first element of `x`, then those of `odd` and `even` in turn, along an axis.

    Pairs side by side are written as vectors; elements that are chosen by their index's
    remainder are not.
    """
    count = np.shape(even)[axis]
    before, after = np.shape(even)[:axis], np.shape(even)[axis + 1 :]
    beside = [
        reshape(slice_in_dim(v, 0, count, 1, axis), (*before, count, 1, *after))
        for v in (odd, even)
    ]
    pairs = reshape(concatenate(beside, axis + 1), (*before, 2 * count, *after))
    parts = [slice_in_dim(x, 0, 1, 1, axis), pairs]
    if np.shape(odd)[axis] > count:
        parts.append(slice_in_dim(odd, count, None, 1, axis))
    return concatenate(parts, axis)


_SAMPLES = [
    Sample((x,), {"axis": axis, "reverse": reverse})
    for x, axis, reverse in [
        (np.float32([0.5, -1.25, 2.0, 0.75, 3.0]), 0, False),
        (np.float32([0.5, -1.25, 2.0, 0.75, 3.0]), 0, True),
        (np.sin(counting(2, 5)), 1, False),
        (np.sin(counting(70)) + 1.5, 0, False),
        (np.sin(counting(70)) + 1.5, 0, True),
    ]
]


def _cumulative(name, accepts, join, identity, window_fold, reference, doc, **rules):
    def types(x, *, axis, reverse):
        check_kind(name, x, accepts)
        facts = lambda: [("operand", x.str_short()), ("axis", axis)]
        if axis < 0:
            raise value_error(
                f"lax.{name}: XLA operations do not allow negative axes, got {axis}.",
                facts,
                "Functions of jax.lax count axes from 0.",
                f"Negative axes are counted by jnp.{name}.",
            )
        if axis >= x.ndim:
            raise value_error(
                f"lax.{name}: axis {axis} is out of bounds for array of shape {x.shape}",
                facts,
                f"The operand has {x.ndim} axes, counted from 0.",
            )
        return x

    def batch(axis_data, args, dims, *, axis, reverse):
        (x,), (dim,) = args, dims
        return primitive.bind(x, axis=axis + (axis >= dim), reverse=reverse), dim

    def in_pairs(x, *, axis, reverse):
        return _in_pairs(join, identity, x, axis, reverse)

    def decompose(x, *, axis, reverse):
        if window_fold is None:
            return in_pairs(x, axis=axis, reverse=reverse)
        return _by_blocks(x, axis, reverse, join, identity, window_fold)

    def jvp_all(primals, tangents, **params):
        if type(tangents[0]) is ad.Zero:
            return primitive.bind(*primals, **params), tangents[0]
        outs, moved = ad.jvp(lambda x: [in_pairs(x, **params)], primals, tangents)
        return outs[0], moved[0]

    def reference_rule(x, *, axis, reverse):
        x = np.flip(x, axis) if reverse else x
        with np.errstate(all="ignore"):
            out = reference(x, axis).astype(x.dtype)
        return np.flip(out, axis) if reverse else out

    def sharding(x, *, axis, **params):
        splitting.whole_along(name, x, [axis])
        return splitting.entries(x)

    table = {
        "types": types,
        "sharding": sharding,
        "batch": batch,
        "decompose": decompose,
        "reference": reference_rule,
        "samples": _SAMPLES,
        "ulp": 64,
        **({} if "transpose" in rules else {"jvp_all": jvp_all}),
        **rules,
    }
    traits = Trait.LINEAR if "transpose" in rules else Trait.NONE
    primitive = declare_table(name, table, traits=traits, doc=doc)

    def function(operand, axis=0, reverse=False):
        (axis,) = int_tuple((axis,))
        return primitive.bind(operand, axis=axis, reverse=bool(reverse))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\nArgs:\n    operand: array of {accepts.describe()} dtype with at least "
        "one axis.\n    axis: the axis, counted from 0.\n"
        "    reverse: whether to run backwards.\n\nReturns:\n"
        "    Array of the same shape and dtype.\n\nRaises:\n    TypeError: the dtype is "
        "another. ValueError: the axis is negative or out of bounds.\n"
    )
    return primitive, function


def _by_blocks(x, axis, reverse, join, identity, window_fold):
    """Folds short blocks directly, and their totals in the same way."""
    shape = np.shape(x)
    size = shape[axis]
    if type(size) is not int or size <= _BLOCK:
        return window_fold(x, axis, reverse)
    count = ceil_div(size, _BLOCK)
    start = identity(np.dtype(x.dtype))[()]
    nothing = [(0, 0, 0)] * len(shape)
    filled = list(nothing)
    filled[axis] = (0, count * _BLOCK - size, 0)
    blocks = reshape(
        pad(x, start, filled), (*shape[:axis], count, _BLOCK, *shape[axis + 1 :])
    )
    inner = window_fold(blocks, axis + 1, reverse)
    last = 0 if reverse else _BLOCK - 1
    totals = reshape(
        slice_in_dim(inner, last, last + 1, 1, axis + 1),
        (*shape[:axis], count, *shape[axis + 1 :]),
    )
    running = _by_blocks(totals, axis, reverse, join, identity, window_fold)
    # Each block starts from the total of those before it.
    shift = list(nothing)
    shift[axis] = (-1, 1, 0) if reverse else (1, -1, 0)
    before = pad(running, start, shift)
    kept = [i for i in range(len(shape) + 1) if i != axis + 1]
    spread = broadcast_in_dim(before, np.shape(inner), kept)
    joined = join(inner, spread) if reverse else join(spread, inner)
    whole = reshape(joined, (*shape[:axis], count * _BLOCK, *shape[axis + 1 :]))
    return slice_in_dim(whole, 0, size, 1, axis)


def _window(x, axis, reverse):
    shape = np.shape(x)
    ones, reach = [1] * len(shape), [1] * len(shape)
    padding = [(0, 0)] * len(shape)
    size = shape[axis]
    if size:
        reach[axis] = size
        padding[axis] = (0, size - 1) if reverse else (size - 1, 0)
    return {
        "window_dimensions": tuple(reach),
        "window_strides": tuple(ones),
        "padding": tuple(padding),
        "base_dilation": tuple(ones),
        "window_dilation": tuple(ones),
    }


def _fold_with(primitive):
    return lambda x, axis, reverse: primitive.bind(x, **_window(x, axis, reverse))


def _fold_product(x, axis, reverse):
    program = update_program("scatter-mul", np.dtype(x.dtype))
    (out,) = reduce_window_p.bind(
        x, scalar_like(x, 1), jaxpr=program, consts=(), **_window(x, axis, reverse)
    )
    return out


def _in_pairs(join, identity, x, axis, reverse):
    if type(np.shape(x)[axis]) is not int:
        return _fold_by(join, identity, x, axis, reverse)
    x = rev(x, (axis,)) if reverse else x
    (out,) = scan_in_pairs(lambda a, b: [join(a[0], b[0])], [x], axis)
    return rev(out, (axis,)) if reverse else out


def _fold_by(join, identity, x, axis, reverse):
    """Windows that grow: for sizes that are not known, where pairs cannot be made."""
    dtype = np.dtype(x.dtype)
    scalar = avals.ShapedArray((), dtype)
    program, consts = pe.trace_to_jaxpr(lambda a, b: [join(a, b)], [scalar, scalar])
    (out,) = reduce_window_p.bind(
        x,
        identity(dtype)[()],
        jaxpr=program,
        consts=tuple(consts),
        **_window(x, axis, reverse),
    )
    return out


def _log_of_sums_reference(x, axis):
    if np.iscomplexobj(x):
        return np.log(np.cumsum(np.exp(x.astype(np.complex128)), axis))
    return np.logaddexp.accumulate(x, axis)


cumsum_p, cumsum = _cumulative(
    "cumsum",
    NUMBER,
    add,
    lambda dtype: np.zeros((), dtype),
    _fold_with(reduce_window_sum_p),
    np.cumsum,
    "Running sums along an axis.",
    transpose=lambda ct, x, *, axis, reverse: [cumsum(ct, axis, not reverse)],
)
cumprod_p, cumprod = _cumulative(
    "cumprod",
    NUMBER,
    mul,
    lambda dtype: np.ones((), dtype),
    _fold_product,
    np.cumprod,
    "Running products along an axis.",
)
cummax_p, cummax = _cumulative(
    "cummax",
    NUMBER,
    max,
    least,
    _fold_with(reduce_window_max_p),
    np.maximum.accumulate,
    "Running maxima along an axis.",
)
cummin_p, cummin = _cumulative(
    "cummin",
    NUMBER,
    min,
    greatest,
    _fold_with(reduce_window_min_p),
    np.minimum.accumulate,
    "Running minima along an axis.",
)
cumlogsumexp_p, cumlogsumexp = _cumulative(
    "cumlogsumexp",
    INEXACT,
    log_of_sum,
    least,
    None,
    _log_of_sums_reference,
    "Running logarithms of sums of exponentials along an axis.",
    samples=[
        *_SAMPLES,
        Sample((np.float32([-np.inf, 1.0, 1.0]),), {"axis": 0, "reverse": False}),
        Sample((np.complex64([1 + 2j, 0.5 - 1j, 2.0]),), {"axis": 0, "reverse": False}),
    ],
)


traceback_filter.hide_frames(globals())
