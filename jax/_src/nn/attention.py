"""Scaled dot-product attention."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.nn import attention_blocks
from jax._src.numpy import (
    einsums,
    elementwise,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    ranges,
    reductions,
    reshaping,
    selection,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any
_NAME = "jax.nn.dot_product_attention"


def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> Array | tuple[Array, Array]:
    """softmax(query · keyᵀ · scale + bias) · value, for each head.

    Axes: B batch, T queries, S keys, N heads of queries, K heads of keys and values (N is
    a multiple of K: each is shared by N / K heads of queries), H features.

    Args:
        query: array of shape ``(B, T, N, H)``, or ``(T, N, H)``.
        key: array of shape ``(B, S, K, H)``, or ``(S, K, H)``, of the same dtype.
        value: array of the shape of `key`.
        bias: added to the logits; broadcasts to ``(B, N, T, S)``.
        mask: booleans; where false, a key is not seen; broadcasts to ``(B, N, T, S)``.
        scale: factor of the logits; default: ``1 / sqrt(H)``.
        is_causal: whether query i sees the keys up to i alone.
        query_seq_lengths: int32 array of shape ``(B,)``; the results of queries beyond
            are zeros.
        key_value_seq_lengths: int32 array of shape ``(B,)``; keys beyond are not seen.
        local_window_size: how many keys before and after its own index a query sees.
        implementation: ``"xla"`` or None; ``"cudnn"`` is not available.
        return_residual: whether to return the logarithms of the sums of exponentials
            too, of shape ``(B, T, N)``.

    Returns:
        Array of the shape and dtype of `query`. A query that sees no key gets the mean
        of all values.

    Raises:
        ValueError: shapes or dtypes do not fit.
        RuntimeError: cuDNN is requested.

    Reference: Vaswani et al., Attention is all you need (2017); Ainslie et al., GQA
    (2023), for shared heads.
    """
    if implementation == "cudnn":
        raise RuntimeError(
            "jax.nn.dot_product_attention: cuDNN is not detected.\n"
            "Leave `implementation` out, or pass 'xla'."
        )
    if implementation not in (None, "xla"):
        raise ValueError(
            f"jax.nn.dot_product_attention: implementation={implementation!r} is neither "
            "'xla' nor 'cudnn'."
        )
    query, key, value = operands.ensure_arraylike(_NAME, query, key, value)
    is_batched = operands.ndim(query) == 4
    query, key, value = (_with_batch(x) for x in (query, key, value))
    _check_operands(query, key, value)
    lengths = [
        _checked_lengths(name, given, operands.shape(query)[0])
        for name, given in (
            ("query_seq_lengths", query_seq_lengths),
            ("key_value_seq_lengths", key_value_seq_lengths),
        )
    ]
    bias, mask = (
        _checked_grid(name, x, query, key)
        for name, x in (("bias", bias), ("mask", mask))
    )
    if mask is not None and operands.kind_of(mask) != "b":
        raise _misfit("mask dtype should be bool.", mask=mask)
    if isinstance(local_window_size, int):
        local_window_size = (local_window_size, local_window_size)
    if local_window_size is not None:
        before, after = map(int, local_window_size)
        local_window_size = (before, after)
    factor = 1 / np.sqrt(operands.shape(query)[-1]) if scale is None else scale
    batch, queries, heads, _ = operands.shape(query)
    shape = batch, heads, queries, operands.shape(key)[1]
    dtype = _wide(operands.dtype_of(query))
    is_free = mask is None and key_value_seq_lengths is None
    plan = attention_blocks.plan(shape, dtype, is_causal, local_window_size, is_free)
    attention_blocks.log(_NAME, shape, dtype, plan)
    seen = is_causal, local_window_size, plan.blocks
    out, residual = _attend(query, key, value, bias, mask, *lengths, factor, *seen)
    if not is_batched:
        out, residual = out[0], residual[0]
    return (out, residual) if return_residual else out


def _misfit(what, **arrays):
    return errors.value_error(
        f"{_NAME}: {what}", [(k, operands.type_name(x)) for k, x in arrays.items()]
    )


def _with_batch(x):
    return x if operands.ndim(x) != 3 else lax.expand_dims(x, (0,))


def _check_operands(query, key, value):
    arrays = {"query": query, "key": key, "value": value}
    if any(operands.ndim(x) != 4 for x in arrays.values()):
        raise _misfit("the operands have neither three nor four axes.", **arrays)
    if operands.shape(key) != operands.shape(value):
        raise _misfit("key and value differ in shape.", **arrays)
    if len({operands.dtype_of(x) for x in arrays.values()}) > 1:
        raise _misfit("query, key and value differ in dtype.", **arrays)
    batch, _, heads, features = operands.shape(query)
    key_batch, _, key_heads, key_features = operands.shape(key)
    if (batch, features) != (key_batch, key_features):
        raise _misfit("query and key differ in batch or features.", **arrays)
    if not key_heads or heads % key_heads:
        raise _misfit(
            "The number of query heads must be a multiple of key/value heads, but got "
            f"{heads} vs {key_heads}.",
            **arrays,
        )


def _checked_lengths(name, lengths, batch):
    if lengths is None:
        return None
    lengths = operands.ensure_arraylike(_NAME, lengths)
    if operands.shape(lengths) != (batch,):
        raise _misfit(f"{name} has not one number for each batch.", **{name: lengths})
    if operands.kind_of(lengths) not in "iu":
        raise _misfit(f"{name} is no array of integers.", **{name: lengths})
    return lengths


def _checked_grid(name, x, query, key):
    """`x` with four axes that broadcast to (batch, heads, queries, keys)."""
    if x is None:
        return None
    x = operands.ensure_arraylike(_NAME, x)
    batch, queries, heads, _ = operands.shape(query)
    wanted = (batch, heads, queries, operands.shape(key)[1])
    x = lax.reshape(x, (1,) * (4 - operands.ndim(x)) + operands.shape(x))
    if any(n not in (1, m) for n, m in zip(operands.shape(x), wanted, strict=True)):
        raise _misfit(f"{name} does not broadcast to shape {wanted}.", **{name: x})
    return x


def _wide(dtype):
    """The dtype of scores."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


