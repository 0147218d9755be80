"""`jax.ops`: reductions of segments."""
