"""Python functions that run where the devices of their arguments are."""
