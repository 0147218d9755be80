"""Layer 4: the transformations that users call."""
