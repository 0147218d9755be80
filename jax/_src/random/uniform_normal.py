"""Random bits, uniform and normal numbers, and uniform integers."""

from __future__ import annotations

import functools as ft
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    lax_api as lax,
    operands,
    reshaping,
    selection,
    sorting,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import keys

Array = Any
ArrayLike = Any


# ---------------------------------------------------------------- arguments


def shape_of(name: str, shape: Any) -> tuple[int, ...]:
    """A shape written by the user; one number means one axis."""
    return operands.canonical_shape(f"random.{name.removeprefix('random.')}", shape)


def parameter_of(name: str, value: Any) -> Any:
    """A parameter of the sampler `name` as an array, whose dtype the draws get.

    A 64-bit one that is used while `jax_enable_x64` is off becomes one of 32 bits, as
    the numbers that are drawn for it.
    """
    value = operands.ensure_arraylike(f"random.{name}", value)
    wanted = dtypes.canonicalize_dtype(operands.dtype_of(value))
    return (
        value if operands.dtype_of(value) == wanted else operands.convert(value, wanted)
    )


def float_dtype(name: str, dtype: Any, allow_complex: bool = False) -> np.dtype:
    """The dtype of floats that the user asks for; None means the default.

    Raises:
        ValueError: it is another kind of dtype.
    """
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, name
    )
    if operands.kind(wanted) != "f" and not (
        allow_complex and operands.kind(wanted) == "c"
    ):
        kinds = "float or complex" if allow_complex else "float"
        raise keys.value_error(
            name,
            f"dtype argument to `{name}` must be a {kinds} dtype, got {dtype}.",
            ways="For whole numbers: jax.random.randint.",
        )
    return wanted


