"""Arrays of several devices put together, or added up, by the interface of kernels that do so."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import partition_spec
from jax._src.lax.collectives import axis_index, gather_scatter, reductions
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import call, copies, remote, semaphores, specs
from jax._src.pallas.tpu import memory
from jax._src.shard_map import api as shard_map_module
from jax._src.transforms.shape_dtype_struct import ShapeDtypeStruct

P = partition_spec.PartitionSpec


def get_neighbor(idx: Any, mesh: Any, axis_name: str, *, direction: str) -> tuple:
    """The positions, along all axes of a mesh, of the device beside this one on a ring.

    Args:
        idx: the position of this one along the axis.
        mesh: the mesh.
        axis_name: the axis.
        direction: "right", or "left".
    """
    size = mesh.shape[axis_name]
    step = 1 if direction == "right" else size - 1
    beside = lax.rem(jnp.asarray(idx + step, np.int32), np.int32(size))
    return tuple(
        beside if name == axis_name else axis_index.axis_index(name)
        for name in mesh.axis_names
    )


def ag_kernel(
    x_ref: Any, o_ref: Any, send_sem: Any, recv_sem: Any, *, axis_name: str, mesh: Any
) -> None:
    """A kernel that gathers the parts of all devices: each sends on to its right what came last.

    Args:
        x_ref: the part of this device.
        o_ref: the parts of all, along an axis in front.
        send_sem: a pair of semaphores for copies, of which the first one is used.
        recv_sem: the same, for what arrives.
        axis_name: the axis of the mesh.
        mesh: the mesh.
    """
    size = mesh.shape[axis_name]
    own = axis_index.axis_index(axis_name)
    copies.async_copy(x_ref, o_ref.at[own], recv_sem[0]).wait()
    right = get_neighbor(own, mesh, axis_name, direction="right")
    for step in range(size - 1):
        part = o_ref.at[lax.rem(own + (size - step), np.int32(size))]
        remote.async_remote_copy(part, part, send_sem[0], recv_sem[0], right).wait()


def all_gather(
    x: Any,
    *,
    mesh: Any,
    axis_name: str | Sequence[str],
    memory_space: Any = memory.VMEM,
) -> Any:
    """An array that is split along its first axis, whole on every device.

    Args:
        x: the array.
        mesh: the devices.
        axis_name: the axis of the mesh that it is split along.
        memory_space: where the kernel has it.

    Raises:
        NotImplementedError: several axes are named.
    """
    names = (axis_name,) if isinstance(axis_name, str) else tuple(axis_name)
    if len(names) != 1:
        raise errors.not_implemented(
            "Only one axis supported.",
            [("axes", ", ".join(map(str, names)))],
            ways="Gather along one after the other.",
        )
    (name,) = names
    size = mesh.shape[name]
    if size == 1:
        return x

    def gathered(part):
        block = specs.BlockSpec(memory_space=memory_space)
        pair = (semaphores.SemaphoreType.DMA, semaphores.SemaphoreType.DMA)
        out = call.pallas_call(
            lambda *refs: ag_kernel(*refs, axis_name=name, mesh=mesh),
            ShapeDtypeStruct((size, *part.shape), part.dtype),
            in_specs=[block],
            out_specs=block,
            scratch_shapes=(pair, pair),
        )(part)
        return out.reshape(size * part.shape[0], *part.shape[1:])

    run = shard_map_module.shard_map(
        gathered, mesh=mesh, in_specs=P(name), out_specs=P(None), check_vma=False
    )
    return run(x)


def _axis(x, dimension, name):
    if not -x.ndim <= dimension < x.ndim:
        raise errors.value_error(
            f"{name} {dimension} out of bounds for array of rank {x.ndim}.",
            [("shape", str(x.shape))],
        )
    return dimension % x.ndim


def all_gather_of_parts(
    x: Any,
    *,
    axis_name: Any,
    gather_dimension: int = 0,
    num_blocks: int | None = None,
    tile_size: int | None = None,
    vec_size: int | None = None,
) -> Any:
    """The parts of all devices behind each other, in `jax.shard_map`.

    Args:
        x: the part of this device.
        axis_name: the axis of the mesh.
        gather_dimension: the axis along which parts follow each other.
        num_blocks: accepted.
        tile_size: accepted.
        vec_size: accepted.

    Raises:
        ValueError: the array has no such axis.
    """
    axis = _axis(x, gather_dimension, "gather_dimension")
    return gather_scatter.all_gather(x, axis_name, axis=axis, tiled=True)


_COMBINED = {
    "add": lambda x: x.sum(0),
    "min": lambda x: x.min(0),
    "max": lambda x: x.max(0),
    "and": lambda x: _folded(lax.bitwise_and, x),
    "or": lambda x: _folded(lax.bitwise_or, x),
    "xor": lambda x: _folded(lax.bitwise_xor, x),
}


def _folded(combine, x):
    found = x[0]
    for number in range(1, x.shape[0]):
        found = combine(found, x[number])
    return found


def reduce_scatter(
    x: Any,
    *,
    axis_name: Any,
    scatter_dimension: int | None = 0,
    reduction: str = "add",
    num_blocks: int | None = None,
    tile_size: int | None = None,
    vec_size: int | None = None,
) -> Any:
    """What all devices have, combined, of which each gets a part; in `jax.shard_map`.

    Args:
        x: the array of this device.
        axis_name: the axis of the mesh.
        scatter_dimension: the axis that is split; None: each device gets the whole.
        reduction: "add", "min", "max", "and", "or" or "xor".
        num_blocks: accepted.
        tile_size: accepted.
        vec_size: accepted.

    Raises:
        ValueError: the array has no such axis, devices do not divide it, or there is no
            such reduction.
    """
    if reduction not in _COMBINED:
        raise errors.value_error(
            f"There is no reduction {reduction!r}.",
            rule=f"Reductions are {', '.join(_COMBINED)}.",
        )
    size = axis_index.axis_size(axis_name)
    if scatter_dimension is None:
        if reduction == "add":
            return reductions.psum(x, axis_name)
        whole = gather_scatter.all_gather(x, axis_name, axis=0, tiled=False)
        return _COMBINED[reduction](whole)
    axis = _axis(x, scatter_dimension, "scatter_dimension")
    if x.shape[axis] % size:
        raise errors.value_error(
            f"Scattered dimension {axis} of input ({x.shape[axis]}) must be divisible by "
            f"number of devices ({size}).",
            rule="Each device gets a part of one size.",
        )
    if reduction == "add":
        options = {"scatter_dimension": axis, "tiled": True}
        return gather_scatter.psum_scatter(x, axis_name, **options)
    whole = gather_scatter.all_gather(x, axis_name, axis=0, tiled=False)
    part = x.shape[axis] // size
    start = axis_index.axis_index(axis_name) * part
    own = lax.dynamic_slice_in_dim(whole, start, part, axis=axis + 1)
    return _COMBINED[reduction](own)
