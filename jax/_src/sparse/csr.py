"""One matrix, compressed by rows or by columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import (
    arrays,
    compressed,
    conversion,
    indices as indices_lib,
    matrices,
    programs,
    times_dense,
)

Shape = tuple[int, ...]


class _Compressed(arrays.JAXSparse):
    """Abstract: the buffers of a matrix, compressed along one of its dimensions."""

    data: Any
    indices: Any
    indptr: Any
    _BUFFERS = ("data", "indices", "indptr")

    def __init__(self, args: tuple[Any, Any, Any], *, shape: Sequence[int]):
        self.data, self.indices, self.indptr = (jnp.asarray(a) for a in args)
        super().__init__(args, shape=tuple(shape))

    @property
    def nse(self) -> int:
        """The number of elements that are stored."""
        return self.data.size

    def tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The buffers, and what `jit` compiles for."""
        return self._buffers, {"shape": self.shape}


def _nothing(count: int, dtype: Any, index_dtype: Any) -> tuple[Any, Any, Any]:
    return (
        jnp.zeros(0, dtype),
        jnp.zeros(0, index_dtype),
        jnp.zeros(count + 1, index_dtype),
    )


class CSR(_Compressed):
    """A matrix stored row by row.

    Args:
        args: ``(data, indices, indptr)``: row ``i`` holds the elements ``indptr[i]`` to
            ``indptr[i + 1]`` of `data`, and `indices` are their columns.
        shape: the shape of the matrix.

    Examples:
        >>> from jax.experimental import sparse
        >>> sparse.CSR.fromdense(jnp.array([[0., 1., 0.], [2., 0., 3.]])).indptr
        Array([0, 1, 3], dtype=int32)
    """

    @classmethod
    def fromdense(
        cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32
    ) -> Any:
        """Stores the elements of a dense matrix that are not zero; see `csr_fromdense`."""
        return csr_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def _empty(
        cls, shape: Sequence[int], *, dtype: Any = None, index_dtype: Any = "int32"
    ) -> Any:
        matrices.check_matrix("CSR", shape)
        return cls(_nothing(shape[0], dtype, index_dtype), shape=shape)

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any, index_dtype: Any) -> Any:
        return cls(_diagonal(N, M, k, dtype, index_dtype), shape=(N, M))

    def todense(self) -> Any:
        """The dense matrix."""
        return csr_todense(self)

    def transpose(self, axes: Sequence[int] | None = None) -> Any:
        """The matrix with rows and columns exchanged: a CSC of the same buffers."""
        matrices.check_reversed("CSR", axes)
        return CSC(self._buffers, shape=self.shape[::-1])

    def __matmul__(self, other: Any) -> Any:
        return matrices.times(self, other, csr_matvec, csr_matmat)


class CSC(_Compressed):
    """A matrix stored column by column.

    Args:
        args: ``(data, indices, indptr)``: column ``j`` holds the elements ``indptr[j]`` to
            ``indptr[j + 1]`` of `data`, and `indices` are their rows.
        shape: the shape of the matrix.
    """

    @classmethod
    def fromdense(
        cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32
    ) -> Any:
        """Stores the elements of a dense matrix that are not zero."""
        mat = jnp.asarray(mat)
        matrices.check_matrix("CSC.fromdense", mat.shape)
        return csr_fromdense(mat.T, nse=nse, index_dtype=index_dtype).T

    @classmethod
    def _empty(
        cls, shape: Sequence[int], *, dtype: Any = None, index_dtype: Any = "int32"
    ) -> Any:
        matrices.check_matrix("CSC", shape)
        return cls(_nothing(shape[1], dtype, index_dtype), shape=shape)

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any, index_dtype: Any) -> Any:
        return CSR._eye(M, N, -k, dtype=dtype, index_dtype=index_dtype).T

    def todense(self) -> Any:
        """The dense matrix."""
        return csr_todense(self.T).T

    def transpose(self, axes: Sequence[int] | None = None) -> Any:
        """The matrix with rows and columns exchanged: a CSR of the same buffers."""
        matrices.check_reversed("CSC", axes)
        return CSR(self._buffers, shape=self.shape[::-1])

    def __matmul__(self, other: Any) -> Any:
        return matrices.times(self, other, _csc_matvec, _csc_matmat)


def _csc_matvec(mat, v):
    return csr_matvec(mat.T, v, transpose=True)


def _csc_matmat(mat, b):
    return csr_matmat(mat.T, b, transpose=True)


tree.register_pytree_node_class(CSR)
tree.register_pytree_node_class(CSC)


