"""Profiles for compilers that read them."""

from jax._src.profiler.instructions import (
    get_profiled_instructions_proto as get_profiled_instructions_proto,
)
