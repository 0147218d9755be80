"""`jax.random`: generators, keys and samplers; import the file, not this package."""
