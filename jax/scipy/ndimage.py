"""Images of any number of dimensions. Empty so far."""
