"""What the methods here share: one matrix is written, batches are mapped."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.interpreters import mlir
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim, reduce_sum
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.comparison import eq, ge, gt
from jax._src.lax.ops.complex_parts import conj, imag, real
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, iota
from jax._src.lax.ops.dynamic_slicing import dynamic_index_in_dim
from jax._src.lax.ops.exponential import sqrt
from jax._src.lax.ops.reductions import reduce_max
from jax._src.lax.ops.rounding import abs as absolute
from jax._src.lax.ops.selection import select
from jax._src.transforms.vectorize import vmap

Array = Any


def lowering(one: Callable, *ndims: int, many: bool = True) -> Callable:
    """The lowering rule of a method for one matrix.

    Args:
        one: the method; takes the parameters of the operation by name.
        *ndims: how many axes each argument of it has.
        many: whether it returns a list.
    """

    def run(*arrays, **params):
        def mapped(*parts):
            return one(*parts, **params)

        for _ in range(np.ndim(arrays[0]) - ndims[0]):
            mapped = vmap(mapped)
        return mapped(*arrays)

    return mlir.lower_fun(run, multiple_results=many)


def repeated(count: int, step: Callable, state: Any) -> Any:
    """``step(i, state)`` for each number below `count`.

    Of empty matrices a step could not even be traced: they have no first column.
    """
    if type(count) is int and count <= 0:
        return state
    return fori_loop(0, count, step, state)


def column(x: Array, i: Any) -> Array:
    """A column of a matrix, as a vector."""
    return dynamic_index_in_dim(x, i, 1, keepdims=False)


def row(x: Array, i: Any) -> Array:
    """A row of a matrix, as a vector."""
    return dynamic_index_in_dim(x, i, 0, keepdims=False)


def entry(x: Array, i: Any) -> Array:
    """An element of a vector."""
    return dynamic_index_in_dim(x, i, 0, keepdims=False)


def down(v: Array, width: int) -> Array:
    """A matrix of so many columns, each of them `v`."""
    return broadcast_in_dim(v, (np.shape(v)[0], width), (0,))


def across(v: Array, height: int) -> Array:
    """A matrix of so many rows, each of them `v`."""
    return broadcast_in_dim(v, (height, np.shape(v)[0]), (1,))


def broadcast_scalar(value: Array, like: Array) -> Array:
    """A scalar, as often as `like` has elements."""
    value = convert(value, get_aval(like).dtype)
    return broadcast_in_dim(value, np.shape(like), ())


def iota_along(x: Array, axis: int) -> Array:
    """The numbers along one axis of a vector or matrix, in its shape."""
    shape = np.shape(x)
    return broadcast_in_dim(iota(np.int32, shape[axis]), shape, (axis,))


def is_at(x: Array, i: Any, axis: int = 0) -> Array:
    """Where the number along an axis is `i`."""
    found = iota_along(x, axis)
    return eq(found, broadcast_scalar(i, found))


def is_from(x: Array, i: Any, axis: int = 0) -> Array:
    """Where the number along an axis is `i` or more."""
    found = iota_along(x, axis)
    return ge(found, broadcast_scalar(i, found))


def kept(mask: Array, x: Array) -> Array:
    """`x` where the mask says so, else zero."""
    return select(mask, x, full_like(x, 0))


def with_column(x: Array, i: Any, values: Array) -> Array:
    """A matrix with another column."""
    return select(is_at(x, i, 1), down(values, np.shape(x)[1]), x)


def with_row(x: Array, i: Any, values: Array) -> Array:
    """A matrix with another row."""
    return select(is_at(x, i, 0), across(values, np.shape(x)[0]), x)


def with_entry(x: Array, i: Any, value: Array) -> Array:
    """A vector with another element."""
    return select(is_at(x, i), broadcast_scalar(value, x), x)


def total(x: Array, *axes: int) -> Array:
    """The sum along axes; of all elements if there are none."""
    chosen = axes or tuple(range(np.ndim(x)))
    return reduce_sum(x, chosen)


def absolute_value(x: Array) -> Array:
    """Absolute values."""
    return absolute(x)


def square_sum(x: Array, *axes: int) -> Array:
    """The sum of squared absolute values."""
    if is_complex(get_aval(x).dtype):
        return total(real(x) * real(x) + imag(x) * imag(x), *axes)
    return total(x * x, *axes)


def norm(x: Array, *axes: int) -> Array:
    """The square root of `square_sum`, without overflow of the squares."""
    found = absolute_value(x)
    largest = reduce_max(found, tuple(range(np.ndim(x))))
    scale = select(gt(largest, full_like(largest, 0)), largest, full_like(largest, 1))
    scaled = x / broadcast_scalar(scale, x)
    roots = sqrt(square_sum(scaled, *axes))
    return roots * broadcast_scalar(scale, roots)


def conjugate(x: Array) -> Array:
    """The conjugate; of real numbers, themselves."""
    return conj(x) if is_complex(get_aval(x).dtype) else x


def outer(u: Array, v: Array) -> Array:
    """The matrix of products of elements."""
    return down(u, np.shape(v)[0]) * across(v, np.shape(u)[0])
