"""The functions of programs that use tensor memory, by name: see `only`."""

from typing import Any

from jax._src.pallas.mosaic_gpu import only


def __getattr__(name: str) -> Any:
    found = only.TENSOR_MEMORY.get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
