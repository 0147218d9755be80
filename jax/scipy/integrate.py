"""Numerical integration. Empty so far."""
