"""The steps of `lobpcg_standard` on bases of subspaces, which libraries put together anew."""

from collections.abc import Callable
from typing import Any

from jax._src import dtypes
from jax._src.core.avals import get_aval
from jax._src.lax.control_flow import scans
from jax._src.lax.ops import precision as precision_lib
from jax._src.numpy import numpy_api as jnp
from jax._src.numpy.linalg import decompositions
from jax._src.sparse import lobpcg


def check_inputs(A: Callable, X: Any) -> None:
    """Raises an error where a function and first vectors do not fit `lobpcg_standard`.

    Raises:
        ValueError: the shapes do not fit.
    """
    n, k = get_aval(X).shape
    if k * 5 >= n:
        raise ValueError(f"expected search dim * 5 < matrix dim (got {k * 5}, {n})")
    out = get_aval(A(X))
    if out.shape != (n, k):
        raise ValueError(f"A must be ({n}, {n}) matrix A, got output {out.shape}")
    if out.dtype != X.dtype:
        raise ValueError(f"A, X must have same dtypes (were {out.dtype}, {X.dtype})")


def mm(a: Any, b: Any, precision: Any = precision_lib.Precision.HIGHEST) -> Any:
    """The product of two matrices, as exact as can be by default."""
    return jnp.matmul(a, b, precision=precision)


def eigh_ascending(A: Any) -> tuple[Any, Any]:
    """Eigenvalues of a symmetric matrix, the largest first, and their vectors as columns."""
    values, vectors = decompositions.eigh(A)
    return values[::-1], vectors[:, ::-1]


def orthonormalize(basis: Any) -> Any:
    """Orthonormal columns of the same span; columns that add nothing to it are 0."""
    for _ in range(2):
        basis = svqb(basis)
    return basis


def svqb(X: Any) -> Any:
    """Orthonormal columns of the same span, from the eigenvectors of ``X.T @ X``.

    Reference: Stathopoulos and Wu, A block orthogonalization procedure with constant
    synchronization requirements, 2002.
    """
    norms = jnp.sqrt(jnp.sum(X * X, axis=0, keepdims=True))
    X = X / jnp.where(norms == 0, 1, norms)
    values, vectors = eigh_ascending(mm(X.T, X))
    smallest = float(dtypes.finfo(X.dtype).eps) * values[0]
    counts = values > jnp.maximum(smallest, 0)
    scale = jnp.where(counts, 1 / jnp.sqrt(jnp.where(counts, values, 1)), 0)
    columns = mm(X, vectors * scale)
    norms = jnp.sqrt(jnp.sum(columns * columns, axis=0, keepdims=True))
    return columns / jnp.where(norms == 0, 1, norms)


def project_out(basis: Any, U: Any) -> Any:
    """Orthonormal columns of the part of a span that is orthogonal to an orthonormal basis.

    Columns of which nothing is left but rounding are 0.
    """
    for _ in range(2):
        U = U - mm(basis, mm(basis.T, U))
        U = orthonormalize(U)
    for _ in range(2):
        U = U - mm(basis, mm(basis.T, U))
    norms = jnp.sqrt(jnp.sum(U * U, axis=0, keepdims=True))
    return U * (norms >= 0.99).astype(U.dtype)


def rayleigh_ritz_orth(A: Callable, S: Any) -> tuple[Any, Any]:
    """Eigenvalues of an operator on the span of orthonormal columns, the largest first.

    Returns:
        The eigenvalues, and their vectors as combinations of the columns.
    """
    return eigh_ascending(mm(S.T, A(S)))


def extend_basis(X: Any, m: int) -> Any:
    """`m` orthonormal columns that are orthogonal to the orthonormal columns of `X`."""
    n, k = X.shape
    upper, lower = X[:k], X[k:]
    # One block reflection that takes the first k axes to the span of X.
    u, _, vt = decompositions.svd(upper)
    turn = mm(u, vt)
    first = jnp.concatenate([upper + turn, lower], axis=0)
    others = jnp.eye(n, m, k=-k, dtype=X.dtype)
    inner = mm(first.T, others)
    return others - mm(
        first, mm(_inverse(jnp.eye(k, dtype=X.dtype) + mm(turn.T, upper)), inner)
    )


def _inverse(x):
    values, vectors = decompositions.eigh((x + x.T) / 2)
    return mm(vectors / values, vectors.T)


def lobpcg_standard(
    A: Any, X: Any, m: int, tol: float | None, debug: bool = False
) -> tuple[Any, ...]:
    """`lobpcg_standard`, which with `debug` takes all `m` steps and records each.

    Returns:
        Eigenvalues, vectors, and the number of steps; with `debug`, also a dictionary of
        what was seen after each step: estimates, errors, and how orthonormal vectors are.
    """
    if not debug:
        return lobpcg.lobpcg_standard(A, X, m, tol)
    start, step = lobpcg.steps(A, X, tol)

    def recorded(now, _):
        after = step(now)
        return after, _record(now, after)

    end, records = scans.scan(recorded, start(), None, length=m)
    return end.theta, end.X, end.step, records


def _record(before, after):
    X = after.X
    P = project_out(X, after.P)
    norms = jnp.sqrt((after.R * after.R).sum(0))
    ordered = after.error.sort()
    R = project_out(jnp.concatenate([before.X, before.P], 1), before.R)
    found = {
        "basis rank": X.shape[1]
        + _nonzeros(R)
        + _nonzeros(project_out(before.X, before.P)),
        "X zeros": X.shape[1] - _nonzeros(X),
        "P zeros": X.shape[1] - _nonzeros(P),
        "lambda history": after.theta,
        "residual history": norms,
        "converged": after.is_done.sum(),
        "adjusted residual max": ordered[-1],
        "adjusted residual p50": ordered[X.shape[1] // 2],
        "adjusted residual min": ordered[0],
        "X orth": _away_from_orthonormal(X),
        "P orth": _away_from_orthonormal(P),
        "P.X": abs(mm(P.T, X)).max(),
    }
    return found


def _nonzeros(columns):
    return (columns != 0).any(0).sum()


def _away_from_orthonormal(columns):
    """The largest difference from orthonormal columns, among those that are not 0."""
    product = mm(columns.T, columns)
    return abs(product - jnp.eye(len(product)) * (columns != 0).any(0)).max()
