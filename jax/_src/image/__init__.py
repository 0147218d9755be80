"""Images as arrays."""