def shape_with(name: str, shape: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of a sample whose parameters are arrays; None means theirs.

    Raises:
        ValueError: the parameters do not broadcast to the given shape.
    """
    return fitting_shape(name, shape, *(operands.shape(p) for p in parameters))


def fitting_shape(name: str, shape: Any, *shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape of a sample whose parameters have shapes; None means theirs.

    Raises:
        ValueError: the parameters do not broadcast to the given shape.
    """
    common = expressions.broadcast_shapes(*map(tuple, shapes))
    if shape is None:
        return tuple(common)
    shape = shape_of(name, shape)
    try:
        fits = expressions.broadcast_shapes(shape, common) == shape
    except ValueError:
        fits = False
    if not fits:
        raise keys.value_error(
            name,
            "the parameters do not broadcast to the shape.",
            [("shape", str(shape)), ("parameters", f"shape {tuple(common)}")],
        )
    return shape


# ---------------------------------------------------------------- bits


@ft.partial(jit, static_argnums=(1, 2, 3))
def raw_bits(words, generator, width, shape):
    """Unsigned integers with `width` random bits, from the words of a key."""
    return generator.bits(words, width, shape)


def bits(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Random bits as unsigned integers.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: an unsigned dtype; default: the widest.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: the dtype is not unsigned.
        TypeError: a size is negative.
    """
    if out_sharding is not None:
        return operands.placed(bits, out_sharding, key, shape, dtype)
    words, generator, _ = keys.taken("bits", key)
    if dtype is None:
        wanted = dtypes.default_uint_dtype()
    else:
        wanted = dtypes.check_and_canonicalize_user_dtype(dtype, "bits")
    if operands.kind(wanted) != "u":
        raise keys.value_error(
            "bits",
            f"dtype argument to `bits` must be an unsigned int dtype, got {dtype}.",
        )
    return raw_bits(
        words, generator, dtypes.iinfo(wanted).bits, shape_of("bits", shape)
    )


# ---------------------------------------------------------------- uniform


def unit(words: Array, generator: Any, shape: tuple, dtype: np.dtype) -> Array:
    """Floats in [0, 1): random mantissas between 1 and 2, less 1."""
    limits = dtypes.finfo(dtype)
    width, kept = limits.bits, limits.nmant
    drawn = 8 if kept < 8 else width
    random = generator.bits(words, drawn, shape)
    whole = np.dtype(f"uint{width}")
    random = operands.convert(random, whole)
    mantissas = lax.shift_right_logical(random, lax.full_like(random, drawn - kept))
    one = np.asarray(1, dtype).view(whole)[()]
    floats = lax.bitcast_convert_type(
        lax.bitwise_or(mantissas, lax.full_like(mantissas, one)), dtype
    )
    return lax.sub(floats, lax.full_like(floats, 1))


def uniform_of(words, generator, shape, dtype, minval, maxval) -> Array:
    """Floats between bounds, from the words of a key."""
    floats = unit(words, generator, shape, dtype)
    low, high = (
        operands.broadcast_to(operands.convert(bound, dtype), shape, "random.uniform")
        for bound in (minval, maxval)
    )
    scaled = lax.add(lax.mul(floats, lax.sub(high, low)), low)
    return lax.max(low, scaled)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _uniform(words, generator, shape, dtype, minval, maxval):
    return uniform_of(words, generator, shape, dtype, minval, maxval)


def uniform(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
    *,
    out_sharding: Any = None,
) -> Array:
    """Floats, all equally likely, from `minval` up to but not including `maxval`.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: a floating-point dtype.
        minval: the lower bound, an array that broadcasts to `shape`; it may have further
            axes of size 1 in front.
        maxval: the upper bound, likewise.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array of `shape`. Where that is ``()`` and the bounds have axes, these are kept.

    Raises:
        ValueError: the dtype is no float. TypeError: a bound has too many axes.


    Examples:
        >>> x = jax.random.uniform(jax.random.key(0), (100,), minval=2, maxval=3)
        >>> bool(x.min() >= 2 and x.max() < 3)
        True
    """
    if out_sharding is not None:
        return operands.placed(uniform, out_sharding, key, shape, dtype, minval, maxval)
    words, generator, _ = keys.taken("uniform", key)
    wanted = float_dtype("uniform", dtype)
    shape = shape_of("uniform", shape)
    rank = max(
        map(operands.ndim, operands.ensure_arraylike("random.uniform", minval, maxval))
    )
    if rank <= len(shape):
        return _uniform(words, generator, shape, wanted, minval, maxval)
    bounds = [_without_extra_axes(bound, shape) for bound in (minval, maxval)]
    out = _uniform(words, generator, shape, wanted, *bounds)
    # A scalar has the axes of its bounds, each of size 1.
    return out if shape else reshaping.reshape(out, (1,) * rank)


def _without_extra_axes(bound, shape):
    """A bound without the axes of size 1 before those of the result.

    Raises:
        TypeError: it has more elements than the result.
    """
    array = operands.ensure_arraylike("random.uniform", bound)
    extra = operands.ndim(array) - len(shape)
    if extra <= 0:
        return bound
    sizes = operands.shape(array)
    if any(size != 1 for size in sizes[:extra]):
        raise keys.type_error(
            "uniform",
            "a bound has more axes than the result.",
            [("bound", operands.type_name(bound)), ("shape", str(shape))],
        )
    return reshaping.reshape(array, sizes[extra:])


# ---------------------------------------------------------------- randint


def randint(
    key: ArrayLike,
    shape: Any,
    minval: ArrayLike,
    maxval: ArrayLike,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Whole numbers from `minval` up to but not including `maxval`.

    Args:
        key: a key.
        shape: the shape of the result.
        minval: the lower bound, an array that broadcasts to `shape`.
        maxval: the upper bound.
        dtype: an integer dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: the dtype is no integer, or the shape is none.

    Examples:
        >>> jax.random.randint(jax.random.key(0), (4,), 7, 8)
        Array([7, 7, 7, 7], dtype=int32)
    """
    if out_sharding is not None:
        return operands.placed(randint, out_sharding, key, shape, minval, maxval, dtype)
    words, generator, _ = keys.taken("randint", key)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "randint"
    )
    if operands.kind(wanted) not in "iu":
        raise keys.type_error(
            "randint", f"randint only accepts integer dtypes, got {wanted}."
        )
    shape = shape_of("randint", shape)
    bounds = operands.ensure_arraylike("random.randint", minval, maxval)
    return randint_in(words, generator, shape, wanted, *bounds)


@ft.partial(jit, static_argnums=(1, 2, 3))
def randint_in(words, generator, shape, dtype, minval, maxval):
    return randint_of(words, generator, shape, dtype, minval, maxval)


def randint_of(words, generator, shape, dtype, minval, maxval) -> Array:
    """Whole numbers between bounds: two draws, reduced modulo the span."""
    limits = dtypes.iinfo(dtype)
    if limits.bits < 32:
        low, high = (operands.convert(b, np.int32) for b in (minval, maxval))
        low = selection.clip(low, limits.min, limits.max)
        high = selection.clip(high, limits.min, limits.max + 1)
        drawn = randint_of(words, generator, shape, np.dtype(np.int32), low, high)
        return operands.convert(drawn, dtype)
    minval, maxval = (_whole(b) for b in (minval, maxval))
    beyond = _exceeds(maxval, limits.max)
    low, high = (
        operands.broadcast_to(_saturated(b, dtype), shape, "random.randint")
        for b in (minval, maxval)
    )
    beyond = operands.broadcast_to(beyond, shape)
    first, second = (
        generator.bits(half, limits.bits, shape) for half in halves(words, generator)
    )
    unsigned = np.dtype(f"uint{limits.bits}")
    span = operands.convert(lax.sub(high, low), unsigned)
    one = lax.full_like(span, 1)
    is_empty = lax.le(high, low)
    span = lax.select(is_empty, one, span)
    grows = lax.bitwise_and(beyond, lax.gt(high, low))
    span = lax.select(grows, lax.add(span, one), span)
    factor = lax.rem(lax.full_like(span, 1 << (limits.bits // 2)), span)
    factor = lax.rem(lax.mul(factor, factor), span)
    offset = lax.add(lax.mul(lax.rem(first, span), factor), lax.rem(second, span))
    offset = lax.rem(offset, span)
    return lax.add(low, operands.convert(offset, dtype))


@ft.partial(jit, static_argnums=(1,))
def halves(words: Array, generator: Any) -> list[Array]:
    """The words of two keys that a key is split into."""
    pair = generator.split(words, (2,))
    return [lax.index_in_dim(pair, i, 0, keepdims=False) for i in range(2)]


def _whole(bound):
    if operands.kind_of(bound) in "iu":
        return bound
    return operands.convert(bound, dtypes.default_int_dtype())


def _exceeds(bound, limit):
    """Whether a bound is above the largest value of the dtype."""
    own = dtypes.iinfo(operands.dtype_of(bound))
    if own.max <= limit:
        return lax.full(operands.shape(bound), False, np.dtype(bool))
    return lax.gt(bound, lax.full_like(bound, limit))


def _saturated(bound, dtype):
    """A bound in the dtype, the nearest value where it does not fit."""
    own, limits = dtypes.iinfo(operands.dtype_of(bound)), dtypes.iinfo(dtype)
    low, high = max(own.min, limits.min), min(own.max, limits.max)
    bound = lax.clamp(
        np.asarray(low, operands.dtype_of(bound))[()],
        bound,
        np.asarray(high, operands.dtype_of(bound))[()],
    )
    return operands.convert(bound, dtype)


# ---------------------------------------------------------------- normal


def normal_of(words, generator, shape, dtype) -> Array:
    """Normal numbers by the inverse of their distribution function."""
    low = np.nextafter(np.asarray(-1, dtype), np.asarray(0, dtype), dtype=dtype)
    drawn = uniform_of(
        words, generator, shape, dtype, low[()], np.asarray(1, dtype)[()]
    )
    root = np.asarray(math.sqrt(2), dtype)[()]
    return lax.mul(lax.full_like(drawn, root), lax.erf_inv(drawn))


@ft.partial(jit, static_argnums=(1, 2, 3))
def real_or_complex_normal_of(words, generator, shape, dtype) -> Array:
    """Normal numbers of a real or complex dtype, from the words of a key."""
    if operands.kind(dtype) != "c":
        return normal_of(words, generator, shape, dtype)
    part = dtypes.to_floating_dtype(dtype)
    real, imaginary = (
        normal_of(half, generator, shape, part) for half in halves(words, generator)
    )
    root = lax.full_like(real, np.asarray(math.sqrt(2), part)[()])
    return lax.complex(lax.div(real, root), lax.div(imaginary, root))


def normal(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with the standard normal distribution.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: a floating-point or complex dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: the dtype is neither.
        TypeError: a size is negative.

    Examples:
        >>> jax.random.normal(jax.random.key(0), (2, 3)).shape
        (2, 3)
    """
    if out_sharding is not None:
        return operands.placed(normal, out_sharding, key, shape, dtype)
    words, generator, _ = keys.taken("normal", key)
    wanted = float_dtype("normal", dtype, allow_complex=True)
    return real_or_complex_normal_of(
        words, generator, shape_of("normal", shape), wanted
    )


# ---------------------------------------------------------------- permutations


def as_number(count, dtype):
    """A size as a number of the program; a constant where it is known."""
    return operands.convert(
        count if expressions.is_dimension(count) else np.asarray(count)[()], dtype
    )


def above_zero(u: Array) -> Array:
    """Uniform numbers below 1 with half of their step in place of the smallest ones.

    Where 0 would be an infinity, or the smallest normal number far out: one of 2**23
    samples of float32, and one of 128 of bfloat16.
    """
    half = np.asarray(
        float(dtypes.finfo(operands.dtype_of(u)).eps) / 2, operands.dtype_of(u)
    )[()]
    return lax.max(u, lax.full_like(u, half))


# ---------------------------------------------------------------- gumbel


def gumbel_of(words, generator, shape, dtype, mode) -> Array:
    """Numbers with Gumbel's distribution, from the words of a key.

    Raises:
        ValueError: `mode` is unknown.
    """
    mode = gumbel_mode(mode)
    tiny = np.asarray(dtypes.finfo(dtype).smallest_normal, dtype)[()]
    if mode == "low":
        drawn = uniform_of(
            words, generator, shape, dtype, tiny, np.asarray(1, dtype)[()]
        )
        return lax.neg(lax.log(lax.neg(lax.log(above_zero(drawn)))))
    if mode == "highest" and dtype == np.float32:
        return _gumbel_of_64_bits(words, generator, shape)
    pair = unit(words, generator, (2, *shape), dtype)
    high, low = (lax.index_in_dim(pair, i, 0, keepdims=False) for i in range(2))
    step = np.asarray(2.0 ** -dtypes.finfo(dtype).nmant, dtype)[()]
    fine = lax.add(
        lax.add(high, lax.mul(lax.full_like(low, step), low)), lax.full_like(low, tiny)
    )
    is_large = lax.ge(high, lax.full_like(high, 0.5))
    drawn = lax.select(is_large, high, fine)
    return lax.neg(lax.log(lax.neg(lax.log1p(lax.neg(drawn)))))


def _gumbel_of_64_bits(words, generator, shape):
    """From 64 random bits v, as a fraction: -log(-log(1 - v)), exact at both ends."""
    pair = generator.bits(words, 32, (2, *shape))
    high, low = (lax.index_in_dim(pair, i, 0, keepdims=False) for i in range(2))
    is_small = lax.lt(high, lax.full_like(high, 1 << 31))
    # From one half on, 1 - v is built: of the bits of 2**64 - v.
    zero, one = lax.full_like(low, 0), lax.full_like(low, 1)
    carry = lax.select(lax.eq(low, zero), one, zero)
    flipped_low = lax.add(lax.bitwise_not(low), one)
    flipped_high = lax.add(lax.bitwise_not(high), carry)
    fraction = _fraction_of_64_bits(
        lax.select(is_small, high, flipped_high),
        lax.select(is_small, low, flipped_low),
    )
    direct = lax.neg(lax.log(fraction))
    mirrored = lax.neg(lax.log1p(lax.neg(fraction)))
    return lax.neg(lax.log(lax.select(is_small, mirrored, direct)))


def _fraction_of_64_bits(high, low):
    """The words as a fraction of 2**64 in float32, rounded towards zero."""
    zero = lax.full_like(high, 0)
    in_low = lax.eq(high, zero)
    lead = lax.select(in_low, lax.clz(low), lax.clz(high))
    shift = lax.min(lead, lax.full_like(lead, 31))
    # The first 32 bits from the leading one on: none is lost before the cut to 24.
    rest = lax.shift_right_logical(
        lax.shift_right_logical(low, lax.sub(lax.full_like(shift, 31), shift)),
        lax.full_like(shift, 1),
    )
    joined = lax.bitwise_or(lax.shift_left(high, shift), rest)
    first = lax.select(in_low, lax.shift_left(low, shift), joined)
    kept = operands.convert(
        lax.shift_right_logical(first, lax.full_like(first, 8)), np.float32
    )
    leading_zeros = lax.add(lead, lax.select(in_low, lax.full_like(lead, 32), zero))
    scale = lax.exp2(
        lax.neg(
            operands.convert(
                lax.add(leading_zeros, lax.full_like(leading_zeros, 24)), np.float32
            )
        )
    )
    return lax.mul(kept, scale)


def gumbel_mode(mode: str | None) -> str:
    """The mode of `gumbel` that counts; None asks the configuration."""
    if mode is None:
        return "high" if keys.options.high_dynamic_range_gumbel.value else "low"
    if mode not in ("low", "high", "highest"):
        raise keys.value_error(
            "gumbel",
            f"mode={mode!r} is unknown.",
            ways="There are 'low', 'high', 'highest'.",
        )
    return mode


def top_indices(scores: Array, count: int, axis: int) -> Array:
    """The indices of the largest scores along an axis, the largest first."""
    order = sorting.argsort(lax.neg(scores), axis)
    return lax.slice_in_dim(order, 0, expressions.size_index(count), axis=axis)


traceback_filter.hide_frames(globals())
