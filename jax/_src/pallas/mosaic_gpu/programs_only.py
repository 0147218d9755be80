"""The functions that make programs for GPUs, by name: see `only`."""

from typing import Any

from jax._src.pallas.mosaic_gpu import only


def __getattr__(name: str) -> Any:
    found = only.PROGRAMS.get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
