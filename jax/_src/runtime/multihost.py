"""What the processes of a program tell each other, and wait for.

There is one process until several can be started together: every function answers for that one.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import partition_spec as ps, shardings
from jax._src.runtime import backends, placement


def _one_process(what):
    if (count := backends.process_count()) > 1:
        raise NotImplementedError(
            errors.explain(
                f"{what} over several processes is not implemented.",
                [("processes", str(count))],
            )
        )


@traceback_filter.hides_frames
def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """The values of all processes, on each.

    Args:
        in_tree: a tree of arrays or numbers, of equal shapes on all processes.
        tiled: whether the values are joined along their first axis; otherwise they are
            stacked along a new one, whose size is the number of processes.

    Returns:
        A tree of NumPy arrays.
    """
    _one_process("process_allgather")
    gathered = np.asarray if tiled else lambda x: np.asarray(x)[None]
    return tree.tree_map(gathered, in_tree)


@traceback_filter.hides_frames
def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """The values of one process, on all.

    Args:
        in_tree: a tree of arrays or numbers, of equal shapes on all processes.
        is_source: whether this process has the values; None: the first one has.

    Returns:
        A tree of NumPy arrays.
    """
    _one_process("broadcast_one_to_all")
    return tree.tree_map(np.asarray, in_tree)


def sync_global_devices(name: str) -> None:
    """Waits until all processes have come to the call with this name."""
    _one_process("sync_global_devices")


def assert_equal(in_tree: Any, fail_message: str = "") -> None:
    """Checks that a tree has equal values on all processes.

    Raises:
        AssertionError: it has not; with `fail_message`.
    """
    _one_process("assert_equal")


def reached_preemption_sync_point(step_id: int) -> bool:
    """Whether the step is the one at which all processes shall save before they are stopped."""
    _one_process("reached_preemption_sync_point")
    return False


@contextlib.contextmanager
def live_devices(devices: Sequence[Any]) -> Iterator[list[Any]]:
    """A block that gets those of the devices whose processes live."""
    _one_process("live_devices")
    yield list(devices)


@traceback_filter.hides_frames
def host_local_array_to_global_array(
    local_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """Arrays over all devices of a mesh, made of the parts that each process has.

    Args:
        local_inputs: a tree of arrays, the parts of this process.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array`.
    """
    _one_process("host_local_array_to_global_array")
    leaves, structure = tree.tree_flatten(local_inputs)
    specs = tree.broadcast_prefix(pspecs, local_inputs, is_leaf=_is_spec)
    placed = [
        placement.device_put(leaf, shardings.NamedSharding(global_mesh, spec))
        for leaf, spec in zip(leaves, specs, strict=True)
    ]
    return tree.tree_unflatten(structure, placed)


@traceback_filter.hides_frames
def global_array_to_host_local_array(
    global_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """The parts of this process of arrays over all devices of a mesh.

    Args:
        global_inputs: a tree of arrays over the mesh.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array` over this process's devices.
    """
    # The devices of the one process are all devices.
    return host_local_array_to_global_array(global_inputs, global_mesh, pspecs)


def _is_spec(x):
    return isinstance(x, ps.PartitionSpec)
