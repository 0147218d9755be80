"""Numbers at equal steps, distances or ratios: arange, linspace, logspace, geomspace."""

from __future__ import annotations

import builtins
import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import scalars, traceback_filter
from jax._src.core import mesh_usage
from jax._src.core.symbols import expressions
from jax._src.numpy import lax_api as lax, operands, placement
from jax._src.numpy.jit_wrapper import jit

Array = operands.Array
ArrayLike = operands.ArrayLike


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Numbers at equal distances between two ends.

    Args:
        start: the first number, or an array of them.
        stop: the last one.
        num: how many.
        endpoint: whether `stop` is one of them.
        retstep: whether to return the distance too.
        dtype: the dtype of the result.
        axis: where the new axis goes.
        device: the device or sharding to put the array on.

    Raises:
        ValueError: `num` is negative.
        TypeError: `start` or `stop` is no array or number.

    Examples:
        >>> jnp.linspace(0, 1, 3)
        Array([0. , 0.5, 1. ], dtype=float32)
    """
    if not operands.known(num):
        # Raises the error that explains tracing.
        operands.concrete("linspace", "num", num)
    num = operands.whole_number("linspace", "num", num)
    if num < 0:
        raise ValueError(f"jnp.linspace: num={num} is negative.")
    dtype = None if dtype is None else operands.user_dtype("linspace", dtype)
    if not num:  # The ends count by their types alone.
        start, stop = placement.own(start), placement.own(stop)
    # An operand, not a constant: compilers divide by constants inexactly.
    gaps = placement.own(num - 1 if endpoint else num)
    result, step = _linspace(start, stop, gaps, num, bool(endpoint), dtype, axis)
    result = placement.put(result, device)
    return (result, step) if retstep else result


@ft.partial(jit, static_argnums=(3, 4, 5, 6))
def _linspace(start, stop, gaps, num, endpoint, wanted, axis):
    """The numbers, and their distance."""
    start, stop = operands.ensure_arraylike("linspace", start, stop)
    natural = dtypes.canonicalize_dtype(
        dtypes.to_inexact_dtype(dtypes.result_type(start, stop))
    )
    # Narrow floats count no further than to 256 or 2,048.
    computed = natural if dtypes.finfo(natural).bits >= 32 else np.dtype(np.float32)
    if wanted is None:
        wanted = natural
    elif operands.kind(wanted) in "fc" and dtypes.finfo(wanted).bits >= 32:
        computed = dtypes.promote_types(computed, wanted)
    axis = operands.canonical_axis(
        "linspace", axis, max(operands.ndim(start), operands.ndim(stop)) + 1
    )
    gaps = operands.convert(gaps, dtypes.to_floating_dtype(computed))
    first, last = operands.broadcast_arrays(
        "linspace", *(operands.convert(x, computed) for x in (start, stop))
    )
    has_gaps = num > (1 if endpoint else 0)
    rank = operands.ndim(first)
    counts = lax.reshape(lax.iota(operands.dtype_of(gaps), num), (num,) + (1,) * rank)
    if has_gaps:
        left, right = (
            operands.broadcast_to(x, (num, *operands.shape(x))) for x in (first, last)
        )
        result = _between(left, right, counts, gaps)
        if endpoint:
            # The end itself, free of rounding.
            is_last = lax.eq(counts, lax.full_like(counts, num - 1))
            result = lax.select(
                operands.broadcast_to(is_last, operands.shape(result)), right, result
            )
    else:
        result = operands.broadcast_to(first, (num, *operands.shape(first)))
    if operands.kind(wanted) in "iu" and operands.kind(computed) == "f":
        result = lax.floor(result)
    result = operands.convert(result, wanted)
    if axis:
        order = (*range(1, axis + 1), 0, *range(axis + 1, rank + 1))
        result = lax.transpose(result, order)
    divisor = operands.convert(gaps, computed) if has_gaps else np.nan
    step = lax.div(lax.sub(last, first), lax.full_like(last, divisor))
    of_step = dtypes.to_inexact_dtype(wanted)
    if operands.kind(computed) == "c" != operands.kind(of_step):
        step = lax.real(step)  # the numbers warn of it
    return result, operands.convert(step, of_step)


def _between(left, right, counts, gaps):
    """Numbers on the way, in even steps.

    Whole parts of the way are divided at the end, so that all is exact where numbers can be: from 0 to 25 by
    fives, or 0 between -1 and 1. Where many ways are no number, shares of both ends are added.
    """
    dtype, shape = operands.dtype_of(left), operands.shape(left)
    spread = lambda x: operands.broadcast_to(operands.convert(x, dtype), shape)
    way = lax.sub(right, left)
    moved = lax.div(lax.mul(spread(counts), way), spread(gaps))
    shares = spread(lax.div(counts, lax.full_like(counts, gaps)))
    shared = lax.add(
        lax.mul(left, lax.sub(lax.full_like(shares, 1), shares)),
        lax.mul(right, shares),
    )
    parts = [way] if operands.kind(dtype) != "c" else [lax.real(way), lax.imag(way)]
    many = [lax.mul(part, lax.full_like(part, gaps)) for part in parts]
    is_even = ft.reduce(lax.bitwise_and, map(lax.is_finite, many))
    return lax.select(is_even, lax.add(left, moved), shared)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """Powers of `base` whose exponents have equal distances.

    The other arguments are those of `jax.numpy.linspace`, and so are shapes and dtypes.

    Raises:
        ValueError: `num` is negative. TypeError: an end is no array or number.

    Examples:
        >>> jnp.logspace(0, 2, 3)
        Array([  1.,  10., 100.], dtype=float32)
    """
    dtype = None if dtype is None else operands.user_dtype("logspace", dtype)
    exponents = linspace(start, stop, num, endpoint, dtype=_wide(dtype), axis=axis)
    return _powers(base, exponents, dtype)


def _wide(dtype):
    """Returns the dtype to compute in for results of `dtype`: that dtype if it is inexact."""
    return dtype if dtype is not None and operands.kind(dtype) in "fc" else None


@ft.partial(jit, static_argnums=(2,))
def _powers(base, exponents, dtype):
    base = operands.convert(
        operands.ensure_arraylike("logspace", base), operands.dtype_of(exponents)
    )
    result = lax.pow(operands.broadcast_to(base, operands.shape(exponents)), exponents)
    return result if dtype is None else operands.convert(result, dtype)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """Numbers at equal ratios between two ends, of the same sign.

    The arguments are those of `jax.numpy.linspace`, and so are shapes and dtypes.

    Raises:
        ValueError: `num` is negative. TypeError: an end is no array or number.
    """
    dtype = None if dtype is None else operands.user_dtype("geomspace", dtype)
    sign, *logs = _sign_and_logarithms(start, stop, _wide(dtype))
    return _exponentials(linspace(*logs, num, endpoint, axis=axis), sign, axis, dtype)


@ft.partial(jit, static_argnums=(2,))
def _sign_and_logarithms(start, stop, dtype):
    start, stop = operands.promote_args_inexact("geomspace", start, stop)
    if dtype is not None:
        start, stop = (operands.convert(x, dtype) for x in (start, stop))
    start, stop = operands.broadcast_arrays("geomspace", start, stop)
    sign = lax.sign(start)
    return sign, *(lax.log(lax.div(x, sign)) for x in (start, stop))


@ft.partial(jit, static_argnums=(2, 3))
def _exponentials(logs, sign, axis, dtype):
    sign = operands.broadcast_to(lax.expand_dims(sign, (axis,)), operands.shape(logs))
    result = lax.mul(lax.exp(logs), sign)
    return result if dtype is None else operands.convert(result, dtype)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Numbers at equal steps from `start` up to but not including `stop`.

    Args:
        start: the first number; alone, the stop, with 0 as the start.
        stop: where to end.
        step: the step, 1 by default.
        dtype: the dtype; default: the one to which the arguments promote.
        device: the device or sharding to put the array on.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        ConcretizationTypeError: an argument is traced: the length would be unknown.
            TypeError: `dtype` names none.

    Examples:
        >>> jnp.arange(1, 7, 2)
        Array([1, 3, 5], dtype=int32)
    """
    given = {"start": start, "stop": stop, "step": step}
    given = {name: value for name, value in given.items() if value is not None}
    if "start" not in given:
        raise TypeError("jnp.arange: the argument `start` is None.")
    counted = symbolic_arange(start, stop, step, dtype)
    if counted is not None:
        return placement.put(placement.moved("arange", counted, out_sharding), device)
    host = {name: known_bound(name, value) for name, value in given.items()}
    if dtype is None and builtins.all(type(value) is int for value in given.values()):
        wanted = dtypes.default_int_dtype()
    elif dtype is None:
        wanted = dtypes.result_type(*given.values())
        if builtins.any(operands.kind_of(v) == "f" for v in given.values()):
            wanted = dtypes.canonicalize_dtype(wanted)
    else:
        wanted = operands.user_dtype("arange", dtype)
    if stop is None:
        host = {**host, "start": 0, "stop": host["start"]}
    first, last, by = host["start"], host["stop"], host.get("step", 1)
    if by == 0:
        raise ZeroDivisionError("jnp.arange: the step is 0.")
    count = builtins.max(0, math.ceil((last - first) / by))
    if first == 0 and by == 1 and operands.kind(wanted) in "iuf":
        if out_sharding is None and not mesh_usage.is_used:
            counted = _counted(wanted, count)
        else:
            counted = lax.iota(wanted, count, out_sharding=out_sharding)
        return placement.put(counted, device)
    values = np.arange(first, last, by)[:count] if count else np.zeros(0)
    counted = placement.as_array(
        scalars.converted(values, wanted), wanted, False, False
    )
    return placement.put(placement.moved("arange", counted, out_sharding), device)


