"""Values that the processes of a program exchange, and barriers, by way of their devices.

Each process takes part with its first device: what it gives is its part of an array over
these, and a program that gathers the array brings it to all.
"""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, errors, standard, traceback_filter
from jax._src.core import (
    mesh as mesh_lib,
    partition_spec,
    shardings,
)
from jax._src.runtime.arrays import extended
from jax._src.runtime.devices import backends
from jax._src.runtime.processes import host_local, process_local_data
from jax._src.runtime.transfers import device_put_get

_AXIS = "processes"


@caches.memoize(8)
def _mesh_of(devices):
    return mesh_lib.Mesh(np.array(devices, object), (_AXIS,))


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
    parts = process_local_data.of_parts(
        shardings.NamedSharding(mesh, partition_spec.PartitionSpec(_AXIS)), value[None]
    )
    return device_put_get.put(
        parts, shardings.NamedSharding(mesh, partition_spec.PartitionSpec())
    )._value


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
    if host_local.is_spanning(leaf):
        if not tiled:
            raise errors.value_error(
                "process_allgather: an array that spans processes has one value, "
                "which cannot be stacked.",
                [
                    ("array", leaf.aval.str_short()),
                    ("sharding", repr(leaf.sharding)),
                ],
                ways="Ask for it whole: tiled=True.",
            )
        if extended.is_extended(leaf.aval):
            return np.asarray(leaf)  # refused
        return device_put_get.put(leaf, leaf.sharding.replicated)._value
    stacked = _gathered(_host_value(leaf))
    if not tiled:
        return stacked
    if len(stacked) == 1:
        return np.asarray(stacked[0])
    # Numbers have no axis along which they could be joined.
    return np.concatenate(stacked) if stacked.ndim > 1 else stacked


def _host_value(leaf):
    return np.asarray(device_put_get.to_numpy(leaf)[0])


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
        raise errors.value_error(
            "broadcast_one_to_all: one process has the values.",
            [("sources", str(sources.tolist()))],
            "is_source is true in exactly one process.",
        )
    pick = lambda leaf: np.asarray(_gathered(_host_value(leaf))[sources[0]])
    return tree.tree_map(pick, in_tree)


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
        if not host_local.is_spanning(leaf):
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
    """Digests show whether values are the same; values are sent where one lacks them."""
    has = value is not None
    digest = standard.sha256(np.ascontiguousarray(value)).digest() if has else bytes(32)
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


device_put_get.install_agreement(_agreed)
