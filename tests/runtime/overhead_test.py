"""What a program costs besides its arithmetic stays small: an iteration of a loop, and compiling next to nothing.

The bounds are some ten times what a quiet machine needs, and grow on a slow one; the least of several measurements
of processor time counts.
"""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from tests.testing import patience

ITERATIONS = 1_000_000


def scalar(i, x):
    return x * 0.999 + i


def vector(i, x):
    return x * 0.999 + 1


def pair(i, carry):
    a, b = carry
    return b, a + i


@pytest.mark.parametrize(
    ("body", "start"),
    [
        (scalar, np.float32(1)),
        (vector, np.ones(16, np.float32)),
        (pair, (np.float32(1), np.float32(2))),
    ],
)
def test_an_iteration_takes_at_most_500_nanoseconds(body, start):
    run = jax.jit(lambda n, x: lax.fori_loop(0, n, body, x))
    arguments = (jnp.int32(ITERATIONS), jax.tree.map(jnp.asarray, start))
    call = lambda: jax.block_until_ready(run(*arguments))  # noqa: E731
    call()
    bound = 500e-9 * ITERATIONS * patience.slowness()
    assert patience.least_seconds(call) < bound


def test_short_folds_of_short_lines_compile_in_half_a_second():
    x = jnp.ones((8, 9, 15, 7))
    lowered = jax.jit(lambda x: jnp.argmax(jnp.minimum(x, 2), 2)).lower(x)
    bound = 0.5 * patience.slowness()
    assert patience.least_seconds(lowered.compile, repeats=2) < bound


def test_a_program_of_one_operation_compiles_in_a_tenth_of_a_second():
    text = (
        "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}"
    )

    def compiled():
        compile.compile_module(
            f"module @m {{ {text} }}", devices=backends.devices()[:1]
        )

    assert patience.least_seconds(compiled) < 0.1 * patience.slowness()
