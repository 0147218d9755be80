"""Numerical integration."""

from jax._src.scipy.integrate import trapezoid as trapezoid
