"""Operations of sparse formats on their buffers, as third-party libraries call them."""

from typing import Any

import numpy as np

from jax._src.sparse import coo, csr


def coo_fromdense(mat: Any, *, nse: int, index_dtype: Any = np.int32) -> Any:
    """The buffers of a matrix: values, rows and columns.

    Args:
        mat: the matrix.
        nse: the number of elements that are kept.
        index_dtype: the dtype of rows and columns.
    """
    return coo.coo_fromdense_p.bind(mat, nse=nse, index_dtype=np.dtype(index_dtype))


def coo_todense(data: Any, row: Any, col: Any, *, spinfo: Any) -> Any:
    """The matrix of buffers.

    Args:
        data: values.
        row: their rows.
        col: their columns.
        spinfo: shape and order.
    """
    return coo.coo_todense_p.bind(data, row, col, spinfo=spinfo)


def coo_matvec(
    data: Any, row: Any, col: Any, v: Any, *, spinfo: Any, transpose: bool = False
) -> Any:
    """The product of a matrix of buffers and a vector.

    Args:
        data: values.
        row: their rows.
        col: their columns.
        v: the vector.
        spinfo: shape and order.
        transpose: whether the matrix is transposed first.
    """
    return coo.coo_matvec_p.bind(data, row, col, v, spinfo=spinfo, transpose=transpose)


def coo_matmat(
    data: Any, row: Any, col: Any, B: Any, *, spinfo: Any, transpose: bool = False
) -> Any:
    """The product of a matrix of buffers and a dense one.

    Args:
        data: values.
        row: their rows.
        col: their columns.
        B: the dense matrix.
        spinfo: shape and order.
        transpose: whether the first matrix is transposed first.
    """
    return coo.coo_matmat_p.bind(data, row, col, B, spinfo=spinfo, transpose=transpose)


def csr_matvec(
    data: Any, indices: Any, indptr: Any, v: Any, *, shape: Any, transpose: bool = False
) -> Any:
    """The product of a matrix of compressed rows and a vector.

    Args:
        data: values.
        indices: their columns.
        indptr: where each row begins.
        v: the vector.
        shape: the shape of the matrix.
        transpose: whether the matrix is transposed first.
    """
    return csr.csr_matvec_p.bind(
        data, indices, indptr, v, shape=shape, transpose=transpose
    )


def csr_matmat(
    data: Any, indices: Any, indptr: Any, B: Any, *, shape: Any, transpose: bool = False
) -> Any:
    """The product of a matrix of compressed rows and a dense one.

    Args:
        data: values.
        indices: their columns.
        indptr: where each row begins.
        B: the dense matrix.
        shape: the shape of the first matrix.
        transpose: whether the first matrix is transposed first.
    """
    return csr.csr_matmat_p.bind(
        data, indices, indptr, B, shape=shape, transpose=transpose
    )


def csr_todense(data: Any, indices: Any, indptr: Any, *, shape: Any) -> Any:
    """The matrix of compressed rows, dense.

    Args:
        data: values.
        indices: their columns.
        indptr: where each row begins.
        shape: the shape of the matrix.
    """
    return csr.csr_todense_p.bind(data, indices, indptr, shape=shape)
