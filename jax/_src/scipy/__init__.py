"""`jax.scipy`, one file per theme."""
