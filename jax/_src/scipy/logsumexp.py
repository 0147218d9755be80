"""Sums of exponentials in logarithms."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import traceback_filter, util
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    operands,
    reductions,
    selection,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


def finite_maximum(x, axes, where=None):
    """The largest element along axes, kept; 0 where it is infinite or NaN.

    It only moves the exponentials into range, so no derivative flows through it.
    """
    largest = reductions.max(x, axis=axes, keepdims=True, where=where, initial=-np.inf)
    finite = selection.where(elementwise.isfinite(largest), largest, 0)
    return lax.stop_gradient(operands.convert(finite, operands.dtype_of(largest)))


def logsumexp(
    a: ArrayLike,
    axis: Any = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """log(sum(b * exp(a))), without overflow on the way.

    Args:
        a: array.
        axis: axis or axes to sum over; None means all.
        b: factors that broadcast with `a`.
        keepdims: whether summed axes stay, with size 1.
        return_sign: whether to return the logarithm of the size and the sign.
        where: mask of the elements to include.

    Returns:
        Array of floats without the axes, complex for complex `a`; NaN for a negative
        sum, unless the sign is returned.

    Raises:
        ValueError: an axis is out of bounds, or shapes do not broadcast. TypeError: `a`
            is no array or number.

    Examples:
        >>> jax.scipy.special.logsumexp(jnp.array([1000.0, 1000.0]))
        Array(1000.6932, dtype=float32)
    """
    # Within one program, products are added up without being rounded.
    run = _logsumexp_at_once if b is None else _logsumexp
    return run(
        "jax.nn.logsumexp", operands.as_float(a), axis, b, keepdims, return_sign, where
    )


def _logsumexp(name, a, axis, b, keepdims, return_sign, where):
    if b is not None:
        a, b = operands.promote_args_inexact(name, a, b)
        a = selection.where(b != 0, a, -np.inf) if operands.kind_of(a) != "c" else a
        a, b = operands.broadcast_arrays(name, a, b)
    else:
        (a,) = operands.promote_args_inexact(name, a)
    axis = util.reusable(axis)
    reductions.check_options(name, a, axis, where)
    axes = operands.canonical_axes(name, axis, operands.ndim(a))
    size = lax.real(a) if operands.kind_of(a) == "c" else a
    shift = finite_maximum(size, axes, where)
    terms = lax.exp(
        lax.sub(
            a,
            operands.broadcast_to(
                operands.convert(shift, operands.dtype_of(a)), operands.shape(a)
            ),
        )
    )
    if b is not None:
        terms = lax.mul(terms, b)
    total = reductions.sum(terms, axis=axes, keepdims=keepdims, where=where)
    sign = lax.sign(total)
    if return_sign or b is not None:
        total = lax.abs(total) if return_sign else total
    shift = operands.convert(
        shift if keepdims else lax.squeeze(shift, axes), operands.dtype_of(total)
    )
    result = lax.add(lax.log(total), shift)
    if return_sign:
        return operands.strong(result), operands.strong(sign)
    return operands.strong(result)


_logsumexp_at_once = jit(_logsumexp, static_argnums=(0, 2, 4, 5))


def logmeanexp(
    x: ArrayLike,
    axis: Any = None,
    where: ArrayLike | None = None,
    keepdims: bool = False,
) -> Array:
    """``log(mean(exp(x)))`` along axes, without overflow on the way.

    Args:
        x: array.
        axis, where, keepdims: as for `jax.scipy.special.logsumexp`; so are dtypes and
            errors.
    """
    x = operands.ensure_numbers("jax.nn.logmeanexp", x)
    axis = tuple(axis) if isinstance(axis, list) else util.reusable(axis)
    return _logmeanexp(x, where, axis, keepdims)


@ft.partial(jit, static_argnums=(2, 3))
def _logmeanexp(x, where, axis, keepdims):
    total = _logsumexp("jax.nn.logmeanexp", x, axis, None, keepdims, False, where)
    ones = lax.full_like(x, 1, operands.dtype_of(total))
    count = reductions.sum(ones, axis=axis, where=where, keepdims=keepdims)
    return total - elementwise.log(count)


traceback_filter.hide_frames(globals())
