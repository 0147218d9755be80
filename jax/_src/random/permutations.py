"""Permutations and choices."""

import functools as ft
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    creation,
    cumulative,
    lax_api as lax,
    operands,
    ranges,
    reshaping,
    sorting,
    tiling,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import key_arrays, keys
from jax._src.random.uniform_normal import (
    as_number,
    gumbel_of,
    halves,
    parameter_of,
    randint_in,
    shape_of,
    unit,
)

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnums=(1, 3))
def shuffled(words, generator, x, axis):
    """`x` in random order along an axis: sorted by random bits, some times.

    With 32 random bits, two elements may draw the same; enough rounds make that not
    matter.
    """
    size = max(1, operands.size(x))
    rounds = math.ceil(3 * math.log(size) / math.log(2**32 - 1))
    for _ in range(rounds):
        words, drawn = halves(words, generator)
        order = generator.bits(drawn, 32, operands.shape(x))
        _, x = lax.sort((order, x), dimension=axis, num_keys=1)
    return x


def permutation(
    key: ArrayLike,
    x: int | ArrayLike,
    axis: int = 0,
    independent: bool = False,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers or slices in random order.

    Args:
        key: a key.
        x: an array, or a number that stands for all numbers below it.
        axis: the axis along which slices are ordered.
        independent: whether each row along the axis gets an order of its own.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `x` is a number, but not a whole one.

        ValueError: the axis is out of bounds.

    Examples:
        >>> jnp.sort(jax.random.permutation(jax.random.key(0), 4))
        Array([0, 1, 2, 3], dtype=int32)
    """
    if out_sharding is not None:
        return operands.placed(permutation, out_sharding, key, x, axis, independent)
    words, generator, _ = keys.taken("permutation", key)
    x = operands.ensure_arraylike("random.permutation", x)
    if not operands.ndim(x):
        if operands.kind_of(x) not in "iu":
            raise keys.type_error(
                "permutation",
                "x must be an integer or at least 1-dimensional.",
                [("x", operands.type_name(x))],
            )
        indices = ranges.arange(x, dtype=dtypes.default_int_dtype())
        return shuffled(words, generator, indices, 0)
    axis = operands.canonical_axis("random.permutation", axis, operands.ndim(x))
    if independent or operands.ndim(x) == 1:
        return shuffled(words, generator, operands.strong_like(x), axis)
    order = shuffled(words, generator, ranges.arange(operands.shape(x)[axis]), 0)
    return tiling.take_along(x, order, axis)


def choice(
    key: ArrayLike,
    a: int | ArrayLike,
    shape: Sequence[int] = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Elements or slices drawn at random.

    Args:
        key: a key.
        a: an array, or a number that stands for all numbers below it.
        shape: how many draws, as the shape of the result.
        replace: whether one can be drawn more than once.
        p: the probability of each; default: all the same.
        axis: the axis along which slices are drawn.
        mode: see `gumbel`; counts without replacement and with `p`.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `shape` is not a sequence.
        ValueError: nothing to draw from, or too little without replacement.


    Examples:
        >>> x = jax.random.choice(jax.random.key(0), jnp.arange(3), (3,), replace=False)
        >>> jnp.sort(x)
        Array([0, 1, 2], dtype=int32)
    """
    if out_sharding is not None:
        return operands.placed(
            choice, out_sharding, key, a, shape, replace, p, axis, mode
        )
    if not isinstance(shape, Sequence):
        raise keys.type_error(
            "choice", "`shape` is not a sequence.", [("shape", repr(shape))]
        )
    words, generator, _ = keys.taken("choice", key)
    a = operands.ensure_arraylike("random.choice", a)
    shape = shape_of("choice", shape)
    count = int(np.asarray(a)) if not operands.ndim(a) else None
    if operands.ndim(a):
        axis = operands.canonical_axis("random.choice", axis, operands.ndim(a))
        count = operands.shape(a)[axis]
    draws = math.prod(shape)
    if draws == 0:
        return creation.zeros(shape, operands.dtype_of(a))
    _check_draws(count, draws, replace, a)
    indices = _drawn_indices(
        words, generator, count, shape, draws, replace, p, mode, a, axis
    )
    if isinstance(indices, tuple):
        return lax.reshape(indices[0], _choice_shape(a, axis, shape))
    if not operands.ndim(a):
        return lax.reshape(indices, shape)
    taken = tiling.take_along(a, reshaping.ravel(indices), axis)
    return lax.reshape(taken, _choice_shape(a, axis, shape))


def _choice_shape(a, axis, shape):
    sizes = operands.shape(a)
    return (*sizes[:axis], *shape, *sizes[axis + 1 :]) if sizes else shape


def _check_draws(count, draws, replace, a):
    if count <= 0:
        raise keys.value_error(
            "choice",
            "a must be greater than 0 unless no samples are taken.",
            [("a", operands.type_name(a))],
        )
    if not replace and draws > count:
        raise keys.value_error(
            "choice",
            f"Cannot take a larger sample (size {draws}) than population (size {count}) "
            "when 'replace=False'.",
        )


def _drawn_indices(words, generator, count, shape, draws, replace, p, mode, a, axis):
    """The indices drawn; a tuple of the slices where these were shuffled themselves."""
    whole = dtypes.default_int_dtype()
    if p is None:
        if replace:
            return randint_in(
                words,
                generator,
                shape,
                whole,
                np.asarray(0, whole)[()],
                as_number(count, whole),
            )
        key = key_arrays.wrap(words, generator)
        if not operands.ndim(a):
            return lax.slice_in_dim(permutation(key, count), 0, draws)
        mixed = permutation(key, a, axis)
        return (lax.slice_in_dim(mixed, 0, draws, axis=axis),)
    (p,) = operands.promote_dtypes_inexact(parameter_of("choice", p))
    if operands.shape(p) != (count,):
        raise keys.value_error(
            "choice",
            "p must be None or a 1D vector with the same size as a.shape[axis].",
            [("p", operands.type_name(p)), ("elements", str(count))],
        )
    if replace:
        sums = cumulative.cumsum(p)
        drawn = unit(words, generator, shape, operands.dtype_of(p))
        last = operands.broadcast_to(
            lax.index_in_dim(sums, count - 1, keepdims=False), shape
        )
        levels = lax.mul(last, lax.sub(lax.full_like(drawn, 1), drawn))
        return operands.convert(sorting.searchsorted(sums, levels), whole)
    noise = gumbel_of(words, generator, (count,), operands.dtype_of(p), mode)
    scores = lax.add(noise, lax.log(p))
    order = sorting.argsort(lax.neg(scores))
    return lax.slice_in_dim(order, 0, draws)


traceback_filter.hide_frames(globals())
