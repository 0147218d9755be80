"""The exponential of matrices, and its derivative in a direction."""

from __future__ import annotations

import functools as ft
import math

import numpy as np

from jax._src.base import traceback_filter
from jax._src.lax.control_flow.conditionals import cond
from jax._src.lax.control_flow.scans import scan
from jax._src.lax.linalg import matrices, solve as solve_module, triangular
from jax._src.lax.ops.barriers import stop_gradient
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.numpy import jit_wrapper, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.scipy.linalg import messages
from jax._src.transforms import differentiate

Array = operands.Array
ArrayLike = operands.ArrayLike

# Degree of the rational function, and the largest norm for which its error is below
# the dtype's precision. Higham, 2005, table 2.3; for float32 his analysis repeated.
_DEGREES = {
    np.dtype(np.float32): (7, 3.925724783138660),
    np.dtype(np.float64): (13, 5.371920351148152),
}


@ft.partial(jit, static_argnames=("upper_triangular", "max_squarings"))
def expm(
    A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = 16
) -> Array:
    """The exponential of matrices: the sum of their powers over factorials.

    Args:
        A: array of shape ``(..., n, n)``.
        upper_triangular: whether `A` is; then equations are solved faster.
        max_squarings: the most squarings; a matrix that needs more gives NaN.

    Returns:
        Array of the shape of `A`.

    Raises:
        ValueError: `A` is not square.
        TypeError: `A` is no array or number.

    Reference: Higham, The scaling and squaring method for the matrix exponential
    revisited, 2005. The degree of the rational function is fixed by the dtype.
    """
    A = messages.inexact("expm", A)
    messages.require_square("expm", A, "A")
    if not operands.size(A):
        return A
    part = real_dtype(operands.dtype_of(A))
    degree, limit = _DEGREES.get(np.dtype(part), _DEGREES[np.dtype(np.float32)])
    norm = jnp.sum(jnp.abs(A), axis=-2).max(axis=-1)
    ratio = jnp.where(norm > limit, norm / np.asarray(limit, part), 1)
    # The number of squarings is a constant for derivatives: the result does not depend.
    times = jnp.ceil(jnp.log2(stop_gradient(ratio)))
    possible = times <= max_squarings
    scale = jnp.exp2(-jnp.where(possible, times, 0))[..., None, None]
    scaled = A * operands.convert(scale, operands.dtype_of(A))
    root = _rational(scaled, degree, upper_triangular)
    found = _squared(root, jnp.where(possible, times, 0), max_squarings)
    return jnp.where(possible[..., None, None], found, np.nan)


def _rational(a: Array, degree: int, upper_triangular: bool) -> Array:
    """Padé's approximant of the exponential of small matrices: even and odd parts."""
    weights = [
        math.factorial(2 * degree - k)
        * math.factorial(degree)
        // (math.factorial(k) * math.factorial(degree - k))
        for k in range(degree + 1)
    ]
    weights = [w / weights[-1] for w in weights]
    square = matrices.product(a, a)
    eye = matrices.identities(a, operands.shape(a)[-1])
    powers = [eye, square]
    for _ in range(degree // 2 - 1):
        powers.append(matrices.product(powers[-1], square))
    even = sum(w * p for w, p in zip(weights[0::2], powers, strict=True))
    odd = matrices.product(
        a, sum(w * p for w, p in zip(weights[1::2], powers, strict=True))
    )
    below, above = even - odd, even + odd
    if upper_triangular:
        return triangular.solve_many(below, above)
    return solve_module.solve(below, above)


def _squared(root: Array, times: Array, most: int) -> Array:
    """Squares each matrix its number of times."""

    def step(x, number):
        active = (number < times)[..., None, None]

        def square(x):
            kept = jnp.where(active, x, 0)
            return jnp.where(active, matrices.product(kept, kept), x)

        return cond(jnp.any(active), square, lambda x: x, x), None

    return scan(step, root, np.arange(most, dtype=operands.dtype_of(times)))[0]


@ft.partial(jit_wrapper.jit, static_argnames=("method", "compute_expm"))
def expm_frechet(
    A: ArrayLike, E: ArrayLike, *, method: str | None = None, compute_expm: bool = True
) -> Array | tuple[Array, Array]:
    """The exponential of matrices, and its derivative in a direction.

    Args:
        A: array of shape ``(..., n, n)``.
        E: array of the shape of `A`, the direction.
        method: not used: the derivative is that of `expm`, in forward mode.
        compute_expm: whether to return the exponential too.

    Returns:
        The exponential and the derivative, of the shape of `A` and a floating or
        complex dtype; or that alone.

    Raises:
        ValueError: the shapes differ, or are not square.
        TypeError: `A` or `E` is no array or number.
    """
    A, E = messages.inexact("expm_frechet", A, E)
    messages.require_square("expm_frechet", A, "A")
    messages.require_square("expm_frechet", E, "E")
    if operands.shape(A) != operands.shape(E):
        raise messages.value_error(
            "expm_frechet",
            "A and E differ in shape.",
            [("A", operands.type_name(A)), ("E", operands.type_name(E))],
            "The direction has a component for each element.",
        )
    value, derivative = differentiate.jvp(expm, (A,), (E,))
    return (value, derivative) if compute_expm else derivative


traceback_filter.hide_frames(globals())
