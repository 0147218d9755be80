"""Statistics. Empty so far."""
