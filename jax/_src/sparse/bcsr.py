"""Batched compressed rows: the class, its buffers and its layout."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import arrays, layouts


class BCSR(arrays.JAXSparse):
    """An array whose two sparse dimensions are stored row by row.

    The dimensions are, in this order, batch dimensions, rows, columns, and dense ones.
    Row ``i`` holds the elements ``indptr[i]`` to ``indptr[i + 1]``; what is stored behind
    the last row, or has a column out of bounds, is padding.

    Args:
        args: ``(data, indices, indptr)``: `data` of shape ``(*batch, nse, *dense)``,
            `indices`, the columns, integers of shape ``(*batch, nse)``, and `indptr`,
            integers of shape ``(*batch, rows + 1)``. Sizes of the batch may be 1 in a
            buffer whose rows are all the same.
        shape: the shape of the array.
        indices_sorted: a promise that the columns of each row are in order.
        unique_indices: a promise that no element is stored twice.

    Raises:
        ValueError: the buffers do not fit each other or the shape.

    Examples:
        >>> from jax.experimental import sparse
        >>> sparse.BCSR.fromdense(jnp.array([[0., 1., 0.], [2., 0., 3.]])).indptr
        Array([0, 1, 3], dtype=int32)
    """

    data: Any
    indices: Any
    indptr: Any
    indices_sorted: bool
    unique_indices: bool

    def __init__(
        self,
        args: tuple[Any, Any, Any],
        *,
        shape: Sequence[int],
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ):
        self.data, self.indices, self.indptr = (jnp.asarray(a) for a in args)
        self.indices_sorted = indices_sorted
        self.unique_indices = unique_indices
        super().__init__(args, shape=tuple(shape))
        layouts.check_bcsr(self.data, self.indices, self.indptr, self.shape)

    @property
    def _buffers(self) -> tuple[Any, ...]:
        return (self.data, self.indices, self.indptr)

    @property
    def nse(self) -> int:
        """The number of elements that are stored for each element of the batch."""
        return self.indices.shape[-1]

    @property
    def n_batch(self) -> int:
        """The number of batch dimensions."""
        return self.indices.ndim - 1

    @property
    def n_sparse(self) -> int:
        """The number of sparse dimensions: rows and columns."""
        return 2

    @property
    def n_dense(self) -> int:
        """The number of dense dimensions."""
        return self.data.ndim - 1 - self.n_batch

    @property
    def _info(self) -> layouts.SparseInfo:
        return layouts.SparseInfo(self.shape, self.indices_sorted, self.unique_indices)

    @property
    def _kinds(self) -> layouts.Kinds:
        return layouts.kinds(self.shape, self.n_batch, 2)

    def _note(self) -> str:
        batch = f", n_batch={self.n_batch}" if self.n_batch else ""
        return batch + (f", n_dense={self.n_dense}" if self.n_dense else "")

    def tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The buffers, and what `jit` compiles for."""
        return self._buffers, {
            "shape": self.shape,
            "indices_sorted": bool(self.indices_sorted),
            "unique_indices": bool(self.unique_indices),
        }

    @classmethod
    def tree_unflatten(cls, aux_data: dict[str, Any], children: Any) -> Any:
        """The array of buffers that may be anything: nothing is checked."""
        data, indices, indptr = children
        return arrays.from_leaves(
            cls, data=data, indices=indices, indptr=indptr, **aux_data
        )


tree.register_pytree_node_class(BCSR)
