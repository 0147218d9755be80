"""Sizes that are not yet known: symbols, what is computed of them, and what is certain."""
