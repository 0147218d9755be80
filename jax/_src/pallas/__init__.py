"""Kernels over blocks of arrays: `jax.experimental.pallas`."""
