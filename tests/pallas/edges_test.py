"""Kernels whose blocks come with rows of their neighbours, compiled and interpreted."""

import functools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.pallas import block_runs
from jax.experimental import pallas as pl


def stencil(x, *, block, edge, interpret, along=0, reach=1, is_whole=True):
    """3 up + 5 down - x, some rows or columns at a time.

    Args:
        x: the array.
        block: the size of blocks.
        edge: what is beyond the ends: "zero", "one", "last" for the last row again, "turned"
            for the rows at the other end.
        interpret: as `pallas_call` takes it.
        along: the dimension.
        reach: how many rows farther up and down are.
        is_whole: whether a block and its edges are put together at first, and then cut.
    """
    size, steps = x.shape[along], x.shape[along] // block
    each, edges = block // reach, size // reach

    def kernel(above, middle, below, out):
        number = pl.program_id(0)
        first, x, last = above[...], middle[...], below[...]
        if edge in ("zero", "one"):
            fill = jnp.asarray(edge == "one", x.dtype)
            first = jnp.where(number > 0, first, fill)
            last = jnp.where(number < steps - 1, last, fill)
        take = functools.partial(jax.lax.slice_in_dim, axis=along)
        if is_whole:
            all_of = jnp.concatenate([first, x, last], along)
            up = take(all_of, 0, block)
            down = take(all_of, 2 * reach, 2 * reach + block)
        else:
            up = jnp.concatenate([first, take(x, 0, block - reach)], along)
            down = jnp.concatenate([take(x, reach, block), last], along)
        out[...] = 3 * up + 5 * down - x

    def spec(size, index):
        shape = [x.shape[1 - along]] * 2
        shape[along] = size
        where = lambda i: (0, index(i)) if along else (index(i), 0)  # noqa: E731
        return pl.BlockSpec(shape, where)

    def above(i):
        index = i * each - 1
        if edge == "turned":
            return jnp.where(index < 0, edges - 1, index)
        return jnp.maximum(index, 0)

    def below(i):
        index = (i + 1) * each
        return index % edges if edge == "turned" else jnp.minimum(index, edges - 1)

    middle = spec(block, lambda i: i)
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=steps,
        in_specs=[spec(reach, above), middle, spec(reach, below)],
        out_specs=middle,
        interpret=interpret,
    )(x, x, x)


def by_hand(x, edge, along, reach):
    """3 up + 5 down - x of the whole array."""
    x = np.moveaxis(np.asarray(x), along, 0)
    ends = {
        "zero": lambda: (0 * x[:reach], 0 * x[:reach]),
        "one": lambda: (0 * x[:reach] + 1, 0 * x[:reach] + 1),
        "last": lambda: (x[:reach], x[-reach:]),
        "turned": lambda: (x[-reach:], x[:reach]),
    }
    first, last = ends[edge]()
    up, down = np.concatenate([first, x[:-reach]]), np.concatenate([x[reach:], last])
    return np.moveaxis(3 * up + 5 * down - x, 0, along)


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("along", [0, 1])
@pytest.mark.parametrize("block, reach", [(4, 1), (4, 2), (8, 1), (24, 1)])
@pytest.mark.parametrize("edge", ["zero", "one", "last", "turned"])
def test_blocks_with_edges_are_the_array_moved(edge, block, reach, along, is_whole):
    shape = (24, 5) if along == 0 else (5, 24)
    x = jnp.asarray(np.random.default_rng(0).integers(-9, 9, shape), jnp.float32)
    run = functools.partial(
        stencil, block=block, edge=edge, along=along, reach=reach, is_whole=is_whole
    )
    found = jax.jit(functools.partial(run, interpret=False))(x)
    np.testing.assert_array_equal(found, by_hand(x, edge, along, reach))
    np.testing.assert_array_equal(found, run(x, interpret=True))


@pytest.mark.parametrize("edge", ["zero", "last", "turned"])
def test_a_stencil_reads_its_neighbours_in_place(edge):
    x = jnp.zeros((24, 5))
    run = functools.partial(stencil, block=4, edge=edge, interpret=False)
    text = jax.jit(run).lower(x).as_text()
    assert "gather" not in text
    assert "dynamic_slice" not in text


def test_blocks_that_overlap_are_read_in_place():
    x = jnp.arange(18.0 * 3).reshape(18, 3)

    def kernel(x, out):
        out[...] = x[:4] + 2 * x[1:5] + x[2:]

    def run(x, interpret):
        return pl.pallas_call(
            kernel,
            jax.ShapeDtypeStruct((16, 3), x.dtype),
            grid=4,
            in_specs=[
                pl.BlockSpec((pl.Element(6), pl.Element(3)), lambda i: (4 * i, 0))
            ],
            out_specs=pl.BlockSpec((4, 3), lambda i: (i, 0)),
            interpret=interpret,
        )(x)

    compiled = jax.jit(functools.partial(run, interpret=False))
    assert "gather" not in compiled.lower(x).as_text()
    np.testing.assert_array_equal(compiled(x), x[:16] + 2 * x[1:17] + x[2:])


STARTS = {
    "the same": [2, 2, 2],
    "in order": [0, 3, 6, 9],
    "apart": [1, 5, 9],
    "to the end": [0, 4, 8, 10],
    "overlapping": [0, 2, 4, 6],
    "backwards": [9, 6, 3, 0],
    "from the start again": [0, 0, 3, 6],
    "each twice": [0, 0, 3, 3, 6, 6],
    "all twice": [0, 3, 6, 0, 3, 6],
    "turned": [9, 0, 3, 6],
    "alone": [7],
}


@pytest.mark.parametrize("block", [1, 2, 3])
@pytest.mark.parametrize("name", STARTS)
def test_blocks_at_equal_distances_are_slices(name, block):
    x, starts = np.arange(2 * 13 * 3).reshape(2, 13, 3), STARTS[name]
    found = block_runs.stacked(jnp.asarray(x), 1, starts, block)
    expected = np.stack([x[:, start : start + block] for start in starts], axis=1)
    np.testing.assert_array_equal(found, expected)


def test_blocks_anywhere_are_gathered():
    x = jnp.arange(40.0)
    assert block_runs.stacked(x, 0, [3, 1, 7, 20, 2, 9, 4, 31], 2) is None


def test_starts_beyond_the_ends_move_inside():
    found = block_runs.inside(np.asarray([-1, 0, 5, 8, 12]), 10, 4)
    np.testing.assert_array_equal(found, [6, 0, 5, 6, 6])
