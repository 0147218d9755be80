"""The implementation. Everything here is private: import from `jax` instead."""
