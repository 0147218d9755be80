"""Functions of one element of a batch, applied to all."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.numpy import numpy_api as jnp
from jax._src.transforms import vectorize


def broadcasting_vmap(fun: Callable, in_axes: Any = 0, out_axes: Any = 0) -> Callable:
    """`vmap` for which an axis of size 1 stands for rows that are all the same.

    Args:
        fun: the function of arrays.
        in_axes: for each argument its axis of rows, or None; one for all.
        out_axes: the batch dimensions of the results.
    """

    def run(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(args)
        sizes = [
            None if a is None else jnp.shape(x)[a]
            for x, a in zip(args, axes, strict=True)
        ]
        if all(size in (None, 1) for size in sizes):
            return vectorize.vmap(fun, tuple(axes), out_axes)(*args)
        args = tuple(
            jnp.squeeze(x, a) if size == 1 else x
            for x, a, size in zip(args, axes, sizes, strict=True)
        )
        axes = tuple(
            None if size == 1 else a for a, size in zip(axes, sizes, strict=True)
        )
        return vectorize.vmap(fun, axes, out_axes)(*args)

    return run


def nfold_vmap(
    fun: Callable, N: int, *, broadcasted: bool = True, in_axes: Any = 0
) -> Callable:
    """`vmap` over each of the leading `N` dimensions.

    Args:
        fun: the function of arrays.
        N: how often.
        broadcasted: whether a dimension of size 1 fits every size.
        in_axes: as in `vmap`, for every dimension.
    """
    once = broadcasting_vmap if broadcasted else vectorize.vmap
    for _ in range(N):
        fun = once(fun, in_axes=in_axes)
    return fun


def over(n_batch: int, fun: Callable, *args: Any) -> Any:
    """A function of one element of a batch, of the leading dimensions of all arguments."""
    return nfold_vmap(fun, n_batch)(*args) if n_batch else fun(*args)


def sizes(n_batch: int, *buffers: Any) -> tuple[int, ...]:
    """The batch that buffers have together, where sizes of 1 fit all."""
    return broadcast_sizes([jnp.shape(x)[:n_batch] for x in buffers])


def broadcast_sizes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The larger sizes; the others are 1."""
    return tuple(
        next((s for s in column if s != 1), 1) for column in zip(*shapes, strict=True)
    )
