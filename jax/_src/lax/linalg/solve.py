"""Equations with square matrices, by their LU factors."""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.control_flow.solves import custom_linear_solve
from jax._src.lax.linalg import matrices
from jax._src.lax.linalg.lu import lu_p, taken_rows
from jax._src.lax.linalg.triangular import solve_many
from jax._src.lax.ops.barriers import stop_gradient
from jax._src.lax.ops.creation import broadcasted_iota
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.resharding import alike
from jax._src.lax.ops.sorting import sort

Array = Any


def inverse_order(order: Array) -> Array:
    """The inverses of permutations along the last axis."""
    shape = np.shape(order)
    indices = broadcasted_iota(get_aval(order).dtype, shape, len(shape) - 1)
    return sort(alike("sort", order, indices), len(shape) - 1)[1]


def lu_solve(factors: Array, order: Array, b: Array, trans: int = 0) -> Array:
    """Solves ``op(a) x = b``, given the LU factors of ``a``.

    Args:
        factors: array of shape ``(..., n, n)``, the first result of `lu`.
        order: array of shape ``(..., n)``, the third.
        b: array of shape ``(..., n, k)``.
        trans: 0 for ``a`` itself, 1 for its transpose, 2 for its adjoint.

    Raises:
        ValueError: `trans` is another number.
    """
    if trans == 0:
        x = taken_rows(b, order)
        x = solve_many(factors, x, lower=True, unit_diagonal=True)
        return solve_many(factors, x)
    if trans not in (1, 2):
        raise value_error(
            "lu_solve: this is no kind of equation.",
            [("trans", repr(trans))],
            "0: a x = b. 1: a.T x = b. 2: a.conj().T x = b.",
        )
    flags = {"transpose_a": True, "conjugate_a": trans == 2}
    x = solve_many(factors, b, **flags)
    x = solve_many(factors, x, lower=True, unit_diagonal=True, **flags)
    return taken_rows(x, inverse_order(order))


def solve(a: Array, b: Array) -> Array:
    """Solves ``a x = b``, with derivatives of the equation, not of the elimination.

    Args:
        a: array of shape ``(..., n, n)``.
        b: array of shape ``(..., n, k)`` of the same dtype and leading axes.
    """
    factors, _, order = lu_p.bind(stop_gradient(a))
    return custom_linear_solve(
        lambda x: matrices.product(a, x),
        b,
        solve=lambda _, right: lu_solve(factors, order, right),
        transpose_solve=lambda _, right: lu_solve(factors, order, right, 1),
    )
