"""Batching and vectorising helpers that libraries build maps of their own with."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.core import primitive
from jax._src.interpreters import batching
from jax._src.interpreters.batching import containers
from jax._src.lax.ops import creation
from jax._src.numpy import operands, vectorizing

AxisSize = Any
Vmappable = Any
Elt = Any
MapSpec = Any


def is_vmappable(x: Any) -> bool:
    """Whether a class of containers is registered, of which `x` is one."""
    return containers.is_container(x)


def make_iota(axis_size: Any) -> Any:
    """The positions along a mapped axis: integers from 0."""
    return creation.iota(np.int32, axis_size)


def to_elt(trace: Any, get_idx: Any, x: Any, spec: Any) -> Any:
    """What a mapped function gets of a value that is stacked along an axis.

    Args:
        trace: the trace of the map.
        get_idx: returns the position along the mapped axis, for containers.
        x: an array, or a container of a registered class.
        spec: the axis of an array, None where it is not mapped, or what the class of the
            container understands.
    """
    if containers.is_container(x) and spec is not None:
        return containers.element_of(trace, x, spec, get_idx)
    return x if spec is None else trace.join(x, spec % len(x.shape))


def moveaxis(x: Any, src: int, dst: int) -> Any:
    """An array with one axis moved; nothing is moved of what is not mapped."""
    if src is None or src == dst:
        return x
    return batching.move_to(x, src % len(x.shape), dst % len(x.shape), x.shape[src])


def broadcast_batcher(
    prim: primitive.Primitive, args: Sequence[Any], dims: Sequence[Any], **params: Any
) -> tuple[Any, Any]:
    """The batching rule of a primitive whose operands have one shape, or none.

    Operands whose batch axes are at the same index stay as they are. All others are
    mapped along the first axis.

    Returns:
        The results, and their batch axes.
    """
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    ranks = {len(x.shape) - (d is not None) for x, d in zip(args, dims, strict=True)}
    if len(ranks) == 1 and len(set(dims)) == 1:
        out, dim = prim.bind(*args, **params), dims[0]
    else:
        moved = [
            batching.move_to(x, d, 0, size) if len(x.shape) - (d is not None) else x
            for x, d in zip(args, dims, strict=True)
        ]
        out, dim = prim.bind(*_one_rank(moved, args, dims, size), **params), 0
    return (out, [dim] * len(out)) if prim.multiple_results else (out, dim)


def _one_rank(moved, args, dims, size):
    """Scalars beside arrays get as many axes as these."""
    rank = max(len(x.shape) for x in moved)
    out = []
    for x, arg, d in zip(moved, args, dims, strict=True):
        if len(arg.shape) - (d is not None) == 0:
            x = batching.move_to(x, d, 0, size)
            x = x.reshape(x.shape + (1,) * (rank - 1))
        out.append(x)
    return out


def vectorized_batcher(
    prim: primitive.Primitive,
    batched_args: Sequence[Any],
    batch_dims: Sequence[Any],
    **params: Any,
) -> tuple[Any, Any]:
    """The batching rule of a primitive that works element by element, on one batch axis."""
    if len(set(batch_dims)) != 1:
        raise AssertionError(batch_dims)
    out = prim.bind(*batched_args, **params)
    return out, ([batch_dims[0]] * len(out) if prim.multiple_results else batch_dims[0])


def expand_dims_batcher(
    prim: primitive.Primitive, args: Sequence[Any], dims: Sequence[Any], **params: Any
) -> tuple[Any, Any]:
    """The batching rule of a primitive that works along all axes but the first one."""
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    moved = [batching.move_to(x, d, 0, size) for x, d in zip(args, dims, strict=True)]
    out = prim.bind(*moved, **params)
    return (out, [0] * len(out)) if prim.multiple_results else (out, 0)


def parse_gufunc_signature(signature: str) -> tuple[list, list]:
    """The core dimensions of the arguments and of the results of ``"(n,m),(m)->(n)"``.

    Raises:
        ValueError: the text is no signature.
    """
    inputs, outputs = vectorizing.parsed(signature)
    return list(inputs), list(outputs)


def parse_input_dimensions(
    args: Sequence[Any], input_core_dims: Sequence[Any], error_context: str = ""
) -> tuple[tuple[int, ...], dict[str, int]]:
    """The shape over which a function is mapped, and the sizes of its core dimensions.

    Args:
        args: the arguments.
        input_core_dims: the core dimensions of each.
        error_context: what messages end with.

    Raises:
        TypeError: the number of arguments is another.
        ValueError: shapes do not fit.
    """
    if len(args) != len(input_core_dims):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(input_core_dims)}, got "
            f"{len(args)} {error_context}"
        )
    shapes = [operands.shape(x) for x in args]
    sizes = vectorizing.core_sizes(shapes, input_core_dims, {}, error_context)
    outer = [
        s[: len(s) - len(core)] for s, core in zip(shapes, input_core_dims, strict=True)
    ]
    return operands.broadcast_shapes("vectorize", *outer), sizes


def update_dim_sizes(
    dim_sizes: dict[str, int],
    shape: tuple[int, ...],
    core_dims: tuple[str, ...],
    error_context: str = "",
    *,
    is_input: bool,
) -> None:
    """Adds the sizes that one shape gives to its core dimensions.

    Raises:
        ValueError: the shape does not fit them, or the sizes known so far.
    """
    if not is_input and len(shape) != len(core_dims):
        raise ValueError(
            f"output shape {shape} does not match core dimensions {core_dims} "
            f"{error_context}"
        )
    vectorizing.core_sizes([shape], [core_dims], dim_sizes, error_context)


def check_output_dims(
    func: Callable,
    dim_sizes: dict[str, int],
    expected_output_core_dims: Sequence[Any],
    error_context: str = "",
) -> Callable:
    """A function whose results are checked against core dimensions."""
    return vectorizing.checked(
        func, expected_output_core_dims, dim_sizes, error_context
    )


def apply_excluded(
    func: Callable, excluded: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Callable, Sequence[Any], dict[str, Any]]:
    """Fixes the arguments that are not mapped over.

    Args:
        func: the function.
        excluded: positions and names of the arguments to fix.
        args: the positional arguments.
        kwargs: the keyword arguments.

    Returns:
        The function of the remaining ones, and these by position and by name.
    """
    if not excluded:
        return func, args, kwargs
    kept = {k: v for k, v in kwargs.items() if k not in excluded}
    fixed = {k: v for k, v in kwargs.items() if k in excluded}
    positions = [i for i in range(len(args)) if i not in excluded]

    def call(*some, **named):
        whole = list(args)
        for i, value in zip(positions, some, strict=True):
            whole[i] = value
        return func(*whole, **named, **fixed)

    return call, [args[i] for i in positions], kept
