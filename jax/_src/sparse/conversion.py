"""From dense arrays to stored elements, and back."""

import operator
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import batches, bcoo, indices as indices_lib, layouts, programs


def stored_count(what: str, mat: Any, nse: Any, n_batch: int, n_dense: int) -> int:
    """How many elements are stored: as many as was said, or as are not zero."""
    if nse is None:
        if not operands.known(mat):
            raise errors.ConcretizationTypeError(
                errors.explain(
                    f"{what}: the number of stored elements must be known.",
                    [("array", str(mat.aval))],
                    "It is part of the result's type, and here the values that are not "
                    "zero are not known.",
                    "Pass nse, the largest number of them that can be.",
                )
            )
        counts = _mask(mat, n_dense)
        axes = tuple(range(n_batch, counts.ndim))
        counts = counts.sum(axes) if axes else counts
        return int(np.asarray(counts).max(initial=0))
    try:
        count = operator.index(nse)
    except TypeError:
        count = -1
    if count < 0:
        raise errors.type_error(
            f"{what}: nse is an integer that is not negative.", [("nse", repr(nse))]
        )
    return count


def _mask(mat, n_dense):
    mask = mat if mat.dtype == bool else mat != 0
    return mask.any(tuple(range(mask.ndim - n_dense, mask.ndim))) if n_dense else mask


def _samples():
    mat = np.array([[0.0, 1, 0, 2], [3, 0, 0, 4]], np.float32)
    params = {"nse": 4, "n_batch": 0, "n_dense": 0, "index_dtype": np.dtype(np.int32)}
    return [programs.sample([mat], **params)]


@programs.named("bcoo_fromdense", several=True, samples=_samples)
def bcoo_fromdense_p(mat, *, nse, n_batch, n_dense, index_dtype):
    """The values that are not zero and their indices."""

    def one(mat):
        mask = _mask(mat, n_dense)
        indices = indices_lib.nonzero(mask, nse, index_dtype)
        data = indices_lib.read(mat, indices)
        if not mask.ndim and nse != 1:
            # A scalar has one element; what is stored beyond it adds nothing.
            beyond = np.arange(nse) > 0
            beyond = beyond.reshape((nse,) + (1,) * n_dense)
            data = jnp.where(beyond, jnp.zeros((), data.dtype), data)
        return [data, indices]

    return list(batches.over(n_batch, one, mat))


def bcoo_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> bcoo.BCOO:
    """Stores the elements of a dense array that are not zero.

    Args:
        mat: array of any shape and dtype.
        nse: how many elements are stored for each element of the batch: the first in
            row-major order, and padding after the last. None: as many as needed, which
            asks for known values.
        n_batch: the number of leading dimensions that are batch dimensions.
        n_dense: the number of trailing dimensions that are dense.
        index_dtype: the dtype of the indices.

    Raises:
        ValueError: there are fewer dimensions.
        TypeError: `nse` is negative or no integer.
        ConcretizationTypeError: `nse` is None, and `mat` is traced.
    """
    mat = jnp.asarray(mat)
    layouts.check_kinds("bcoo_fromdense", mat.ndim, n_batch, n_dense)
    count = stored_count("bcoo_fromdense", mat, nse, n_batch, n_dense)
    data, indices = bcoo_fromdense_p.bind(
        mat,
        nse=count,
        n_batch=n_batch,
        n_dense=n_dense,
        index_dtype=np.dtype(index_dtype),
    )
    return bcoo.BCOO(
        (data, indices), shape=mat.shape, indices_sorted=True, unique_indices=True
    )


def _dense_samples():
    data = np.array([1.0, 2, 3], np.float32)
    indices = np.array([[0, 1], [1, 0], [0, 1]], np.int32)
    return [programs.sample([data, indices], spinfo=layouts.SparseInfo((2, 3)))]


@programs.named("bcoo_todense", samples=_dense_samples)
def bcoo_todense_p(data, indices, *, spinfo):
    """The dense array of stored elements."""
    n_batch, n_sparse = indices.ndim - 2, indices.shape[-1]
    parts = layouts.kinds(spinfo.shape, n_batch, n_sparse)

    def one(data, indices):
        return indices_lib.add_up((*parts.sparse, *parts.dense), indices, data)

    dense = batches.over(n_batch, one, data, indices)
    return jnp.broadcast_to(dense, spinfo.shape)


def bcoo_todense(mat: bcoo.BCOO) -> Any:
    """The dense array, of the same shape and dtype."""
    return bcoo_todense_p.bind(mat.data, mat.indices, spinfo=mat._info)


def _extract_samples():
    mat = np.arange(6, dtype=np.float32).reshape(2, 3)
    indices = np.array([[0, 1], [1, 0], [0, 1]], np.int32)
    return [programs.sample([indices, mat], assume_unique=False)]


@programs.named("bcoo_extract", samples=_extract_samples)
def bcoo_extract_p(indices, arr, *, assume_unique):
    """The values of a dense array at indices."""

    def one(indices, arr):
        data = indices_lib.read(arr, indices)
        if assume_unique:
            return data
        first = indices_lib.first_of_each(indices)
        first = first.reshape(first.shape + (1,) * (data.ndim - 1))
        return jnp.where(first, data, jnp.zeros((), data.dtype))

    return batches.over(indices.ndim - 2, one, indices, arr)


def bcoo_extract(
    sparr: bcoo.BCOO, arr: Any, *, assume_unique: bool | None = None
) -> bcoo.BCOO:
    """Extracts the values of a dense array at the indices that a sparse one stores.

    Args:
        sparr: the array whose indices are used.
        arr: dense array of the same shape, of any dtype.
        assume_unique: whether no index occurs twice; None: as `sparr` promises. Else the
            value is at the first of equal indices, and 0 at the others.

    Returns:
        A BCOO with the indices of `sparr`.

    Raises:
        TypeError: `sparr` is no BCOO.
        ValueError: the shapes differ.
    """
    if not isinstance(sparr, bcoo.BCOO):
        raise errors.type_error(
            "bcoo_extract: the first argument is a BCOO.",
            [("given", type(sparr).__name__)],
        )
    arr = jnp.asarray(arr)
    if arr.shape != sparr.shape:
        raise errors.value_error(
            "bcoo_extract: the arrays have different shapes.",
            [("sparse", str(sparr.shape)), ("dense", str(arr.shape))],
        )
    unique = sparr.unique_indices if assume_unique is None else assume_unique
    data = bcoo_extract_p.bind(sparr.indices, arr, assume_unique=bool(unique))
    return bcoo.with_data(sparr, data)
