"""Arrays on devices: `jax.Array`, extended dtypes, layouts, memory that other libraries share."""
