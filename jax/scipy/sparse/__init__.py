"""Sparse matrices. A door."""

from jax.scipy.sparse import linalg as linalg
