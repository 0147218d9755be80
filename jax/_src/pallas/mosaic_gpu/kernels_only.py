"""The functions of kernels that only GPUs have, by name: see `only`."""

from typing import Any

from jax._src.pallas.mosaic_gpu import only


def __getattr__(name: str) -> Any:
    found = only.KERNELS.get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
