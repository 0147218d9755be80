"""Associated Legendre functions and spherical harmonics (DLMF 14.10, 14.30)."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.transforms.differentiate import jvp

Array = Any
ArrayLike = Any


def _table(z: Array, top: int, is_normalized: bool) -> Array:
    """The functions of order m and degree n up to `top`, of shape (m, n, *z.shape)."""
    rows = [[jnp.zeros_like(z)] * (top + 1) for _ in range(top + 1)]
    root = jnp.sqrt(jnp.maximum(1 - z * z, 0))
    start = jnp.full_like(z, math.sqrt(0.25 / math.pi) if is_normalized else 1.0)
    for m in range(top + 1):
        if m:
            factor = math.sqrt(1 + 0.5 / m) if is_normalized else 2 * m - 1
            start = -factor * root * start
        rows[m][m] = start
        before, here = jnp.zeros_like(z), start
        for n in range(m + 1, top + 1):
            if is_normalized:
                a = math.sqrt((4 * n * n - 1) / (n * n - m * m))
                c = ((n - 1) ** 2 - m * m) / (4 * (n - 1) ** 2 - 1)
                before, here = here, a * (z * here - math.sqrt(c) * before)
            else:
                found = (2 * n - 1) * z * here - (n - 1 + m) * before
                before, here = here, found / (n - m)
            rows[m][n] = here
    return jnp.stack([jnp.stack(row) for row in rows])


def _operand(name, m, n, z):
    m, n = operator.index(m), operator.index(n)
    (z,) = operands.promote_args_inexact(name, z)
    facts = [("m", str(m)), ("n", str(n)), ("z", operands.type_name(z))]
    if m != n:
        raise operands.not_implemented(
            name,
            "the largest order and degree differ.",
            facts,
            "Both are the same number.",
            "Ask for the larger one, and take the part that is wanted.",
        )
    if m < 0 or operands.kind_of(z) == "c":
        raise operands.value_error(
            name,
            "the arguments do not fit.",
            facts,
            "Order and degree are not negative, and z is real.",
        )
    return m, lax.convert(z, operands.dtype_of(z))


def lpmn(m: int, n: int, z: ArrayLike) -> tuple[Array, Array]:
    """The associated Legendre functions of the first kind, and their derivatives.

    Args:
        m: the largest order, a known whole number.
        n: the largest degree, the same number.
        z: array of real numbers in [-1, 1].

    Returns:
        Two arrays of shape ``(m + 1, n + 1, *z.shape)``; 0 where the order is larger
        than the degree.

    Raises:
        NotImplementedError: `m` and `n` differ.
        ValueError: they are negative, or `z` is complex.
    """
    top, z = _operand("jax.scipy.special.lpmn", m, n, z)
    return jvp(lambda z: _table(z, top, False), (z,), (jnp.ones_like(z),))


def lpmn_values(m: int, n: int, z: ArrayLike, is_normalized: bool) -> Array:
    """The associated Legendre functions of the first kind.

    Args:
        m: the largest order, a known whole number.
        n: the largest degree, the same number.
        z: array of real numbers in [-1, 1].
        is_normalized: whether they are scaled as in spherical harmonics.

    Returns:
        Array of shape ``(m + 1, n + 1, *z.shape)``.

    Raises:
        NotImplementedError: `m` and `n` differ.
        ValueError: they are negative, or `z` is complex.
    """
    top, z = _operand("jax.scipy.special.lpmn_values", m, n, z)
    return _table(z, top, bool(is_normalized))


def sph_harm_y(
    n: ArrayLike,
    m: ArrayLike,
    theta: ArrayLike,
    phi: ArrayLike,
    diff_n: int | None = None,
    n_max: int | None = None,
) -> Array:
    """Spherical harmonics.

    Args:
        n: array of degrees, whole numbers that are not negative.
        m: array of orders, whole numbers from -n to n.
        theta: array of polar angles in radians, from the axis.
        phi: array of azimuthal angles in radians.
        diff_n: derivatives are not returned: None.
        n_max: the largest degree; needed where `n` is traced.

    Returns:
        Complex array of the common shape; 0 where ``abs(m) > n``.

    Raises:
        NotImplementedError: `diff_n` is given.
        TypeError: degrees or orders are no integers, or `n` is traced without `n_max`.
    """
    name = "jax.scipy.special.sph_harm_y"
    if diff_n is not None:
        raise operands.not_implemented(
            name,
            "derivatives are not returned.",
            [("diff_n", repr(diff_n))],
            ways="Use jax.jvp or jax.grad.",
        )
    n, m, theta, phi = operands.ensure_arraylike(name, n, m, theta, phi)
    if operands.kind_of(n) not in "iu" or operands.kind_of(m) not in "iu":
        raise operands.type_error(
            name,
            "degrees and orders are no integers.",
            [("n", operands.type_name(n)), ("m", operands.type_name(m))],
            "Both hold whole numbers.",
        )
    if n_max is None:
        if not operands.known(n):
            raise operands.type_error(
                name,
                "the largest degree is not known.",
                [("n", operands.type_name(n))],
                "It decides how many functions are computed.",
                "Pass it as `n_max`.",
            )
        n_max = int(np.max(np.asarray(n), initial=0))
    theta, phi = operands.promote_args_inexact(name, theta, phi)
    n, m, theta, phi = jnp.broadcast_arrays(n, m, theta, phi)
    n, m = (lax.convert(v, dtypes.canonicalize_dtype(np.int64)) for v in (n, m))
    table = _table(jnp.cos(theta), operator.index(n_max), True)
    order = jnp.abs(m)
    flat = table.reshape(*table.shape[:2], -1)
    indices = jnp.arange(flat.shape[2])
    picked = flat[order.ravel(), n.ravel(), indices].reshape(jnp.shape(theta))
    picked = jnp.where(order <= n, picked, 0)
    sign = jnp.where((m < 0) & (order % 2 == 1), -1, 1)
    angle = operands.convert(m, operands.dtype_of(phi)) * phi
    size = operands.convert(sign, operands.dtype_of(picked)) * picked
    return lax.complex(size * jnp.cos(angle), size * jnp.sin(angle))


traceback_filter.hide_frames(globals())
