"""Kernels of pallas-forge 0.1.2 for TPUs, with operands; it interprets them where there is no TPU."""

import itertools
from collections.abc import Iterator

from pallas_forge import _compat
from pallas_forge.kernels import matmul, rmsnorm, swiglu

import jax
import jax.numpy as jnp
from tests.third_party_kernels import case
from tests.third_party_kernels.case import Case, normal

DTYPES = ("float32", "bfloat16")


def under(call, args, interpret):
    """Calls a function of arrays, its kernels interpreted or not."""
    with case.mode(interpret):
        return call(*args)


def wide(*arrays):
    """Arrays as float32."""
    return [x.astype(jnp.float32) for x in arrays]


def cases() -> Iterator[Case]:
    """All of them."""
    _compat.get_default_interpret_mode = lambda: False
    for (m, k, n), dtype in itertools.product(
        [(128, 256, 128), (100, 200, 300)], DTYPES
    ):
        x, y = normal(0, m, k, dtype=dtype), normal(1, k, n, dtype=dtype)
        yield Case(
            f"tiled_matmul {(m, k, n)} {dtype}",
            lambda i, args=(x, y): under(matmul.tiled_matmul, args, i),
            lambda x=x, y=y: jnp.matmul(*wide(x, y)),
            dtype,
        )
        gate, up = (normal(s, k, n, dtype=dtype) / 16 for s in (2, 3))
        for name, call, activation in (
            ("fused_swiglu", swiglu.fused_swiglu, jax.nn.silu),
            ("fused_geglu", swiglu.fused_geglu, jax.nn.gelu),
        ):

            def plain(x=x, gate=gate, up=up, activation=activation):
                x, gate, up = wide(x, gate, up)
                return activation(x @ gate) * (x @ up)

            yield Case(
                f"{name} {(m, k, n)} {dtype}",
                lambda i, call=call, args=(x, gate, up): under(call, args, i),
                plain,
                dtype,
            )
    for shape, dtype in itertools.product([(16, 128), (2, 5, 256)], DTYPES):
        x, residual = (normal(s, *shape, dtype=dtype) for s in (0, 1))
        weight = normal(2, shape[-1], dtype=dtype)

        def summed(x=x, residual=residual, weight=weight):
            x, residual, weight = wide(x, residual, weight)
            total = x + residual
            size = jax.lax.rsqrt((total * total).mean(-1, keepdims=True) + 1e-6)
            return total * size * weight, total

        yield Case(
            f"fused_rmsnorm_residual {shape} {dtype}",
            lambda i, args=(x, residual, weight): under(
                rmsnorm.fused_rmsnorm_residual, args, i
            ),
            summed,
            dtype,
        )
