"""Programs that fit into a memory budget: `jax.memory_budget`."""
