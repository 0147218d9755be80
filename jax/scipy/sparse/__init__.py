"""Sparse matrices."""

from jax.scipy.sparse import linalg as linalg
