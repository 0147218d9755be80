"""What the processes of a program tell each other, and wait for, by way of their devices.

Each process takes part with its first device: what it gives is its part of an array over
these, and a program that gathers the array brings it to all.
"""

import hashlib
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, errors, traceback_filter
from jax._src.core import (
    mesh as me,
    partition_spec as ps,
    shardings as sh,
    trace as tr,
)
from jax._src.lib import client
from jax._src.runtime import backends, local_parts, placement

_AXIS = "processes"


@caches.memoize(8)
def _mesh_of(devices):
    return me.Mesh(np.array(devices, object), (_AXIS,))


def _one_of_each(processes):
    """A mesh of one device per process, in the order of processes; None: of all."""
    first: dict[int, Any] = {}
    for device in backends.devices():
        first.setdefault(device.process_index, device)
    return _mesh_of(tuple(first[k] for k in sorted(processes or first)))


def _gathered(value: np.ndarray, processes: Sequence[int] | None = None) -> np.ndarray:
    """The values of all processes, or of those that are named, stacked."""
    if backends.process_count() == 1:
        return value[None]
    mesh = _one_of_each(processes)
    parts = local_parts.of_parts(
        sh.NamedSharding(mesh, ps.PartitionSpec(_AXIS)), value[None]
    )
    return placement.put(parts, sh.NamedSharding(mesh, ps.PartitionSpec()))._value


def _is_spanning(leaf):
    return isinstance(leaf, client.Array) and not leaf.sharding.is_fully_addressable


@traceback_filter.hides_frames
def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """The values of all processes, on each.

    Args:
        in_tree: a tree of arrays or numbers, of equal shapes on all processes; or of arrays
            that span processes, of which each process gets all elements.
        tiled: whether the values are joined along their first axis; otherwise they are
            stacked along a new one, whose size is the number of processes.

    Returns:
        A tree of NumPy arrays.

    Raises:
        ValueError: an array spans processes, and `tiled` is false.
    """
    return tree.tree_map(lambda leaf: _allgather_leaf(leaf, tiled), in_tree)


def _allgather_leaf(leaf, tiled):
    if _is_spanning(leaf):
        if not tiled:
            raise ValueError(
                errors.explain(
                    "process_allgather: an array that spans processes has one value, "
                    "which cannot be stacked.",
                    [("array", leaf.aval.str_short()), ("lies", repr(leaf.sharding))],
                    ways="Ask for it whole: tiled=True.",
                )
            )
        return placement.put(leaf, leaf.sharding.replicated)._value
    stacked = _gathered(_host_value(leaf))
    if not tiled:
        return stacked
    if len(stacked) == 1:
        return np.asarray(stacked[0])
    # Numbers have no axis along which they could be joined.
    return np.concatenate(stacked) if stacked.ndim > 1 else stacked


def _host_value(leaf):
    return placement.to_numpy(leaf)[0]


@traceback_filter.hides_frames
def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """The values of one process, on all.

    Args:
        in_tree: a tree of arrays or numbers, of equal shapes on all processes.
        is_source: whether this process has the values; None: the first one has.

    Returns:
        A tree of NumPy arrays.

    Raises:
        ValueError: no process, or more than one, is the source.
    """
    if backends.process_count() == 1:
        return tree.tree_map(_host_value, in_tree)
    here = backends.process_index() == 0 if is_source is None else bool(is_source)
    (sources,) = np.nonzero(_gathered(np.array(here)))
    if len(sources) != 1:
        raise ValueError(
            errors.explain(
                "broadcast_one_to_all: one process has the values.",
                [("sources", str(sources.tolist()))],
                "is_source is true in exactly one process.",
            )
        )
    return tree.tree_map(lambda leaf: _gathered(_host_value(leaf))[sources[0]], in_tree)