@ft.partial(jit, static_argnums=(0, 1))
def _counted(dtype, count):
    return lax.iota(dtype, count)


def symbolic_arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    """`jax.numpy.arange` where a bound is a symbolic dimension; all are whole then.

    None where no bound is one.
    """
    if not any(map(expressions.is_dimension, (start, stop, step))):
        return None
    first, last = (0, start) if stop is None else (start, stop)
    bounds = [
        expressions.size_index(n) for n in (first, last, 1 if step is None else step)
    ]
    first, last, by = bounds
    count = expressions.max_dim(0, -((first - last) // by))
    wanted = np.dtype(int) if dtype is None else operands.user_dtype("arange", dtype)
    wanted = dtypes.canonicalize_dtype(wanted)
    counted = lax.iota(wanted, count)
    if not (type(by) is int and by == 1):
        counted = lax.mul(counted, lax.full_like(counted, by))
    if not (type(first) is int and first == 0):
        counted = lax.add(counted, lax.full_like(counted, first))
    return counted


def known_bound(name: str, value: Any) -> Any:
    """A bound of `jax.numpy.arange` as a number of Python; refused where it is none."""
    if type(value) is int or type(value) is float:
        return value
    # The number of elements does not vary with the bound, whose derivative counts as zero.
    scalar = operands.concrete("arange", name, value)
    if scalar.shape:
        raise (ValueError if operands.is_arraylike(value) else TypeError)(
            operands.explain(
                "arange",
                f"{name} is not a scalar.",
                [(name, operands.type_name(value))],
            )
        )
    if scalar.dtype.kind == "c":
        raise operands.value_error(
            "arange",
            f"{name} is a complex number.",
            [(name, operands.type_name(value))],
        )
    return scalar.item()


traceback_filter.hide_frames(globals())
