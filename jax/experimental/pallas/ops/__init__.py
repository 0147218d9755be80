"""Kernels that are shipped."""
