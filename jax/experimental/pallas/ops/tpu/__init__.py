"""Kernels that are named after TPUs."""
