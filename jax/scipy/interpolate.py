"""Interpolation. Empty so far."""
