"""Polynomials with coefficients from the lowest degree on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.dtypes import promote
from jax._src.interpreters import ad
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import add, mul
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_to
from jax._src.lax.ops.builders import batch_broadcasting, broadcast_operands
from jax._src.lax.ops.checks import NUMBER, check_kind, check_same_dtypes
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.joining_splitting import unstack


@declare("polynomial", traits=Trait.ELEMENTWISE)
class polynomial_p:
    """The value of a polynomial, by Horner's rule; operands: `x` and one coefficient for each degree."""

    def types(x, *coeffs):
        for i, aval in enumerate((x, *coeffs)):
            check_kind("polynomial", aval, NUMBER, f"coeffs[{i - 1}]" if i else "x")
        check_same_dtypes("polynomial", (x, *coeffs), "jnp.polyval")
        shape = broadcast_operands("polynomial", (x, *coeffs))
        weak = all(aval.weak_type for aval in (x, *coeffs))
        return ShapedArray(shape, x.dtype, weak)

    sharding = splitting.elementwise("polynomial")
    batch = batch_broadcasting(lambda *args: polynomial_p.bind(*args))

    def decompose(x, *coeffs):
        return _horner(x, coeffs)

    def jvp_all(primals, tangents):
        out = polynomial_p.bind(*primals)
        (x, *coeffs), (x_dot, *dots) = primals, tangents
        moved: Any = ad.Zero(get_aval(out).to_tangent_aval())
        if type(x_dot) is not ad.Zero and len(coeffs) > 1:
            scaled = [mul(scalar_like(c, k), c) for k, c in enumerate(coeffs)][1:]
            moved = _filled(mul(x_dot, polynomial_p.bind(x, *scaled)), out)
        if any(type(dot) is not ad.Zero for dot in dots):
            # Linear in the tangents: Horner's rule again, but written out.
            known = [
                full_like(c, 0) if type(dot) is ad.Zero else dot
                for c, dot in zip(coeffs, dots, strict=True)
            ]
            own = _filled(_horner(x, known), out)
            moved = own if type(moved) is ad.Zero else add(moved, own)
        return out, moved

    def reference(x, *coeffs):
        with np.errstate(all="ignore"):
            value = np.asarray(coeffs[-1])
            for c in coeffs[-2::-1]:
                value = value * x + c
            shape = np.broadcast_shapes(x.shape, *(np.shape(c) for c in coeffs))
            return np.broadcast_to(value, shape).astype(x.dtype)

    ulp = 16
    samples = [
        Sample(args, {})
        for args in [
            tuple(np.float32([v, v - 1, 0.5]) for v in (0.5, 2.0, -1.0, 3.0)),
            (np.float32([0.5, -2.0]), np.float32(1.0), np.float32(3.0)),
            (np.float32(1.5), np.float32([0.5, -2.0]), np.float32([1.0, 2.0])),
            (np.float32([0.5, -2.0]), np.float32(1.0)),
            (np.int32([2, -3]), np.int32(1), np.int32(2), np.int32(3)),
            (
                np.complex64([1j, 2]),
                np.complex64(1 + 1j),
                np.complex64(2),
                np.complex64(1),
            ),
        ]
    ]


def _filled(x, out):
    return broadcast_to(x, np.shape(out))


def _horner(x, coeffs):
    value = coeffs[-1]
    for coefficient in coeffs[-2::-1]:
        value = add(mul(value, x), coefficient)
    shape = np.broadcast_shapes(np.shape(x), *map(np.shape, coeffs))
    return broadcast_to(value, shape)


def polynomial(x, coeffs: Any, *, unroll: int | None = None):
    """The value of a polynomial, by Horner's rule.

    Args:
        x: where to evaluate, an array of any shape.
        coeffs: the coefficients from the lowest degree on: a sequence of arrays that
            broadcast with `x`, or an array that has them along its first axis.
        unroll: accepted; all steps are written out.

    Returns:
        Array of the common shape and of the dtype to which all promote; 0 without
        coefficients.

    Raises:
        TypeError: an argument is not of numbers. ValueError: shapes do not broadcast.

    Examples:
        >>> float(jax.lax.polynomial(2.0, [1.0, 2.0, 3.0]))
        17.0
    """
    del unroll
    if not isinstance(coeffs, Sequence):
        coeffs = unstack(coeffs)
    if not len(coeffs):
        return full_like(x, 0)
    dtype, weak = promote.promote_dtypes_of(x, *coeffs)
    return polynomial_p.bind(*(convert(v, dtype, weak) for v in (x, *coeffs)))


traceback_filter.hide_frames(globals())
