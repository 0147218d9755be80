"""In which memory of a device arrays lie unless told otherwise, also where the device is another process's."""

from typing import Any

# The kinds of memory that shardings over meshes without devices may name.
KNOWN = ("device", "pinned_host", "unpinned_host")


def default_of(device: Any) -> str | None:
    """The kind of a device's default memory; None: its plugin has no memories.

    Only a process's own devices tell of their memories; those of others are alike.
    """
    tell = getattr(device, "default_memory", None)
    if tell is None:
        # A program's own stand-in for a device, as in a picture of a mesh.
        return None
    memory = tell()
    # Devices that are only described have no client.
    client = getattr(device, "client", None)
    if memory is None and client is not None and not device.is_addressable:
        own = (d.default_memory() for d in client.local_devices())
        memory = next(own, None)
    return memory.kind if memory is not None else None
