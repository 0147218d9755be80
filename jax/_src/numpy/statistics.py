"""Order statistics, quantiles and covariance."""

from __future__ import annotations

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src.base import traceback_filter, util
from jax._src.numpy import (
    elementwise,
    joining_splitting,
    lax_api as lax,
    means_and_variances,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    placement,
    reductions,
    reshaping,
    selection,
    sorting,
    taking,
    weighting,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


# ---------------------------------------------------------------- quantiles

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


def _quantile(
    name,
    a,
    q,
    axis,
    out,
    overwrite_input,
    method,
    keepdims,
    weights,
    skip_nan,
    parts=None,
):
    op.refuse_out(name, out)
    axis = util.reusable(axis)
    if overwrite_input:
        raise op.value_error(
            name, "`overwrite_input` is not supported.", ways="Arrays do not change."
        )
    if weights is not None and method != "inverted_cdf":
        raise op.not_implemented(
            name,
            f"method={method!r} takes no weights.",
            ways='With weights: method="inverted_cdf".',
        )
    if method not in _METHODS:
        raise ValueError(f"jnp.{name}: method={method!r} is none of {_METHODS}.")
    a, q = op.ensure_arraylike(name, a, q)
    if op.kind_of(a) == "c":
        raise op.value_error(
            name, "complex numbers have no order.", [("a", op.type_name(a))]
        )
    if op.ndim(q) > 1:
        raise op.value_error(
            name, "q has more than one axis.", [("q", op.type_name(q))]
        )
    axes = op.canonical_axes(name, axis, op.ndim(a))
    if any(op.shape(a)[i] == 0 for i in axes) and op.size(q):
        raise (IndexError if skip_nan and len(axes) == op.ndim(a) else TypeError)(
            op.explain(
                name,
                "an axis to reduce is empty.",
                [("a", op.type_name(a)), ("axis", str(axis))],
                "No elements have no quantile.",
            )
        )
    if weights is not None:
        weights = _weights_of_elements(name, a, weights, axis)
    # An operand, not a constant: compilers divide by constants inexactly.
    parts = None if parts is None else placement.own(parts)
    return _quantile_of(a, q, parts, weights, axis, method, keepdims, skip_nan)


def _weights_of_elements(name, a, weights, axis):
    """One weight for each element: given so, or for the axes that are reduced."""
    weights = op.ensure_arraylike(name, weights)
    if op.shape(weights) != op.shape(a):
        weights = weighting.along_axes(name, a, weights, axis)
    return weights


@ft.partial(jit, static_argnums=(4, 5, 6, 7))
def _quantile_of(a, q, parts, weights, axis, method, keepdims, skip_nan):
    """Quantiles at the shares `q`, or at `q` of so many parts, of the dtype of `a`."""
    (a,) = op.promote_dtypes_inexact(a)
    dtype = op.dtype_of(a)
    if parts is not None:
        (q,) = op.promote_dtypes_inexact(q)
        q = q / parts
    if op.dtype_of(a).itemsize < 4:
        # Positions and sums of narrow floats are rounded once, at the end.
        a = op.convert(a, np.float32)
    a, q = (op.strong(x) for x in op.promote_dtypes_inexact(a, q))
    rank = op.ndim(a)
    axes = op.canonical_axes("quantile", axis, rank)
    kept = tuple(i for i in range(rank) if i not in axes)
    batch = tuple(op.shape(a)[i] for i in kept)
    count = math.prod(op.shape(a)[i] for i in axes)

    def in_rows(x):
        return lax.reshape(lax.transpose(x, (*kept, *axes)), (*batch, count))

    flat = in_rows(a)
    if not count:
        result = lax.full((*op.shape(q), *batch), np.nan, dtype)
        return _with_reduced_axes(result, q, axes) if keepdims else result
    if method == "inverted_cdf":
        weights = lax.full_like(a, 1) if weights is None else weights
        result = _pick_by_weight(flat, q, in_rows(weights), skip_nan)
        result = op.convert(result, dtype)
        return _with_reduced_axes(result, q, axes) if keepdims else result
    ordered = lax.sort(flat, dimension=len(batch))
    if skip_nan:
        counts = reductions.sum(
            elementwise.logical_not(elementwise.isnan(flat)),
            axis=-1,
            dtype=op.dtype_of(a),
        )
    else:
        has_nan = reductions.any(elementwise.isnan(flat), axis=-1, keepdims=True)
        ordered = selection.where(has_nan, np.nan, ordered)
        counts = lax.full(batch, count, op.dtype_of(a))
    result = op.convert(_pick(ordered, q, counts, method), dtype)
    return _with_reduced_axes(result, q, axes) if keepdims else result


def _with_reduced_axes(result, q, axes):
    return reshaping.expand_dims(result, tuple(op.ndim(q) + i for i in axes))


def _pick_by_weight(flat, q, weights, skip_nan):
    """The least elements up to which the weights reach the shares `q` of their sum."""
    is_nan = elementwise.isnan(flat)
    weights = selection.where(is_nan, 0, op.convert(weights, op.dtype_of(flat)))
    order = sorting.argsort(flat, axis=-1)
    ordered = taking.take_along_axis(flat, order, -1)
    reached = lax.cumsum(
        taking.take_along_axis(weights, order, -1), axis=op.ndim(flat) - 1
    )
    q_wide = lax.reshape(q, op.shape(q) + (1,) * op.ndim(flat))
    reached = lax.expand_dims(reached, range(op.ndim(q)))
    is_before = (reached < q_wide * reached[..., -1:]) | (reached == 0)
    position = reductions.sum(is_before, axis=-1, keepdims=True)
    spread = op.broadcast_to(ordered, (*op.shape(q), *op.shape(ordered)))
    result = taking.take_along_axis(spread, position, -1, mode="clip")[..., 0]
    is_bad = reductions.any(weights < 0, axis=-1)
    if not skip_nan:
        is_bad = is_bad | reductions.any(is_nan, axis=-1)
    return selection.where(is_bad, np.nan, result)


def _pick(ordered, q, counts, method):
    """The elements around each quantile, combined by the method."""
    q_shape = op.shape(q)
    q_wide = lax.reshape(q, q_shape + (1,) * op.ndim(counts))
    counts = lax.expand_dims(counts, range(len(q_shape)))
    position = q_wide * (counts - 1)
    low = elementwise.floor(position)
    high = elementwise.ceil(position)
    high_share = position - low
    low_share = 1 - high_share
    largest = counts - 1
    low, high = (
        selection.clip(
            selection.clip(p, 0, None), None, selection.clip(largest, 0, None)
        )
        for p in (low, high)
    )

    def at(positions):
        index = op.convert(positions, np.int32)
        spread = reshaping.broadcast_to(ordered, (*q_shape, *op.shape(ordered)))
        return taking.take_along_axis(
            spread, reshaping.expand_dims(index, -1), -1, mode="clip"
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
    return selection.where(takes_high, high_value, low_value)


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
    """The value below which a share `q` of the elements is.

    Args:
        a: real array; integers and booleans become floats.
        q: scalar or vector of shares from 0 to 1.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        overwrite_input: not supported.
        method: between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
            ``"midpoint"`` or ``"nearest"``; or ``"inverted_cdf"``: the first element up
            to which the share reaches.
        keepdims: whether reduced axes stay, with size 1.
        weights: how much each element counts, of the shape of `a` or of its one axis to
            reduce; with ``"inverted_cdf"`` alone.

    Returns:
        Array of floats whose first axis is that of `q`; NaN where an element is.

    Raises:
        ValueError: an axis or `method` does not exist, `q` has two axes, `a` is
            complex, or `overwrite_input` is set. TypeError: `a` or `q` is no array or
            number.
        NotImplementedError: `out` is given.

    Examples:
        >>> jnp.quantile(jnp.array([1.0, 2.0, 3.0, 4.0, 5.0]), jnp.array([0.0, 0.5]))
        Array([1., 3.], dtype=float32)
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
    """Quantiles as `jax.numpy.quantile`, ignoring NaN; NaN where all elements are.

    The arguments, shapes, dtypes and errors are those of `jax.numpy.quantile`.

    Raises:
        IndexError: an axis to reduce is empty.
    """
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
    """Quantiles as `jax.numpy.quantile`, given in percent.

    The other arguments, shapes, dtypes and errors are those of `jax.numpy.quantile`.
    `out_sharding`: how the result is sharded over Explicit mesh axes.

    Examples:
        >>> jnp.percentile(jnp.array([1.0, 2.0, 3.0, 4.0, 5.0]), 25)
        Array(2., dtype=float32)
    """
    if out_sharding is not None:
        return op.placed(
            percentile,
            out_sharding,
            a,
            q,
            axis,
            out,
            overwrite_input,
            method,
            keepdims,
            weights=weights,
        )
    how = (axis, out, overwrite_input, method, keepdims, weights, False)
    return _quantile("percentile", a, q, *how, parts=100)


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
    """Quantiles as `jax.numpy.nanquantile`, given in percent.

    The other arguments, shapes, dtypes and errors are those of `jax.numpy.quantile`.

    Raises:
        IndexError: an axis to reduce is empty.
    """
    how = (axis, out, overwrite_input, method, keepdims, weights, True)
    return _quantile("nanpercentile", a, q, *how, parts=100)


def median(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle element, or the mean of the two in the middle.

    Args:
        a: real array.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        overwrite_input: not supported.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        Array without the axes; integers and booleans become floats. NaN where there is
        one.

    Raises:
        ValueError: an axis is out of bounds, `a` is complex, or `overwrite_input` is
            set. TypeError: `a` is no array or number. NotImplementedError: `out` is
            given.

    Examples:
        >>> jnp.median(jnp.array([1.0, 9.0, 2.0, 4.0]))
        Array(3., dtype=float32)
    """
    return _quantile(
        "median",
        a,
        placement.own(0.5),
        axis,
        out,
        overwrite_input,
        "midpoint",
        keepdims,
        None,
        False,
    )


def nanmedian(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Medians as `jax.numpy.median`, ignoring NaN; NaN where all elements are.

    The arguments, dtypes and errors are those of `jax.numpy.median`, and so is the
    shape.

    Raises:
        IndexError: an axis to reduce is empty.
    """
    return _quantile(
        "nanmedian",
        a,
        placement.own(0.5),
        axis,
        out,
        overwrite_input,
        "midpoint",
        keepdims,
        None,
        True,
    )


# ---------------------------------------------------------------- covariance


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
        ddof: taken from that number; decides instead of `bias`.
        fweights: how often each observation counts.
        aweights: how much each observation weighs.
        dtype: the dtype of the result.

    Returns:
        Matrix of covariances, or a scalar for one variable, of a floating or complex
        dtype.

    Raises:
        ValueError: an array has more than two axes, or `dtype` is of whole numbers.
        RuntimeError: there is not one weight per observation.
        TypeError: `m` is no array or number.
    """
    if dtype is not None and op.kind(op.user_dtype("cov", dtype)) not in "fc":
        raise op.value_error(
            "cov", "covariances are no whole numbers.", [("dtype", str(dtype))]
        )
    if y is not None:
        m, y = op.promote_dtypes_inexact(
            op.ensure_numbers("cov", m), op.ensure_numbers("cov", y)
        )
        if op.ndim(y) > 2:
            raise ValueError("jnp.cov: y has more than two axes.")
    else:
        (m,) = op.promote_args_inexact("cov", m)
    if op.ndim(m) > 2:
        raise ValueError("jnp.cov: m has more than two axes.")
    x = _variables(m, rowvar)
    if y is not None:
        # As in NumPy, one row of `y` is one variable, whatever `rowvar` says.
        is_row = op.ndim(y) == 2 and op.shape(y)[0] == 1
        x = joining_splitting.concatenate((x, _variables(y, rowvar or is_row)), axis=0)
    if dtype is not None:
        x = op.convert(x, op.user_dtype("cov", dtype))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(fweights, aweights, op.shape(x)[1])
    mean = means_and_variances.average(x, axis=1, weights=weights)
    total = None if weights is None else reductions.sum(weights)
    if weights is None:
        degrees = max(op.shape(x)[1] - ddof, 0)
    elif ddof == 0 or aweights is None:
        degrees = total - ddof
    else:
        degrees = total - ddof * reductions.sum(weights * aweights) / total
    centered = x - mean[:, None]
    right = centered if weights is None else centered * weights[None, :]
    return reshaping.squeeze((centered @ elementwise.conj(right.T)) / degrees)


def _variables(m, rowvar):
    x = reshaping.atleast_2d(m)
    return x if rowvar or op.ndim(m) < 2 else x.T


def _weights(fweights, aweights, count):
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = op.ensure_arraylike("cov", given)
        if name == "fweights" and op.kind_of(given) not in "iu":
            raise op.type_error(
                "cov",
                "fweights are no integers.",
                [(name, op.type_name(given))],
                "They say how often each observation was made.",
                "Weights of any kind: aweights.",
            )
        if op.shape(given) != (count,):
            raise op.value_error(
                "cov",
                f"{name} has not one number per observation.",
                [(name, op.type_name(given)), ("observations", str(count))],
            )
        weights = given if weights is None else weights * given
    return weights


@ft.partial(jit, static_argnames=("rowvar", "dtype"))
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: Any = None
) -> Array:
    """The correlations of variables; arguments as for `jax.numpy.cov`.

    Args:
        x: vector, or matrix with a variable in each row.
        y: more variables, of the same form.
        rowvar: whether rows rather than columns are variables.
        dtype: the dtype of the result.

    Returns:
        Matrix of numbers from -1 to 1, or a scalar for one variable; floats for
        integers. Of complex numbers both parts are clipped.

    Raises:
        ValueError: an array has more than two axes. TypeError: one is no array or
            number.
    """
    covariances = cov(x, y, rowvar, dtype=dtype)
    if not op.ndim(covariances):
        return covariances / covariances
    deviations = elementwise.sqrt(elementwise.real(covariances.diagonal()))
    result = covariances / deviations[:, None] / deviations[None, :]
    if op.kind_of(result) == "c":
        parts = (selection.clip(p, -1, 1) for p in (result.real, result.imag))
        return lax.complex(*parts)
    return selection.clip(result, -1, 1)


traceback_filter.hide_frames(globals())
