"""Taylor series of functions along curves."""
