"""Solvers that only multiply by the matrix. Empty so far."""
