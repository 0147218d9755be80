"""Layer 0: configuration, errors, caches, source locations. Knows nothing of arrays."""
