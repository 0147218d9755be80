"""Batched compressed rows: the class, its buffers and its layout."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import arrays, layouts


class BCSR(arrays.Batched):
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

    indptr: Any
    _BUFFERS = ("data", "indices", "indptr")

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


tree.register_pytree_node_class(BCSR)
