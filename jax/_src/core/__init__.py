"""Layer 1: types of values, programs, primitives and traces. Knows no operation."""
