"""Python functions called by compiled programs."""
