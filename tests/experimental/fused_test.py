"""Functions that would be one kernel: programs, derivatives and batches of them can be looked at."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.fused import fused

SPACE = jax.memory.Space
HOST_AND_DEVICE = ["float32<host>[3]", "float32[3]"]


@fused(out_spaces=(SPACE.Host, SPACE.Device))
def sum_and_product(x, y):
    return x + y, x * y


@pytest.fixture
def operands():
    x = jnp.arange(3.0)
    return jax.device_put(x, SPACE.Host), x


def types_and_names(fun, operands):
    closed = jax.make_jaxpr(fun)(*operands)
    return [str(a) for a in closed.out_avals], [e.primitive.name for e in closed.eqns]


def product(x, y):
    return sum_and_product(x, y)[1].sum()


def test_results_are_in_the_given_memory_spaces(operands):
    types, names = types_and_names(sum_and_product, operands)
    assert (types, names) == (HOST_AND_DEVICE, ["fused_call"])


def test_tangents_are_in_the_memory_spaces_of_their_values(operands):
    types, names = types_and_names(
        lambda x, y: jax.jvp(sum_and_product, (x, y), (x, y)), operands
    )
    assert (types, names) == (HOST_AND_DEVICE * 2, ["fused_call"])
    only_one = types_and_names(
        lambda x, y: jax.jvp(lambda x: sum_and_product(x, y), (x,), (x,)), operands
    )
    assert only_one[0] == HOST_AND_DEVICE * 2


@pytest.mark.parametrize(
    "argnums, types", [(0, ["float32<host>[3]"]), ((0, 1), HOST_AND_DEVICE)]
)
def test_cotangents_are_in_the_memory_spaces_of_the_arguments(operands, argnums, types):
    found, names = types_and_names(jax.grad(product, argnums), operands)
    assert found == types
    assert names.count("fused_call") == 2


def test_batches_are_one_kernel(operands):
    batched = jax.vmap(sum_and_product)
    assert types_and_names(batched, operands)[1] == ["fused_call"]


def test_a_kernel_is_not_compiled_here(operands):
    with pytest.raises(NotImplementedError, match="one kernel"):
        sum_and_product(*operands)
    assert np.shape(operands[1]) == (3,)


def test_in_a_kernel_the_memory_space_of_operands_does_not_matter(operands):
    text = str(jax.make_jaxpr(sum_and_product)(*operands))
    assert "f32<any>[3] = add" in text


def test_for_cuda_a_kernel_is_a_call_that_must_be_fused(operands):
    traced = jax.jit(lambda x, y: sum_and_product(x, y)).trace(*operands)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert "custom_call @fused" in text
    assert "MUST_FUSE = true" in text and "inlineable = false" in text
    assert '"MemorySpace.Host", "MemorySpace.Device"' in text
