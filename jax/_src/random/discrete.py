"""Discrete distributions: Bernoulli, categorical, geometric, Poisson, binomial, multinomial.

The last three draw whole numbers by rejection.

All lanes of an array draw together until each has accepted once; one that accepts again
takes the later draw. Two methods share the work by the size of the parameter; each runs
on harmless parameters in the lanes that belong to the other.
"""

from __future__ import annotations

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core.symbols import expressions
from jax._src.lax.control_flow.scans import scan
from jax._src.numpy import (
    cumulative,
    elementwise,
    lax_api as lax,
    operands,
    reductions,
    reshaping,
    selection,
    taking,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import approximate, keys as keys_lib, uniform_normal
from jax._src.random.continuous import gumbel_in
from jax._src.random.samplers import constant_of

Array = Any
ArrayLike = Any


def _three(words, generator):
    """The words of the three keys that a key is split into."""
    parts = generator.split(words, (3,))
    return [lax.index_in_dim(parts, i, 0, keepdims=False) for i in range(3)]


def _until_all(is_accepted_once, generator, words, shape, dtype, draw):
    """Draws pairs of uniform numbers until every lane has accepted a candidate."""

    def is_unfinished(state):
        return elementwise.logical_not(reductions.all(state[2]))

    def step(state):
        words, kept, done = state
        words, for_u, for_v = _three(words, generator)
        u = uniform_normal.unit(for_u, generator, shape, dtype) - 0.5
        v = uniform_normal.unit(for_v, generator, shape, dtype)
        candidate, accepts = draw(u, v, 0.5 - elementwise.absolute(u))
        return words, selection.where(accepts, candidate, kept), done | accepts

    start = (words, lax.full(shape, -1, dtype), is_accepted_once)
    return lax.while_loop(is_unfinished, step, start)[1]


# ---------------------------------------------------------------- Poisson


def _poisson_by_products(words, generator, lam, limit):
    """Knuth's method: how many uniform factors until the product is below exp(-lam)."""

    def is_unfinished(state):
        _, count, _, log_product = state
        return reductions.any(log_product > -lam) & (count < limit)

    def step(state):
        words, count, found, log_product = state
        words, drawn = uniform_normal.halves(words, generator)
        found = selection.where(log_product > -lam, found + 1, found)
        u = uniform_normal.unit(
            drawn, generator, operands.shape(lam), np.dtype(np.float32)
        )
        return words, count + 1, found, log_product + elementwise.log(u)

    whole = operands.dtype_of(limit)
    start = (words, lax.full_like(limit, 0), lax.full(operands.shape(lam), 0, whole))
    state = lax.while_loop(is_unfinished, step, (*start, lax.full_like(lam, 0)))
    return state[2] - 1


# Godfrey's coefficients of Lanczos' approximation with g = 7.
_LANCZOS = (
    676.520368121885098567,
    -1259.13921672240287047,
    771.32342877765307885,
    -176.61502916214059907,
    12.5073432786869048,
    -0.138571095265720117,
    9.98436957801957086e-6,
    1.50563273514931156e-7,
)


def _log_gamma_as_drawn(x):
    """log Γ of x >= 1 in float32, rounded as the numbers of a seed have always been.

    For large means the terms of the test for acceptance cancel, and rounding decides
    which candidates pass. A better function would give other numbers, not better ones.

    Reference: C. Lanczos, A precision approximation of the gamma function (1964).
    """
    z = x - 1
    series = lax.full_like(x, 0.99999999999980993)
    for i, coefficient in enumerate(_LANCZOS, 1):
        series = series + coefficient / (z + i)
    log_t = np.log(7.5).item() + elementwise.log1p(z / 7.5)
    power = (z + 0.5 - (7.5 + z) / log_t) * log_t
    return power + np.log(2 * np.pi).item() / 2 + elementwise.log(series)


def _poisson_by_transform(words, generator, lam):
    """Hörmann's transformed rejection (1993)."""
    log_lam = elementwise.log(lam)
    b = 0.931 + 2.53 * elementwise.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2)

    def draw(u, v, distance):
        k = elementwise.floor((2 * a / distance + b) * u + lam + 0.43)
        s = elementwise.log(v * inverse_alpha / (a / (distance * distance) + b))
        t = -lam + k * log_lam - _log_gamma_as_drawn(k + 1)
        surely = (distance >= 0.07) & (v <= squeeze)
        never = (k < 0) | ((distance < 0.013) & (v > distance))
        return k, surely | (~never & (s <= t))

    shape = operands.shape(lam)
    none = lax.full(shape, False, np.dtype(bool))
    return _until_all(none, generator, words, shape, operands.dtype_of(lam), draw)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _poisson(words, generator, shape, dtype, lam):
    lam = operands.broadcast_to(operands.convert(lam, np.float32), shape)
    limit = np.asarray(dtypes.iinfo(dtype).max, dtype)[()]
    is_small = elementwise.isnan(lam) | (lam < 10)
    small = _poisson_by_products(
        words, generator, selection.where(is_small, lam, 0.0), limit
    )
    large = _poisson_by_transform(words, generator, selection.where(is_small, 1e5, lam))
    drawn = selection.where(is_small, small, operands.convert(large, dtype))
    return selection.where(lam == 0, lax.full_like(drawn, 0), drawn)


