"""Minima of functions."""
