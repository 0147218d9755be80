"""Rotations of space as unit quaternions ``(x, y, z, w)`` on the last axis of an array.

Sources: S. W. Shepperd, "Quaternion from rotation matrix", J. Guid. Control 1 (1978);
E. Bernardes and S. Viollet, "Quaternion to Euler angles conversion", PLoS ONE 17 (2022);
F. L. Markley et al., "Averaging quaternions", J. Guid. Control Dyn. 30 (2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.numpy import numpy_api as jnp, operands

Array = Any

# Below this square of a length, series replace quotients that would be 0 / 0.
_SMALL = 1e-6
# Where the second Euler angle is this near to a pole, the first takes all.
_POLE = 1e-7


def _stack(*parts: Array) -> Array:
    return jnp.stack(jnp.broadcast_arrays(*parts), axis=-1)


def _parts(x: Array) -> list[Array]:
    return [x[..., i] for i in range(jnp.shape(x)[-1])]


def length(v: Array) -> Array:
    """The length of vectors ``(..., n)``; the derivative at zero is zero."""
    squared = jnp.sum(v * v, axis=-1)
    is_zero = squared == 0
    return jnp.where(is_zero, 0, jnp.sqrt(jnp.where(is_zero, 1, squared)))


def unit(q: Array) -> Array:
    """Quaternions of length one; NaN for zero."""
    return q / length(q)[..., None]


def product(p: Array, q: Array) -> Array:
    """The rotation that does `q` first, and `p` then: Hamilton's product."""
    (px, py, pz, pw), (qx, qy, qz, qw) = _parts(p), _parts(q)
    return _stack(
        pw * qx + qw * px + py * qz - pz * qy,
        pw * qy + qw * py + pz * qx - px * qz,
        pw * qz + qw * pz + px * qy - py * qx,
        pw * qw - px * qx - py * qy - pz * qz,
    )


def conjugate(q: Array) -> Array:
    signs = np.array([-1, -1, -1, 1], q.dtype)
    return q * operands.with_rank(signs, jnp.ndim(q))


def near(q: Array) -> Array:
    """Returns `q` or `-q`, whichever has a last part that is not negative."""
    return jnp.where(q[..., 3:] < 0, -q, q)


def canonical(q: Array) -> Array:
    """Returns `q` or `-q`, whichever has a positive last part.

    The last part is the last that is not zero, in the order w, x, y, z.
    """
    x, y, z, w = _parts(q)
    sign = jnp.where(y == 0, jnp.sign(z), jnp.sign(y))
    sign = jnp.where(w == 0, jnp.where(x == 0, sign, jnp.sign(x)), jnp.sign(w))
    return jnp.where(sign[..., None] < 0, -q, q)


def from_matrix(m: Array) -> Array:
    """Quaternions of matrices ``(..., 3, 3)``.

    Each row of the matrix of products of two parts is a multiple of the quaternion; the
    row whose multiple is the largest is taken.
    """
    diagonal = [m[..., i, i] for i in range(3)]
    trace = sum(diagonal)
    rows = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        row = [m[..., i, n] + m[..., n, i] for n in range(3)]
        row[i] = 1 - trace + 2 * diagonal[i]
        rows.append(_stack(*row, m[..., k, j] - m[..., j, k]))
    last = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0]]
    rows.append(_stack(*last, m[..., 1, 0] - m[..., 0, 1], 1 + trace))
    largest = jnp.argmax(_stack(*diagonal, trace), axis=-1)
    found = jnp.take_along_axis(
        jnp.stack(rows, axis=-2), largest[..., None, None], axis=-2
    )
    return unit(found[..., 0, :])


def to_matrix(q: Array) -> Array:
    x, y, z, w = _parts(q)
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    rows = [
        _stack(xx - yy - zz + ww, 2 * (x * y - z * w), 2 * (x * z + y * w)),
        _stack(2 * (x * y + z * w), yy - xx - zz + ww, 2 * (y * z - x * w)),
        _stack(2 * (x * z - y * w), 2 * (y * z + x * w), zz - xx - yy + ww),
    ]
    return jnp.stack(rows, axis=-2)


