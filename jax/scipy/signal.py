"""Signal processing. Empty so far."""
