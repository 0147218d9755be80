"""Densities estimated from samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jax._src.lax.linalg.cholesky import cholesky
from jax._src.lax.linalg.triangular import triangular_solve
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.random import keys, permutations, uniform_normal as random
from jax._src.scipy import logsumexp, probability
from jax._src.tree import register_pytree_node_class

Array = Any
ArrayLike = Any

_NAME = "jax.scipy.stats.gaussian_kde"


def _fail(what: str, facts: list, rule: str = "") -> None:
    raise operands.value_error(_NAME, what, facts, rule)


@register_pytree_node_class
@dataclass(frozen=True, init=False, slots=True)
class gaussian_kde:  # noqa: N801 (the name that users know)
    """A density made of one normal density around each point of a sample.

    Attributes:
        neff: the effective number of points.
        dataset: array of shape ``(dimensions, points)``.
        weights: array of shape ``(points,)``, with sum 1.
        covariance: of each normal density, of shape ``(dimensions, dimensions)``.
        inv_cov: its inverse.
    """

    neff: Any
    dataset: Any
    weights: Any
    covariance: Any
    inv_cov: Any

    def __init__(
        self,
        dataset: ArrayLike,
        bw_method: str | float | Callable | None = None,
        weights: ArrayLike | None = None,
    ):
        """Estimates the density of a sample.

        Args:
            dataset: array of shape ``(points,)`` or ``(dimensions, points)``.
            bw_method: 'scott' (also for None) or 'silverman', rules for the width; the
                width itself; or a function from this object to the width.
            weights: array of shape ``(points,)``; None: equal ones.

        Raises:
            TypeError: complex points. ValueError: shapes or the method do not fit.

        Reference: Scott, Multivariate density estimation, 1992.
        """
        (points,) = operands.promote_dtypes_inexact(
            operands.ensure_arraylike(_NAME, dataset)
        )
        if operands.kind_of(points) == "c":
            raise operands.not_implemented(
                _NAME,
                "complex points are not supported.",
                [("dataset", operands.type_name(points))],
            )
        if jnp.ndim(points) > 2 or jnp.size(points) <= 1:
            _fail(
                "the sample has no points to estimate from.",
                [("dataset", operands.type_name(points))],
                "It has more than one element, and one or two axes.",
            )
        points = points if jnp.ndim(points) == 2 else points.reshape(1, -1)
        count = points.shape[1]
        if weights is None:
            weights = jnp.full(count, 1 / count, points.dtype)
        else:
            points, weights = operands.promote_dtypes_inexact(
                points, operands.ensure_arraylike(_NAME, weights)
            )
            if jnp.shape(weights) != (count,):
                _fail(
                    "the weights do not fit the points.",
                    [
                        ("weights", operands.type_name(weights)),
                        ("number of points", count),
                    ],
                    "There is one weight for each point.",
                )
            weights = weights / jnp.sum(weights)
        self._set(dataset=points, weights=weights, neff=1 / jnp.sum(weights**2))
        factor = self._width(bw_method)
        mean = jnp.sum(points * weights[None, :], axis=1, keepdims=True)
        away = points - mean
        spread = jnp.dot(away * weights[None, :], away.T) / (1 - jnp.sum(weights**2))
        covariance = spread * factor**2
        whole = cholesky(covariance)
        half = triangular_solve(
            whole, jnp.eye(self.d, dtype=whole.dtype), left_side=True, lower=True
        )
        self._set(covariance=covariance, inv_cov=jnp.dot(half.T, half))

    def _set(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _width(self, method):
        if method is None or method == "scott":
            return self.neff ** (-1.0 / (self.d + 4))
        if isinstance(method, str):
            if method == "silverman":
                return (self.neff * (self.d + 2) / 4.0) ** (-1.0 / (self.d + 4))
        elif callable(method):
            return method(self)
        elif jnp.isscalar(method) or jnp.shape(method) == ():
            return method
        _fail(
            "this is no way to choose the width.",
            [("bw_method", repr(method)[:60])],
            "It is 'scott', 'silverman', a number or a function.",
        )

    def tree_flatten(self):
        """The arrays, and nothing beside them."""
        children = (
            self.neff,
            self.dataset,
            self.weights,
            self.covariance,
            self.inv_cov,
        )
        return children, None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        """The estimate with these arrays."""
        del aux_data
        made = object.__new__(cls)
        names = ("neff", "dataset", "weights", "covariance", "inv_cov")
        made._set(**dict(zip(names, children, strict=True)))
        return made

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return self.dataset.shape[0]

    @property
    def n(self) -> int:
        """The number of points."""
        return self.dataset.shape[1]

    def _points(self, points):
        (points,) = operands.promote_dtypes_inexact(
            operands.ensure_arraylike(_NAME, points)
        )
        if jnp.ndim(points) < 2:
            one_point = jnp.ndim(points) == 1 and points.shape[0] == self.d > 1
            points = points.reshape((-1, 1) if one_point else (1, -1))
        if jnp.ndim(points) > 2 or points.shape[0] != self.d:
            _fail(
                "the points do not fit the sample.",
                [("points", operands.type_name(points)), ("dimensions", self.d)],
                "The first axis runs over the dimensions.",
            )
        return points

    def logpdf(self, x: ArrayLike) -> Array:
        """The logarithm of the density.

        Args:
            x: array of shape ``(dimensions, m)``, or ``(m,)`` for one dimension.

        Returns:
            Array of shape ``(m,)``.
        """
        points = self._points(x)
        logarithms = _log_normal(
            self.dataset[:, None] - points[:, :, None], self.covariance
        )
        return logsumexp.logsumexp(logarithms, axis=-1, b=self.weights[None, :])

    def evaluate(self, points: ArrayLike) -> Array:
        """The density; the argument as for `logpdf`."""
        return jnp.exp(self.logpdf(points))

    def pdf(self, x: ArrayLike) -> Array:
        """The density; the argument as for `logpdf`."""
        return self.evaluate(x)

    def __call__(self, points: ArrayLike) -> Array:
        """The density; the argument as for `logpdf`."""
        return self.evaluate(points)

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> Array:
        """The integral of the density times a normal density.

        Args:
            mean: array of shape ``(dimensions,)``.
            cov: array of shape ``(dimensions, dimensions)``.
        """
        mean, cov = operands.promote_dtypes_inexact(
            *operands.ensure_arraylike(_NAME, mean, cov)
        )
        mean, cov = jnp.atleast_1d(mean), jnp.ravel(cov)
        if mean.shape != (self.d,) or cov.size != self.d**2:
            _fail(
                "mean and covariance do not fit the sample.",
                [("mean", operands.type_name(mean)), ("dimensions", self.d)],
            )
        away = self.dataset - mean[:, None]
        both = self.covariance + cov.reshape(self.d, self.d)
        return jnp.sum(jnp.exp(_log_normal(away, both)) * self.weights)

    def integrate_box_1d(self, low: ArrayLike, high: ArrayLike) -> Array:
        """The probability of an interval, for one dimension."""
        if self.d != 1:
            _fail("the sample has several dimensions.", [("dimensions", self.d)])
        if jnp.ndim(low) or jnp.ndim(high):
            _fail("the ends are no single numbers.", [("low", low), ("high", high)])
        width = jnp.sqrt(self.covariance[0, 0])
        above, below = ((end - self.dataset[0]) / width for end in (high, low))
        inside = probability.ndtr(above) - probability.ndtr(below)
        return jnp.sum(self.weights * inside)

    def integrate_kde(self, other: gaussian_kde) -> Array:
        """The integral of the density times another estimated one."""
        if other.d != self.d:
            _fail(
                "the samples differ in their dimensions.",
                [("this", self.d), ("other", other.d)],
            )
        away = self.dataset[:, :, None] - other.dataset[:, None]
        logarithms = _log_normal(away, self.covariance + other.covariance)
        weights = self.weights[:, None] * other.weights[None, :]
        return jnp.sum(jnp.exp(logarithms) * weights)

    def resample(self, key: Any, shape: tuple[int, ...] = ()) -> Array:
        """Random points of the density.

        Args:
            key: a random key.
            shape: how many.

        Returns:
            Array of shape ``(dimensions, *shape)``.
        """
        choose, move = keys.split(key)
        picked = permutations.choice(choose, self.n, shape=shape, p=self.weights)
        noise = random.normal(move, (*shape, self.d), self.dataset.dtype)
        moved = jnp.matmul(noise, cholesky(self.covariance).T)
        return self.dataset[:, picked] + jnp.moveaxis(moved, -1, 0)

    def integrate_box(self, low_bounds, high_bounds, maxpts=None):
        """Not supported: raises NotImplementedError."""
        raise operands.not_implemented(
            _NAME,
            "probabilities of boxes are not supported.",
            ways="For one dimension: integrate_box_1d.",
        )

    def set_bandwidth(self, bw_method=None):
        """Not supported: raises NotImplementedError."""
        raise operands.not_implemented(
            _NAME,
            "the width does not change.",
            ways="Make a new estimate with `bw_method`.",
        )


def _log_normal(away: Array, covariance: Array) -> Array:
    """The logarithm of a normal density at distances, whose first axis is the vector."""
    size = away.shape[0]
    factor = cholesky(covariance)
    flat = away.reshape(size, -1)
    solved = triangular_solve(factor, flat, left_side=True, lower=True)
    log_root = jnp.sum(
        jnp.log(jnp.sum(factor * jnp.eye(size, dtype=factor.dtype), axis=-1))
    )
    constant = size * math.log(2 * math.pi) / 2 + log_root
    found = -jnp.sum(jnp.square(solved), axis=0) / 2 - constant
    return found.reshape(away.shape[1:])
