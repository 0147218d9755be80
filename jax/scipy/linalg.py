"""Dense linear algebra. Empty so far."""
