"""Linear algebra that only multiplies by the matrix."""
