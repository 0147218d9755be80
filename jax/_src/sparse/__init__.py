"""Arrays of which only some elements are stored, and programs on them.

`jax.experimental.sparse` re-exports it.
"""
