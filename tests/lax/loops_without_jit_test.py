"""Loops under `jax.disable_jit`, as Python runs them."""

import pytest

import jax
import jax.numpy as jnp
from jax import lax


@pytest.mark.parametrize(
    "bounds", [(0, 3), (jnp.int8(0), jnp.int8(3)), (0, jnp.int32(3))]
)
def test_every_index_of_a_fori_loop_is_an_integer_of_python(bounds):
    kinds, names = [], ["a", "b", "c"]

    def body(i, total):
        kinds.append(type(i))
        return total + len(names[i])

    with jax.disable_jit():
        assert lax.fori_loop(*bounds, body, 0) == 3
    assert kinds == [int, int, int]


def test_numbers_that_a_scan_stacks_take_the_dtype_of_their_company():
    def run(x):
        return lax.scan(lambda c, _: (c * x, c), 0.5, None, length=3)[1]

    x = jnp.float32(2)
    with jax.disable_jit():
        rows, slope = run(x), jax.grad(lambda x: run(x).sum())(x)
    assert rows.tolist() == [0.5, 1.0, 2.0] and rows.dtype == jnp.float32
    assert slope == 2.5
