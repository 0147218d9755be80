"""Loops and choices as operations, so that programs can hold them."""
