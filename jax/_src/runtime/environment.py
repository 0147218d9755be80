"""What runs here: versions, devices, machine."""

import platform
import sys

import numpy as np

from jax._src.base import version
from jax._src.lib import fit
from jax._src.runtime import backends


def print_environment_info(return_string: bool = False) -> str | None:
    """Prints versions, devices and machine, for a report of a bug.

    Args:
        return_string: whether to return the text instead.

    Raises:
        RuntimeError: there is no backend.
    """
    devices = backends.devices()
    kinds = ", ".join(sorted({d.device_kind for d in devices}))
    lines = [
        f"jax:    {version.__version__}",
        f"jaxlib: {fit.JAXLIB_VERSION}",
        f"numpy:  {np.__version__}",
        f"python: {sys.version}",
        f"device info: {kinds}-{len(devices)}, {backends.local_device_count()} local devices",
        f"process_count: {backends.process_count()}",
        f"platform: {platform.uname()}",
    ]
    text = "\n".join(lines)
    if return_string:
        return text
    print(text)
    return None
