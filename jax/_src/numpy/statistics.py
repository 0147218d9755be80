"""Order statistics, NaN-ignoring reductions, histograms, covariance."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.numpy import (
    creation,
    elementwise,
    joining,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reductions,
    selecting,
    shaping,
    sorting,
)
from jax._src.numpy.compiled import jit

Array = op.Array
ArrayLike = op.ArrayLike
_reduction = ft.partial(jit, static_argnames=("axis", "dtype", "keepdims", "ddof"))


# ---------------------------------------------------------------- ignoring NaN


def _numbers_only(name, a, neutral):
    """The array with NaN replaced, and the mask of what was a number."""
    a = op.ensure_arraylike(name, a)
    is_number = elementwise.logical_not(elementwise.isnan(a))
    if op.kind_of(a) not in "fc":
        return op.strong(a), is_number
    return op.strong(selecting.where(is_number, a, neutral)), is_number


def _all_missing(is_number, axis, keepdims, where):
    if where is not None:
        is_number = is_number & where
    return elementwise.logical_not(
        reductions.any(is_number, axis=axis, keepdims=keepdims)
    )


def _nan_extreme(name, a, axis, keepdims, initial, where, reduce, neutral):
    filled, is_number = _numbers_only(name, a, neutral)
    result = reduce(filled, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if initial is not None or op.kind_of(filled) not in "fc":
        return result
    return selecting.where(
        _all_missing(is_number, axis, keepdims, where), np.nan, result
    )


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def nanmax(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element that is no NaN; arguments as for `jax.numpy.max`."""
    op.refuse_out("nanmax", out)
    return _nan_extreme(
        "nanmax", a, axis, keepdims, initial, where, reductions.max, -np.inf
    )


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def nanmin(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element that is no NaN; arguments as for `jax.numpy.max`."""
    op.refuse_out("nanmin", out)
    return _nan_extreme(
        "nanmin", a, axis, keepdims, initial, where, reductions.min, np.inf
    )


@_reduction
def nansum(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The sum of elements that are no NaN; arguments as for `jax.numpy.sum`."""
    op.refuse_out("nansum", out)
    filled, _ = _numbers_only("nansum", a, 0)
    return reductions.sum(
        filled, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
    )


@_reduction
def nanprod(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The product of elements that are no NaN; arguments as for `jax.numpy.sum`."""
    op.refuse_out("nanprod", out)
    filled, _ = _numbers_only("nanprod", a, 1)
    return reductions.prod(
        filled, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
    )


@_reduction
def nanmean(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Array:
    """The mean of elements that are no NaN; arguments as for `jax.numpy.mean`."""
    op.refuse_out("nanmean", out)
    filled, is_number = _numbers_only("nanmean", a, 0)
    if op.kind_of(filled) not in "fc":
        return reductions.mean(filled, axis, dtype, keepdims=keepdims, where=where)
    mask = is_number if where is None else is_number & where
    return reductions.mean(filled, axis, dtype, keepdims=keepdims, where=mask)


@_reduction
def nanvar(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The variance of elements that are no NaN; arguments as for `jax.numpy.var`."""
    op.refuse_out("nanvar", out)
    filled, is_number = _numbers_only("nanvar", a, 0)
    mask = where
    if op.kind_of(filled) in "fc":
        mask = is_number if where is None else is_number & where
    return reductions.var(
        filled, axis, dtype, ddof=ddof, keepdims=keepdims, where=mask, mean=mean
    )


@_reduction
def nanstd(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The root of `jax.numpy.nanvar`."""
    op.refuse_out("nanstd", out)
    return elementwise.sqrt(
        nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean)
    )


def _nan_index(name, a, axis, keepdims, find, neutral):
    filled, is_number = _numbers_only(name, a, neutral)
    index = find(filled, axis=axis, keepdims=keepdims)
    if op.kind_of(filled) not in "fc":
        return index
    return selecting.where(
        _all_missing(is_number, axis, bool(keepdims), None), -1, index
    )


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def nanargmax(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The index of the largest element that is no NaN; -1 where all are."""
    op.refuse_out("nanargmax", out)
    return _nan_index("nanargmax", a, axis, keepdims, reductions.argmax, -np.inf)


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def nanargmin(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The index of the smallest element that is no NaN; -1 where all are."""
    op.refuse_out("nanargmin", out)
    return _nan_index("nanargmin", a, axis, keepdims, reductions.argmin, np.inf)


# ---------------------------------------------------------------- quantiles

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    name, a, q, axis, out, overwrite_input, method, keepdims, weights, skip_nan
):
    op.refuse_out(name, out)
    if overwrite_input:
        raise ValueError(
            op.explain(
                name,
                "`overwrite_input` is not supported.",
                ways="Arrays do not change.",
            )
        )
    if weights is not None:
        raise NotImplementedError(f"jnp.{name}: `weights` is not supported yet.")
    if method not in _METHODS:
        raise ValueError(f"jnp.{name}: method={method!r} is none of {_METHODS}.")
    a, q = op.ensure_arraylike(name, a, q)
    if op.kind_of(a) == "c":
        raise ValueError(
            op.explain(name, "complex numbers have no order.", [("a", op.type_name(a))])
        )
    if op.ndim(q) > 1:
        raise ValueError(
            op.explain(name, "q has more than one axis.", [("q", op.type_name(q))])
        )
    return _quantile_of(a, q, axis, method, keepdims, skip_nan)


@ft.partial(jit, static_argnums=(2, 3, 4, 5))
def _quantile_of(a, q, axis, method, keepdims, skip_nan):
    a, q = op.promote_dtypes_inexact(a, q)
    rank = op.ndim(a)
    axes = op.canonical_axes("quantile", axis, rank)
    kept = tuple(i for i in range(rank) if i not in axes)
    flat = lax.transpose(a, (*kept, *axes))
    batch = tuple(op.shape(a)[i] for i in kept)
    count = op.size(a) // max(1, int(np.prod(batch, dtype=int))) if op.size(a) else 0
    flat = lax.reshape(flat, (*batch, count))
    if not count:
        return lax.full((*op.shape(q), *batch), np.nan, op.dtype_of(a))
    ordered = lax.sort(flat, dimension=len(batch))
    if skip_nan:
        counts = reductions.sum(
            elementwise.logical_not(elementwise.isnan(flat)),
            axis=-1,
            dtype=op.dtype_of(a),
        )
    else:
        has_nan = reductions.any(elementwise.isnan(flat), axis=-1, keepdims=True)
        ordered = selecting.where(has_nan, np.nan, ordered)
        counts = lax.full(batch, count, op.dtype_of(a))
    result = _pick(ordered, q, counts, method)
    if keepdims:
        positions = tuple(op.ndim(q) + i for i in axes)
        result = shaping.expand_dims(result, positions)
    return result


def _pick(ordered, q, counts, method):
    """The elements around each quantile, combined by the method."""
    q_shape = op.shape(q)
    q_wide = lax.reshape(q, q_shape + (1,) * op.ndim(counts))
    place = q_wide * (counts - 1)
    low = elementwise.floor(place)
    high = elementwise.ceil(place)
    high_share = place - low
    low_share = 1 - high_share
    largest = counts - 1
    low, high = (
        selecting.clip(
            selecting.clip(p, 0, None), None, selecting.clip(largest, 0, None)
        )
        for p in (low, high)
    )

    def at(places):
        index = op.convert(places, np.int32)
        spread = shaping.broadcast_to(ordered, (*q_shape, *op.shape(ordered)))
        return selecting.take_along_axis(
            spread, shaping.expand_dims(index, -1), -1, mode="clip"
        )[..., 0]

    low_value, high_value = at(low), at(high)
    if method == "linear":
        # The larger factor first keeps equal neighbours equal.
        return low_value * low_share + high_value * high_share
    if method == "lower":
        return low_value
    if method == "higher":
        return high_value
    if method == "midpoint":
        return (low_value + high_value) * 0.5
    takes_high = (high_share > 0.5) | ((high_share == 0.5) & (low % 2 == 1))
    return selecting.where(takes_high, high_value, low_value)


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """The value below which a share `q` of the elements lies.

    Args:
        a: array.
        q: shares from 0 to 1.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        overwrite_input: not supported.
        method: between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
            ``"midpoint"`` or ``"nearest"``.
        keepdims: whether reduced axes stay, with size 1.
        weights: not supported yet.

    Returns:
        Array whose first axes are those of `q`.
    """
    return _quantile(
        "quantile", a, q, axis, out, overwrite_input, method, keepdims, weights, False
    )


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """As `jax.numpy.quantile`, of the elements that are no NaN."""
    return _quantile(
        "nanquantile", a, q, axis, out, overwrite_input, method, keepdims, weights, True
    )


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    out_sharding: Any = None,
) -> Array:
    """As `jax.numpy.quantile`, with shares in percent."""
    op.refuse_sharding("percentile", out_sharding)
    (q,) = op.promote_args_inexact("percentile", q)
    return quantile(
        a, q / 100, axis, out, overwrite_input, method, keepdims, weights=weights
    )


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """As `jax.numpy.nanquantile`, with shares in percent."""
    (q,) = op.promote_args_inexact("nanpercentile", q)
    return nanquantile(
        a, q / 100, axis, out, overwrite_input, method, keepdims, weights=weights
    )


def median(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle element, or the mean of the two in the middle."""
    return quantile(a, 0.5, axis, out, overwrite_input, "midpoint", keepdims)


def nanmedian(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """As `jax.numpy.median`, of the elements that are no NaN."""
    return nanquantile(a, 0.5, axis, out, overwrite_input, "midpoint", keepdims)


# ---------------------------------------------------------------- counting


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
        out_sharding: not supported yet.

    Raises:
        TypeError: `x` is no array of integers. ValueError: it is no vector.
    """
    op.refuse_sharding("bincount", out_sharding)
    x = op.ensure_arraylike("bincount", x)
    if op.kind_of(x) not in "iub":
        raise TypeError(
            op.explain("bincount", "`x` is not of integers.", [("x", op.type_name(x))])
        )
    if op.ndim(x) != 1:
        raise ValueError(
            op.explain("bincount", "`x` is not a vector.", [("x", op.type_name(x))])
        )
    if minlength < 0:
        raise ValueError(f"jnp.bincount: minlength={minlength} is negative.")
    if length is None:
        if not op.known(x):
            x.__array__()  # Raises the error that explains tracing.
        values = np.asarray(x)
        length = max(minlength, int(values.max()) + 1 if values.size else 0)
    counted = creation.ones_like(x, dtype=int) if weights is None else weights
    counted = op.ensure_arraylike("bincount", counted)
    if op.shape(counted) != op.shape(x):
        raise ValueError("jnp.bincount: the weights have another shape than `x`.")
    zeros = creation.zeros(length, op.dtype_of(counted))
    return zeros.at[selecting.clip(op.convert(x, np.int32), 0, None)].add(
        counted, mode="drop"
    )


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
        weights: has no effect.
    """
    del weights
    if isinstance(bins, str):
        raise NotImplementedError("jnp.histogram_bin_edges: bins= cannot be a string.")
    a, bins = op.ensure_arraylike("histogram_bin_edges", a, bins)
    (flat,) = op.promote_dtypes_inexact(shaping.ravel(a))
    if op.ndim(bins):
        return op.convert(bins, op.dtype_of(flat))
    if range is None:
        empty = not op.size(flat)
        low = 0.0 if empty else reductions.min(flat)
        high = 1.0 if empty else reductions.max(flat)
    else:
        low, high = range
    low, high = (op.convert(v, op.dtype_of(flat)) for v in (low, high))
    is_flat = low == high
    low = selecting.where(is_flat, low - 0.5, low)
    high = selecting.where(is_flat, high + 0.5, high)
    return creation.linspace(low, high, int(bins) + 1, dtype=op.dtype_of(flat))


def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array]:
    """How many elements fall into each bin, and the edges of the bins.

    Args:
        a: array.
        bins: the number of bins, or their edges; the last bin includes its end.
        range: the lowest and highest edge; default: those of `a`.
        weights: what each element counts; default: 1.
        density: whether to divide so that the integral is 1.
    """
    edges = histogram_bin_edges(a, bins, range, weights)
    a = shaping.ravel(op.ensure_arraylike("histogram", a))
    if weights is None:
        counted = creation.ones_like(a, dtype=op.dtype_of(edges))
    else:
        counted = shaping.ravel(op.ensure_arraylike("histogram", weights))
    (a,) = op.promote_dtypes_inexact(a)
    count = op.size(edges) - 1
    places = sorting.searchsorted(edges, a, side="right") - 1
    places = selecting.where(a == edges[-1], count - 1, places)
    places = selecting.where(places < 0, count, places)
    totals = (
        creation.zeros(count, op.dtype_of(counted)).at[places].add(counted, mode="drop")
    )
    if density:
        widths = edges[1:] - edges[:-1]
        totals = totals / widths / reductions.sum(totals)
    return totals, edges


@ft.partial(jit, static_argnames=("rowvar", "bias", "ddof", "dtype"))
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: Any = None,
) -> Array:
    """The covariances of variables.

    Args:
        m: matrix of observations, or the vector of one variable.
        y: more variables of the same form.
        rowvar: whether each row is a variable, instead of each column.
        bias: whether to divide by the number of observations instead of one less.
        ddof: taken from that number; decides in place of `bias`.
        fweights: how often each observation counts.
        aweights: how much each observation weighs.
        dtype: the dtype of the result.
    """
    if y is not None:
        m, y = op.promote_args_inexact("cov", m, y)
        if op.ndim(y) > 2:
            raise ValueError("jnp.cov: y has more than two axes.")
    else:
        (m,) = op.promote_args_inexact("cov", m)
    if op.ndim(m) > 2:
        raise ValueError("jnp.cov: m has more than two axes.")
    x = _variables(m, rowvar)
    if y is not None:
        x = joining.concatenate(
            (x, _variables(y, rowvar and op.shape(y)[0] != 1)), axis=0
        )
    if dtype is not None:
        x = op.convert(x, op.user_dtype("cov", dtype))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(fweights, aweights, op.shape(x)[1])
    mean, total = reductions.average(x, axis=1, weights=weights, returned=True)
    total = total[0] if op.ndim(total) else total
    if weights is None:
        degrees = op.shape(x)[1] - ddof
    elif ddof == 0 or aweights is None:
        degrees = total - ddof
    else:
        degrees = total - ddof * reductions.sum(weights * aweights) / total
    centered = x - mean[:, None]
    right = centered if weights is None else centered * weights
    return shaping.squeeze((centered @ elementwise.conj(right.T)) / degrees)


def _variables(m, rowvar):
    x = shaping.atleast_2d(m)
    return x if rowvar or op.ndim(m) < 2 else x.T


def _weights(fweights, aweights, count):
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = op.ensure_arraylike("cov", given)
        if op.shape(given) != (count,):
            raise ValueError(
                op.explain(
                    "cov",
                    f"{name} has not one number per observation.",
                    [(name, op.type_name(given)), ("observations", str(count))],
                )
            )
        weights = given if weights is None else weights * given
    return weights


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: Any = None
) -> Array:
    """The correlations of variables; arguments as for `jax.numpy.cov`."""
    covariances = cov(x, y, rowvar, dtype=dtype)
    if not op.ndim(covariances):
        return covariances / covariances
    deviations = elementwise.sqrt(elementwise.real(covariances.diagonal()))
    result = covariances / deviations[:, None] / deviations[None, :]
    if op.kind_of(result) == "c":
        parts = (selecting.clip(p, -1, 1) for p in (result.real, result.imag))
        return lax.complex(*parts)
    return selecting.clip(result, -1, 1)


# ---------------------------------------------------------------- differences


@ft.partial(jit, static_argnames=("n", "axis"))
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Differences of neighbours along an axis.

    Args:
        a: array.
        n: how often to take differences.
        axis: the axis.
        prepend: values that come first.
        append: values that come last.
    """
    a = op.ensure_arraylike("diff", a)
    if n < 0:
        raise ValueError(f"jnp.diff: n={n} is negative.")
    if not op.ndim(a):
        raise ValueError(
            op.explain("diff", "a scalar has no neighbours.", [("a", op.type_name(a))])
        )
    if n == 0:
        return op.strong_like(a)
    axis = op.canonical_axis("diff", axis, op.ndim(a))
    parts = [_edge(prepend, a, axis), a, _edge(append, a, axis)]
    a = joining.concatenate([p for p in parts if p is not None], axis)
    for _ in range(n):
        length = op.shape(a)[axis]
        later = lax.slice_in_dim(a, min(1, length), length, axis=axis)
        earlier = lax.slice_in_dim(a, 0, max(0, length - 1), axis=axis)
        a = later != earlier if op.kind_of(a) == "b" else later - earlier
    return a


def _edge(value, a, axis):
    if value is None:
        return None
    value = op.ensure_arraylike("diff", value)
    if op.ndim(value):
        return value
    sizes = list(op.shape(a))
    sizes[axis] = 1
    return op.broadcast_to(value, tuple(sizes))


def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Differences of neighbours of the flattened array, with values before and after."""
    ary = shaping.ravel(op.ensure_arraylike("ediff1d", ary))
    parts = [ary[1:] - ary[:-1]]
    if to_begin is not None:
        parts.insert(0, op.convert(shaping.ravel(to_begin), op.dtype_of(ary)))
    if to_end is not None:
        parts.append(op.convert(shaping.ravel(to_end), op.dtype_of(ary)))
    return joining.concatenate(parts)


@jit
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: Any = None,
    right: Any = None,
    period: ArrayLike | None = None,
) -> Array:
    """Values between points, by straight lines.

    Args:
        x: where to evaluate.
        xp: ascending places of the points.
        fp: values there.
        left: the value before the first point; default: the first value.
        right: the value after the last point; default: the last value.
        period: the period of places; with it, `left` and `right` have no effect.
    """
    if op.shape(xp) != op.shape(fp) or op.ndim(xp) != 1:
        raise ValueError(
            op.explain(
                "interp",
                "xp and fp are not vectors of one size.",
                [("xp", op.type_name(xp)), ("fp", op.type_name(fp))],
            )
        )
    x, xp = op.promote_dtypes_inexact(*op.ensure_arraylike("interp", x, xp))
    (fp,) = op.promote_args_inexact("interp", fp)
    if period is not None:
        period = elementwise.absolute(period)
        x, xp = x % period, xp % period
        order = sorting.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = joining.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = joining.concatenate((fp[-1:], fp, fp[:1]))
    place = selecting.clip(
        sorting.searchsorted(xp, x, side="right"), 1, max(1, op.size(xp) - 1)
    )
    rise = fp[place] - fp[place - 1] if op.size(xp) > 1 else creation.zeros_like(x)
    run = xp[place] - xp[place - 1] if op.size(xp) > 1 else creation.ones_like(x)
    tiny = np.spacing(dtypes.finfo(op.dtype_of(xp)).eps)
    is_step = elementwise.absolute(run) <= tiny
    slope = selecting.where(is_step, 1, run)
    value = selecting.where(
        is_step, fp[place - 1], fp[place - 1] + (x - xp[place - 1]) / slope * rise
    )
    if period is None:
        value = selecting.where(x < xp[0], fp[0] if left is None else left, value)
        value = selecting.where(x > xp[-1], fp[-1] if right is None else right, value)
    return value


@ft.partial(jit, static_argnames=("axis",))
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral of values along an axis, by straight lines between them."""
    if x is None:
        (y,) = op.promote_args_inexact("trapezoid", y)
        steps = op.convert(dx, op.dtype_of(y))
    else:
        y, x = op.promote_args_inexact("trapezoid", y, x)
        steps = (
            diff(x)
            if op.ndim(x) == 1
            else shaping.moveaxis(diff(x, axis=axis), axis, -1)
        )
    y = shaping.moveaxis(y, axis, -1)
    return 0.5 * reductions.sum(steps * (y[..., 1:] + y[..., :-1]), axis=-1)
