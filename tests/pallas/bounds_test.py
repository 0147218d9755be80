"""What `pltpu.InterpretParams` checks: indices, blocks, and the order of results."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ARRAY = jnp.arange(16, dtype=jnp.int32)
UNWRITTEN = np.iinfo(np.int32).max


def access(kernel, start, size, **params):
    memory = pl.BlockSpec(memory_space=pltpu.SMEM)
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((size,), jnp.int32),
        in_specs=[memory, memory],
        out_specs=memory,
        interpret=pltpu.InterpretParams(**params),
    )(jnp.reshape(start, (1,)), ARRAY)


def read_one(i, x, out):
    out[0] = x[i[0]]


def read_four(i, x, out):
    out[...] = x[pl.ds(i[0], 4)]


def read_in_a_view(i, x, out):
    out[...] = x.at[pl.ds(0, 8)][pl.ds(i[0], 4)]


def read_a_known_one(i, x, out):
    out[0] = x[17]


def write_one(i, x, out):
    out[i[0]] = 5


def write_four(i, x, out):
    out[pl.ds(i[0], 4)] = jnp.full((4,), 7, jnp.int32)


READS = [
    (read_one, 16, 1),
    (read_one, 100, 1),
    (read_one, -17, 1),
    (read_four, 14, 4),
    (read_four, -1, 4),
    (read_in_a_view, 6, 4),
    (read_a_known_one, 0, 1),
]


@pytest.mark.parametrize(("kernel", "start", "size"), READS)
def test_reads_beyond_an_array_raise(kernel, start, size):
    with pytest.raises(jax.errors.JaxRuntimeError, match="Out-of-bounds read"):
        jax.block_until_ready(access(kernel, start, size))


@pytest.mark.parametrize(
    ("kernel", "start", "expected"),
    [
        (read_one, 16, [UNWRITTEN]),
        (read_one, -1, [15]),
        (read_one, 3, [3]),
        (read_four, 14, [14, 15, UNWRITTEN, UNWRITTEN]),
        (read_four, -1, [UNWRITTEN, 0, 1, 2]),
        (read_a_known_one, 0, [UNWRITTEN]),
    ],
)
def test_reads_beyond_an_array_may_give_unwritten_memory(kernel, start, expected):
    found = access(kernel, start, len(expected), out_of_bounds_reads="uninitialized")
    assert found.tolist() == expected


def test_unwritten_memory_beyond_an_array_may_be_zero():
    found = access(
        read_four,
        14,
        4,
        out_of_bounds_reads="uninitialized",
        uninitialized_memory="zero",
    )
    assert found.tolist() == [14, 15, 0, 0]


@pytest.mark.parametrize("reads", ["raise", "uninitialized"])
@pytest.mark.parametrize(
    ("kernel", "start"), [(write_one, 16), (write_four, 14), (write_four, -1)]
)
def test_writes_beyond_an_array_raise(kernel, start, reads):
    with pytest.raises(jax.errors.JaxRuntimeError, match="Out-of-bounds write"):
        jax.block_until_ready(access(kernel, start, 16, out_of_bounds_reads=reads))


@pytest.mark.parametrize(("kernel", "start"), [(write_one, 15), (write_four, 12)])
def test_writes_inside_an_array_are_made(kernel, start):
    assert access(kernel, start, 16)[15] != UNWRITTEN


def copied(in_block, out_block, rows=24, **params):
    def kernel(x, out):
        out[...] = x[...]

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((24, 8), jnp.float32),
        grid=(3,),
        in_specs=[pl.BlockSpec((8, 8), lambda i: (in_block(i), 0))],
        out_specs=pl.BlockSpec((8, 8), lambda i: (out_block(i), 0)),
        interpret=pltpu.InterpretParams(**params),
    )(jnp.ones((rows, 8)))[::8, 0]


def same(i):
    return i


@pytest.mark.parametrize("reads", ["raise", "uninitialized"])
def test_a_block_of_a_result_is_not_visited_again(reads):
    with pytest.raises(jax.errors.JaxRuntimeError, match="Revisited block of output 0"):
        jax.block_until_ready(copied(same, lambda i: i % 2, out_of_bounds_reads=reads))


def test_steps_that_follow_each_other_may_write_one_block():
    assert np.isnan(copied(same, lambda i: i // 2)).tolist() == [False, False, True]
    assert np.isnan(copied(same, lambda i: 0)).tolist() == [False, True, True]
    assert np.isnan(copied(same, same, rows=20)).tolist() == [False] * 3


def test_blocks_outside_of_an_array_raise():
    with pytest.raises(jax.errors.JaxRuntimeError, match="block index for output 0"):
        jax.block_until_ready(copied(same, lambda i: i + 1))
    with pytest.raises(jax.errors.JaxRuntimeError, match="block index for input 0"):
        jax.block_until_ready(copied(lambda i: i + 1, same))


def test_blocks_outside_of_an_input_may_be_unwritten_memory():
    found = copied(lambda i: i + 1, same, out_of_bounds_reads="uninitialized")
    assert np.isnan(found).tolist() == [False, False, True]


def test_checks_work_in_batches_and_loops():
    def one(start):
        return access(read_one, start, 1)

    assert jax.vmap(one)(jnp.arange(3)).ravel().tolist() == [0, 1, 2]
    assert jax.lax.map(one, jnp.arange(3)).ravel().tolist() == [0, 1, 2]
    with pytest.raises(jax.errors.JaxRuntimeError, match="Out-of-bounds read"):
        jax.block_until_ready(jax.vmap(one)(jnp.array([1, 16])))


@pytest.mark.parametrize(
    ("dtype", "size", "chosen", "expected"),
    [("int8", 200, [-1, 100], [199, 100]), ("uint8", 300, [100, 200], [100, 200])],
)
def test_indices_of_narrow_types_are_inside_of_large_arrays(
    dtype, size, chosen, expected
):
    def chosen_elements(x, i, out):
        out[...] = x[i[...]]

    call = pl.pallas_call(
        chosen_elements,
        jax.ShapeDtypeStruct((2,), jnp.float32),
        interpret=pltpu.InterpretParams(),
    )
    assert call(jnp.arange(float(size)), jnp.array(chosen, dtype)).tolist() == expected


def test_an_empty_part_is_inside_of_every_array():
    def empty_sum(x, i, out):
        out[0] = x[pl.ds(i[0], 0)].sum()

    call = pl.pallas_call(
        empty_sum,
        jax.ShapeDtypeStruct((1,), jnp.float32),
        interpret=pltpu.InterpretParams(),
    )
    assert call(jnp.ones(4), jnp.array([9])).tolist() == [0]
