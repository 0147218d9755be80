"""`vmap` of sparse arrays: the mapped axis becomes a batch dimension.

Importing this module registers the rules of `vmap`.
"""

from typing import Any

from jax._src.base import errors
from jax._src.interpreters import batching
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import bcoo, bcsr


def _check(mat: Any, axis: int, last: int, what: str) -> int:
    """The axis, counted from 0.

    Raises:
        ValueError: it is no batch dimension.
    """
    number = axis if axis >= 0 else axis + mat.ndim
    if not 0 <= number <= last:
        raise errors.value_error(
            f"Cannot map {what}={axis} for {type(mat).__name__} array with "
            f"n_batch={mat.n_batch}.",
            [("array", repr(mat))],
            "Sparse arrays are mapped along batch dimensions.",
            "Make it one: update_layout(n_batch=…).",
        )
    return number


def _element(row: Any, index: Any, mat: Any, axis: int) -> Any:
    """What the mapped function gets: an array with one batch dimension less."""
    axis = _check(mat, axis, mat.n_batch - 1, "in_axis")
    size = mat.shape[axis]
    buffers = [
        jnp.squeeze(b, axis) if b.shape[axis] == 1 != size else row(b, axis)
        for b in mat._buffers
    ]
    return _like(mat, buffers, (*mat.shape[:axis], *mat.shape[axis + 1 :]))


def _stacked(stack: Any, size: int, mat: Any, axis: int) -> Any:
    """What the caller gets of its results: an array with one batch dimension more."""
    axis = _check(mat, axis, mat.n_batch, "out_axis")
    buffers = [stack(size, b, axis) for b in mat._buffers]
    return _like(mat, buffers, (*mat.shape[:axis], size, *mat.shape[axis:]))


def _like(mat, buffers, shape):
    return type(mat)(
        tuple(buffers),
        shape=shape,
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


for _kind in (bcoo.BCOO, bcsr.BCSR):
    batching.register_vmappable(_kind, int, int, _element, _stacked, None)
