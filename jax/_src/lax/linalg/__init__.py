"""Factorizations, solves and spectra of matrices."""
