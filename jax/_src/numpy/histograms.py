"""How often numbers occur, and how many fall into bins: bincount, histogram, digitize."""

from __future__ import annotations

import functools as ft
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import state
from jax._src.lax import mesh_modes
from jax._src.numpy import (
    creation,
    joining_splitting,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    ranges,
    reductions,
    reshaping,
    selection,
    sorting,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.sorting import searchsorted

Array = Any
ArrayLike = Any


def bincount(
    x: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """How often each whole number from 0 on occurs.

    Args:
        x: vector of integers; negative ones count as 0.
        weights: what each occurrence counts; default: 1.
        minlength: the least length of the result.
        length: the length of the result, needed when `x` is traced.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: `x` is no array of integers. ValueError: it is no vector.

    Examples:
        >>> jnp.bincount(jnp.array([0, 1, 1, 3]), length=4)
        Array([1, 2, 0, 1], dtype=int32)
    """
    if out_sharding is not None:
        return operands.placed(
            bincount, out_sharding, x, weights, minlength, length=length
        )
    x = operands.ensure_arraylike("bincount", x)
    if operands.kind_of(x) not in "iub":
        raise operands.type_error(
            "bincount", "`x` is not of integers.", [("x", operands.type_name(x))]
        )
    if operands.ndim(x) != 1:
        raise operands.value_error(
            "bincount", "`x` is not a vector.", [("x", operands.type_name(x))]
        )
    if minlength < 0:
        raise ValueError(f"jnp.bincount: minlength={minlength} is negative.")
    if length is None:
        values = operands.concrete("bincount", "x", x)
        length = max(minlength, int(values.max()) + 1 if values.size else 0)
    return _occurrences(x, weights, length)


@ft.partial(jit, static_argnums=(2,))
def _occurrences(x, weights, length):
    """What the occurrences of each number below `length` count together."""
    counted = creation.ones_like(x, dtype=int) if weights is None else weights
    counted = operands.ensure_arraylike("bincount", counted)
    if operands.shape(counted) != operands.shape(x):
        raise ValueError("jnp.bincount: the weights have another shape than `x`.")
    bin_numbers = selection.clip(operands.convert(x, np.int32), 0, None)
    return _totals([bin_numbers], [length], counted)


def histogram_bin_edges(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
) -> Array:
    """The edges of the bins that `jax.numpy.histogram` would use.

    Args:
        a: array.
        bins: the number of bins, or their edges.
        range: the lowest and highest edge; default: those of `a`.
        weights: take part in the dtype alone.

    Returns:
        Vector of floats, one longer than there are bins.

    Raises:
        TypeError: `bins` is a string or a fraction, or `a` no array. ValueError: `range`
            is no pair.
    """
    if isinstance(bins, str):
        raise TypeError("jnp.histogram_bin_edges: bins= cannot be a string.")
    a, bins = operands.ensure_arraylike("histogram_bin_edges", a, bins)
    ends = None if range is None else _ends(range)
    if operands.ndim(bins):
        flat = _counted_together("histogram_bin_edges", a, weights)[0]
        return operands.convert(bins, operands.dtype_of(flat))
    count = operands.whole_number("histogram", "bins", bins)
    return _even_edges(a, weights, ends, count)


@ft.partial(jit, static_argnums=(3,))
def _even_edges(a, weights, ends, count):
    """The edges of `count` bins of one width, from the least to the largest element unless `ends` are given."""
    flat = _counted_together("histogram_bin_edges", a, weights)[0]
    if ends is None:
        empty = not operands.size(flat)
        low = 0.0 if empty else reductions.min(flat)
        high = 1.0 if empty else reductions.max(flat)
    else:
        low, high = ends
    low, high = (operands.convert(v, operands.dtype_of(flat)) for v in (low, high))
    is_flat = low == high
    low = selection.where(is_flat, low - 0.5, low)
    high = selection.where(is_flat, high + 0.5, high)
    return ranges.linspace(low, high, count + 1, dtype=operands.dtype_of(flat))


def _ends(range):
    try:
        low, high = range
    except (TypeError, ValueError):
        raise operands.value_error(
            "histogram",
            "`range` is no pair of numbers.",
            [("range", repr(range))],
            "It holds the lowest and the highest edge.",
        ) from None
    return low, high


def _counted_together(name, a, weights):
    """The elements, flat, at the dtype that they have in common with their weights."""
    if weights is None:
        return operands.promote_dtypes_inexact(
            reshaping.ravel(operands.ensure_arraylike(name, a))
        )
    return [
        reshaping.ravel(x)
        for x in operands.promote_dtypes_inexact(
            *operands.ensure_arraylike(name, a, weights)
        )
    ]


def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
    out_sharding: Any = None,
) -> tuple[Array, Array]:
    """How many elements fall into each bin, and the edges of the bins.

    Args:
        a: array.
        bins: the number of bins, or their edges; the last bin includes its end.
        range: the lowest and highest edge; default: those of `a`.
        weights: what each element counts; default: 1.
        density: whether to divide so that the integral is 1.
        out_sharding: of the counts, over Explicit mesh axes.

    Returns:
        Two vectors of floats: counts, and one edge more.

    Raises:
        TypeError: `bins` is a string, or `a` no array. ValueError: `bins` has two axes,
            or the weights do not fit.

    Examples:
        >>> jnp.histogram(jnp.array([0.5, 1.5, 1.7, 2.5]), bins=3, range=(0, 3))[0]
        Array([1., 2., 1.], dtype=float32)
    """
    edges = histogram_bin_edges(a, bins, range, weights)
    totals = _counts(a, edges, weights)
    if out_sharding is not None:
        totals = mesh_modes.reshard(totals, out_sharding)
    if density:
        totals = totals / (edges[1:] - edges[:-1]) / reductions.sum(totals)
    return totals, edges


@jit
def _counts(a, edges, weights):
    """What the elements in each bin of a histogram count together."""
    a, *given = _counted_together("histogram", a, weights)
    counted = (
        given[0] if given else creation.ones_like(a, dtype=operands.dtype_of(edges))
    )
    return _totals([_bins_of(a, edges)], [operands.size(edges) - 1], counted)


def _bins_of(x, edges):
    """The bin of each element; one past the last if it is outside."""
    (x,) = operands.promote_dtypes_inexact(x)
    count = operands.size(edges) - 1
    bin_numbers = sorting.searchsorted(edges, x, side="right") - 1
    bin_numbers = selection.where(x == edges[-1], count - 1, bin_numbers)
    return selection.where(bin_numbers < 0, count, bin_numbers)


def _totals(bin_numbers, counts, counted):
    """What the elements in each bin count together; those outside count nowhere."""
    zeros = creation.zeros(tuple(counts), operands.dtype_of(counted))
    with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
        return zeros.at[tuple(bin_numbers)].add(counted, mode="drop")


def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, list[Array]]:
    """How many points fall into each cell of a grid, and the edges along each axis.

    Args:
        sample: matrix with one point in each row.
        bins: the number of bins or their edges, for all axes or one for each.
        range: for each axis, the lowest and highest edge, or None.
        weights: what each point counts; default: 1.
        density: whether to divide so that the integral is 1.

    Returns:
        An array with one axis for each coordinate, and a list of edges.

    Raises:
        ValueError: `bins` or `range` has not one entry per coordinate.
        TypeError: `sample` is no array or number.
    """
    sample = operands.ensure_arraylike("histogramdd", sample)
    if operands.ndim(sample) != 2:
        raise operands.value_error(
            "histogramdd",
            "the sample is no matrix.",
            [("sample", operands.type_name(sample))],
            "Each row is a point.",
            "A sequence of coordinates: jnp.stack(xs, axis=-1).",
        )
    columns = [sample[:, i] for i in np.arange(operands.shape(sample)[1])]
    each = _one_for_each("bins", bins, columns)
    ranges = [None] * len(columns) if range is None else list(range)
    if len(ranges) != len(columns) or any(
        r is not None and len(r) != 2 for r in ranges
    ):
        raise operands.value_error(
            "histogramdd",
            "`range` has not one pair per coordinate.",
            [("sample", operands.type_name(sample)), ("range", repr(range))],
            "Each entry is a pair of edges, or None.",
        )
    edges = [
        histogram_bin_edges(x, b, r)
        for x, b, r in zip(columns, each, ranges, strict=True)
    ]
    if weights is None:
        counted = creation.ones(operands.shape(sample)[0], dtype=int)
    else:
        counted = operands.ensure_arraylike("histogramdd", weights)
        if operands.shape(counted) != operands.shape(sample)[:1]:
            raise operands.value_error(
                "histogramdd",
                "there is not one weight per point.",
                [
                    ("sample", operands.type_name(sample)),
                    ("weights", operands.type_name(counted)),
                ],
            )
    bin_numbers = [_bins_of(x, e) for x, e in zip(columns, edges, strict=True)]
    totals = _totals(bin_numbers, [operands.size(e) - 1 for e in edges], counted)
    if density:
        volumes = creation.ones(())
        for e in edges:
            volumes = volumes[..., None] * (e[1:] - e[:-1])
        totals = totals / reductions.sum(totals) / volumes
    return totals, edges