@ft.partial(jit, static_argnums=(8, 9, 10))
def _attend(
    query,
    key,
    value,
    bias,
    mask,
    query_lengths,
    key_lengths,
    scale,
    is_causal,
    window,
    blocks,
):
    queries, keys = operands.shape(query)[1], operands.shape(key)[1]
    seen = ft.partial(
        _seen, mask, key_lengths, query_lengths, is_causal=is_causal, window=window
    )
    if len(blocks) == 1:
        out, residual = _one_product(
            query, key, value, bias, seen(0, queries, 0, keys), scale
        )
    else:
        parts = []
        for block in blocks:
            rows, columns = (block.start, block.stop), (block.first, block.last)
            parts.append(
                _one_product(
                    lax.slice_in_dim(query, *rows, axis=1),
                    lax.slice_in_dim(key, *columns, axis=1),
                    lax.slice_in_dim(value, *columns, axis=1),
                    _part(bias, rows, columns),
                    seen(*rows, *columns),
                    scale,
                )
            )
        out, residual = (
            lax.concatenate(each, axis)
            for each, axis in zip(zip(*parts, strict=True), (1, 2), strict=True)
        )
    if query_lengths is not None:
        is_real = ranges.arange(queries)[None, :] < query_lengths[:, None]
        out = selection.where(is_real[:, :, None, None], out, lax.full_like(out, 0))
    found = operands.dtype_of(query)
    return out, operands.convert(reshaping.moveaxis(residual, 1, 2), found)


def _part(x, rows, columns):
    """The part of an array over queries and keys that a block reads; axes of size 1 stay."""
    if x is None:
        return None
    for axis, bounds in ((2, rows), (3, columns)):
        if operands.shape(x)[axis] != 1:
            x = lax.slice_in_dim(x, *bounds, axis=axis)
    return x


def _one_product(query, key, value, bias, seen, scale):
    """The attention of queries to all keys, and logarithms of the sums of exponentials."""
    found = operands.dtype_of(query)
    logits = _products(query, key, _wide(found))
    logits = logits * operands.convert(scale, operands.dtype_of(logits))
    if bias is not None:
        logits = operands.convert(logits + bias, operands.dtype_of(logits))
    masked = logits
    if seen is not None and operands.kind_of(logits) == "f":
        # A finite value: where no key is seen, all weigh the same instead of giving NaN.
        lowest = 0.7 * float(dtypes.finfo(operands.dtype_of(logits)).min)
        masked = selection.where(seen, logits, lowest)
    largest = lax.stop_gradient(
        reductions.max(masked, -1, keepdims=True, initial=-np.inf)
    )
    terms = elementwise.exp(masked - largest)
    sums = reductions.sum(terms, -1, keepdims=True)
    weights = operands.convert(terms / sums, found)
    out = operands.convert(_averages(weights, value), found)
    residual = (elementwise.log(sums) + largest)[..., 0]
    if seen is not None:
        any_seen = reductions.any(seen, -1)
        residual = selection.where(any_seen, residual, -np.inf)
    return out, residual


def _products(query, key, dtype):
    """The products of queries and keys of a head, of shape (B, N, T, S)."""
    batch, queries, heads, features = operands.shape(query)
    keys, key_heads = operands.shape(key)[1:3]
    if heads == key_heads:
        return einsums.einsum(
            "btnh,bsnh->bnts", query, key, preferred_element_type=dtype
        )
    # Queries that share keys are lines of one matrix, of which nothing is transposed.
    grouped = lax.reshape(
        query, (batch, queries, key_heads, heads // key_heads, features)
    )
    grouped = lax.transpose(grouped, (0, 2, 3, 1, 4))
    logits = einsums.einsum(
        "bkgth,bskh->bkgts", grouped, key, preferred_element_type=dtype
    )
    return lax.reshape(logits, (batch, heads, queries, keys))


def _averages(weights, value):
    """Sums of values by weights of shape (B, N, T, S), of shape (B, T, N, H)."""
    batch, heads, queries, keys = operands.shape(weights)
    key_heads, features = operands.shape(value)[2:]
    if heads == key_heads:
        return einsums.einsum("bnts,bsnh->btnh", weights, value)
    weights = lax.reshape(
        weights, (batch, key_heads, heads // key_heads, queries, keys)
    )
    out = einsums.einsum("bkgts,bskh->bkgth", weights, value)
    out = lax.transpose(out, (0, 3, 1, 2, 4))
    return lax.reshape(out, (batch, queries, heads, features))


def _seen(
    mask, key_lengths, query_lengths, start, stop, first, last, *, is_causal, window
):
    """Which of the keys from `first` on the queries from `start` on see; None: all."""
    rows = ranges.arange(start, stop)[None, None, :, None]
    columns = ranges.arange(first, last)[None, None, None, :]
    parts = [] if mask is None else [_part(mask, (start, stop), (first, last))]
    if is_causal:
        parts.append(rows >= columns)
    if window is not None:
        parts.append((columns >= rows - window[0]) & (columns <= rows + window[1]))
    if key_lengths is not None:
        parts.append(columns < key_lengths[:, None, None, None])
    if query_lengths is not None:
        parts.append(rows < query_lengths[:, None, None, None])
    return ft.reduce(lambda a, b: a & b, parts) if parts else None


traceback_filter.hide_frames(globals())
