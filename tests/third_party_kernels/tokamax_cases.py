"""Kernels of Tokamax 0.0.12, a library of kernels for GPUs (Triton) and TPUs, with operands.

Its operations ask whether a device has what their kernels are compiled by: here the answer is
yes. Sizes of blocks are given, for the usual ones are looked up by the GPU.
"""

import functools
import itertools
from collections.abc import Iterator

import numpy as np
from tokamax._src import gpu_utils
from tokamax._src.ops.attention import (
    pallas_triton as attention,
    pallas_triton_vjp as attention_vjp,
)
from tokamax._src.ops.gated_linear_unit import pallas_triton as gated
from tokamax._src.ops.linear_softmax_cross_entropy_loss import (
    pallas_mosaic_tpu_kernel as losses,
)
from tokamax._src.ops.normalization import (
    pallas_triton as norms,
    pallas_triton_config as norms_config,
    pallas_triton_vjp as norms_vjp,
    pallas_triton_vjp_config as norms_vjp_config,
)
from tokamax._src.ops.ragged_dot import (
    pallas_mosaic_tpu_kernel as grouped,
    pallas_triton as ragged,
)
from tokamax._src.pallas import grid

import jax
import jax.numpy as jnp
from tests.third_party_kernels import case
from tests.third_party_kernels.case import Case, normal
from tests.third_party_kernels.upstream_cases import gradients

DTYPES = ("float32", "bfloat16")


def taken_here() -> None:
    """Says that this device has what kernels in Triton's language need."""
    gpu_utils.has_triton_support = lambda device: True
    gated._get_best_block_size = lambda m, n: (32, 32, 32)
    # The order of blocks is chosen for as many as a GPU's processors take.
    grid.get_cheapest_grid_pids = lambda pid, grid_m, grid_n, **costs: (
        grid.get_grid_pids(pid, grid_m, grid_n, 1)
    )


def under(call, args, interpret):
    """Calls a function of arrays, its kernels interpreted or not."""
    with case.mode(interpret):
        return call(*args)


def normalizations() -> Iterator[Case]:
    """Norms of lines along an axis, with derivatives."""
    for shape, axis, centred, dtype in itertools.product(
        [(8, 64), (2, 6, 32)], (-1, 0), (True, False), DTYPES
    ):
        size = shape[axis]
        args = [normal(0, *shape, dtype=dtype), normal(1, size), normal(2, size)]
        block_n = 4 if axis == 0 else None
        op = norms.PallasTritonNormalization(
            config=norms_config.Config(block_m=4, block_n=block_n, num_warps=4),
            vjp=norms_vjp.PallasTritonNormalizationVjp(
                config=norms_vjp_config.Config(block_m=4, block_n=block_n, num_warps=4)
            ),
        )

        def plain(x, scale, offset, axis=axis, centred=centred):
            x = x.astype(jnp.float32)
            x = x - x.mean(axis, keepdims=True) if centred else x
            x = x * jax.lax.rsqrt((x * x).mean(axis, keepdims=True) + 1e-6)
            wide = [1] * x.ndim
            wide[axis] = -1
            return x * scale.reshape(wide) + offset.reshape(wide)

        call = functools.partial(op, axis=axis, subtract_mean=centred)
        ct = normal(3, *shape)
        yield Case(
            f"normalization {shape} {axis=} {centred=} {dtype}",
            lambda i, call=call, args=args, ct=ct: under(
                lambda *a: gradients(call, a, ct), args, i
            ),
            lambda plain=plain, args=args, ct=ct: gradients(plain, args, ct),
            dtype,
        )


