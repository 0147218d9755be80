"""Changing which dimensions are batch, sparse and dense."""

import math
import warnings

import numpy as np

from jax._src.base import errors
from jax._src.core.symbols import expressions
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import (
    batches,
    bcoo,
    efficiency,
    indices as indices_lib,
    layouts,
    sums,
)


def bcoo_update_layout(
    mat: bcoo.BCOO,
    *,
    n_batch: int | None = None,
    n_dense: int | None = None,
    on_inefficient: str | None = "error",
) -> bcoo.BCOO:
    """Changes the numbers of batch and dense dimensions of an array.

    Args:
        mat: the array.
        n_batch: the number of batch dimensions; None: as it is.
        n_dense: the number of dense dimensions; None: as it is.
        on_inefficient: what is done where zeros would be stored, because a sparse
            dimension of size larger than 1 becomes one of another kind: ``"error"``,
            ``"warn"``, or None, nothing.

    Raises:
        SparseEfficiencyError: zeros would be stored, and `on_inefficient` is ``"error"``.
        ValueError: the numbers do not add up.
    """
    new_batch = mat.n_batch if n_batch is None else n_batch
    new_dense = mat.n_dense if n_dense is None else n_dense
    layouts.check_kinds("bcoo_update_layout", mat.ndim, new_batch, new_dense)
    if on_inefficient not in ("error", "warn", None):
        raise errors.value_error(
            "bcoo_update_layout: on_inefficient is 'error', 'warn' or None.",
            [("on_inefficient", repr(on_inefficient))],
        )
    if (new_batch, new_dense) == (mat.n_batch, mat.n_dense):
        return mat
    if new_dense < mat.n_dense:
        mat = _less_dense(mat, mat.n_dense - new_dense)
    if new_batch < mat.n_batch:
        mat = _less_batch(mat, mat.n_batch - new_batch)
    if new_dense > mat.n_dense:
        count = new_dense - mat.n_dense
        last = mat._kinds.sparse[mat.n_sparse - count :]
        _report(mat, "dense", new_dense, last, on_inefficient)
        mat = _more_dense(mat, count)
    if new_batch > mat.n_batch:
        count = new_batch - mat.n_batch
        first = mat._kinds.sparse[:count]
        _report(mat, "batch", new_batch, first, on_inefficient)
        mat = _more_batch(mat, count)
    return mat


def _report(mat, kind, number, sizes, on_inefficient):
    if on_inefficient is None or all(size <= 1 for size in sizes):
        return
    text = errors.explain(
        f"bcoo_update_layout: zeros are stored where sparse dimensions become {kind} ones.",
        [("array", repr(mat)), (f"n_{kind}", str(number)), ("their sizes", str(sizes))],
        "Each stored element becomes as many as the product of these sizes.",
        "Pass on_inefficient=None if this is wanted.",
    )
    if on_inefficient == "error":
        raise efficiency.SparseEfficiencyError(text)
    warnings.warn(text, efficiency.SparseEfficiencyWarning, stacklevel=4)


def _grid(sizes, dtype):
    """All indices of a shape in row-major order, one per row."""
    each = math.prod(sizes)
    if expressions.is_static(sizes):
        return np.indices(sizes, dtype).reshape((len(sizes), each)).T
    return indices_lib.unravelled(jnp.arange(each, dtype=np.int32), sizes, dtype)


def _less_dense(mat, count):
    """The first dense dimensions become sparse."""
    dense = mat._kinds.dense
    sizes, rest = dense[:count], dense[count:]
    grid = _grid(sizes, mat.indices.dtype)
    each = grid.shape[0]

    def of_data(data):
        return data.reshape((data.shape[0] * each, *rest))

    def of_indices(indices):
        old = jnp.repeat(indices, each, 0, total_repeat_length=indices.shape[0] * each)
        new = jnp.broadcast_to(grid[None], (indices.shape[0], *grid.shape))
        new = new.reshape((indices.shape[0] * each, len(sizes)))
        return jnp.concatenate([old, new], 1)

    return bcoo.BCOO(
        (
            batches.over(mat.n_batch, of_data, mat.data),
            batches.over(mat.n_batch, of_indices, mat.indices),
        ),
        shape=mat.shape,
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


def _less_batch(mat, count):
    """The last batch dimensions become sparse."""
    n_batch = mat.n_batch - count
    parts = mat._kinds
    sizes = parts.batch[n_batch:]
    data, indices = sums.same_sizes(mat)
    grid = _grid(sizes, indices.dtype)
    stored = grid.shape[0] * mat.nse
    data = jnp.broadcast_to(
        data, (*data.shape[:n_batch], *sizes, *data.shape[mat.n_batch :])
    )
    indices = jnp.broadcast_to(
        indices, (*indices.shape[:n_batch], *sizes, *indices.shape[mat.n_batch :])
    )
    data = data.reshape((*data.shape[:n_batch], stored, *parts.dense))
    indices = indices.reshape((*indices.shape[:n_batch], stored, mat.n_sparse))
    if expressions.is_static((stored,)):
        new = np.repeat(grid, mat.nse, 0)
    else:
        new = jnp.repeat(grid, mat.nse, 0, total_repeat_length=stored)
    new = jnp.broadcast_to(new, (*indices.shape[:n_batch], *new.shape))
    return bcoo.BCOO((data, jnp.concatenate([new, indices], -1)), shape=mat.shape)


def _more_dense(mat, count):
    """The last sparse dimensions become dense: each element is a block of zeros but one."""
    left = mat.n_sparse - count
    sizes = mat._kinds.sparse[left:]

    def of_data(data, indices):
        numbers = jnp.arange(data.shape[0], dtype=indices.dtype)[:, None]
        where = jnp.concatenate([numbers, indices[:, left:]], 1)
        return indices_lib.add_up((data.shape[0], *sizes, *data.shape[1:]), where, data)

    return bcoo.BCOO(
        (
            batches.over(mat.n_batch, of_data, mat.data, mat.indices),
            mat.indices[..., :left],
        ),
        shape=mat.shape,
    )


def _more_batch(mat, count):
    """The first sparse dimensions become batches, each with room for all elements."""
    sizes, left = mat._kinds.sparse[:count], mat._kinds.sparse[count:]
    grid = _grid(sizes, mat.indices.dtype)

    def of_one(data, indices):
        def row(index):
            here = (indices[:, :count] == index[None]).all(1)
            keep = here.reshape(here.shape + (1,) * (data.ndim - 1))
            values = jnp.where(keep, data, jnp.zeros((), data.dtype))
            return values, indices_lib.padded(indices[:, count:], here, left)

        values, rows = batches.over(1, row, jnp.asarray(grid))
        return (
            values.reshape((*sizes, *values.shape[1:])),
            rows.reshape((*sizes, *rows.shape[1:])),
        )

    data, indices = batches.over(mat.n_batch, of_one, mat.data, mat.indices)
    return bcoo.BCOO((data, indices), shape=mat.shape)
