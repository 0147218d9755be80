"""Kernels of atomic-ops 0.2.0 for TPUs: a gated delta rule, with operands and derivatives."""

from collections.abc import Iterator

import atomic_ops
from atomic_ops import configs, gdn2_pipeline

import jax
import jax.numpy as jnp
from tests.third_party_kernels import case
from tests.third_party_kernels.case import Case, normal
from tests.third_party_kernels.upstream_cases import gradients

# Nothing is damped: the kernel solves what the formula says.
CONFIG = configs.KernelConfig(bt=128, bc=64, mb=16, wy_eps=0.0)


def cases() -> Iterator[Case]:
    """All of them."""
    gdn2_pipeline.is_tpu_available = lambda: True
    for batch, length, heads in ((1, 128, 1), (2, 256, 2)):
        shape = batch, length, heads, 128
        q, k, v = (normal(s, *shape) / 12 for s in range(3))
        w, b = (jax.nn.sigmoid(normal(s, *shape)) for s in (3, 4))
        g = -jax.nn.softplus(normal(5, *shape)) / 8

        def kernel(*args, call=atomic_ops.gdn2_pallas_forward):
            return call(*args, 0.1, config=CONFIG)[0]

        def trained(*args):
            return gdn2_pipeline._gdn2_core(
                *args,
                0.1,
                CONFIG,
                jnp.zeros((args[0].shape[0], args[0].shape[2], 128, 128)),
            )[0]

        def plain(q, k, v, w, b, g):
            out = atomic_ops.gdn2_token_serial_reference(q, k, v, g, b, w, 0.1)
            return out[0]

        args = (q, k, v, w, b, g)

        def run(i, call=kernel, args=args):
            with case.mode(i):
                return call(*args)

        ct = normal(6, *shape)

        def differentiated(i, args=args, ct=ct):
            with case.mode(i):
                return gradients(trained, args, ct)

        yield Case(f"gdn2_forward {shape}", run, lambda args=args: plain(*args))
        yield Case(
            f"gdn2_gradient {shape}",
            differentiated,
            lambda args=args, ct=ct: gradients(plain, args, ct),
            "float16",
        )
