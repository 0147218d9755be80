"""Solving ordinary differential equations: steps of a method, and their use."""
