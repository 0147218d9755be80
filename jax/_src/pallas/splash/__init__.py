"""Attention over a mask, as a kernel."""