def _one_for_each(name, given, columns):
    if operands.is_arraylike(given) and operands.ndim(given) == 0:
        return [given] * len(columns)
    entries = list(given)
    if len(entries) != len(columns):
        raise operands.value_error(
            "histogramdd",
            f"`{name}` has not one entry per coordinate.",
            [(name, str(len(entries))), ("coordinates", str(len(columns)))],
        )
    return entries


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array, Array]:
    """How many points of a plane fall into each cell, and the edges along both axes.

    Args:
        x: vector of first coordinates.
        y: vector of second coordinates.
        bins: the number of bins or their edges, for both axes or a pair.
        range: for each axis, the lowest and highest edge, or None.
        weights: what each point counts; default: 1.
        density: whether to divide so that the integral is 1.

    Returns:
        Matrix of counts, integers without weights and density, and two vectors of
        floats.

    Raises:
        ValueError: `x` and `y` are no vectors of one length.
        TypeError: `x` or `y` is no array or number.
    """
    x, y = operands.ensure_arraylike("histogram2d", x, y)
    is_pair = isinstance(bins, (list, tuple)) and len(bins) == 2
    if not is_pair and not (operands.is_arraylike(bins) and operands.ndim(bins) == 0):
        bins = [creation.asarray(bins)] * 2
    totals, (x_edges, y_edges) = histogramdd(
        joining_splitting.stack([x, y], axis=-1), bins, range, weights, density
    )
    return totals, x_edges, y_edges


