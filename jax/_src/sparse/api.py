"""Making sparse arrays of every format, and reading any of them."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree as trees
from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import (
    arrays,
    bcoo,
    bcsr,
    compressed,
    conversion,
    coo,
    csr,
    indices as indices_lib,
    layouts,
    matrices,
    programs,
)


def dense_of(arr: Any) -> Any:
    """The dense array of an array of any format."""
    if isinstance(arr, bcoo.BCOO):
        return conversion.bcoo_todense(arr)
    if isinstance(arr, bcsr.BCSR):
        return compressed.bcsr_todense(arr)
    return arr.todense() if isinstance(arr, arrays.JAXSparse) else jnp.asarray(arr)


@programs.named("todense")
def todense_p(*bufs, tree):
    """The dense array of buffers of any format."""
    return dense_of(trees.tree_unflatten(tree, bufs))


def todense(arr: Any) -> Any:
    """The dense array of an array of any format, dense ones included.

    Within `sparsify` it makes a sparse value dense.
    """
    bufs, tree = trees.tree_flatten(arr)
    return todense_p.bind(*[jnp.asarray(b) for b in bufs], tree=tree)


def _wrong_format(sparse_format, names, kind):
    return kind(
        errors.explain(
            "This format of sparse arrays is not known here.",
            [("sparse_format", repr(sparse_format))],
            f"Formats are {', '.join(names)}.",
        )
    )


def empty(
    shape: Sequence[int],
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """A sparse array of zeros.

    Args:
        shape: its shape.
        dtype: its dtype; None: the default float.
        index_dtype: the dtype of its indices.
        sparse_format: ``"bcoo"``, ``"bcsr"``, ``"coo"``, ``"csr"`` or ``"csc"``.
        **kwds: for BCOO and BCSR `n_batch`, `n_dense` and `nse`, 0 by default.

    Raises:
        ValueError: there is no such format.
    """
    shape = tuple(shape)
    matrix = {"coo": coo.COO, "csr": csr.CSR, "csc": csr.CSC}
    if sparse_format in matrix:
        made = matrix[sparse_format]
        return made._empty(shape, dtype=dtype, index_dtype=index_dtype, **kwds)
    if sparse_format not in ("bcoo", "bcsr"):
        names = ("bcoo", "bcsr", *matrix)
        raise _wrong_format(sparse_format, names, ValueError)
    made = _empty_bcoo(shape, dtype, index_dtype, **kwds)
    return made if sparse_format == "bcoo" else compressed.from_bcoo(made)


def _empty_bcoo(shape, dtype, index_dtype, *, n_batch=0, n_dense=0, nse=0):
    n_sparse = layouts.check_kinds("empty", len(shape), n_batch, n_dense)
    parts = layouts.kinds(shape, n_batch, n_sparse)
    data = jnp.zeros((*parts.batch, nse, *parts.dense), dtype)
    beyond = indices_lib.sizes_as(index_dtype, parts.sparse)
    indices = jnp.broadcast_to(beyond, (*parts.batch, nse, n_sparse))
    return bcoo.BCOO(
        (data, indices), shape=shape, indices_sorted=True, unique_indices=True
    )


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """A sparse matrix with ones on a diagonal.

    Args:
        N: the number of rows.
        M: the number of columns; None: as many.
        k: which diagonal; those above the main one are positive.
        dtype: its dtype; None: the default float.
        index_dtype: the dtype of its indices.
        sparse_format: ``"bcoo"``, ``"coo"``, ``"csr"`` or ``"csc"``.
        **kwds: for BCOO `n_batch` and `n_dense`.

    Raises:
        KeyError: there is no such format.
    """
    M = N if M is None else M
    matrix = {"coo": coo.COO, "csr": csr.CSR, "csc": csr.CSC}
    if sparse_format in matrix:
        made = matrix[sparse_format]
        return made._eye(N, M, k, dtype=dtype, index_dtype=index_dtype, **kwds)
    if sparse_format != "bcoo":
        raise _wrong_format(sparse_format, ("bcoo", *matrix), KeyError)
    return _bcoo_eye(N, M, k, dtype, index_dtype, **kwds)


def _bcoo_eye(n, m, k, dtype, index_dtype, *, n_batch=0, n_dense=0):
    n_sparse = layouts.check_kinds("eye", 2, n_batch, n_dense)
    rows, columns = matrices.diagonal(n, m, k, index_dtype)
    if n_sparse == 2:
        made = bcoo.BCOO(
            (jnp.ones(len(rows), dtype), jnp.stack([rows, columns], -1)),
            shape=(n, m),
            indices_sorted=True,
            unique_indices=True,
        )
        return made
    full = jnp.eye(n, m, k, dtype=dtype)
    if n_sparse == 1 and n_batch == 0:
        return conversion.bcoo_fromdense(
            full, nse=len(rows), n_dense=1, index_dtype=index_dtype
        )
    return conversion.bcoo_fromdense(
        full,
        nse=1 if len(rows) else 0,
        n_batch=n_batch,
        n_dense=n_dense,
        index_dtype=index_dtype,
    )