def from_vector(v: Array) -> Array:
    """Quaternions of axes ``(..., 3)`` whose length is the angle."""
    squared = jnp.sum(v * v, axis=-1, keepdims=True)
    small = squared < _SMALL
    angle = jnp.sqrt(jnp.where(small, 1, squared))
    series = 0.5 - squared / 48 + squared**2 / 3840
    scale = jnp.where(small, series, jnp.sin(angle / 2) / angle)
    series = 1 - squared / 8 + squared**2 / 384
    last = jnp.where(small, series, jnp.cos(angle / 2))
    return jnp.concatenate([v * scale, last], axis=-1)


def to_vector(q: Array) -> Array:
    q = near(q)
    v, w = q[..., :3], q[..., 3:]
    squared = jnp.sum(v * v, axis=-1, keepdims=True)
    small = squared < _SMALL
    size = jnp.sqrt(jnp.where(small, 1, squared))
    whole = jnp.where(small, w, 1)
    tangent = squared / whole**2
    series = 2 / whole * (1 - tangent / 3 + tangent**2 / 5)
    return v * jnp.where(small, series, 2 * jnp.arctan2(size, w) / size)


def angle_of(q: Array) -> Array:
    """The angle of a rotation, from 0 to pi."""
    return 2 * jnp.arctan2(length(q[..., :3]), jnp.abs(q[..., 3]))


def from_modified_parameters(p: Array) -> Array:
    """Returns the quaternions of modified Rodrigues parameters ``(..., 3)``: the axis by tan(angle / 4)."""
    squared = jnp.sum(p * p, axis=-1, keepdims=True)
    return jnp.concatenate([2 * p, 1 - squared], axis=-1) / (1 + squared)


def to_modified_parameters(q: Array) -> Array:
    q = near(q)
    return q[..., :3] / (1 + q[..., 3:])


def from_angles(axes: Sequence[int], moving: bool, angles: Array) -> Array:
    """Quaternions of turns about axes, one after the other.

    Args:
        axes: up to three numbers of axes.
        moving: whether each axis has been turned by those before.
        angles: array ``(..., len(axes))``.
    """
    found = None
    for index, axis in enumerate(axes):
        half = angles[..., index] / 2
        parts = [jnp.zeros_like(half)] * 3
        parts[axis] = jnp.sin(half)
        turn = _stack(*parts, jnp.cos(half))
        if found is None:
            found = turn
        else:
            found = product(found, turn) if moving else product(turn, found)
    return found


def to_angles(q: Array, axes: Sequence[int], moving: bool) -> Array:
    """The angles ``(..., 3)`` of three turns; at a pole one of the outer two is zero."""
    i, j, k = axes[::-1] if moving else axes
    symmetric = i == k
    k = 3 - i - j if symmetric else k
    sign = (i - j) * (j - k) * (k - i) // 2
    a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    if not symmetric:
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = 2 * jnp.arctan2(length(_stack(c, d)), length(_stack(a, b)))
    half_sum, half_difference = _angle(b, a), _angle(d, c)
    low, high = jnp.abs(middle) <= _POLE, jnp.abs(middle - np.pi) <= _POLE
    first, third = half_sum - half_difference, half_sum + half_difference
    if moving:
        first, third = third, first
    alone = jnp.where(low, 2 * half_sum, (2 if moving else -2) * half_difference)
    first, third = (
        jnp.where(low | high, alone, first),
        jnp.where(low | high, 0, third),
    )
    if not symmetric:
        middle = middle - np.pi / 2
        first, third = (first * sign, third) if moving else (first, third * sign)
    found = _stack(first, middle, third)
    found = jnp.where(found < -np.pi, found + 2 * np.pi, found)
    return jnp.where(found > np.pi, found - 2 * np.pi, found)


def _angle(y, x):
    """The angle of a point; zero, with no derivative, at the origin."""
    at_origin = (x == 0) & (y == 0)
    return jnp.arctan2(y, jnp.where(at_origin, 1, x))
