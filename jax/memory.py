"""The memories of devices."""

from jax._src.core.avals import MemorySpace as Space  # noqa: F401
