"""`jax.numpy`: one file per theme; import the file, not this package."""
