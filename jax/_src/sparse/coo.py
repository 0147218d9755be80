"""Coordinates of one matrix: rows and columns apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import arrays, conversion, indices, layouts, matrices, programs

Shape = tuple[int, ...]


class COO(arrays.JAXSparse):
    """A matrix of which some elements are stored, with their rows and columns.

    Args:
        args: ``(data, row, col)``, vectors of the same length; `row` and `col` are
            integers. Elements stored twice are added up; those out of bounds are padding.
        shape: the shape of the matrix.
        rows_sorted: a promise that the rows are in order.
        cols_sorted: a promise that, within rows, columns are in order.

    Examples:
        >>> from jax.experimental import sparse
        >>> sparse.COO.fromdense(jnp.array([[0., 1., 0.], [2., 0., 3.]])).row
        Array([0, 1, 1], dtype=int32)
    """

    data: Any
    row: Any
    col: Any
    _rows_sorted: bool
    _cols_sorted: bool
    _BUFFERS = ("data", "row", "col")

    def __init__(
        self,
        args: tuple[Any, Any, Any],
        *,
        shape: Sequence[int],
        rows_sorted: bool = False,
        cols_sorted: bool = False,
    ):
        self.data, self.row, self.col = (jnp.asarray(a) for a in args)
        self._rows_sorted, self._cols_sorted = rows_sorted, cols_sorted
        super().__init__(args, shape=tuple(shape))

    @property
    def nse(self) -> int:
        """The number of elements that are stored."""
        return self.data.size

    @property
    def _info(self) -> layouts.COOInfo:
        return layouts.COOInfo(self.shape, self._rows_sorted, self._cols_sorted)

    @classmethod
    def fromdense(
        cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32
    ) -> Any:
        """Stores the elements of a dense matrix that are not zero; see `coo_fromdense`."""
        return coo_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def _empty(
        cls, shape: Sequence[int], *, dtype: Any = None, index_dtype: Any = "int32"
    ) -> Any:
        matrices.check_matrix("COO", shape)
        nothing = jnp.zeros(0, index_dtype)
        return cls(
            (jnp.zeros(0, dtype), nothing, nothing),
            shape=shape,
            rows_sorted=True,
            cols_sorted=True,
        )

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any, index_dtype: Any) -> Any:
        rows, columns = matrices.diagonal(N, M, k, index_dtype)
        return cls(
            (jnp.ones(len(rows), dtype), rows, columns),
            shape=(N, M),
            rows_sorted=True,
            cols_sorted=True,
        )

    def todense(self) -> Any:
        """The dense matrix."""
        return coo_todense(self)

    def transpose(self, axes: Sequence[int] | None = None) -> Any:
        """The matrix with rows and columns exchanged."""
        matrices.check_reversed("COO", axes)
        return COO(
            (self.data, self.col, self.row),
            shape=self.shape[::-1],
            rows_sorted=self._cols_sorted,
            cols_sorted=self._rows_sorted,
        )

    def tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The buffers, and what `jit` compiles for."""
        return self._buffers, self._info._asdict()

    @classmethod
    def tree_unflatten(cls, aux_data: dict[str, Any], children: Any) -> Any:
        """The matrix of buffers that may be anything: nothing is checked."""
        rows, columns = aux_data["rows_sorted"], aux_data["cols_sorted"]
        facts = {"_rows_sorted": rows, "_cols_sorted": columns}
        return super().tree_unflatten({"shape": aux_data["shape"], **facts}, children)

    def __matmul__(self, other: Any) -> Any:
        return matrices.times(self, other, coo_matvec, coo_matmat)


tree.register_pytree_node_class(COO)


def _samples():
    mat = np.array([[0.0, 1, 0, 2], [3, 0, 0, 4]], np.float32)
    return [programs.sample([mat], nse=4, index_dtype=np.dtype(np.int32))]


