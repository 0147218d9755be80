"""Compiled programs kept in a folder, for the processes to come."""

from jax.experimental.compilation_cache import compilation_cache as compilation_cache
