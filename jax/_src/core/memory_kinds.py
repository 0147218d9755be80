"""The default memory kind of a device, also where the device belongs to another process."""

from typing import Any

# The kinds of memory that shardings over meshes without devices may name.
KNOWN = ("device", "pinned_host", "unpinned_host")


def default_of(device: Any) -> str | None:
    """The kind of a device's default memory; None: its plugin has no memories.

    Only addressable devices list their memories; those of other processes are alike.
    """
    default_memory = getattr(device, "default_memory", None)
    if default_memory is None:
        # A program's own stand-in for a device, as in a picture of a mesh.
        return None
    memory = default_memory()
    # Devices that are only described have no client.
    client = getattr(device, "client", None)
    if memory is None and client is not None and not device.is_addressable:
        own = (d.default_memory() for d in client.local_devices())
        memory = next(own, None)
    return memory.kind if memory is not None else None
