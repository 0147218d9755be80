"""Programs of a runtime that is not here."""

from jax._src.compat.ifrt import ifrt_programs as ifrt_programs
