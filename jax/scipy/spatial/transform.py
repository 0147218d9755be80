"""Rotations. Empty so far."""
