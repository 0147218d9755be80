"""Layer 2: transformations of programs. Knows no operation."""
