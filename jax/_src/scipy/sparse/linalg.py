"""Iterative solutions of linear equations: the matrix is only multiplied by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes, flatten_util, tree as trees
from jax._src.base import errors, traceback_filter
from jax._src.core.avals import is_value
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.control_flow.solves import custom_linear_solve
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.numpy import matrix_products, numpy_api as jnp, operands
from jax._src.numpy.linalg import equations

Array = Any
Vector = Any
Operator = Callable[[Vector], Vector]


def _explain(name: str, what: str, facts=(), rule: str = "") -> str:
    return errors.explain(f"jax.scipy.sparse.linalg.{name}: {what}", facts, rule)


def operator(name: str, a: Any) -> Operator:
    """A linear operator given as function or matrix, as a function."""
    if callable(a):
        return a
    if not is_value(a) and hasattr(a, "__matmul__"):
        return lambda x: a @ x
    if not is_value(a):
        raise TypeError(
            _explain(
                name,
                "this is no linear operator.",
                [("operator", repr(a)[:60])],
                "It is a function of vectors, or a matrix.",
            )
        )
    if operands.ndim(a) != 2 or operands.shape(a)[0] != operands.shape(a)[1]:
        raise ValueError(
            _explain(
                name,
                "the matrix is not square.",
                [("operator", operands.type_name(a))],
                "It has as many rows as columns.",
            )
        )
    return lambda x: matrix_products.matmul(a, x)


def _shapes(tree: Any) -> list:
    return [operands.shape(x) for x in trees.tree_leaves(tree)]


def _require_like(name: str, what: str, found: Any, b: Any) -> None:
    if trees.tree_structure(found) != trees.tree_structure(b) or _shapes(
        found
    ) != _shapes(b):
        raise ValueError(
            _explain(
                name,
                f"{what} does not match b.",
                [(what, str(_shapes(found))), ("b", str(_shapes(b)))],
                "Structure and shapes are the same.",
            )
        )


def _solve(name, method, a, b, x0, m, symmetric):
    """Sets a method on vectors up for trees, with derivatives of the equation."""
    matvec = operator(name, a)
    precondition = (lambda x: x) if m is None else operator(name, m)
    operands.check_arraylike(f"scipy.sparse.linalg.{name}", *trees.tree_leaves(b))
    b = trees.tree_map(
        lambda x: operands.promote_dtypes_inexact(operands.to_array(x))[0], b
    )
    if x0 is None:
        x0 = trees.tree_map(jnp.zeros_like, b)
    _require_like(name, "x0", x0, b)
    _require_like(name, "the product with x0", matvec(x0), b)
    flat_x0, _ = flatten_util.ravel_pytree(x0)
    _, unravel = flatten_util.ravel_pytree(b)

    def flat(function):
        return lambda v: flatten_util.ravel_pytree(function(unravel(v)))[0]

    def run(function, right):
        found = method(
            flat(function),
            flatten_util.ravel_pytree(right)[0],
            operands.convert(flat_x0, flatten_util.ravel_pytree(right)[0].dtype),
            flat(precondition),
        )
        return unravel(found)

    found = custom_linear_solve(
        matvec, b, solve=run, transpose_solve=run, symmetric=symmetric
    )
    if name == "cg":  # as JAX has it: the others have the weak type of b
        return found
    return trees.tree_map(
        lambda x, like: operands.convert(
            x, operands.dtype_of(x), dtypes.is_weakly_typed(like)
        ),
        found,
        b,
    )


def _dot(x: Array, y: Array) -> Array:
    return matrix_products.vdot(x, y, precision="highest")


def _square(x: Array) -> Array:
    return jnp.real(_dot(x, x))


def _limit(b: Array, tol: Any, atol: Any) -> Array:
    """The squared size of a residual that is small enough."""
    return jnp.maximum(tol**2 * _square(b), atol**2)


def _steps(maxiter: int | None, b: Array) -> int:
    return 10 * operands.size(b) if maxiter is None else maxiter


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, None]:
    """Solves ``A x = b`` by conjugate gradients.

    Args:
        A: a matrix, or a function that multiplies by it; Hermitian and positive
            definite.
        b: a tree of arrays, the right side.
        x0: a tree like `b`, where to start; default: zeros.
        tol: the size of the residual that is small enough, relative to that of `b`.
        atol: the same, absolute.
        maxiter: the most steps; default: ten for each element.
        M: an approximate inverse of `A`, matrix or function.

    Returns:
        The solution, a tree like `b`, and None.

    Raises:
        TypeError: `A` is no operator. ValueError: shapes do not match.

    Derivatives are those of the equation: another solve.

    Reference: Hestenes and Stiefel, Methods of conjugate gradients for solving linear
    systems, 1952.
    """

    def method(matvec, b, x, precondition):
        limit, most = _limit(b, tol, atol), _steps(maxiter, b)

        def goes_on(carry):
            _, r, _, _, k = carry
            return (_square(r) > limit) & (k < most)

        def step(carry):
            x, r, p, gamma, k = carry
            ap = matvec(p)
            alpha = gamma / _dot(p, ap)
            x, r = x + alpha * p, r - alpha * ap
            z = precondition(r)
            new = _dot(r, z)
            return x, r, z + new / gamma * p, new, k + 1

        r = b - matvec(x)
        z = precondition(r)
        start = x, r, z, _dot(r, z), np.int32(0)
        return while_loop(goes_on, step, start)[0]

    return _solve("cg", method, A, b, x0, M, True), None


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, None]:
    """Solves ``A x = b`` by stabilized biconjugate gradients.

    `A` may be any matrix that has an inverse; arguments and results as for `cg`.

    Reference: van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of
    Bi-CG for the solution of nonsymmetric linear systems, 1992.
    """

    def method(matvec, b, x, precondition):
        limit, most = _limit(b, tol, atol), _steps(maxiter, b)
        shadow = b - matvec(x)

        def goes_on(carry):
            *_, r, k, works = carry
            return (_square(r) > limit) & (k < most) & works

        def step(carry):
            x, p, v, rho, alpha, omega, r, k, _ = carry
            new_rho = _dot(shadow, r)
            p = r + (new_rho / rho) * (alpha / omega) * (p - omega * v)
            p_hat = precondition(p)
            v = matvec(p_hat)
            alpha = new_rho / _dot(shadow, v)
            s = r - alpha * v
            is_enough = _square(s) <= limit
            s_hat = precondition(s)
            t = matvec(s_hat)
            size = _dot(t, t)
            omega = jnp.where(size == 0, 0, _dot(t, s) / jnp.where(size == 0, 1, size))
            omega = jnp.where(is_enough, 0, omega)
            x = x + alpha * p_hat + omega * s_hat
            r = s - omega * t
            works = (new_rho != 0) & (alpha != 0) & ((omega != 0) | is_enough)
            return x, p, v, new_rho, alpha, omega, r, k + 1, works

        one = jnp.ones((), b.dtype)
        zero = jnp.zeros_like(b)
        start = x, zero, zero, one, one, one, shadow, np.int32(0), np.bool_(True)
        return while_loop(goes_on, step, start)[0]

    return _solve("bicgstab", method, A, b, x0, M, False), None


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    solve_method: str = "batched",
) -> tuple[Any, Array]:
    """Solves ``A x = b`` by minimal residuals in Krylov's spaces.

    Args:
        A: a matrix that has an inverse, or a function that multiplies by it.
        b: a tree of arrays, the right side.
        x0: a tree like `b`, where to start; default: zeros.
        tol: the size of the residual that is small enough, relative to that of `b`.
        atol: the same, absolute.
        restart: the size of the spaces.
        maxiter: the most spaces; default: ten for each element.
        M: an approximate inverse of `A`, matrix or function.
        solve_method: ``"batched"`` or ``"incremental"``: names of two ways to find the
            same minimum; both are found here once a space is complete.

    Returns:
        The solution, a tree like `b`, and -1 where it is NaN, otherwise 0.

    Raises:
        TypeError: `A` is no operator. ValueError: shapes do not match, or there is no
            such method.

    Derivatives are those of the equation: another solve.

    Reference: Saad and Schultz, GMRES: a generalized minimal residual algorithm for
    solving nonsymmetric linear systems, 1986.
    """
    if solve_method not in ("batched", "incremental"):
        raise ValueError(
            _explain(
                "gmres",
                "there is no such method.",
                [("solve_method", repr(solve_method))],
                "Methods are 'batched' and 'incremental'.",
            )
        )

    def method(matvec, b, x, precondition):
        most = _steps(maxiter, b)
        size = min(restart, operands.size(b))
        # Residuals are measured after the preconditioner.
        scale = _square(precondition(b)) / jnp.where(_square(b) > 0, _square(b), 1)
        limit = _limit(b, tol, atol) * jnp.where(scale > 0, scale, 1)

        def residual(x):
            return precondition(b - matvec(x))

        def goes_on(carry):
            _, r, k = carry
            return (_square(r) > limit) & (k < most)

        def step(carry):
            x, r, k = carry
            x = x + krylov_minimum(lambda v: precondition(matvec(v)), r, size)
            return x, residual(x), k + 1

        return while_loop(goes_on, step, (x, residual(x), np.int32(0)))[0]

    x = _solve("gmres", method, A, b, x0, M, False)
    failed = sum(jnp.sum(jnp.isnan(leaf)) for leaf in trees.tree_leaves(x)) > 0
    return x, jnp.where(failed, -1, 0)


def krylov_minimum(apply: Operator, r: Array, size: int) -> Array:
    """The vector of a Krylov space whose image is nearest to `r`, by Arnoldi's basis."""
    norm = jnp.sqrt(_square(r))
    eps = float(dtypes.finfo(operands.dtype_of(r)).eps)
    basis = jnp.zeros((size + 1, operands.size(r)), r.dtype)
    basis = basis.at[0].set(r / jnp.where(norm == 0, 1, norm))
    form = jnp.zeros((size + 1, size), r.dtype)

    def extend(k, carry):
        basis, form = carry
        v = apply(basis[k])
        before = jnp.sqrt(_square(v))
        # Twice is enough: rounding leaves the first time's result askew.
        column = jnp.zeros((size + 1,), r.dtype)
        for _ in range(2):
            parts = matrix_products.matmul(jnp.conj(basis), v, precision="highest")
            v = v - matrix_products.matmul(parts, basis, precision="highest")
            column = column + parts
        rest = jnp.sqrt(_square(v))
        # The space is complete if nothing but rounding is left.
        is_new = rest > eps * before
        v = jnp.where(is_new, v / jnp.where(is_new, rest, 1), 0)
        column = column.at[k + 1].set(jnp.where(is_new, rest, 0).astype(r.dtype))
        return basis.at[k + 1].set(v), form.at[:, k].set(column)

    basis, form = fori_loop(0, size, extend, (basis, form))
    right = jnp.zeros((size + 1,), r.dtype).at[0].set(norm.astype(r.dtype))
    weights = equations.lstsq(form, right)[0]
    return matrix_products.matmul(weights, basis[:-1], precision="highest")


traceback_filter.hide_frames(globals())
