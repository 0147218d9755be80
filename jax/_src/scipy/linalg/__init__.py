"""Dense linear algebra, as SciPy has it."""
