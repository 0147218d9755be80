"""Gamma and Poisson numbers without rejection: a fixed number of steps, and a small error.

Reference: Goldstein, Chi-square quantiles, Communications of the ACM 16 (1973), algorithm 451;
Cornish and Fisher, Moments and cumulants in the specification of distributions (1937).
"""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.numpy import elementwise, lax_api as lax, operands, selection
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import keys, uniform_normal

Array = Any

METHODS = ("exact", "approximate")

# The cube root of a chi-square quantile over its degrees of freedom n, as a polynomial in
# 1/n and in the normal quantile over the root of n: for each power of 1/n the coefficients.
_CUBE_ROOT = (
    (1, 0.4713941, 1.348028e-4, -8.553069e-3, 3.12558e-3, -8.426812e-4, 9.780499e-5),
    (
        *(-0.2237368, 2.607083e-2, 1.128186e-2, -1.153761e-2, 5.169654e-3),
        *(2.53001e-3, -1.450117e-3),
    ),
    (
        *(-1.513904e-2, -8.986007e-3, 2.277679e-2, -1.323293e-2, -6.950356e-3),
        *(1.060438e-3, 1.565326e-3),
    ),
)
# Parameters are raised by this, and the numbers scaled down again by uniform ones.
_RAISED = 4
# Below this mean, Poisson numbers are found by adding up probabilities.
_SMALL_MEAN = 10
_LARGEST_OF_SMALL = 48


def is_approximate(name: str, method: str) -> bool:
    """Whether `method` is the approximate one.

    Raises:
        ValueError: there is no such method.
    """
    if method not in METHODS:
        raise keys.value_error(
            name,
            f"method argument to `{name}` must be one of "
            f"{{'exact', 'approximate'}}, got {method!r}.",
        )
    return method == "approximate"


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def gamma_of(words, generator, shape, dtype, log_space, a):
    """Nearly gamma distributed numbers, or their logarithms, from the words of a key."""
    for_normal, for_scale = uniform_normal.halves(words, generator)
    wide = np.dtype(np.float64 if dtype == np.float64 else np.float32)
    z = uniform_normal.normal_of(for_normal, generator, shape, wide)
    u = uniform_normal.unit(for_scale, generator, (_RAISED, *shape), wide)
    a = operands.broadcast_to(operands.convert(operands.strong(a), wide), shape)
    is_valid = a > 0
    is_infinite = a == np.inf
    safe = selection.where(is_valid & ~is_infinite, a, 1.0)
    raised = safe + _RAISED
    scale = lax.log1p(lax.neg(u))
    logarithm = lax.log(raised) + 3 * lax.log(_cube_root(2 * raised, z))
    for i in range(_RAISED):
        logarithm += lax.index_in_dim(scale, i, 0, keepdims=False) / (safe + i)
    logarithm = selection.where(is_infinite, np.inf, logarithm)
    logarithm = selection.where(is_valid | elementwise.isnan(a), logarithm, -np.inf)
    logarithm = selection.where(elementwise.isnan(a), a, logarithm)
    found = logarithm if log_space else lax.exp(logarithm)
    return operands.convert(found, dtype)


def _cube_root(degrees, z):
    """The cube root of a quantile of chi-square over its degrees of freedom."""
    inverse = 1 / degrees
    x = z * lax.sqrt(inverse)
    in_x = [lax.polynomial(x, list(coefficients)) for coefficients in _CUBE_ROOT]
    found = lax.polynomial(inverse, in_x)
    # Only far beyond what is drawn is it no longer above 0.
    tiny = np.asarray(dtypes.finfo(operands.dtype_of(z)).tiny, operands.dtype_of(z))
    return lax.max(found, lax.full_like(found, tiny[()]))


@ft.partial(jit, static_argnums=(1, 2, 3))
def poisson_of(words, generator, shape, dtype, lam):
    """Whole numbers with nearly Poisson's distribution: quantiles of one number each."""
    lam = operands.broadcast_to(operands.convert(lam, np.float32), shape)
    is_small = lam < _SMALL_MEAN
    low = lax.max(selection.where(is_small, lam, 1.0), lax.full_like(lam, 0))
    u = uniform_normal.unit(words, generator, shape, np.dtype(np.float32))
    mass = lax.exp(lax.neg(low))
    below, small = mass, lax.full_like(lam, 0)
    for count in range(1, _LARGEST_OF_SMALL):
        small += operands.convert(u > below, np.float32)
        mass = mass * low / count
        below = below + mass
    is_large = ~is_small & (lam < np.inf)
    mean = selection.where(is_large, lam, 1e5)
    z = uniform_normal.normal_of(words, generator, shape, np.dtype(np.float32))
    root = lax.sqrt(mean)
    square = lax.square(z)
    shift = root * z + (square - 1) / 6 + z * (1 - square) / (72 * root)
    large = lax.max(lax.floor(mean + shift + 0.5), lax.full_like(lam, 0))
    found = selection.where(is_large, large, 0.0)
    return operands.convert(selection.where(is_small, small, found), dtype)