@programs.named("coo_fromdense", several=True, samples=_samples)
def coo_fromdense_p(mat, *, nse, index_dtype):
    """The values that are not zero, their rows and their columns."""
    data, rows, columns = matrices.found(mat, nse, index_dtype)
    return [data, rows, columns]


def coo_fromdense(
    mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32
) -> COO:
    """Stores the elements of a dense matrix that are not zero.

    Args:
        mat: matrix of any dtype.
        nse: how many elements are stored; None: as many as needed, which asks for known
            values. Padding is zeros in row 0 and column 0.
        index_dtype: the dtype of rows and columns.

    Raises:
        AssertionError: it is no matrix.
        ConcretizationTypeError: `nse` is None, and `mat` is traced.
    """
    mat = jnp.asarray(mat)
    matrices.check_matrix("coo_fromdense", mat.shape)
    count = conversion.stored_count("coo_fromdense", mat, nse, 0, 0)
    buffers = coo_fromdense_p.bind(mat, nse=count, index_dtype=np.dtype(index_dtype))
    return COO(tuple(buffers), shape=mat.shape, rows_sorted=True)


def _buffers(*more):
    rows, columns = np.array([0, 1, 1], np.int32), np.array([1, 0, 2], np.int32)
    return [np.array([1.0, 2, 3], np.float32), rows, columns, *more]


_INFO = layouts.COOInfo((2, 3))


@programs.named(
    "coo_todense", samples=lambda: [programs.sample(_buffers(), spinfo=_INFO)]
)
def coo_todense_p(data, row, col, *, spinfo):
    """The dense matrix of stored elements."""
    return indices.add_up(spinfo.shape, jnp.stack([row, col], -1), data)


def coo_todense(mat: COO) -> Any:
    """The dense matrix, of the same shape and dtype."""
    return coo_todense_p.bind(*mat._buffers, spinfo=mat._info)


def _product(data, row, col, other, spinfo, transpose):
    is_sorted = spinfo.cols_sorted if transpose else spinfo.rows_sorted
    form = "sorted" if is_sorted else "coordinates"
    return matrices.product(data, row, col, other, spinfo.shape, transpose, form)


def _vector_samples():
    v = np.array([1.0, -2, 0.5], np.float32)
    return [programs.sample(_buffers(v), spinfo=_INFO, transpose=False)]


@programs.named("coo_matvec", samples=_vector_samples)
def coo_matvec_p(data, row, col, v, *, spinfo, transpose):
    """The product of a matrix and a vector."""
    return _product(data, row, col, v, spinfo, transpose)


def _matrix_samples():
    b = np.arange(6, dtype=np.float32).reshape(3, 2)
    return [programs.sample(_buffers(b), spinfo=_INFO, transpose=False)]


@programs.named("coo_matmat", samples=_matrix_samples)
def coo_matmat_p(data, row, col, B, *, spinfo, transpose):
    """The product of two matrices."""
    return _product(data, row, col, B, spinfo, transpose)


def coo_matvec(mat: COO, v: Any, transpose: bool = False) -> Any:
    """The product of a matrix and a vector.

    Args:
        mat: COO of shape ``(n, m)``.
        v: vector of length ``m``; ``n`` if transposed.
        transpose: whether the matrix is transposed.

    Raises:
        TypeError: the lengths differ.
    """
    v = matrices.check_product("coo_matvec", mat, v, 1, transpose)
    return coo_matvec_p.bind(*mat._buffers, v, spinfo=mat._info, transpose=transpose)


def coo_matmat(mat: COO, B: Any, *, transpose: bool = False) -> Any:
    """The product of two matrices.

    Args:
        mat: COO of shape ``(n, m)``.
        B: matrix of shape ``(m, k)``; ``(n, k)`` if transposed.
        transpose: whether `mat` is transposed.

    Raises:
        TypeError: the sizes differ.
    """
    B = matrices.check_product("coo_matmat", mat, B, 2, transpose)
    return coo_matmat_p.bind(*mat._buffers, B, spinfo=mat._info, transpose=transpose)
