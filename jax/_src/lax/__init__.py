"""The operations (`ops`), control flow, collectives and linear algebra of `jax.lax`."""
