"""Vector quantisation. Empty so far."""
