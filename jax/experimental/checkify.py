"""Checks inside of compiled functions."""
