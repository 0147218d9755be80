"""Elements that are stored twice: sorting indices and adding up."""

from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import batches, bcoo, indices as indices_lib, layouts, programs


def _samples(**params):
    data = np.array([1.0, 2, 3, 4], np.float32)
    indices = np.array([[1, 1], [0, 1], [1, 1], [5, 5]], np.int32)
    spinfo = layouts.SparseInfo((2, 3))
    return lambda: [programs.sample([data, indices], spinfo=spinfo, **params)]


@programs.named("bcoo_sort_indices", several=True, samples=_samples())
def bcoo_sort_indices_p(data, indices, *, spinfo):
    """Sorts stored elements in lexicographic order of their indices."""
    n_batch = indices.ndim - 2

    def ordered(indices):
        permutation = indices_lib.order(indices)
        return indices[permutation], permutation

    indices, permutation = batches.over(n_batch, ordered, indices)
    data = batches.over(n_batch, lambda x, p: x[p], data, permutation)
    return [data, indices]


def bcoo_sort_indices(mat: bcoo.BCOO) -> bcoo.BCOO:
    """Sorts the stored elements of an array in lexicographic order of their indices."""
    data, indices = bcoo_sort_indices_p.bind(mat.data, mat.indices, spinfo=mat._info)
    return bcoo.BCOO(
        (data, indices),
        shape=mat.shape,
        indices_sorted=True,
        unique_indices=mat.unique_indices,
    )


@programs.named("bcoo_sum_duplicates", several=True, samples=_samples(nse=3))
def bcoo_sum_duplicates_p(data, indices, *, spinfo, nse):
    """Sums duplicate elements, so that each is stored once."""
    n_batch, n_sparse = indices.ndim - 2, indices.shape[-1]
    sparse = layouts.kinds(spinfo.shape, n_batch, n_sparse).sparse

    def once(indices):
        return indices_lib.distinct(indices, sparse, nse)

    indices, number = batches.over(n_batch, once, indices)

    def summed(data, number):
        return indices_lib.add_up((nse, *data.shape[1:]), number[:, None], data)

    return [batches.over(n_batch, summed, data, number), indices]


def bcoo_sum_duplicates(mat: bcoo.BCOO, nse: int | None = None) -> bcoo.BCOO:
    """Sums duplicate elements, so that each is stored once, in lexicographic order.

    Args:
        mat: the array.
        nse: how many elements the result stores; more are cut off, and padding fills what
            is left. Indices out of bounds count as one element. None: as many as there are
            indices within bounds, the largest number in the batch, which asks for known
            indices.

    Raises:
        ValueError: `nse` is None, and the indices are traced.
    """
    if nse is None:
        if not operands.known(mat.indices):
            raise errors.value_error(
                "bcoo_sum_duplicates: the number of stored elements must be known.",
                [("array", repr(mat))],
                "It is part of the result's type, and here the indices are not known.",
                "Pass nse; mat.nse is always enough.",
            )
        sparse = mat._kinds.sparse
        counts = batches.over(
            mat.n_batch, lambda x: indices_lib.count_distinct(x, sparse), mat.indices
        )
        nse = int(np.asarray(counts).max(initial=0))
    data, indices = bcoo_sum_duplicates_p.bind(
        mat.data, mat.indices, spinfo=mat._info, nse=nse
    )
    return bcoo.BCOO(
        (data, indices), shape=mat.shape, indices_sorted=True, unique_indices=True
    )


def without_zeros(mat: bcoo.BCOO) -> bcoo.BCOO:
    """Turns stored zeros into padding."""
    sparse = mat._kinds.sparse

    def one(data, indices):
        keep = (data != 0).any(tuple(range(1, data.ndim)))
        return indices_lib.padded(indices, keep, sparse)

    indices = batches.over(mat.n_batch, one, mat.data, mat.indices)
    return bcoo.BCOO((mat.data, indices), shape=mat.shape)


def bcoo_eliminate_zeros(mat: bcoo.BCOO, nse: int | None = None) -> bcoo.BCOO:
    """Removes stored zeros and sums duplicate elements.

    Args:
        mat: the array.
        nse: as in `bcoo_sum_duplicates`.
    """
    return bcoo_sum_duplicates(without_zeros(mat), nse=nse)


def unique_layout(mat: bcoo.BCOO) -> bcoo.BCOO:
    """The array as nonlinear functions want it: no element is stored twice."""
    return mat if mat.unique_indices else bcoo_sum_duplicates(mat, nse=mat.nse)


def same_sizes(mat: bcoo.BCOO) -> tuple[Any, Any]:
    """The buffers, both with the sizes of the batch that they have together."""
    n_batch = mat.n_batch
    batch = batches.sizes(n_batch, mat.data, mat.indices)
    data = jnp.broadcast_to(mat.data, (*batch, *mat.data.shape[n_batch:]))
    indices = jnp.broadcast_to(mat.indices, (*batch, *mat.indices.shape[n_batch:]))
    return data, indices
