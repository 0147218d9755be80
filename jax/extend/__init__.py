"""For libraries that build on JAX's inside."""

from jax.extend import core as core
