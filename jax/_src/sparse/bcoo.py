"""Batched coordinates: the class, its buffers and its layout."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import arrays, layouts


class BCOO(arrays.Batched):
    """An array of which some elements are stored, with their coordinates.

    The dimensions are of three kinds, in this order: batch dimensions, which all buffers
    have; sparse ones, of which the stored elements have indices; and dense ones, along
    which all is stored. Elements stored twice are added up. Indices out of bounds are
    padding: they stand for nothing.

    Args:
        args: ``(data, indices)``. `indices` are integers of shape
            ``(*batch, nse, n_sparse)``, `data` has shape ``(*batch, nse, *dense)``. Sizes
            of the batch may be 1 in a buffer whose rows are all the same.
        shape: the shape of the array.
        indices_sorted: a promise that the indices are in lexicographic order.
        unique_indices: a promise that no element is stored twice.

    Raises:
        ValueError: the buffers do not fit each other or the shape.

    Examples:
        >>> from jax.experimental import sparse
        >>> sparse.BCOO.fromdense(jnp.array([[0., 1., 0.], [2., 0., 3.]]))
        BCOO(float32[2, 3], nse=3)
    """

    _BUFFERS = ("data", "indices")

    def __init__(
        self,
        args: tuple[Any, Any],
        *,
        shape: Sequence[int],
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ):
        data, indices = args
        self.data, self.indices = jnp.asarray(data), jnp.asarray(indices)
        self.indices_sorted = indices_sorted
        self.unique_indices = unique_indices
        super().__init__(args, shape=tuple(shape))
        layouts.check_bcoo(self.data, self.indices, self.shape)

    @property
    def nse(self) -> int:
        """The number of elements that are stored for each element of the batch."""
        return self.indices.shape[-2]

    @property
    def n_batch(self) -> int:
        """The number of batch dimensions."""
        return self.indices.ndim - 2

    @property
    def n_sparse(self) -> int:
        """The number of sparse dimensions."""
        return self.indices.shape[-1]


def with_data(mat: BCOO, data: Any, **promises: bool) -> BCOO:
    """Returns an array with other values at the same indices."""
    flags = {
        "indices_sorted": mat.indices_sorted,
        "unique_indices": mat.unique_indices,
    }
    return BCOO((data, mat.indices), shape=mat.shape, **(flags | promises))


tree.register_pytree_node_class(BCOO)
