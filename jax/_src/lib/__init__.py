"""The one door to jaxlib: nothing else in jax imports it."""
