"""Linear equations with a sparse matrix, by the solver of SciPy."""

import importlib
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.callbacks import calls as callbacks
from jax._src.lax.control_flow import solves
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import matrices, programs
from jax._src.transforms import shape_dtype_struct


def _solve_on_host(data, indices, indptr, b, *, is_transposed):
    """SciPy's solution of one system; the buffers of a transpose are those of columns."""
    sparse = importlib.import_module("scipy.sparse")
    linalg = importlib.import_module("scipy.sparse.linalg")
    data, indices, indptr, b = (np.asarray(x) for x in (data, indices, indptr, b))
    n = len(b)
    kind = sparse.csc_matrix if is_transposed else sparse.csr_matrix
    # SciPy solves in single and double precision.
    wide = np.result_type(b.dtype, np.float32)
    matrix = kind((data.astype(wide), indices, indptr), shape=(n, n))
    return linalg.spsolve(matrix, b.astype(wide)).astype(b.dtype)


def _samples():
    data = np.array([4.0, 1, 3, 2], np.float32)
    indices, indptr = np.array([0, 2, 1, 2], np.int32), np.array([0, 2, 3, 4], np.int32)
    b = np.array([1.0, 2, 3], np.float32)
    return [programs.sample([data, indices, indptr, b], tol=1e-6, reorder=1)]


@programs.named("spsolve", samples=_samples)
def spsolve_p(data, indices, indptr, b, *, tol, reorder):
    """The solution of a system with a sparse matrix."""
    n = len(b)

    def matvec(x):
        return matrices.product(data, indptr, indices, x, (n, n), False, "rows")

    def solve(b, is_transposed):
        def on_host(*buffers):
            return _solve_on_host(*buffers, is_transposed=is_transposed)

        struct = shape_dtype_struct.ShapeDtypeStruct(b.shape, b.dtype)
        return callbacks.pure_callback(
            on_host, struct, data, indices, indptr, b, vmap_method="sequential"
        )

    return solves.custom_linear_solve(
        matvec,
        b,
        lambda _, b: solve(b, False),
        transpose_solve=lambda _, b: solve(b, True),
    )


def spsolve(
    data: Any, indices: Any, indptr: Any, b: Any, tol: float = 1e-6, reorder: int = 1
) -> Any:
    """The solution of ``A @ x == b`` with a sparse square matrix in compressed rows.

    Args:
        data: the stored elements, a vector.
        indices: their columns, integers.
        indptr: where each row begins, and where the last ends, integers.
        b: the right side, a vector of the dtype of `data`.
        tol: not used here; solvers on GPUs take it.
        reorder: from 0 to 3, not used here.

    Returns:
        The vector x. It can be differentiated with respect to `data` and `b`.

    Raises:
        ValueError: the buffers do not fit each other.

    The solver is `scipy.sparse.linalg.spsolve`, which runs in a callback on the host: the
    platform must have callbacks, and exported programs cannot have them.
    """
    data, indices, indptr, b = (jnp.asarray(x) for x in (data, indices, indptr, b))
    rules = {
        "All are vectors.": all(x.ndim == 1 for x in (data, indices, indptr, b)),
        "data and b have one dtype.": data.dtype == b.dtype,
        "indices and indptr are integers of one dtype.": (
            jnp.issubdtype(indices.dtype, np.integer) and indices.dtype == indptr.dtype
        ),
        "data and indices have one length.": data.shape == indices.shape,
        "indptr has one entry more than b.": indptr.size == b.size + 1,
        "reorder is 0, 1, 2 or 3.": reorder in (0, 1, 2, 3),
    }
    for rule, is_kept in rules.items():
        if not is_kept:
            names = ("data", "indices", "indptr", "b")
            facts = [
                (name, f"{x.dtype}{list(x.shape)}")
                for name, x in zip(names, (data, indices, indptr, b), strict=True)
            ]
            what = "spsolve: the arguments do not fit."
            facts.append(("reorder", str(reorder)))
            raise errors.value_error(what, facts, rule)
    return spsolve_p.bind(data, indices, indptr, b, tol=tol, reorder=reorder)
