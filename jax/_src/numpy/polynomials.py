"""Polynomials as vectors of coefficients, the highest power first."""

from __future__ import annotations

import functools as ft
import operator
from typing import Any

import numpy as np

from jax._src.numpy import (
    creation,
    joining,
    operands as op,
    shaping,
)  # noqa: F401
from jax._src.numpy.compiled import jit

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("unroll",))
def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int = 16) -> Array:
    """The value of a polynomial, by Horner's rule.

    Args:
        p: coefficients along the first axis, the highest power first.
        x: where to evaluate.
        unroll: has no effect: all steps are written out.
    """
    del unroll
    p, x = op.promote_dtypes(*op.ensure_arraylike("polyval", p, x))
    if not op.ndim(p):
        raise IndexError("jnp.polyval: the coefficients form no vector.")
    shape = op.broadcast_shapes("polyval", op.shape(p)[1:], op.shape(x))
    value = creation.zeros_like(x, shape=shape)
    for coefficient in shaping.unstack(p):
        value = value * x + coefficient
    return value


def _vectors(name, *arrays):
    return [
        shaping.atleast_1d(v)
        for v in op.promote_dtypes(*op.ensure_arraylike(name, *arrays))
    ]


def _aligned(name, a1, a2):
    a1, a2 = _vectors(name, a1, a2)
    length = max(op.size(a1), op.size(a2))
    return [
        joining.concatenate((creation.zeros(length - op.size(a), op.dtype_of(a)), a))
        for a in (a1, a2)
    ]


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The sum of two polynomials."""
    a1, a2 = _aligned("polyadd", a1, a2)
    return a1 + a2


def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The difference of two polynomials."""
    a1, a2 = _aligned("polysub", a1, a2)
    return a1 - a2


@ft.partial(jit, static_argnames=("m",))
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """The m-th derivative of a polynomial."""
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"jnp.polyder: the order m={m} is negative.")
    (p,) = op.promote_args_numeric("polyder", p)
    if m == 0:
        return p
    count = op.size(p)
    powers = np.arange(count - 1, m - 1, -1)
    factors = np.prod([powers - i for i in range(m)], axis=0)
    return p[: max(0, count - m)] * op.convert(factors, op.dtype_of(p))
