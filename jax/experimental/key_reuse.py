"""Keys that are used twice: the check is the option `jax_debug_key_reuse`.

With ``jax.config.update("jax_debug_key_reuse", True)``, or in a block of
``jax.debug_key_reuse(True)``, a program that uses a random key twice raises
`jax.errors.KeyReuseError`. This module has no names of its own.
"""
