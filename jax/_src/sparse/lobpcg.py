"""The largest eigenvalues of a symmetric matrix that need not be stored.

Method: A. V. Knyazev, "Toward the optimal preconditioned eigensolver: locally optimal
block preconditioned conjugate gradient method", SIAM J. Sci. Comput. 23 (2001), without a
preconditioner. The basis of a step is made orthonormal as a whole by Householder
reflections, which cannot break down where directions coincide; compare U. Hetmaniuk and
R. Lehoucq, "Basis selection in LOBPCG", J. Comput. Phys. 218 (2006).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src.base import errors
from jax._src.lax.control_flow import while_loops
from jax._src.numpy import numpy_api as jnp
from jax._src.numpy.linalg import decompositions
from jax._src.transforms import inspect_programs


def _check(A: Any, X: Any) -> Callable:
    """The matrix as a function.

    Raises:
        ValueError: matrix and start do not fit, or the matrix is too small.
    """
    facts = [("X", f"{X.dtype}{list(X.shape)}")]

    def no(what, rule):
        return errors.value_error(f"lobpcg_standard: {what}", facts, rule)

    if X.ndim != 2:
        raise no("the start is no matrix.", "X has shape (n, k).")
    n, k = X.shape
    if not 0 < 5 * k < n:
        rule = "There are more than 5 times as many rows as eigenvalues: 0 < 5 * k < n."
        raise no("too many eigenvalues for the size.", rule)
    if not callable(A):
        matrix = jnp.asarray(A)
        facts.append(("A", f"{matrix.dtype}{list(matrix.shape)}"))
        if matrix.shape != (n, n) or matrix.dtype != X.dtype:
            raise no(
                "the matrix does not fit.", "A has shape (n, n) and the dtype of X."
            )
        return lambda x: jnp.matmul(matrix, x, precision="highest")
    out = inspect_programs.eval_shape(A, X)
    facts.append(("A(X)", f"{out.dtype}{list(out.shape)}"))
    if out.shape != X.shape or out.dtype != X.dtype:
        raise no("the function does not fit.", "A(X) has the shape and dtype of X.")
    return A


class State(NamedTuple):
    """Where the search is: estimates, their errors, and the direction of the last step."""

    step: Any
    X: Any
    P: Any
    R: Any
    theta: Any
    # The error of each pair, relative to eigenvalue and size, and whether it is accepted.
    error: Any
    is_done: Any


def lobpcg_standard(
    A: Any, X: Any, m: int = 100, tol: float | None = None
) -> tuple[Any, Any, Any]:
    """The largest eigenvalues of a symmetric matrix, and their eigenvectors.

    Args:
        A: matrix of shape ``(n, n)``, real and symmetric, or a function that multiplies
            blocks of shape ``(n, k)`` by it.
        X: where the search begins, of shape ``(n, k)`` with ``5 * k < n``.
        m: the largest number of steps.
        tol: the largest error that is accepted, relative to eigenvalue and size; None:
            the spacing of numbers of the dtype at 1.

    Returns:
        ``(theta, U, i)``: eigenvalues of shape ``(k,)``, the largest first, their
        eigenvectors of shape ``(n, k)``, and the number of steps.

    Raises:
        ValueError: the arguments do not fit.
    """
    start, step = steps(A, X, tol)

    def go_on(now):
        return (now.step < m) & ~now.is_done.all()

    end = while_loops.while_loop(go_on, step, start())
    return end.theta, end.X, end.step


def steps(
    A: Any, X: Any, tol: float | None
) -> tuple[Callable[[], State], Callable[[State], State]]:
    """The functions that make the first state of the search, and the next one of each.

    Raises:
        ValueError: the arguments do not fit.
    """
    X = jnp.asarray(X)
    times = _check(A, X)
    n, k = X.shape
    limit = float(jnp.finfo(X.dtype).eps if tol is None else tol)

    def dot(a, b):
        return jnp.matmul(a, b, precision="highest")

    def ritz(basis, count):
        """The best eigenpairs within a basis; what multiplies the basis comes last."""
        product = times(basis)
        small = dot(basis.T, product)
        values, vectors = decompositions.eigh((small + small.T) / 2)
        vectors = vectors[:, ::-1][:, :count]
        return values[::-1][:count], vectors, dot(product, vectors)

    def state(step, X, AX, P, theta):
        R = AX - X * theta[None, :]
        scale = np.asarray(10 * n, X.dtype) * (theta + _norms(AX))
        is_done = _norms(R) < np.asarray(limit, X.dtype) * scale
        return State(step, X, P, R, theta, _norms(R) / scale, is_done)

    def start():
        basis = _orthonormal(X)
        theta, vectors, AX = ritz(basis, k)
        return state(np.int32(0), dot(basis, vectors), AX, jnp.zeros_like(X), theta)

    def step(now):
        basis = _orthonormal(jnp.concatenate([now.X, now.R, now.P], 1))
        theta, vectors, AX = ritz(basis, k)
        # The first columns span what X spans: the rest of the step is its direction.
        direction = dot(basis[:, k:], vectors[k:])
        return state(now.step + 1, dot(basis, vectors), AX, direction, theta)

    return start, step


def _norms(columns):
    return jnp.sqrt((columns * columns).sum(0))


def _orthonormal(columns):
    """Columns that span the same; directions of length 1, so that small ones count."""
    norms = _norms(columns)
    columns = columns / jnp.where(norms > 0, norms, jnp.ones_like(norms))[None, :]
    return decompositions.qr(columns)[0]
