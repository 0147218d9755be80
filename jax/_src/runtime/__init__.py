"""Devices, arrays, compilation and dispatch."""

# Each connects itself to what it serves: native calls, `device_put` between shardings, and between processes.
from jax._src.runtime import context as context
from jax._src.runtime.arrays import string_arrays as string_arrays
from jax._src.runtime.processes import multihost as multihost
from jax._src.runtime.transfers import resharding as resharding
