"""Calls of native functions."""
