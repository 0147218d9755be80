"""Distributions of vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.lax.linalg.cholesky import cholesky
from jax._src.lax.linalg.triangular import triangular_solve
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.scipy import gamma_family as gamma_functions, probability
from jax._src.scipy.elementwise import in_double_precision, in_wide_precision

Array = Any
ArrayLike = Any

_lgamma = gamma_functions.gammaln
_LOG_TAU = math.log(2 * math.pi)


def dirichlet_logpdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """The logarithm of the density of the dirichlet distribution.

    Args:
        x: array of shape ``(k, ...)`` or, without the last part, ``(k - 1, ...)``; along
            the first axis the parts of a whole.
        alpha: array of shape ``(k,)``, positive.

    Returns:
        Array of floats of shape ``x.shape[1:]``; minus infinity where the parts are no
        whole.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: `x` or `alpha` is no array or number.
    """
    name = "jax.scipy.stats.dirichlet.logpdf"
    x, alpha = operands.promote_dtypes_inexact(
        *operands.ensure_arraylike(name, x, alpha)
    )
    count = jnp.shape(alpha)[0] if jnp.ndim(alpha) == 1 else -1
    if not jnp.ndim(x) or jnp.shape(x)[0] not in (count, count - 1):
        raise operands.value_error(
            name,
            "the shapes do not fit.",
            [("x", operands.type_name(x)), ("alpha", operands.type_name(alpha))],
            "`alpha` is a vector, and the first axis of `x` as long, or one shorter.",
        )
    if jnp.shape(x)[0] == count - 1:
        x = jnp.concatenate([x, 1 - jnp.sum(x, axis=0, keepdims=True)], axis=0)
    found = in_wide_precision(in_double_precision(_dirichlet_logpdf), x, alpha)
    is_whole = jnp.all(x >= 0, axis=0) & (jnp.abs(jnp.sum(x, axis=0) - 1) < 1e-6)
    return jnp.where(is_whole, found, -np.inf)


def _dirichlet_logpdf(x: Array, alpha: Array) -> Array:
    """The formula, whose terms are far larger than their sum where `alpha` is large."""
    weights = alpha.reshape(-1, *[1] * (jnp.ndim(x) - 1))
    constant = jnp.sum(_lgamma(alpha)) - _lgamma(jnp.sum(alpha))
    return jnp.sum(probability.xlogy(weights - 1, x), axis=0) - constant


def dirichlet_pdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """The density of the dirichlet distribution.

    The arguments are those of `jax.scipy.stats.dirichlet.logpdf`, and so are shape,
    dtype and errors.
    """
    return jnp.exp(dirichlet_logpdf(x, alpha))


def multinomial_logpmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """The logarithm of the probability of counts in the multinomial distribution.

    Args:
        x: array of counts; the last axis runs over the outcomes.
        n: array, the number of trials.
        p: array of probabilities of the outcomes, along its last axis.

    Returns:
        Array of the broadcast shape of `x` and the parameters without the last axis; minus
        infinity where the counts do not add up to `n`, or are no counts; NaN where `n` is
        no count, or a probability is not between 0 and 1.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: an argument is no array or
            number.
    """
    name = "jax.scipy.stats.multinomial.logpmf"
    x, n, p = map(operands.as_float, operands.ensure_arraylike(name, x, n, p))
    (p,) = operands.promote_dtypes_inexact(p)
    # Counts need no promotion to be compared with: they take the dtype of the parameters.
    x, n = (
        operands.convert(v, operands.dtype_of(p)) if operands.kind_of(v) in "biu" else v
        for v in (x, n)
    )
    x, n, p = operands.promote_args_inexact(name, x, n, p)
    found = in_wide_precision(in_double_precision(_multinomial_logpmf), x, n, p)
    are_counts = jnp.all((x >= 0) & (x == jnp.floor(x)), axis=-1)
    found = jnp.where(are_counts & (jnp.sum(x, axis=-1) == n), found, -np.inf)
    is_valid = (n >= 0) & (n == jnp.floor(n)) & jnp.all((p >= 0) & (p <= 1), axis=-1)
    return jnp.where(is_valid, found, np.nan)


def _multinomial_logpmf(x: Array, n: Array, p: Array) -> Array:
    """The formula, whose terms are far larger than their sum where counts are large."""
    terms = probability.xlogy(x, p) - _lgamma(x + 1)
    return _lgamma(n + 1) + jnp.sum(terms, axis=-1)


def multinomial_pmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """The probability of counts in the multinomial distribution.

    The arguments are those of `jax.scipy.stats.multinomial.logpmf`, and so are shape
    and errors.

    Returns:
        Array of floats.
    """
    return jnp.exp(multinomial_logpmf(x, n, p))


def multivariate_normal_logpdf(
    x: ArrayLike, mean: ArrayLike, cov: ArrayLike, allow_singular: None = None
) -> Array:
    """The logarithm of the density of the normal distribution of vectors.

    Args:
        x: array of shape ``(..., n)``.
        mean: array of shape ``(..., n)``; a scalar for independent numbers.
        cov: array of shape ``(..., n, n)``, positive definite; with a scalar `mean` a
            variance, or an array of variances.
        allow_singular: singular covariances have no density: None.

    Returns:
        Array of shape ``(...)``, or that of `x` for a scalar `mean`.

    Raises:
        NotImplementedError: `allow_singular` is given.
        ValueError: the shapes do not fit.
        TypeError: `x` or `mean` or `cov` is no array or number.
    """
    name = "jax.scipy.stats.multivariate_normal.logpdf"
    if allow_singular is not None:
        raise operands.not_implemented(
            name,
            "singular covariances are not supported.",
            [("allow_singular", repr(allow_singular))],
            "The covariance is factored, and so positive definite.",
        )
    values = operands.ensure_arraylike(name, x, mean, cov)
    x, mean, cov = operands.promote_dtypes_inexact(*values)
    if not jnp.ndim(mean):
        return -(jnp.square(x - mean) / cov + jnp.log(cov) + _LOG_TAU) / 2
    size = jnp.shape(mean)[-1]
    if not jnp.ndim(cov):
        cov = cov * jnp.eye(size, dtype=operands.dtype_of(mean))
    if jnp.shape(cov)[-2:] != (size, size) or jnp.shape(x)[-1:] not in ((size,), ()):
        raise operands.value_error(
            name,
            "the shapes do not fit.",
            [
                (n, operands.type_name(v))
                for n, v in (("x", x), ("mean", mean), ("cov", cov))
            ],
            "The last axes of `x` and `mean` and both of `cov` have the same size.",
        )
    factor = cholesky(cov)
    rank = max(jnp.ndim(x), jnp.ndim(mean))
    away = operands.with_rank(x, rank) - operands.with_rank(mean, rank)
    batch = jnp.broadcast_shapes(jnp.shape(factor)[:-2], jnp.shape(away)[:-1])
    whole = operands.broadcast_to(factor, (*batch, size, size))
    column = operands.broadcast_to(away, (*batch, size))[..., None]
    solved = triangular_solve(whole, column, left_side=True, lower=True)[..., 0]
    eye = operands.with_rank(jnp.eye(size, dtype=whole.dtype), jnp.ndim(whole))
    diagonal = jnp.sum(whole * eye, axis=-1)
    log_root = jnp.sum(jnp.log(diagonal), axis=-1)
    return -jnp.sum(jnp.square(solved), axis=-1) / 2 - size * _LOG_TAU / 2 - log_root


def multivariate_normal_pdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
    """The density of the normal distribution of vectors.

    The arguments are those of `jax.scipy.stats.multivariate_normal.logpdf`, and so are
    shape and errors.

    Returns:
        Array of floats.
    """
    return jnp.exp(multivariate_normal_logpdf(x, mean, cov))
