"""Transformations of transformations, against plain loops and differences."""
