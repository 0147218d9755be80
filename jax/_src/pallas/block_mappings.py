"""From specifications and the types of arrays to a grid and blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.core import avals as avals_lib
from jax._src.core.reference_types import AbstractRef
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas import (
    block_dims,
    grid_mapping as grid_mapping_lib,
    kernels,
    memory,
    specs,
)
from jax._src.transforms import calls


def as_bound(size: Any) -> Any:
    """A number of steps that is an operand, as the kernel gets it: int32."""
    return jnp.asarray(size, np.int32)


def flat_outputs(out_shape: Any) -> tuple[list[avals_lib.ShapedArray], Any]:
    """The types of the results, and their tree.

    Raises:
        ValueError: a result has no shape or dtype.
    """
    leaves, out_tree = tree.tree_flatten(out_shape)
    return [output(leaf)[0] for leaf in leaves], out_tree


def output(leaf: Any) -> tuple[avals_lib.ShapedArray, Any]:
    """The type of a result, and its memory space, if it says one.

    Raises:
        ValueError: it has no shape or dtype.
    """
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        raise errors.value_error(
            "pl.pallas_call: out_shape has a leaf that is no type of an array.",
            [("leaf", repr(leaf)[:60])],
            "A result has a shape and a dtype.",
            "Write jax.ShapeDtypeStruct(shape, dtype).",
        )
    aval = avals_lib.ShapedArray(
        tuple(leaf.shape), dtypes.canonicalize_dtype(leaf.dtype)
    )
    return aval, leaf.memory_space if isinstance(leaf, memory.AbstractMemory) else None


def grid_mapping(
    spec: Any,
    scalars: tuple[Any, ...],
    inputs: tuple[Any, ...],
    out_shape: Any,
    scratch_avals: tuple[AbstractRef, ...],
) -> grid_mapping_lib.GridMapping:
    """The grid of a kernel, and its blocks.

    Args:
        spec: the specifications.
        scalars: trees of arrays that index maps may read.
        inputs: trees of arrays in blocks.
        out_shape: the tree of types of results.
        scratch_avals: the types of memory of the kernel's own.

    Raises:
        ValueError: something does not fit.
    """
    refs = [_scalar_ref(x) for x in tree.tree_leaves(scalars)]
    index_avals = (*[grid_mapping_lib.INDEX] * len(spec.grid), *refs)
    index_tree = tree.tree_structure((*[0] * len(spec.grid), *scalars))
    in_specs = _spread(spec.in_specs, inputs, "in_specs")
    out_specs = _spread(spec.out_specs, out_shape, "out_specs")
    found = [
        _block_mapping(s, _array_aval(x), None, origin, index_avals, index_tree, spec)
        for s, (origin, x) in zip(in_specs, _named("args", inputs), strict=True)
    ]
    found += [
        _block_mapping(s, *output(x), origin, index_avals, index_tree, spec)
        for s, (origin, x) in zip(out_specs, _named("outputs", out_shape), strict=True)
    ]
    return grid_mapping_lib.GridMapping(
        grid=tuple(
            s if isinstance(s, int) else grid_mapping_lib.dynamic_grid_dim
            for s in spec.grid
        ),
        grid_names=spec.grid_names,
        block_mappings=tuple(found),
        index_map_tree=index_tree,
        index_map_avals=index_avals,
        vmapped_dims=(),
        scratch_avals=scratch_avals,
        num_index_operands=len(refs),
        num_inputs=len(in_specs),
        num_outputs=len(out_specs),
    )


def _scalar_ref(x):
    return memory.kernel_ref(_array_aval(x), memory.MemorySpace.INDEX)


def _array_aval(x):
    aval = avals_lib.get_aval(x)
    return avals_lib.ShapedArray(aval.shape, aval.dtype)


def _named(name, values):
    return [
        (name + tree.keystr(path), leaf)
        for path, leaf in tree.tree_leaves_with_path(values)
    ]


def _is_spec(x):
    return isinstance(x, specs.BlockSpec) or x is specs.no_block_spec


def _spread(given, values, what):
    """A specification for each leaf.

    Raises:
        ValueError: the trees differ.
    """
    leaves, structure = tree.tree_flatten(values)
    if given is specs.no_block_spec:
        return [specs.BlockSpec()] * len(leaves)
    if what == "in_specs" and not isinstance(given, list | tuple):
        raise errors.value_error(
            "pl.pallas_call: in_specs is no sequence.",
            [("in_specs", repr(given)[:60])],
            "It has an entry for each argument.",
        )
    flat, found = tree.tree_flatten(given, is_leaf=_is_spec)
    flat = [specs.BlockSpec() if x is specs.no_block_spec else x for x in flat]
    for leaf in flat:
        if not _is_spec(leaf):
            raise AttributeError(
                errors.explain(
                    f"pl.pallas_call: {what} has an entry that is no pl.BlockSpec.",
                    [("entry", repr(leaf)[:60])],
                    ways="For whole arrays in some space: pl.BlockSpec(memory_space=...).",
                )
            )
    if found != structure:
        raise errors.value_error(
            f"pl.pallas_call: {what} is another tree than what it specifies.",
            [(what, str(found)), ("arrays", str(structure))],
            "It has a pl.BlockSpec for each array.",
        )
    return flat


def _block_mapping(
    spec, array_aval, own_space, origin, index_avals, index_tree, all_of
):
    shape = spec.block_shape
    dims = tuple(
        map(block_dims.block_dim, array_aval.shape if shape is None else shape)
    )
    if len(dims) != len(array_aval.shape):
        raise errors.value_error(
            "pl.pallas_call: a block has another number of dimensions than its array.",
            [
                ("array", f"{origin}: {array_aval.str_short()}"),
                ("block", str(tuple(shape))),
            ],
            "A block has an entry for each dimension, None for one that it lacks.",
        )
    kept = tuple(block_dims.size_of(d) for d in dims if not block_dims.is_squeezed(d))
    space = spec.memory_space or own_space or memory.MemorySpace.DEFAULT
    block = avals_lib.ShapedArray(kept, array_aval.dtype)
    return grid_mapping_lib.BlockMapping(
        dims,
        memory.kernel_ref(block, space),
        _index_map(spec, dims, origin, index_avals, index_tree, len(all_of.grid)),
        array_aval,
        origin,
        spec.pipeline_mode,
    )


def _index_map(spec, dims, origin, avals, index_tree, n_axes):
    rank = len(dims)
    index_map = spec.index_map
    what = f"The index map of {origin}"
    if index_map is None:
        return kernels.trace_index_map(
            lambda *_: [0] * rank, avals, n_axes, rank, _debug(None), what
        )

    def flat(*args):
        indices = index_map(*tree.tree_unflatten(index_tree, args))
        for index, dim in zip(indices, dims, strict=False):
            if isinstance(dim, block_dims.BoundedSlice):
                raise _bounded(index, what)
        return indices

    return kernels.trace_index_map(flat, avals, n_axes, rank, _debug(index_map), what)


def _debug(fun):
    return calls.debug_info("index map", getattr(fun, "__wrapped__", fun) or _debug)


def _bounded(index: Sequence[Any], what: str) -> ValueError:
    return errors.value_error(
        f"{what} is for blocks of a bounded size.",
        [("returned", type(index).__name__)],
        "Kernels that are interpreted get blocks of known sizes.",
        "Use pl.Element(n), and mask what is beyond.",
    )
