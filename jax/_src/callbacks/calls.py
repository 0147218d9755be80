"""Calling Python functions from compiled programs: `pure_callback`, `io_callback`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, options
from jax._src.base.traceback_filter import api_boundary
from jax._src.callbacks import host, primitives, vmap_methods
from jax._src.core import avals as avals_lib, vma
from jax._src.transforms import calls


def _result_aval(what, struct, narrows):
    shape, dtype = getattr(struct, "shape", None), getattr(struct, "dtype", None)
    if shape is None or dtype is None:
        raise errors.type_error(
            f"{what}: result_shape_dtypes must be a tree of types.",
            [("leaf", f"{struct!r} of type {type(struct).__name__}")],
            "Each leaf has a shape and a dtype.",
            "Use jax.ShapeDtypeStruct(shape, dtype).",
        )
    if not isinstance(dtype, dtypes.ExtendedDType):
        narrow = dtypes.canonicalize_dtype(dtype)
        if narrow != dtype and narrows:
            dtype = narrow
        elif narrow != dtype and not options.enable_x64.value:
            raise errors.value_error(
                f"{what}: result_shape_dtypes cannot specify 64-bit types.",
                [("dtype", np.dtype(dtype).name)],
                "64-bit types are off.",
                f"Promise {narrow.name}, or turn them on with jax_enable_x64.",
            )
    return avals_lib.ShapedArray(shape, dtype)


def prepared(
    what: str,
    callback: Callable,
    result_shape_dtypes: Any,
    args: tuple,
    kwargs: dict,
    *,
    narrows: bool = False,
) -> tuple[host.FlatCallback, list[Any], tuple[Any, ...]]:
    """The flat callback, its operands, and the types and the tree of its results.

    With `narrows`, 64-bit types of results are narrowed where they are off.
    """
    calls.check_callable(callback, what)
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    calls.check_values(leaves, what)
    structs, out_tree = tree.tree_flatten(result_shape_dtypes)
    avals = tuple(_result_aval(what, s, narrows) for s in structs)
    return host.FlatCallback(what, callback, in_tree, out_tree), leaves, avals


def results(out_tree: Any, outs: Sequence[Any], result_shape_dtypes: Any) -> Any:
    """The tree of the results; in `shard_map` they vary as their types say."""
    structs = tree.tree_leaves(result_shape_dtypes)
    declared = [vma.as_declared(x, s) for x, s in zip(outs, structs, strict=True)]
    return tree.tree_unflatten(out_tree, declared)


@api_boundary
def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Calls a Python function without effects; works under `jit`.

    The call may be left out where its result is not used, or be made more than once.

    Args:
        callback: gets arrays in trees like `args` and `kwargs`, on the host; returns NumPy
            arrays, in a tree like `result_shape_dtypes`.
        result_shape_dtypes: a tree of objects with `shape` and `dtype`, such as
            `jax.ShapeDtypeStruct`.
        *args: trees of arrays.
        sharding: accepted; the function runs where this process does.
        vmap_method: how `vmap` treats the call: "sequential" and "sequential_unrolled"
            call once for each batch element; "expand_dims" calls once, with a new first
            axis as the batch dimension, of size 1 for arguments that are not mapped;
            "broadcast_all" likewise, of the full size; "legacy_vectorized" gives arguments
            that are not mapped as they are.
        **kwargs: trees of arrays, by name.

    Returns:
        A tree of arrays.

    Raises:
        JaxRuntimeError: the callback raised, or returned something else than was promised.
        ValueError: it is differentiated; see `jax.custom_jvp`.

    Examples:
        >>> jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), jnp.float32), 0.0)
        Array(0., dtype=float32)
    """
    vmap_methods.check_method("pure_callback", vmap_method)
    flat, leaves, avals = prepared(
        "pure_callback", callback, result_shape_dtypes, args, kwargs
    )
    outs = primitives.pure_callback_p.bind(
        *leaves,
        callback=flat,
        result_avals=avals,
        sharding=sharding,
        vmap_method=vmap_method,
    )
    return results(flat.out_tree, outs, result_shape_dtypes)


@api_boundary
def io_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls a Python function that acts on the world; works under `jit`.

    The call is made once for each time that the program comes by, also where nobody uses
    its result. `jax.effects_barrier` waits for it.

    Args:
        callback: gets arrays in trees like `args` and `kwargs`, on the host; returns NumPy
            arrays, in a tree like `result_shape_dtypes`.
        result_shape_dtypes: a tree of objects with `shape` and `dtype`; None: no result.
        *args: trees of arrays.
        sharding: accepted; the function runs where this process does.
        ordered: whether calls are made in the order in which they stand in the program,
            and after those of the programs called before. Such calls cannot be batched.
        **kwargs: trees of arrays, by name.

    Returns:
        A tree of arrays.

    Raises:
        JaxRuntimeError: the callback raised, or returned something else than was promised.
        ValueError: it is differentiated, or an ordered one is batched.
    """
    flat, leaves, avals = prepared(
        "io_callback", callback, result_shape_dtypes, args, kwargs
    )
    outs = primitives.io_callback_p.bind(
        *leaves, callback=flat, result_avals=avals, sharding=sharding, ordered=ordered
    )
    return results(flat.out_tree, outs, result_shape_dtypes)
