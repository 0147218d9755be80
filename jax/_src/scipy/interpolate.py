"""Interpolation between values on a grid."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp, operands

Array = Any
ArrayLike = Any

_METHODS = ("linear", "nearest")


def _explain(what: str, facts=(), rule: str = "", ways: str = "") -> str:
    return errors.explain(f"RegularGridInterpolator: {what}", facts, rule, ways)


def _check_method(method: str) -> None:
    if method not in _METHODS:
        raise ValueError(
            _explain(
                "there is no such method.",
                [("method", repr(method))],
                "Methods are 'linear' and 'nearest'.",
            )
        )


class RegularGridInterpolator:
    """Interpolates values that are given on a rectangular grid.

    Args:
        points: for each axis of the grid, an increasing vector of coordinates.
        values: array whose first axes are those of the grid.
        method: ``"linear"`` or ``"nearest"``.
        bounds_error: False: outside the grid there is `fill_value`.
        fill_value: the value outside the grid; None: what the nearest cell gives.

    Raises:
        ValueError: the shapes do not fit, or there is no such method.
        NotImplementedError: `bounds_error` is true: values are not known while tracing.
    """

    def __init__(
        self,
        points: Sequence[ArrayLike],
        values: ArrayLike,
        method: str = "linear",
        bounds_error: bool = False,
        fill_value: Any = np.nan,
    ):
        _check_method(method)
        if bounds_error:
            raise NotImplementedError(
                _explain(
                    "errors for points outside the grid are not supported.",
                    [("bounds_error", repr(bounds_error))],
                    "Whether a point is outside is not known while tracing.",
                    "To see it in the result: fill_value=jnp.nan.",
                )
            )
        self.method = method
        self.bounds_error = bounds_error
        operands.check_arraylike("RegularGridInterpolator", values, *points)
        (self.values,) = operands.promote_dtypes_inexact(operands.to_array(values))
        if fill_value is not None:
            operands.check_arraylike("RegularGridInterpolator", fill_value)
            fill_value = operands.convert(fill_value, operands.dtype_of(self.values))
        self.fill_value = fill_value
        self.grid = tuple(jnp.asarray(p) for p in points)
        sizes = [operands.shape(p) for p in self.grid]
        if len(sizes) > operands.ndim(self.values) or any(
            size != (n,)
            for size, n in zip(sizes, operands.shape(self.values), strict=False)
        ):
            raise ValueError(
                _explain(
                    "points and values do not fit.",
                    [
                        ("points", str(sizes)),
                        ("values", operands.type_name(self.values)),
                    ],
                    "The first axes of values have as many elements as the points.",
                )
            )

    def __call__(self, xi: Any, method: str | None = None) -> Array:
        """The values at points.

        Args:
            xi: array of shape ``(..., d)``, or a tuple of `d` arrays of coordinates.
            method: another method than that of the object.

        Returns:
            Array of shape ``(...)``, with the further axes of the values.

        Raises:
            ValueError: points have another number of coordinates, or there is no such
                method.
        """
        method = self.method if method is None else method
        _check_method(method)
        rank = len(self.grid)
        if isinstance(xi, tuple):
            xi = jnp.stack(jnp.broadcast_arrays(*xi), axis=-1)
        else:
            xi = operands.ensure_arraylike("RegularGridInterpolator", xi)
            xi = jnp.reshape(xi, (-1, 1)) if operands.ndim(xi) == rank == 1 else xi
        if operands.shape(xi)[-1:] != (rank,):
            raise ValueError(
                _explain(
                    "points have a wrong number of coordinates.",
                    [("xi", operands.type_name(xi)), ("axes of the grid", str(rank))],
                    "The last axis of xi holds one coordinate for each axis.",
                )
            )
        (xi,) = operands.promote_dtypes_inexact(xi)
        found = self._interpolated(xi, method)
        return found if self.fill_value is None else self._filled(xi, found)

    def _interpolated(self, xi, method):
        cells, weights = [], []
        for axis, points in enumerate(self.grid):
            x = xi[..., axis]
            last = max(operands.size(points) - 2, 0)
            cell = jnp.clip(jnp.searchsorted(points, x) - 1, 0, last)
            upper = jnp.minimum(cell + 1, operands.size(points) - 1)
            width = points[upper] - points[cell]
            cells.append((cell, upper))
            weights.append((x - points[cell]) / jnp.where(width == 0, 1, width))
        if method == "nearest":
            chosen = [
                jnp.where(w <= 0.5, *cell)
                for w, cell in zip(weights, cells, strict=True)
            ]
            return self.values[tuple(chosen)]
        total = 0
        for corner in itertools.product((0, 1), repeat=len(self.grid)):
            corner_indices = tuple(
                cell[i] for cell, i in zip(cells, corner, strict=True)
            )
            share = 1
            for w, i in zip(weights, corner, strict=True):
                share = share * (w if i else 1 - w)
            total = total + self._widened(share) * self.values[corner_indices]
        return total

    def _widened(self, x):
        extra = operands.ndim(self.values) - len(self.grid)
        return jnp.reshape(x, (*operands.shape(x), *[1] * extra))

    def _filled(self, xi, found):
        outside = False
        for axis, points in enumerate(self.grid):
            x = xi[..., axis]
            outside = outside | (x < points[0]) | (x > points[-1])
        return jnp.where(self._widened(outside), self.fill_value, found)
