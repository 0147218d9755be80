"""The inner functions of iterative solvers, from which libraries build solvers of their own."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import flatten_util, tree
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.numpy import matrix_products, numpy_api as jnp, operands
from jax._src.scipy.sparse import linalg

# Functions of trees are arguments of compiled programs.
Partial = tree.Partial


def identity(x: Any) -> Any:
    """The argument."""
    return x


def normalize_matvec(f: Any) -> Callable:
    """A linear operator as a function: a function as it is, a matrix as its product.

    Raises:
        ValueError: the matrix is not square.
        TypeError: it is neither.
    """
    if callable(f):
        return f
    return Partial(matrix_products.matmul, f) if linalg.operator("matvec", f) else f


def vdot_tree(x: Any, y: Any) -> Any:
    """The sum of the dot products of corresponding leaves, the first ones conjugated."""
    products = tree.tree_map(
        lambda a, b: matrix_products.vdot(a, b, precision="highest"), x, y
    )
    return sum(tree.tree_leaves(products))


def vdot_real_part(x: Any, y: Any) -> Any:
    """The real part of the dot product of two arrays, the first one conjugated."""
    return jnp.real(matrix_products.vdot(x, y, precision="highest"))


def vdot_real_tree(x: Any, y: Any) -> Any:
    """The real part of `vdot_tree`."""
    return sum(tree.tree_leaves(tree.tree_map(vdot_real_part, x, y)))


def norm(x: Any) -> Any:
    """The Euclidean norm of a tree of arrays."""
    return jnp.sqrt(vdot_real_tree(x, x))


def mul(scalar: Any, x: Any) -> Any:
    """A tree of arrays times a scalar."""
    return tree.tree_map(lambda leaf: scalar * leaf, x)


def safe_normalize(x: Any, thresh: Any = None) -> tuple[Any, Any]:
    """A tree of arrays divided by its norm, and the norm; zeros and 0 of one too small.

    Args:
        x: the tree.
        thresh: the smallest norm that counts; None: the epsilon of the dtype.
    """
    size = norm(x)
    if thresh is None:
        thresh = float(np.finfo(operands.dtype_of(size)).eps)
    counts = size > thresh
    unit = tree.tree_map(
        lambda leaf: jnp.where(
            counts, leaf / jnp.where(counts, size, 1).astype(leaf.dtype), 0
        ),
        x,
    )
    return unit, jnp.where(counts, size, 0)


def gmres_restart(
    A: Callable,
    b: Any,
    x0: Any,
    unit_residual: Any,
    residual_norm: Any,
    ptol: Any,
    restart: int,
    M: Callable,
) -> tuple[Any, Any, Any]:
    """Improves a solution of ``A x = b`` by the best vector of one Krylov space.

    Args:
        A: multiplies a tree by the matrix.
        b: the right side.
        x0: the solution so far.
        unit_residual: ``M(b - A(x0))`` divided by its norm.
        residual_norm: that norm.
        ptol: accepted: the space is always completed.
        restart: the dimension of the space.
        M: multiplies a tree by an approximate inverse of the matrix.

    Returns:
        The solution, and its unit residual and norm.
    """
    flat, unravel = flatten_util.ravel_pytree(mul(residual_norm, unit_residual))

    def apply(v):
        return flatten_util.ravel_pytree(M(A(unravel(v))))[0]

    step = unravel(linalg.krylov_minimum(apply, flat, restart))
    x = tree.tree_map(lambda a, d: a + d, x0, step)
    residual = M(tree.tree_map(lambda a, c: a - c, b, A(x)))
    return x, *safe_normalize(residual)


def gmres_solve(
    A: Callable,
    b: Any,
    x0: Any,
    atol: Any,
    ptol: Any,
    restart: int,
    maxiter: int,
    M: Callable,
    gmres_func: Callable,
) -> Any:
    """Solves ``A x = b`` by restarts of `gmres_func` until the residual is below `atol`."""
    residual = M(tree.tree_map(lambda a, c: a - c, b, A(x0)))
    unit, size = safe_normalize(residual)

    def goes_on(carry):
        _, k, _, size = carry
        return (k < maxiter) & (size > atol)

    def step(carry):
        x, k, unit, size = carry
        return _after(gmres_func(A, b, x, unit, size, ptol, restart, M), k)

    def _after(found, k):
        x, unit, size = found
        return x, k + 1, unit, size

    return while_loop(goes_on, step, (x0, np.int32(0), unit, size))[0]


def cg_solve(
    A: Callable,
    b: Any,
    x0: Any = None,
    *,
    maxiter: int,
    tol: float = 1e-5,
    atol: float = 0.0,
    M: Callable = identity,
) -> Any:
    """Solves ``A x = b`` by conjugate gradients, without derivatives of the equation."""
    return linalg.cg(A, b, x0, maxiter=maxiter, tol=tol, atol=atol, M=M)[0]


def bicgstab_solve(
    A: Callable,
    b: Any,
    x0: Any = None,
    *,
    maxiter: int,
    tol: float = 1e-5,
    atol: float = 0.0,
    M: Callable = identity,
) -> Any:
    """Solves ``A x = b`` by stabilised biconjugate gradients."""
    return linalg.bicgstab(A, b, x0, maxiter=maxiter, tol=tol, atol=atol, M=M)[0]
