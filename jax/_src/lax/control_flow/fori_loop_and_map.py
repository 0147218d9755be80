"""`fori_loop` and `map`: counted loops over an index and over the leading axis."""

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import trace, wide_values
from jax._src.core.avals import get_aval
from jax._src.core.symbols import expressions
from jax._src.lax.control_flow import programs, python_control_flow
from jax._src.lax.control_flow.scans import _scan_length, scan
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.ops.arithmetic import add
from jax._src.lax.ops.checks import INTEGER, kind_of
from jax._src.lax.ops.comparison import lt
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import reshape
from jax._src.lax.ops.slicing_padding import slice_in_dim
from jax._src.transforms.vectorize import vmap

T = TypeVar("T")


def _known_integer(x) -> int | None:
    """The value of an integer that is not traced."""
    if isinstance(x, bool):
        return int(x)
    if isinstance(x, trace.Tracer) and x.known_value() is None:
        return None  # as an index it raises an error whose message reads the file
    try:
        return operator.index(x)
    except Exception:
        return None


def _as_bound(x, other):
    fits = isinstance(x, int) and kind_of(other.dtype) & INTEGER
    return wide_values.kept_scalar(np.asarray(x, other.dtype)[()]) if fits else x


def fori_loop(
    lower: Any, upper: Any, body_fun: Callable[[Any, T], T], init_val: T, *, unroll=None
) -> T:
    """Applies a function for each integer from `lower` up to, not including, `upper`.

    As Python: ``for i in range(lower, upper): val = body_fun(i, val)``. Reverse-mode
    derivatives exist if the bounds are known while tracing.

    Args:
        lower: integer scalar.
        upper: integer scalar of the same dtype, or an integer of Python.
        body_fun: from index and value to the next value, of the same types.
        init_val: a tree of arrays.
        unroll: as in `scan`; only with bounds that are known.

    Returns:
        The last value.

    Raises:
        TypeError: the bounds differ in dtype, or the function changes types.

    Examples:
        >>> jax.lax.fori_loop(0, 5, lambda i, total: total + i, 0)
        Array(10, dtype=int32, weak_type=True)
    """
    programs.require_callable(
        "lax.fori_loop",
        "body_fun",
        body_fun,
        "It takes the count and the value, and returns the next value.",
    )
    # Integers of NumPy count as those of Python: their dtypes need not agree.
    lower, upper = (
        x.__jax_array__() if expressions.is_dimension(x) else x for x in (lower, upper)
    )
    lower, upper = (int(x) if isinstance(x, np.integer) else x for x in (lower, upper))
    low, high = get_aval(lower), get_aval(upper)
    if low.dtype != high.dtype:
        # An integer of Python takes the dtype of a traced bound.
        lower, upper = _as_bound(lower, high), _as_bound(upper, low)
        low, high = get_aval(lower), get_aval(upper)
    if low.shape or high.shape or low.dtype != high.dtype:
        raise type_error(
            "lax.fori_loop: lower and upper arguments to fori_loop must have equal types, got "
            f"{low.dtype.name} and {high.dtype.name}.",
            [("lower", low.str_short()), ("upper", high.str_short())],
            "They are scalars of one dtype.",
        )
    if kind_of(low.dtype) & INTEGER:
        start, stop = _known_integer(lower), _known_integer(upper)
    else:
        start = stop = None
    if start is not None and stop is not None:
        if python_control_flow.is_requested():
            return python_control_flow.fori_loop(start, stop, body_fun, init_val)
        return _counted_loop(lower, max(stop - start, 0), body_fun, init_val, unroll)
    if unroll is not None and unroll is not False and unroll != 1:
        raise value_error(
            "lax.fori_loop: Can only use `unroll` in `fori_loop` if the loop bounds are statically "
            "known.",
            [("upper", high.str_short()), ("unroll", unroll)],
            "Unrolling needs bounds that are known while tracing.",
        )

    def advance(state):
        index, end, value = state
        return add(index, _one_of(index)), end, body_fun(index, value)

    def go_on(state):
        return lt(state[0], state[1])

    return while_loop(go_on, advance, (lower, upper, init_val))[2]


def _one_of(index):
    aval = get_aval(index)
    return 1 if aval.dtype == get_aval(1).dtype else np.ones((), aval.dtype)[()]


def _counted_loop(lower, count, body_fun, init_val, unroll):
    def step(loop_carry, _):
        index, value = loop_carry
        return (add(index, _one_of(index)), body_fun(index, value)), None

    calls_as = getattr(body_fun, "__name__", "body_fun")
    step.__name__ = f"fori_loop of {calls_as}"
    (_, value), _ = scan(
        step,
        (lower, init_val),
        None,
        length=count,
        unroll=1 if unroll is None else unroll,
    )
    return value


def map(f: Callable[[Any], T], xs: Any, *, batch_size: int | None = None) -> T:
    """Applies a function to slices of arrays, one after the other.

    Args:
        f: a function of one slice of `xs`.
        xs: a tree of arrays of any dtype with the same first axis.
        batch_size: how many slices to do at once with `jax.vmap`.

    Returns:
        The results stacked along a new first axis.

    Raises:
        ValueError: an array has no axis, or their first axes differ.

    Examples:
        >>> jax.lax.map(lambda x: x * x, jnp.arange(4))
        Array([0, 1, 4, 9], dtype=int32)
    """
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    if batch_size < 1:
        raise ValueError(f"lax.map: batch_size is at least 1, got {batch_size}.")
    leaves, structure = trees.tree_flatten(xs)
    size = _scan_length(f, leaves, xs, None)
    count, rest = divmod(size, batch_size)
    whole = [
        reshape(
            slice_in_dim(x, 0, count * batch_size),
            (count, batch_size, *np.shape(x)[1:]),
        )
        for x in leaves
    ]
    many = vmap(f)
    _, found = scan(
        lambda _, x: ((), many(x)), (), trees.tree_unflatten(structure, whole)
    )
    found = trees.tree_map(
        lambda x: reshape(x, (count * batch_size, *np.shape(x)[2:])), found
    )
    if not rest:
        return found
    last = [slice_in_dim(x, count * batch_size, size) for x in leaves]
    more = many(trees.tree_unflatten(structure, last))
    return trees.tree_map(lambda a, b: concatenate([a, b], 0), found, more)


traceback_filter.hide_frames(globals())
