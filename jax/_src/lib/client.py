"""Devices, executables and arrays."""

from typing import Any

from jaxlib._native import client as _native
from jaxlib._native.client import (
    Array as Array,
    Client as Client,
    CompileOptions as CompileOptions,
    Device as Device,
    Executable as Executable,
    Memory as Memory,
    Plugin as Plugin,
    array_from_dlpack as array_from_dlpack,
    array_from_host as array_from_host,
    array_from_shards as array_from_shards,
    copy_to_device as copy_to_device,
    describe_machine as describe_machine,
    devices_of as devices_of,
    linked_plugin as linked_plugin,
    live_arrays as live_arrays,
    load_plugin as load_plugin,
    make_client as make_client,
    set_assembler as set_assembler,
    set_aval_maker as set_aval_maker,
    set_deleted_error as set_deleted_error,
    set_runtime_error as set_runtime_error,
    shard_of as shard_of,
    shared_on as shared_on,
    view_with as view_with,
    with_order as with_order,
)


def origin_of(array: Any) -> list[tuple[str, str, int, int]]:
    """The frames of Python that made an array, innermost first.

    Each is a file, a function, a line and the line where the function begins. Releases of
    jaxlib before this one note none.
    """
    function = getattr(_native, "origin_of", None)
    return [] if function is None else function(array)
