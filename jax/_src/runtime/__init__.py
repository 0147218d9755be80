"""Devices, arrays, compilation and dispatch."""

from jax._src.runtime import context as context  # connects the native calls
