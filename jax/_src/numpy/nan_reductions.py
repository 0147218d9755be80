"""Reductions that leave out NaN: nansum, nanmax, nanmean and their siblings."""

from __future__ import annotations

import inspect

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import (
    elementwise,
    means_and_variances,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
    selection,
)
from jax._src.numpy.jit_wrapper import jit


def _numbers_only(name, a, neutral):
    """The array with NaN replaced, and the mask of what was a number."""
    a = operands.ensure_arraylike(name, a)
    is_number = elementwise.logical_not(elementwise.isnan(a))
    if operands.kind_of(a) not in "fc":
        return operands.strong(a), is_number
    return operands.strong(selection.where(is_number, a, neutral)), is_number


def _all_missing(is_number, axis, keepdims, where):
    if where is not None:
        is_number = is_number & where
    return elementwise.logical_not(
        reductions.any(is_number, axis=axis, keepdims=keepdims)
    )


def _ignoring_nan(name, base, apply, doc):
    """A reduction with the arguments of `base` that leaves out NaN.

    Args:
        name: its name.
        base: the reduction that counts NaN.
        apply: a function of the name, the array and the options.
        doc: what it computes.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            parameter.replace(kind=kind)
            for parameter in inspect.signature(base).parameters.values()
            if parameter.name not in ("promote_integers", "correction")
        ]
    )

    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        options = dict(bound.arguments)
        operands.refuse_out(name, options.pop("out"))
        return apply(name, options.pop("a"), **options)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    function.__doc__ = (
        f"{doc}\n\nThe arguments are those of `jax.numpy.{base.__name__}`; so are the "
        "shape and the dtype of the result, and errors."
    )
    return jit(function, static_argnames=("axis", "dtype", "keepdims", "ddof"))


def _extreme_but_nan(reduce, neutral):
    def apply(name, a, *, axis, keepdims, initial, where):
        filled, is_number = _numbers_only(name, a, neutral)
        options = {"axis": axis, "keepdims": keepdims}
        result = reduce(filled, **options, initial=initial, where=where)
        if initial is not None or operands.kind_of(filled) not in "fc":
            return result
        missing = _all_missing(is_number, axis, keepdims, where)
        return selection.where(missing, np.nan, result)

    return apply


def _filled_sum(reduce, neutral):
    def apply(name, a, **options):
        return reduce(_numbers_only(name, a, neutral)[0], **options)

    return apply


def _masked_mean(reduce):
    def apply(name, a, *, where, **options):
        filled, is_number = _numbers_only(name, a, 0)
        if operands.kind_of(filled) in "fc":
            where = is_number if where is None else is_number & where
        return reduce(filled, where=where, **options)

    return apply


def _masked_deviation(name, a, *, dtype, **options):
    wanted = operands.user_dtype(name, dtype)
    if wanted is not None and operands.kind(wanted) not in "fc":
        raise operands.type_error(
            name,
            "the result cannot have this dtype.",
            [("dtype", str(wanted))],
            "A square root is a floating-point or complex number.",
        )
    return _masked_mean(means_and_variances.std)(name, a, dtype=dtype, **options)


def _masked_variance(name, a, *, dtype, **options):
    found = _masked_mean(means_and_variances.var)(name, a, dtype=dtype, **options)
    return (
        found
        if dtype is None
        else operands.convert(found, operands.user_dtype(name, dtype))
    )


def _index_but_nan(find, neutral):
    def apply(name, a, *, axis, keepdims):
        filled, is_number = _numbers_only(name, a, neutral)
        index = find(filled, axis=axis, keepdims=keepdims)
        if operands.kind_of(filled) not in "fc":
            return index
        missing = _all_missing(is_number, axis, bool(keepdims), None)
        return selection.where(missing, -1, index)

    return apply


nanmax = _ignoring_nan(
    "nanmax",
    reductions.max,
    _extreme_but_nan(reductions.max, -np.inf),
    "The largest element that is no NaN; NaN where all are.",
)
nanmin = _ignoring_nan(
    "nanmin",
    reductions.min,
    _extreme_but_nan(reductions.min, np.inf),
    "The smallest element that is no NaN; NaN where all are.",
)
nansum = _ignoring_nan(
    "nansum",
    reductions.sum,
    _filled_sum(reductions.sum, 0),
    "The sum of elements that are no NaN.",
)
nanprod = _ignoring_nan(
    "nanprod",
    reductions.prod,
    _filled_sum(reductions.prod, 1),
    "The product of elements that are no NaN.",
)
nanmean = _ignoring_nan(
    "nanmean",
    means_and_variances.mean,
    _masked_mean(means_and_variances.mean),
    "The mean of elements that are no NaN.",
)
nanvar = _ignoring_nan(
    "nanvar",
    means_and_variances.var,
    _masked_variance,
    "The variance of elements that are no NaN.",
)
nanstd = _ignoring_nan(
    "nanstd",
    means_and_variances.std,
    _masked_deviation,
    "The standard deviation of elements that are no NaN.",
)
nanargmax = _ignoring_nan(
    "nanargmax",
    reductions.argmax,
    _index_but_nan(reductions.argmax, -np.inf),
    "The index of the largest element that is no NaN; -1 where all are.",
)
nanargmin = _ignoring_nan(
    "nanargmin",
    reductions.argmin,
    _index_but_nan(reductions.argmin, np.inf),
    "The index of the smallest element that is no NaN; -1 where all are.",
)


traceback_filter.hide_frames(globals())
