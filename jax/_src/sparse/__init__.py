"""Arrays of which only some elements are stored, and programs on them.

The door is `jax.experimental.sparse`.
"""
