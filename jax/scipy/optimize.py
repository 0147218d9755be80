"""Minimisation. Empty so far."""
