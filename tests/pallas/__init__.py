"""Tests of jax.lax."""
