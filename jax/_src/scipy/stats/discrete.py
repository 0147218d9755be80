"""Distributions of whole numbers, each as its formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.lax.ops import stirling
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_of_floats
from jax._src.scipy import gamma_family as gamma_functions, probability
from jax._src.scipy.stats.family import Family, declared

Array = Any
ArrayLike = Any

_lgamma = gamma_functions.gammaln


def _log_choices(n, k):
    """The logarithm of the number of ways to choose k of n."""
    return -jnp.log(n + 1) - gamma_functions.betaln(n - k + 1, k + 1)


def _is_probability(p):
    return (p >= 0) & (p <= 1)


_BERNOULLI = {
    "logpmf": lambda k, p: probability.xlogy(k, p) + probability.xlog1py(1 - k, -p),
    "cdf": lambda k, p: jnp.where(k < 1, 1 - p, 1),
    "ppf": lambda q, p: jnp.where(q <= 1 - p, jnp.zeros_like(q), 1),
}
bernoulli_logpmf, bernoulli_pmf = declared(
    Family(
        "bernoulli",
        ("p",),
        (0, 1),
        0,
        _BERNOULLI,
        discrete=True,
        valid=_is_probability,
    ),
    *"logpmf pmf".split(),
)
bernoulli_cdf, bernoulli_ppf = declared(
    Family(
        "bernoulli",
        ("p",),
        (0, 1),
        0,
        _BERNOULLI,
        located=False,
        discrete=True,
        valid=_is_probability,
    ),
    *"cdf ppf".split(),
)


def _betabinom_logpmf(k, n, a, b):
    ratio = gamma_functions.betaln(k + a, n - k + b) - gamma_functions.betaln(a, b)
    return _log_choices(n, k) + ratio


betabinom_logpmf, betabinom_pmf = declared(
    Family(
        "betabinom",
        ("n", "a", "b"),
        (0, lambda n, a, b: n),
        0,
        {"logpmf": _betabinom_logpmf},
        in_double=True,
        discrete=True,
        valid=lambda n, a, b: (n >= 0) & (a > 0) & (b > 0),
    ),
    *"logpmf pmf".split(),
)

binom_logpmf, binom_pmf = declared(
    Family(
        "binom",
        ("n", "p"),
        (0, lambda n, p: n),
        0,
        {
            "logpmf": lambda k, n, p: (
                _log_choices(n, k)
                + probability.xlogy(k, p)
                + probability.xlog1py(n - k, -p)
            )
        },
        in_double=True,
        discrete=True,
        valid=lambda n, p: (n >= 0) & _is_probability(p),
        weak_at_integers=frozenset("logpmf pmf".split()),
    ),
    *"logpmf pmf".split(),
)

geom_logpmf, geom_pmf = declared(
    Family(
        "geom",
        ("p",),
        (1, np.inf),
        1,
        {"logpmf": lambda k, p: probability.xlog1py(k - 1, -p) + jnp.log(p)},
        discrete=True,
        valid=lambda p: (p > 0) & (p <= 1),
    ),
    *"logpmf pmf".split(),
)

nbinom_logpmf, nbinom_pmf = declared(
    Family(
        "nbinom",
        ("n", "p"),
        (0, np.inf),
        0,
        {
            "logpmf": lambda k, n, p: (
                _lgamma(k + n)
                - _lgamma(k + 1)
                - _lgamma(n)
                + probability.xlogy(n, p)
                + probability.xlog1py(k, -p)
            )
        },
        in_double=True,
        discrete=True,
        valid=lambda n, p: (n > 0) & (p > 0) & (p <= 1),
    ),
    *"logpmf pmf".split(),
)


def _poisson_logpmf(k, mu):
    is_inside = (k > 0) & (mu > 0) & (mu < np.inf)
    x, a = (jnp.where(is_inside, v, 1) for v in (mu, k))
    edge = probability.xlogy(k, mu) - _lgamma(k + 1) - mu
    return jnp.where(is_inside, stirling.log_gamma_front(a, x), edge)


poisson_cdf, poisson_logpmf, poisson_pmf = declared(
    Family(
        "poisson",
        ("mu",),
        (0, np.inf),
        0,
        {
            "logpmf": _poisson_logpmf,
            "cdf": lambda k, mu: gamma_functions.gammaincc(jnp.floor(k) + 1, mu),
        },
        in_double=True,
        discrete=True,
        valid=lambda mu: mu >= 0,
        weak_at_integers=frozenset("logpmf pmf".split()),
    ),
    *"cdf logpmf pmf".split(),
)

# Up to this mean the entropy is summed; so many terms hold all but nothing of it.
_SUMMED_MEAN, _SUMMED_TERMS = 100.0, 260


@jit_of_floats
def poisson_entropy(mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The entropy of the poisson distribution, in natural units.

    Args:
        mu: array of means.
        loc: array; the entropy does not depend on it, but takes its shape.

    Returns:
        Array of floats of the common shape; NaN for negative means.

    Raises:
        TypeError: an argument is no array or number.

    Reference: Evans, Boersma, Blachman, Jagers, The entropy of a Poisson distribution,
    1988 (for large means).
    """
    name = "jax.scipy.stats.poisson.entropy"
    mu, loc = operands.promote_args_inexact(name, mu, loc)
    mu, loc = operands.broadcast_arrays(name, mu, loc)
    small = jnp.where((mu >= 0) & (mu <= _SUMMED_MEAN), mu, 1)[..., None]
    counts = jnp.arange(_SUMMED_TERMS, dtype=small.dtype)
    logarithms = poisson_logpmf(operands.with_rank(counts, jnp.ndim(small)), small)
    terms = jnp.exp(logarithms)
    near = -jnp.sum(jnp.where(terms > 0, terms * logarithms, 0), axis=-1)
    large = jnp.maximum(mu, _SUMMED_MEAN)
    inverse = 1 / large
    series = inverse * (1 / 12 + inverse * (1 / 24 + inverse * 19 / 360))
    far = (math.log(2 * math.pi) + 1 + jnp.log(large)) / 2 - series
    found = jnp.where(mu <= _SUMMED_MEAN, near, far)
    return jnp.where(mu >= 0, found, np.nan)