def _diagonal(n, m, k, dtype, index_dtype):
    rows, columns = matrices.diagonal(n, m, k, index_dtype)
    indptr = compressed.pointers(rows, n, np.dtype(index_dtype))
    return jnp.ones(rows.shape[0], dtype), columns, indptr


def _samples():
    mat = np.array([[0.0, 1, 0, 2], [3, 0, 0, 4]], np.float32)
    return [programs.sample([mat], nse=4, index_dtype=np.dtype(np.int32))]


@programs.named("csr_fromdense", several=True, samples=_samples)
def csr_fromdense_p(mat, *, nse, index_dtype):
    """The values that are not zero, their columns, and where rows begin."""
    mask = mat if mat.dtype == bool else mat != 0
    rows = indices_lib.nonzero(mask, nse, index_dtype)[:, 0]
    data, _, columns = matrices.found(mat, nse, index_dtype)
    return [data, columns, compressed.pointers(rows, mat.shape[0], index_dtype)]


def csr_fromdense(
    mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32
) -> CSR:
    """Stores the elements of a dense matrix that are not zero, row by row.

    Args:
        mat: matrix of any dtype.
        nse: how many elements are stored; None: as many as needed, which asks for known
            values.
        index_dtype: the dtype of columns and of row pointers.

    Raises:
        AssertionError: it is no matrix.
        ConcretizationTypeError: `nse` is None, and `mat` is traced.
    """
    mat = jnp.asarray(mat)
    matrices.check_matrix("csr_fromdense", mat.shape)
    count = conversion.stored_count("csr_fromdense", mat, nse, 0, 0)
    buffers = csr_fromdense_p.bind(mat, nse=count, index_dtype=np.dtype(index_dtype))
    return CSR(tuple(buffers), shape=mat.shape)


def _buffers(*more):
    columns, indptr = np.array([1, 0, 2], np.int32), np.array([0, 1, 3], np.int32)
    return [np.array([1.0, 2, 3], np.float32), columns, indptr, *more]


@programs.named(
    "csr_todense", samples=lambda: [programs.sample(_buffers(), shape=(2, 3))]
)
def csr_todense_p(data, indices, indptr, *, shape):
    """The dense matrix of compressed rows."""
    rows = times_dense.rows_of(indptr, indices.shape[0]).astype(indices.dtype)
    return indices_lib.add_up(shape, jnp.stack([rows, indices], -1), data)


def csr_todense(mat: CSR) -> Any:
    """The dense matrix, of the same shape and dtype."""
    return csr_todense_p.bind(*mat._buffers, shape=mat.shape)


def _product(data, indices, indptr, other, shape, transpose):
    return matrices.product(data, indptr, indices, other, shape, transpose, "rows")


def _vector_samples():
    v = np.array([1.0, -2, 0.5], np.float32)
    return [programs.sample(_buffers(v), shape=(2, 3), transpose=False)]


@programs.named("csr_matvec", samples=_vector_samples)
def csr_matvec_p(data, indices, indptr, v, *, shape, transpose):
    """The product of compressed rows and a vector."""
    return _product(data, indices, indptr, v, shape, transpose)


def _matrix_samples():
    b = np.arange(6, dtype=np.float32).reshape(3, 2)
    return [programs.sample(_buffers(b), shape=(2, 3), transpose=False)]


@programs.named("csr_matmat", samples=_matrix_samples)
def csr_matmat_p(data, indices, indptr, B, *, shape, transpose):
    """The product of compressed rows and a matrix."""
    return _product(data, indices, indptr, B, shape, transpose)


def csr_matvec(mat: CSR, v: Any, transpose: bool = False) -> Any:
    """The product of a matrix and a vector.

    Args:
        mat: CSR of shape ``(n, m)``.
        v: vector of length ``m``; ``n`` if transposed.
        transpose: whether the matrix is transposed.

    Raises:
        TypeError: the lengths differ.
    """
    v = matrices.check_product("csr_matvec", mat, v, 1, transpose)
    return csr_matvec_p.bind(*mat._buffers, v, shape=mat.shape, transpose=transpose)


def csr_matmat(mat: CSR, B: Any, *, transpose: bool = False) -> Any:
    """The product of two matrices.

    Args:
        mat: CSR of shape ``(n, m)``.
        B: matrix of shape ``(m, k)``; ``(n, k)`` if transposed.
        transpose: whether `mat` is transposed.

    Raises:
        TypeError: the sizes differ.
    """
    B = matrices.check_product("csr_matmat", mat, B, 2, transpose)
    return csr_matmat_p.bind(*mat._buffers, B, shape=mat.shape, transpose=transpose)