@traceback_filter.hides_frames
def sync_global_devices(name: str) -> None:
    """Waits until all processes have come to the call with this name.

    Raises:
        AssertionError: a process came to a call with another name.
        TypeError: the name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"sync_global_devices: the name is a string, not {name!r}.")
    key = np.uint32(zlib.crc32(name.encode()))
    assert_equal(key, f"sync_global_devices: the names differ; here it is {name!r}.")


@traceback_filter.hides_frames
def assert_equal(in_tree: Any, fail_message: str = "") -> None:
    """Checks that a tree has equal values on all processes.

    Raises:
        AssertionError: it has not; with `fail_message`.
    """
    for leaf in tree.tree_leaves(in_tree):
        if not _is_spanning(leaf):
            _assert_leaf_equal(_host_value(leaf), fail_message)


def _assert_leaf_equal(value, fail_message):
    # Bytes: NaN equals itself.
    found = _gathered(np.ascontiguousarray(value).reshape(-1).view(np.uint8))
    different = [k for k, row in enumerate(found) if not np.array_equal(row, found[0])]
    if different:
        values = [row.view(value.dtype).reshape(value.shape) for row in found]
        raise _different(values, range(len(values)), fail_message)


def _different(values, processes, message):
    """The error that processes have different values."""
    first = values[0].tobytes()
    others = [
        (process, value)
        for process, value in zip(processes, values, strict=True)
        if value.tobytes() != first
    ]
    return AssertionError(
        errors.explain(
            message or "The processes have different values.",
            [
                (f"process {processes[0]}", np.array2string(values[0], threshold=16)),
                (
                    f"process {others[0][0]}",
                    np.array2string(others[0][1], threshold=16),
                ),
                (
                    f"processes that differ from {processes[0]}",
                    str([process for process, _ in others]),
                ),
            ],
        )
    )


def _agreed(value, like, processes):
    """Digests tell whether values are the same; values are sent where one lacks them."""
    has = value is not None
    digest = hashlib.sha256(np.ascontiguousarray(value)).digest() if has else bytes(32)
    rows = _gathered(np.frombuffer(bytes([has]) + digest, np.uint8), processes)
    having = [k for k, row in enumerate(rows) if row[0]]
    is_same = len({rows[k].tobytes() for k in having}) == 1
    if is_same and len(having) == len(rows):
        return value
    mine = value if has else np.zeros(like.shape, like.dtype)
    values = _gathered(mine, processes)
    if not is_same:
        raise _different(
            [np.asarray(values[k]) for k in having],
            [processes[k] for k in having],
            "device_put: the processes put different values into one array. To give "
            "each process a part, use jax.make_array_from_process_local_data.",
        )
    return np.asarray(values[having[0]])


placement.install_agreement(_agreed)


@traceback_filter.hides_frames
def host_local_array_to_global_array(
    local_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """Arrays over all devices of a mesh, made of the parts that each process has.

    Args:
        local_inputs: a tree of arrays, the parts of this process. Those that span
            processes are returned as they are.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array`.

    Raises:
        ValueError: a spec is None, or the parts do not make up an array.
    """

    def convert(leaf, spec):
        sharding = sh.NamedSharding(global_mesh, spec)
        return leaf if _is_spanning(leaf) else local_parts.of_parts(sharding, leaf)

    return _map_with_specs(convert, local_inputs, pspecs)


@traceback_filter.hides_frames
def global_array_to_host_local_array(
    global_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """The parts of this process of arrays over all devices of a mesh.

    Args:
        global_inputs: a tree of arrays over the mesh. Those of this process alone are
            returned as they are.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array` over this process's devices.

    Raises:
        ValueError: a spec is None, or the devices of this process hold no block.
    """
    if not global_mesh.is_multi_process:
        return host_local_array_to_global_array(global_inputs, global_mesh, pspecs)
    local_mesh = global_mesh.local_mesh

    def convert(leaf, spec):
        if isinstance(leaf, client.Array) and not _is_spanning(leaf):
            return leaf
        placed = placement.put(leaf, sh.NamedSharding(global_mesh, spec))
        sharding = sh.NamedSharding(local_mesh, spec)
        shape, parts = local_parts.local_part(placed, sharding)
        return client.array_from_shards(
            shape=shape,
            dtype=placed.dtype,
            weak_type=placed.weak_type,
            sharding=sharding,
            committed=True,
            shards=parts,
        )

    return _map_with_specs(convert, global_inputs, pspecs)


def _map_with_specs(convert, inputs, pspecs):
    """`convert(leaf, spec)` of each leaf."""
    leaves, structure = tree.tree_flatten(inputs)
    specs = tree.broadcast_prefix(pspecs, inputs, is_leaf=_is_spec)
    for leaf, spec in zip(leaves, specs, strict=True):
        if spec is None:
            raise ValueError(
                errors.explain(
                    "A spec is None.",
                    [("of", getattr(leaf, "shape", leaf).__repr__())],
                    "None could mean the same everywhere, or not said.",
                    "Write PartitionSpec() for what each device has whole.",
                )
            )
        if isinstance(leaf, tr.Tracer):
            raise TypeError(
                errors.explain(
                    "Arrays of one process and of all cannot be changed into each other "
                    "while a function is traced.",
                    [("value", leaf.aval.str_short())],
                    ways="Convert before the call of the jitted function.",
                )
            )
    return tree.tree_unflatten(
        structure, [convert(x, spec) for x, spec in zip(leaves, specs, strict=True)]
    )


def _is_spec(x):
    return x is None or isinstance(x, ps.PartitionSpec)
