"""Normalisation of rows and softmax, by the interface of the kernels for Triton."""

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.transforms import differentiate


def _centred(x):
    """The rows in float32, less their means, and these."""
    wide = x.astype(np.float32)
    mean = wide.mean(-1, keepdims=True)
    return wide - mean, mean[..., 0]


def _normalised(rows, weight, bias, eps, dtype):
    inverse = lax.rsqrt((rows * rows).mean(-1, keepdims=True) + np.float32(eps))
    out = rows * inverse * weight.astype(np.float32) + bias.astype(np.float32)
    return out.astype(dtype), inverse[..., 0]


def layer_norm(
    x: Any,
    weight: Any,
    bias: Any,
    num_warps: int | None = None,
    num_stages: int | None = 3,
    eps: float = 1e-5,
    backward_pass_impl: str = "triton",
    interpret: bool = False,
) -> Any:
    """Shifts and scales rows to mean 0 and variance 1, then by a weight and a bias.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to variances.
        backward_pass_impl: accepted; derivatives are those of the formula.
        interpret: accepted.

    Raises:
        TypeError: shapes do not fit.
    """
    return layer_norm_forward(x, weight, bias, eps=eps)[0]


def layer_norm_forward(
    x: Any,
    weight: Any,
    bias: Any,
    num_warps: int | None = None,
    num_stages: int | None = 3,
    eps: float = 1e-5,
    backward_pass_impl: str = "triton",
    interpret: bool = False,
) -> Any:
    """`layer_norm`, and what its derivative needs.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to variances.
        backward_pass_impl: accepted.
        interpret: accepted.

    Returns:
        The result, and a tuple of the arguments, the means of rows and the inverses of
        their standard deviations.

    Raises:
        TypeError: shapes do not fit.
    """
    rows, mean = _centred(x)
    out, inverse = _normalised(rows, weight, bias, eps, x.dtype)
    return out, (x, weight, bias, mean, inverse)


def layer_norm_backward(
    num_warps: int | None,
    num_stages: int | None,
    eps: float,
    backward_pass_impl: str,
    interpret: bool,
    res: tuple,
    do: Any,
) -> Any:
    """The derivatives of `layer_norm` by its three arguments.

    Args:
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to variances.
        backward_pass_impl: accepted.
        interpret: accepted.
        res: what `layer_norm_forward` returned second.
        do: the cotangent of the result.

    Raises:
        TypeError: shapes do not fit.
    """
    return differentiate.vjp(ft.partial(layer_norm, eps=eps), *res[:3])[1](do)


@ft.partial(jit_module.jit, static_argnames=("eps",))
def layer_norm_reference(x: Any, weight: Any, bias: Any, *, eps: float = 1e-5) -> Any:
    """`layer_norm` without a kernel.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        eps: what is added to variances.

    Raises:
        TypeError: shapes do not fit.
    """
    return layer_norm(x, weight, bias, eps=eps)


def rms_norm(
    x: Any,
    weight: Any,
    bias: Any,
    num_warps: int | None = None,
    num_stages: int | None = 3,
    eps: float = 1e-5,
    backward_pass_impl: str = "triton",
    interpret: bool = False,
) -> Any:
    """Scales rows to mean square 1, then by a weight, and adds a bias.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to mean squares.
        backward_pass_impl: accepted; derivatives are those of the formula.
        interpret: accepted.

    Raises:
        TypeError: shapes do not fit.
    """
    return rms_norm_forward(x, weight, bias, eps=eps)[0]


def rms_norm_forward(
    x: Any,
    weight: Any,
    bias: Any,
    num_warps: int | None = None,
    num_stages: int | None = 3,
    eps: float = 1e-5,
    backward_pass_impl: str = "triton",
    interpret: bool = False,
) -> Any:
    """`rms_norm`, and what its derivative needs.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to mean squares.
        backward_pass_impl: accepted.
        interpret: accepted.

    Returns:
        The result, and a tuple of the arguments and the inverses of the roots of mean
        squares.

    Raises:
        TypeError: shapes do not fit.
    """
    out, inverse = _normalised(x.astype(np.float32), weight, bias, eps, x.dtype)
    return out, (x, weight, bias, inverse)


def rms_norm_backward(
    num_warps: int | None,
    num_stages: int | None,
    eps: float,
    backward_pass_impl: str,
    interpret: bool,
    res: tuple,
    do: Any,
) -> Any:
    """The derivatives of `rms_norm` by its three arguments.

    Args:
        num_warps: accepted.
        num_stages: accepted.
        eps: what is added to mean squares.
        backward_pass_impl: accepted.
        interpret: accepted.
        res: what `rms_norm_forward` returned second.
        do: the cotangent of the result.

    Raises:
        TypeError: shapes do not fit.
    """
    return differentiate.vjp(ft.partial(rms_norm, eps=eps), *res[:3])[1](do)


@ft.partial(jit_module.jit, static_argnames=("eps",))
def rms_norm_reference(x: Any, weight: Any, bias: Any, *, eps: float = 1e-5) -> Any:
    """`rms_norm` without a kernel.

    Args:
        x: array whose last axis is normalised.
        weight: factors along the last axis.
        bias: summands along the last axis.
        eps: what is added to mean squares.

    Raises:
        TypeError: shapes do not fit.
    """
    return rms_norm(x, weight, bias, eps=eps)


@ft.partial(jit_module.jit, static_argnames=("axis", "num_warps", "interpret", "debug"))
def softmax(
    x: Any,
    *,
    axis: int = -1,
    num_warps: int = 4,
    interpret: bool = False,
    debug: bool = False,
) -> Any:
    """Exponentials along the last axis, divided by their sum.

    Args:
        x: array.
        axis: the last axis; no other one is supported.
        num_warps: accepted.
        interpret: accepted.
        debug: accepted.

    Returns:
        Array of the shape and dtype of `x`; sums are float32.

    Raises:
        NotImplementedError: `axis` is another one.
    """
    if axis not in (-1, x.ndim - 1):
        raise errors.not_implemented(
            "reductions along non-trailing dimension unsupported.",
            [("axis", str(axis)), ("shape", str(x.shape))],
            ways="jax.nn.softmax takes every axis.",
        )
    wide = x.astype(np.float32)
    shares = jnp.exp(wide - wide.max(-1, keepdims=True))
    return (shares / shares.sum(-1, keepdims=True)).astype(x.dtype)
