"""Blocks in which tracing behaves otherwise."""

import jax
import jax.numpy as jnp


def test_compile_time_evaluation_leaves_traced_operands_to_the_trace():
    @jax.jit
    def f(x):
        with jax.ensure_compile_time_eval():
            count = int(jnp.ceil(jnp.log2(10.0)))
            y = x + count
        return y * 2

    assert f(1.0) == 10.0
    assert jax.grad(f)(1.0) == 2.0
