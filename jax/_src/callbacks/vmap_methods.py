"""What `vmap` makes of calls that it cannot look into."""

from typing import Any

from jax._src.base import errors
from jax._src.core import primitive as primitive_lib
from jax._src.interpreters import batching
from jax._src.lax.control_flow import fori_loop_and_map
from jax._src.lax.ops import (
    broadcast_and_reduce_sum,
    joining_splitting,
    slicing_padding,
)

VMAP_METHODS = (
    "sequential",
    "sequential_unrolled",
    "expand_dims",
    "broadcast_all",
    "legacy_vectorized",
)


def by_method(
    primitive: primitive_lib.Primitive,
    what: str,
    axis: batching.Axis,
    args: Any,
    dims: Any,
    vmap_method: str | None,
    params: dict,
) -> tuple[list, list]:
    """Applies a primitive to batch elements, as `vmap_method` says.

    Args:
        primitive: takes `vmap_method`, and in `result_avals` the types of its results.
        what: the call, for messages.
        axis: the mapped axis.
        args: the operands.
        dims: the batch dimension of each; None: not mapped.
        vmap_method: one of `VMAP_METHODS`.
        params: the other parameters of the primitive.

    Returns:
        The results, with the batch dimension first.

    Raises:
        NotImplementedError: there is no `vmap_method`.
    """
    if vmap_method is None:
        raise errors.not_implemented(
            "vmap of a call needs a vmap_method.",
            [("call", what)],
            ways="Say how it batches: vmap_method="
            + ", ".join(map(repr, VMAP_METHODS))
            + ".",
        )
    params = {**params, "vmap_method": vmap_method}
    if vmap_method == "sequential":
        return one_by_one(primitive, axis, args, dims, params)
    if vmap_method == "sequential_unrolled":
        return _unrolled(primitive, axis, args, dims, params)
    sizes = {"expand_dims": 1, "broadcast_all": axis.size, "legacy_vectorized": None}
    rows = [
        _in_front(x, d, sizes[vmap_method]) for x, d in zip(args, dims, strict=True)
    ]
    batched = [batching.batched_aval(a, 0, axis.size) for a in params["result_avals"]]
    params["result_avals"] = tuple(batched)
    outs = primitive.bind(*rows, **params)
    return outs, [0] * len(outs)


def check_method(what: str, vmap_method: str | None) -> None:
    """Refuses a `vmap_method` that does not exist.

    Raises:
        ValueError: it does not.
    """
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise errors.value_error(
            f"{what}: this vmap_method does not exist.",
            [("vmap_method", repr(vmap_method))],
            f"There are {', '.join(map(repr, VMAP_METHODS))}.",
        )


def _in_front(x, dim, size):
    """The batch dimension first; a value that is not mapped is repeated `size` times, or left alone."""
    if dim is not None:
        return batching.bdim_at_front(x, dim, 0)
    return x if size is None else batching.bdim_at_front(x, None, size)


def one_by_one(
    primitive: primitive_lib.Primitive, axis, args, dims, params
) -> tuple[list, list]:
    """Applies a primitive to one batch element after the other, in a loop of the program."""
    rows = [
        batching.bdim_at_front(x, d, axis.size)
        for x, d in zip(args, dims, strict=True)
        if d is not None
    ]

    def one(row):
        rest = iter(row)
        operands = [
            x if d is None else next(rest) for x, d in zip(args, dims, strict=True)
        ]
        return primitive.bind(*operands, **params)

    outs = fori_loop_and_map.map(one, rows)
    return outs, [0] * len(outs)


def _unrolled(primitive, axis, args, dims, params):
    """Applies a primitive to one batch element after the other, each with a call of its own."""
    found = []
    for i in range(axis.size):
        row = [
            x if d is None else slicing_padding.index_in_dim(x, i, d, keepdims=False)
            for x, d in zip(args, dims, strict=True)
        ]
        found.append(primitive.bind(*row, **params))
    outs = [
        joining_splitting.concatenate(
            [broadcast_and_reduce_sum.expand_dims(x, (0,)) for x in column], 0
        )
        for column in zip(*found, strict=True)
    ]
    return outs, [0] * len(outs)
