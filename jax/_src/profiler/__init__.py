"""Traces of what the program did, and when."""
