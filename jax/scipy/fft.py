"""Discrete cosine transforms. Empty so far."""
