"""Linear algebra on arrays, as NumPy has it."""
