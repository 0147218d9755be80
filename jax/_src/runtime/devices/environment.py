"""What runs here: versions, devices, plugins, machine."""

import os
import platform
import sys

import numpy as np

from jax._src.base import version
from jax._src.lib import fit
from jax._src.runtime.devices import backends, plugins

# What the choice of devices and memory depends on.
_VARIABLES = ("JAX_PLATFORMS", plugins.PATHS_VARIABLE, "XLA_FLAGS", "LD_LIBRARY_PATH")
_PREFIXES = ("CUDA_VISIBLE", "HIP_VISIBLE", "ROCR_VISIBLE", "TPU_", "XLA_PYTHON_CLIENT")


def print_environment_info(return_string: bool = False) -> str | None:
    """Prints versions, devices, plugins and machine, for a report of a bug.

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
        *_plugins(),
        *_variables(),
    ]
    text = "\n".join(lines)
    if return_string:
        return text
    print(text)
    return None


def _plugins():
    """A line for each plugin: whether it runs, and why not."""
    started, told = backends.backends(), backends.why_absent()
    found = []
    for name, spec in plugins.registered().items():
        state = "not requested"
        if name in started:
            state = f"{started[name].device_count()} devices"
        elif name in told:
            state = told.pop(name)
        found.append(f"plugin {name}: {spec.origin}: {state}")
    return found + [f"plugin {name}: {text}" for name, text in told.items()]


def _variables():
    names = [
        n for n in sorted(os.environ) if n in _VARIABLES or n.startswith(_PREFIXES)
    ]
    return [f"{name}={os.environ[name]}" for name in names]