def poisson(
    key: ArrayLike,
    lam: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Whole numbers with Poisson's distribution.

    Args:
        key: a key of the default generator.
        lam: the mean; NaN and negative ones give -1.
        shape: the shape of the result; default: that of `lam`.
        dtype: an integer dtype.
        method: ``"exact"``, or ``"approximate"``: the quantile of one number each, with
            small errors; NaN and infinite means give 0 then.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        NotImplementedError: the key is of another generator than threefry2x32.
        TypeError: `lam` is no array or number. TypeError: a size is negative.

    Reference: Knuth, The art of computer programming, volume 2, 3.4.1; Hörmann, The
    transformed rejection method for generating Poisson random variables (1993).
    """
    if out_sharding is not None:
        return operands.placed()
    is_approximate = approximate.is_approximate("poisson", method)
    words, generator, _ = keys_lib.taken("poisson", key)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "poisson"
    )
    if operands.kind(wanted) not in "iu":
        raise keys_lib.value_error(
            "poisson", f"dtype argument to `poisson` must be an int dtype, got {dtype}."
        )
    if generator.name != "threefry2x32" and not is_approximate:
        raise keys_lib.not_implemented(
            "poisson",
            "`poisson` is only implemented for the threefry2x32 RNG.",
            [("generator", generator.name)],
            ways="Make the key with jax.random.key(seed, impl='threefry2x32').",
        )
    lam = operands.ensure_arraylike("random.poisson", lam)
    shape = uniform_normal.shape_with("poisson", shape, lam)
    draw = approximate.poisson_of if is_approximate else _poisson
    return draw(words, generator, shape, wanted, lam)


# ---------------------------------------------------------------- binomial


def _binomial_by_gaps(words, generator, n, p):
    """Devroye (1986): how many geometric gaps fit into n trials."""
    log_failure = elementwise.log1p(-p)
    shape, dtype = operands.shape(n), operands.dtype_of(n)

    def is_unfinished(state):
        return reductions.any(state[2] <= n)

    def step(state):
        words, found, used = state
        drawn, words = uniform_normal.halves(words, generator)
        found = selection.where(used <= n, found + 1, found)
        u = uniform_normal.unit(drawn, generator, shape, dtype)
        return words, found, used + elementwise.ceil(elementwise.log(u) / log_failure)

    zero = lax.full_like(n, 0)
    return lax.while_loop(is_unfinished, step, (words, zero, zero))[1] - 1


# The error of Stirling's formula for log(k!), for k = 0 ... 9.
_STIRLING_ERRORS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_error(k):
    """Returns the error of Stirling's formula for any k; above 9 by the value of its series at 9."""
    is_small = k <= 9
    clamped = selection.clip(k, 0.0, 9.0)
    square = (clamped + 1) * (clamped + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (clamped + 1)
    table = np.asarray(_STIRLING_ERRORS, operands.dtype_of(k))
    return selection.where(
        is_small, taking.take(table, operands.convert(clamped, np.int32)), series
    )


def _binomial_by_transform(words, generator, n, p):
    """Hörmann's transformed rejection with squeeze (1993), for p up to one half."""
    deviation = elementwise.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    center = n * p + 0.5
    squeeze = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = elementwise.floor((n + 1) * p)

    def draw(u, v, distance):
        log = elementwise.log
        k = elementwise.floor((2 * a / distance + b) * u + center)
        surely = (distance >= 0.07) & (v <= squeeze)
        never = (k < 0) | (k > n)
        scaled = log(v * alpha / (a / (distance * distance) + b))
        bound = (
            (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * log(odds * (n - k + 1) / (k + 1))
            + _stirling_error(mode)
            + _stirling_error(n - mode)
            - _stirling_error(k)
            - _stirling_error(n - k)
        )
        return k, surely | (~never & (scaled <= bound))

    shape = operands.shape(n)
    none = lax.full(shape, False, np.dtype(bool))
    return _until_all(none, generator, words, shape, operands.dtype_of(n), draw)


def _binomial_of(words, generator, n, p):
    """Binomial numbers in the dtype of `p`, for arrays of one shape."""
    bad_n = elementwise.isnan(n) | (n < 0)
    rare = selection.where(p < 0.5, p, 1 - p)
    bad_p = elementwise.isnan(rare) | (rare < 0)
    rare = selection.where(bad_p, 0.01, rare)
    is_small = bad_n | (n * rare <= 10)
    n = elementwise.floor(n)
    small = _binomial_by_gaps(words, generator, selection.where(is_small, n, 0.0), rare)
    large = _binomial_by_transform(
        words,
        generator,
        selection.where(is_small, 1e4, n),
        selection.where(is_small, 0.5, rare),
    )
    drawn = selection.where(is_small, small, large)
    is_bad = bad_n | bad_p
    endless = elementwise.isinf(n) & ~is_bad
    mirrored = (p >= 0.5) & ~is_bad & ~endless
    drawn = selection.where(mirrored, n - drawn, drawn)
    drawn = selection.where(endless, np.inf, drawn)
    return selection.where(is_bad, np.nan, drawn)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _binomial(words, generator, shape, dtype, n, p):
    (p,) = operands.promote_dtypes_inexact(p)
    n = operands.broadcast_to(operands.convert(n, operands.dtype_of(p)), shape)
    p = operands.broadcast_to(p, shape)
    return operands.convert(
        _binomial_of(words, generator, n, operands.strong(p)), dtype
    )


def binomial(
    key: ArrayLike,
    n: ArrayLike,
    p: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
) -> Array:
    """How many of `n` trials succeed, each with probability `p`, as floats.

    Args:
        key: a key.
        n: the number of trials; NaN and negative ones give NaN.
        p: the probability of success; those outside of [0, 1] give NaN.
        shape: the shape of the result; default: that of the parameters.
        dtype: a floating-point dtype.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    Reference: Devroye, Non-uniform random variate generation (1986); Hörmann, The
    generation of binomial random variates (1993).
    """
    words, generator, _ = keys_lib.taken("binomial", key)
    wanted = uniform_normal.float_dtype("binomial", dtype)
    n = operands.ensure_arraylike("random.binomial", n)
    p = uniform_normal.parameter_of("binomial", p)
    shape = uniform_normal.shape_with("binomial", shape, n, p)
    return _binomial(words, generator, shape, wanted, n, p)


@ft.partial(jit, static_argnums=(1, 2, 3, 6))
def _multinomial(words, generator, shape, dtype, n, p, unroll):
    p = operands.broadcast_to(p, shape)
    n = operands.broadcast_to(operands.convert(n, operands.dtype_of(p)), shape[:-1])
    p = reshaping.moveaxis(p, -1, 0)
    left = cumulative.cumsum(p[::-1], axis=0)[::-1]
    shares = p / selection.where(left == 0, 1, left)

    def step(left, of_category):
        words, share = of_category
        share = selection.clip(share, 0.0, 1.0)
        count = _binomial_of(words, generator, left, share)
        return left - count, count

    keys = generator.split(words, (shape[-1],))
    _, counts = scan(step, n, (keys, shares), unroll=unroll)
    return operands.convert(reshaping.moveaxis(counts, 0, -1), dtype)


def multinomial(
    key: ArrayLike,
    n: ArrayLike,
    p: ArrayLike,
    *,
    shape: Any = None,
    dtype: Any = None,
    unroll: int | bool = 1,
) -> Array:
    """How many of `n` trials fall into each category, as floats by default.

    Args:
        key: a key.
        n: the number of trials, of the shape of `p` without its last axis.
        p: the probabilities of the categories along the last axis.
        shape: the shape of the result, categories last; from 0.12 on, without them;
            default: that of `p`.
        dtype: the dtype of the counts.
        unroll: how many categories one step of the loop treats.

    Raises:
        TypeError: `key` is no key. ValueError: `dtype` is no float dtype, or shapes do
            not fit.
    """
    words, generator, _ = keys_lib.taken("multinomial", key)
    n = operands.ensure_arraylike("random.multinomial", n)
    p = uniform_normal.parameter_of("multinomial", p)
    (p,) = operands.promote_dtypes_inexact(p)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, "multinomial"
    )
    if not operands.ndim(p):
        raise keys_lib.value_error(
            "multinomial",
            "`p` has no axis of categories.",
            [("p", operands.type_name(p))],
        )
    if shape is not None and not releases.rule("multinomial_shape_has_categories"):
        shape = (*uniform_normal.shape_of("multinomial", shape), operands.shape(p)[-1])
    shape = uniform_normal.fitting_shape(
        "multinomial", shape, operands.shape(p), (*operands.shape(n), 1)
    )
    return _multinomial(words, generator, shape, wanted, n, operands.strong(p), unroll)


@ft.partial(jit, static_argnums=(1, 2, 4))
def _bernoulli(words, generator, shape, p, mode):
    dtype = operands.dtype_of(p)
    p = operands.broadcast_to(operands.strong(p), shape)
    if mode == "low":
        return lax.lt(uniform_normal.unit(words, generator, shape, dtype), p)
    pair = uniform_normal.unit(words, generator, (2, *shape), dtype)
    coarse, fine = (lax.index_in_dim(pair, i, 0, keepdims=False) for i in range(2))
    step = constant_of(fine, 2.0 ** -dtypes.finfo(dtype).nmant)
    return lax.lt(lax.mul(fine, step), lax.sub(p, coarse))


def bernoulli(
    key: ArrayLike,
    p: ArrayLike = 0.5,
    shape: Any = None,
    mode: str = "low",
    *,
    out_sharding: Any = None,
) -> Array:
    """Booleans that are true with probability `p`.

    Args:
        key: a key.
        p: the probability.
        shape: the shape of the result; default: that of `p`.
        mode: ``"low"``, or ``"high"`` for more exact small probabilities.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `p` is no float. ValueError: `mode` is unknown.


    Examples:
        >>> jax.random.bernoulli(jax.random.key(0), 1.0, (3,))
        Array([ True,  True,  True], dtype=bool)
    """
    if out_sharding is not None:
        return operands.placed(bernoulli, out_sharding, key, p, shape, mode)
    if mode not in ("low", "high"):
        raise keys_lib.value_error(
            "bernoulli", f"mode={mode!r} is neither 'low' nor 'high'."
        )
    words, generator, _ = keys_lib.taken("bernoulli", key)
    p = uniform_normal.parameter_of("bernoulli", p)
    if operands.kind_of(p) != "f":
        raise keys_lib.type_error(
            "bernoulli", "the probability is no float.", [("p", operands.type_name(p))]
        )
    shape = uniform_normal.shape_with("bernoulli", shape, p)
    return _bernoulli(words, generator, shape, p, mode)


def rademacher(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers that are 1 or -1 with equal probability.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: the dtype of the result, an integer by default.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative.

    """
    if out_sharding is not None:
        return operands.placed(rademacher, out_sharding, key, shape, dtype)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "rademacher"
    )
    words, generator, _ = keys_lib.taken("rademacher", key)
    return _rademacher(
        words, generator, uniform_normal.shape_of("rademacher", shape), wanted
    )


@ft.partial(jit, static_argnums=(1, 2, 3))
def _rademacher(words, generator, shape, dtype):
    half = dtypes.default_float_dtype().type(0.5)
    coins = _bernoulli(words, generator, shape, half, "low")
    numbers = operands.convert(coins, np.int32)
    signs = lax.sub(lax.mul(numbers, constant_of(numbers, 2)), constant_of(numbers, 1))
    return operands.convert(signs, dtype)


def categorical(
    key: ArrayLike,
    logits: ArrayLike,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Categories with probabilities proportional to exp(logits).

    Args:
        key: a key.
        logits: logarithms of probabilities, up to a constant.
        axis: the axis of categories.
        shape: the shape of the result, which ends in that of `logits` without the axis.
        replace: whether one can be drawn more than once.
        mode: see `gumbel`.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array of indices, integers of the default dtype.

    Raises:
        TypeError: `key` is no key, or `logits` no array. ValueError: `logits` is not of
            floats, the axis is out of bounds, shapes do not broadcast, or there are too
            few categories without replacement.


    Reference: the Gumbel-max trick; without replacement, Gumbel top-k (Kool, van Hoof
    and Welling 2019).

    Examples:
        >>> logits = jnp.log(jnp.array([0.0, 1.0, 0.0]))
        >>> jax.random.categorical(jax.random.key(0), logits, shape=(3,))
        Array([1, 1, 1], dtype=int32)
    """
    if out_sharding is not None:
        return operands.placed(
            categorical, out_sharding, key, logits, axis, shape, replace, mode
        )
    words, generator, _ = keys_lib.taken("categorical", key)
    logits = uniform_normal.parameter_of("categorical", logits)
    axis = operands.canonical_axis("random.categorical", axis, operands.ndim(logits))
    from_end = axis - operands.ndim(logits)
    batch = tuple(n for i, n in enumerate(operands.shape(logits)) if i != axis)
    shape = batch if shape is None else uniform_normal.shape_of("categorical", shape)
    if shape[len(shape) - len(batch) :] != tuple(
        expressions.broadcast_shapes(shape[len(shape) - len(batch) :], batch)
    ):
        raise keys_lib.value_error(
            "categorical",
            "the shape does not end in that of the logits.",
            [
                ("shape", str(shape)),
                ("logits", operands.type_name(logits)),
                ("axis", str(axis)),
            ],
        )
    dtype = uniform_normal.float_dtype("gumbel", operands.dtype_of(logits))
    prefix = shape[: len(shape) - len(batch)]
    mode = uniform_normal.gumbel_mode(mode)
    if replace:
        trailing = list(shape[len(prefix) :])
        trailing.insert(len(trailing) + 1 + from_end, operands.shape(logits)[axis])
        full = (*prefix, *trailing)
        noise = gumbel_in(words, generator, full, dtype, mode)
        scores = lax.add(noise, operands.broadcast_to(logits, full))
        return lax.argmax(scores, len(full) + from_end, dtypes.default_int_dtype())
    count = math.prod(prefix)
    if count > operands.shape(logits)[axis]:
        raise keys_lib.value_error(
            "categorical",
            "more draws than categories, without replacement.",
            [
                ("draws", str(count)),
                ("categories", str(operands.shape(logits)[axis])),
            ],
        )
    scores = lax.add(
        gumbel_in(words, generator, operands.shape(logits), dtype, mode), logits
    )
    chosen = reshaping.moveaxis(
        uniform_normal.top_indices(scores, count, axis), axis, 0
    )
    return lax.reshape(operands.convert(chosen, np.int32), shape)


def geometric(
    key: ArrayLike,
    p: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The number of trials up to the first success of probability `p`.

    Args:
        key: a key.
        p: the probability of success.
        shape: the shape of the result; default: that of `p`.
        dtype: an integer dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key. ValueError: `dtype` is no integer dtype, or shapes
            do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(geometric, out_sharding, key, p, shape, dtype)
    words, generator, _ = keys_lib.taken("geometric", key)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "geometric"
    )
    if operands.kind(wanted) not in "iu":
        raise keys_lib.value_error(
            "geometric",
            f"dtype argument to `geometric` must be an int dtype, got {dtype}.",
        )
    p = uniform_normal.parameter_of("geometric", p)
    shape = uniform_normal.shape_with("geometric", shape, p)
    return _geometric(words, generator, shape, p, wanted)


@ft.partial(jit, static_argnums=(1, 2, 4))
def _geometric(words, generator, shape, p, dtype):
    (p,) = operands.promote_dtypes_inexact(p)
    p = operands.broadcast_to(operands.strong(p), shape)
    u = uniform_normal.unit(words, generator, shape, operands.dtype_of(p))
    u = selection.where(lax.eq(u, constant_of(u, 0)), constant_of(u, 1), u)
    ratio = lax.div(lax.log(u), lax.log1p(lax.neg(p)))
    return operands.convert(lax.add(lax.floor(ratio), constant_of(ratio, 1)), dtype)


traceback_filter.hide_frames(globals())
