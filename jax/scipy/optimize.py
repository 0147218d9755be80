"""Minimisation."""

from jax._src.scipy.optimize.minimize import (
    OptimizeResults as OptimizeResults,
    minimize as minimize,
)
