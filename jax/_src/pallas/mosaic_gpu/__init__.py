"""Kernels for GPUs in Mosaic's language: layouts, memory, and what only GPUs can run."""
