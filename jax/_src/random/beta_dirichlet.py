"""Beta and Dirichlet numbers, which are quotients of gamma numbers."""

from typing import Any

from jax._src.base import traceback_filter
from jax._src.numpy import lax_api as lax, operands
from jax._src.random import approximate, keys, samplers, uniform_normal
from jax._src.random.gamma import gamma_of

Array = Any
ArrayLike = Any


def beta(
    key: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Numbers with the beta distribution: the share of one gamma number in two.

    Args:
        key: a key.
        a: the first shape parameter.
        b: the second shape parameter.
        shape: the shape of the result; default: that of the parameters.
        dtype: a floating-point dtype.
        method: ``"exact"``, or ``"approximate"``: without rejection, with small errors.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(
            beta, out_sharding, key, a, b, shape, dtype, method=method
        )
    share = _approximate if approximate.is_approximate("beta", method) else _beta
    return samplers.with_parameters("beta", share, key, shape, dtype, a, b)


@samplers.sampler
def _beta(words, generator, shape, dtype, a, b):
    return _share(gamma_of, words, generator, shape, dtype, a, b)


@samplers.sampler
def _approximate(words, generator, shape, dtype, a, b):
    return _share(approximate.gamma_of, words, generator, shape, dtype, a, b)


def _share(draw, words, generator, shape, dtype, a, b):
    first, second = uniform_normal.halves(words, generator)
    log_x = draw(first, generator, shape, dtype, True, a)
    log_y = draw(second, generator, shape, dtype, True, b)
    # The larger is taken out, so that neither vanishes beside the other.
    largest = lax.max(log_x, log_y)
    x, y = lax.exp(log_x - largest), lax.exp(log_y - largest)
    return x / (x + y)


def dirichlet(
    key: ArrayLike,
    alpha: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Vectors of positive numbers with sum 1, with Dirichlet's distribution.

    Args:
        key: a key.
        alpha: the parameters along the last axis.
        shape: the shape of the result without its last axis; default: that of `alpha`.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: `alpha` is a scalar.
        TypeError: `alpha` is no array or number. TypeError: a size is negative.

    """
    if out_sharding is not None:
        return operands.placed(dirichlet, out_sharding, key, alpha, shape, dtype)
    words, generator, _ = keys.taken("dirichlet", key)
    wanted = uniform_normal.float_dtype("dirichlet", dtype)
    alpha = operands.ensure_arraylike("random.dirichlet", alpha)
    if not operands.ndim(alpha):
        raise keys.value_error(
            "dirichlet",
            "dirichlet requires alpha.ndim >= 1, got a scalar.",
            [("alpha", operands.type_name(alpha))],
            "The last axis of alpha holds the parameters of one vector.",
        )
    batch, last = operands.shape(alpha)[:-1], operands.shape(alpha)[-1]
    shape = uniform_normal.fitting_shape("dirichlet", shape, batch)
    return _dirichlet(words, generator, (*shape, last), wanted, alpha)


@samplers.sampler
def _dirichlet(words, generator, shape, dtype, alpha):
    logs = gamma_of(words, generator, shape, dtype, True, alpha)
    if not shape[-1]:
        return logs
    largest = lax.stop_gradient(lax.reduce_max(logs, (len(shape) - 1,)))
    terms = lax.exp(logs - lax.expand_dims(largest, (len(shape) - 1,)))
    return terms / terms.sum(-1, keepdims=True)


traceback_filter.hide_frames(globals())
