"""Polynomials as vectors of coefficients, the highest power first."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import (
    concatenation,
    convolutions,
    creation,
    insert_delete,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("unroll",))
def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int = 16) -> Array:
    """The value of a polynomial, by Horner's rule.

    Args:
        p: coefficients along the first axis, the highest power first.
        x: where to evaluate.
        unroll: has no effect: all steps are written out.

    Returns:
        Array of the shape of `x` broadcast with the further axes of `p`, of the
        promoted dtype.

    Raises:
        TypeError: an argument is no array or number. ValueError: shapes do not
            broadcast.
        IndexError: `p` is a scalar.
    """
    del unroll
    p, x = op.promote_dtypes(*op.ensure_arraylike("polyval", p, x))
    if not op.ndim(p):
        raise IndexError("jnp.polyval: the coefficients form no vector.")
    shape = op.broadcast_shapes("polyval", op.shape(p)[1:], op.shape(x))
    value = creation.zeros_like(x, shape=shape)
    for coefficient in reshaping.unstack(p):
        value = value * x + coefficient
    return op.strong(value)


def _vectors(name, *arrays):
    return [
        reshaping.atleast_1d(v)
        for v in op.promote_dtypes(*op.ensure_arraylike(name, *arrays))
    ]


def _aligned(name, a1, a2):
    """Both as long as the longer: its first axis is that of the powers, and the other may broadcast to the rest."""
    longer, shorter = a1, a2 = _vectors(name, a1, a2)
    missing = op.shape(a1)[0] - op.shape(a2)[0]
    if not missing:
        return a1, a2
    if missing < 0:
        longer, shorter = a2, a1
    shape = (op.shape(shorter)[0], *op.shape(longer)[1:])
    shorter = op.broadcast_to(shorter, shape)
    padding = creation.zeros_like(shorter, shape=(abs(missing), *shape[1:]))
    padded = concatenation.concatenate((padding, shorter))
    return (a1, padded) if missing > 0 else (padded, a2)


@jit
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The sum of two polynomials.

    Args:
        a1, a2: coefficients along the first axis, the highest power first. The shorter
            may broadcast along the further axes of the longer.

    Returns:
        Array of the longer's length and the promoted dtype.

    Raises:
        TypeError: an argument is no array. ValueError: the further axes do not broadcast.
    """
    a1, a2 = _aligned("polyadd", a1, a2)
    return a1 + a2


@jit
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The difference of two polynomials.

    The arguments are those of `jax.numpy.polyadd`, and so are shape, dtype and errors.
    """
    a1, a2 = _aligned("polysub", a1, a2)
    return a1 - a2


@ft.partial(jit, static_argnames=("m",))
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """The derivative of a polynomial.

    Args:
        p: vector of coefficients, the highest power first.
        m: how often to differentiate.

    Returns:
        Vector shorter by `m`; integers become floats.

    Raises:
        ValueError: `m` is negative, or `p` is no vector. TypeError: `m` is no whole
            number.
        IndexError: it is a scalar.
    """
    m = op.whole_number("polyder", "m", m)
    if m < 0:
        raise ValueError(f"jnp.polyder: the order m={m} is negative.")
    (p,) = op.promote_args_inexact("polyder", p)
    if m == 0:
        return p
    count = op.size(p)
    powers = np.arange(count - 1, m - 1, -1)
    factors = np.prod([powers - i for i in range(m)], axis=0)
    return p[: max(0, count - m)] * op.convert(factors, op.dtype_of(p))


def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Array:
    """The product of two polynomials.

    Args:
        a1: coefficients, the highest power first.
        a2: coefficients.
        trim_leading_zeros: whether leading zeros of the operands are dropped first, as
            NumPy does; they cannot be traced then.

    Returns:
        Vector of the promoted dtype; integers become floats.

    Raises:
        ValueError: an operand is no vector. TypeError: one is no array.
    """
    if trim_leading_zeros:
        op.check_arraylike("polymul", a1, a2)
        a1, a2 = (
            insert_delete.trim_zeros(reshaping.atleast_1d(a), "f") for a in (a1, a2)
        )
    return _product(a1, a2)


@jit
def _product(a1, a2):
    a1, a2 = op.promote_dtypes_inexact(*op.ensure_arraylike("polymul", a1, a2))
    a1, a2 = reshaping.atleast_1d(a1), reshaping.atleast_1d(a2)
    a1, a2 = (a if op.size(a) else creation.zeros(1, op.dtype_of(a)) for a in (a1, a2))
    return convolutions.convolve(a1, a2, mode="full")


def polydiv(
    u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False
) -> tuple[Array, Array]:
    """The quotient and the remainder of two polynomials.

    Args:
        u: coefficients of the dividend, the highest power first.
        v: coefficients of the divisor; the first is not zero.
        trim_leading_zeros: whether leading zeros of the remainder are dropped, as NumPy
            does; it cannot be traced then.

    Returns:
        Two vectors of the promoted dtype; integers become floats.

    Raises:
        TypeError: an argument is no array or number.
        IndexError: `v` is empty. ValueError: shapes do not broadcast.
    """
    u, v = op.promote_dtypes_inexact(*op.ensure_arraylike("polydiv", u, v))
    u, v = reshaping.atleast_1d(u), reshaping.atleast_1d(v)
    steps, width = op.size(u) - op.size(v) + 1, op.size(v)
    quotient = []
    rest = u
    for i in range(steps):
        factor = rest[i] / v[0]
        quotient.append(factor)
        rest = rest.at[i : i + width].add(-factor * v)
    found = (
        concatenation.stack(quotient) if quotient else creation.zeros(1, op.dtype_of(u))
    )
    found = op.strong(found)
    return found, insert_delete.trim_zeros(rest, "f") if trim_leading_zeros else rest


@ft.partial(jit, static_argnames=("m",))
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """The m-th integral of a polynomial.

    Args:
        p: coefficients, the highest power first.
        m: how often to integrate.
        k: the constants, one for all integrals or one for each; default: 0.

    Returns:
        Vector longer by `m`; integers become floats.

    Raises:
        ValueError: `m` is negative, or there are not `m` constants. TypeError: `p` is
            no vector.
    """
    m = op.whole_number("polyint", "m", m)
    k = 0 if k is None else k
    p, k = op.promote_dtypes_inexact(*op.ensure_arraylike("polyint", p, k))
    if m < 0:
        raise ValueError(f"jnp.polyint: the order m={m} is negative; see jnp.polyder.")
    if op.ndim(k) and op.shape(k) not in ((1,), (m,)):
        raise ValueError(
            op.explain(
                "polyint",
                "there is not one constant per integral.",
                [("k", op.type_name(k)), ("m", str(m))],
            )
        )
    if m == 0:
        return op.strong_like(p)
    constants = op.broadcast_to(k, (m,))
    result = concatenation.concatenate([reshaping.atleast_1d(p), constants])
    # A coefficient that ends at power n was divided by n, n - 1, … at most m times.
    powers = np.arange(op.size(result))[::-1]
    divisors = np.array([np.prod(np.arange(n, max(n - m, 0), -1.0)) for n in powers])
    return result / op.convert(divisors, op.dtype_of(result))


traceback_filter.hide_frames(globals())
