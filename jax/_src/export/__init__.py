"""Programs that outlive the process: `jax.export`."""