def attentions() -> Iterator[Case]:
    """Attention with a mask, a bias, a bound and dropout, with derivatives."""
    for heads, option, dtype in itertools.product(
        ((4, 4), (4, 2), (4, 1)),
        ("none", "causal", "mask", "bias", "bound", "dropout"),
        DTYPES,
    ):
        q = normal(0, 2, 64, heads[0], 32, dtype=dtype)
        k, v = (normal(i, 2, 64, heads[1], 32, dtype=dtype) for i in (1, 2))
        mask = jnp.asarray(np.random.RandomState(3).rand(2, heads[0], 64, 64) < 0.7)
        bias = normal(4, 2, heads[0], 64, 64)
        options = {
            "none": {},
            "causal": {"is_causal": True},
            "mask": {"mask": mask},
            "bias": {"bias": bias},
            "bound": {"logits_soft_cap": 3.0},
            "dropout": {"dropout_mask": mask, "dropout_rate": 0.3},
        }[option]
        op = attention.PallasTritonFlashAttention(
            config=attention.Config(block_q=32, block_k=32, num_stages=2, num_warps=4),
            vjp=attention_vjp.PallasTritonFlashAttentionVjp(
                config=attention_vjp.Config(
                    block_m1=32,
                    block_n1=32,
                    block_m2=32,
                    block_n2=32,
                    num_stages=2,
                    num_warps=4,
                )
            ),
        )

        def plain(q, k, v, option=option, mask=mask, bias=bias):
            q, k, v = (x.astype(jnp.float32) for x in (q, k, v))
            k, v = (jnp.repeat(x, q.shape[2] // x.shape[2], 2) for x in (k, v))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(32)
            if option == "bias":
                scores = scores + bias
            if option == "bound":
                scores = 3 * jnp.tanh(scores / 3)
            if option == "causal":
                scores = jnp.where(jnp.tri(64, dtype=bool), scores, -1e30)
            if option == "mask":
                scores = jnp.where(mask, scores, -1e30)
            weights = jax.nn.softmax(scores, -1)
            if option == "dropout":
                weights = jnp.where(mask, weights / 0.7, 0)
            return jnp.einsum("bhqk,bkhd->bqhd", weights, v)

        ct = normal(5, 2, 64, heads[0], 32)
        call = functools.partial(op, **options)
        if option in ("bound", "dropout"):  # Its derivatives have neither.
            yield Case(
                f"attention {heads=} {option} {dtype}",
                lambda i, call=call, args=(q, k, v): under(call, args, i),
                lambda plain=plain, args=(q, k, v): plain(*args),
                dtype,
            )
            continue
        yield Case(
            f"attention {heads=} {option} {dtype}",
            lambda i, call=call, args=(q, k, v), ct=ct: under(
                lambda *a: gradients(call, a, ct), args, i
            ),
            lambda plain=plain, args=(q, k, v), ct=ct: gradients(plain, args, ct),
            dtype,
        )


def units() -> Iterator[Case]:
    """Gated linear units."""
    config = gated.Config(block_m=32, block_n=32, block_k=32, num_warps=4, num_stages=2)
    for shape, (name, activation), dtype in itertools.product(
        [(32, 64, 32), (50, 96, 40)],
        {"none": None, "silu": jax.nn.silu, "gelu": jax.nn.gelu}.items(),
        DTYPES,
    ):
        m, k, n = shape
        x = normal(0, m, k, dtype=dtype)
        weights = normal(1, k, 2, n, dtype=dtype) / 8

        def plain(x=x, weights=weights, activation=activation):
            gate, value = jnp.einsum(
                "mk,kgn->gmn", *(a.astype(jnp.float32) for a in (x, weights))
            )
            return (gate if activation is None else activation(gate)) * value

        op = gated.PallasTritonGatedLinearUnit(config=config)
        yield Case(
            f"gated_linear_unit {shape} {name} {dtype}",
            lambda i, op=op, x=x, w=weights, a=activation: under(
                functools.partial(op, activation=a), (x, w), i
            ),
            plain,
            dtype,
        )


def groups() -> Iterator[Case]:
    """Products of groups of rows, in Triton's language and for TPUs."""
    sizes = jnp.array([40, 0, 24, 64], jnp.int32)
    group = np.repeat(np.arange(4), np.asarray(sizes))
    config = ragged.Config(
        block_m=32, block_n=32, block_k=32, num_warps=4, num_stages=2
    )
    for dtype in DTYPES:
        lhs = normal(0, 128, 128, dtype=dtype)
        rhs = normal(1, 4, 128, 128, dtype=dtype)

        def plain(lhs=lhs, rhs=rhs):
            wide = [x.astype(jnp.float32) for x in (lhs, rhs)]
            return jnp.einsum("mk,mkn->mn", wide[0], wide[1][group])

        op = ragged.PallasTritonRaggedDot(config=config)
        yield Case(
            f"ragged_dot triton {dtype}",
            lambda i, op=op, args=(lhs, rhs): under(
                functools.partial(op, group_sizes=sizes), args, i
            ),
            plain,
            dtype,
        )
        for tiles in ((128, 128, 128), (64, 128, 128)):
            yield Case(
                f"ragged_dot mosaic_tpu gmm {tiles} {dtype}",
                lambda i, args=(lhs, rhs), tiles=tiles: grouped.gmm(
                    *args,
                    sizes,
                    precision=jax.lax.Precision.DEFAULT,
                    out_dtype=jnp.float32,
                    tiling=tiles,
                    interpret=i,
                ),
                plain,
                dtype,
            )


def cross_entropies() -> Iterator[Case]:
    """The loss of a linear layer and a softmax."""
    forward = functools.partial(
        losses.linear_softmax_cross_entropy_loss_fwd_pallas_mosaic_tpu,
        b_block_size=1024,
        h_block_size=128,
        v_block_size=128,
        reduction="sum",
    )
    for size, dtype in itertools.product((1024, 2048), DTYPES):
        x = normal(0, size, 256, dtype=dtype) / 4
        w = normal(1, 256, 512, dtype=dtype) / 4
        labels = jnp.asarray(np.random.RandomState(2).randint(0, 512, size))

        def plain(x=x, w=w, labels=labels):
            scores = x.astype(jnp.float32) @ w.astype(jnp.float32)
            lse = jax.nn.logsumexp(scores, -1)
            right = jnp.take_along_axis(scores, labels[:, None], 1)[:, 0]
            return (lse - right).sum(), lse

        yield Case(
            f"linear_softmax_cross_entropy_loss {size} {dtype}",
            lambda i, args=(x, labels, w): under(forward, args, i),
            plain,
            "bfloat16",
        )


FAMILIES = normalizations, attentions, units, groups, cross_entropies


def cases() -> Iterator[Case]:
    """All of them."""
    taken_here()
    for family in FAMILIES:
        yield from family()
