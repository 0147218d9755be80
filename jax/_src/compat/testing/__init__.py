"""Helpers that test files of upstream and of libraries import: `jax._src.test_util` and modules beside it."""