@ft.partial(jit, static_argnames=("right", "method"))
def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> Array:
    """The bin that each element falls in.

    Args:
        x: array.
        bins: monotonic edges.
        right: whether a bin includes its right edge instead of the left one.
        method: see `jax.numpy.searchsorted`.

    Returns:
        Array of the shape of `x`, of the default integer dtype; 0 and ``len(bins)`` are
        outside.

    Raises:
        ValueError: `bins` is no vector.
        TypeError: `x` or `bins` is no array or number.
    """
    x, bins = operands.ensure_arraylike("digitize", x, bins)
    if operands.ndim(bins) != 1:
        raise operands.value_error(
            "digitize", "`bins` is not a vector.", [("bins", operands.type_name(bins))]
        )
    if not operands.size(bins):
        return lax.full(operands.shape(x), 0, np.dtype(np.int32))
    side = "left" if right else "right"
    method = method or "scan"
    rising = searchsorted(bins, x, side=side, method=method)
    falling = lax.sub(
        np.int32(operands.size(bins)),
        searchsorted(lax.rev(bins, (0,)), x, side=side, method=method),
    )
    first = lax.index_in_dim(bins, 0, keepdims=False)
    last = lax.index_in_dim(bins, operands.size(bins) - 1, keepdims=False)
    is_falling = operands.broadcast_to(lax.gt(first, last), operands.shape(x))
    return lax.select(*lax.alike("digitize", is_falling, falling, rising))


traceback_filter.hide_frames(globals())
