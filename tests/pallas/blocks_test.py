"""Which blocks a kernel gets, and what becomes of those that it writes."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def copy(x, out):
    out[...] = x[...]


def run(kernel, out, *args, **options):
    return pl.pallas_call(kernel, out, interpret=True, **options)(*args)


def by_hand(x, blocks, grid, index_map, fill):
    """The blocks that the steps of a grid see, cut with NumPy."""
    reach = [
        -(-size // block) * block for size, block in zip(x.shape, blocks, strict=True)
    ]
    padded = np.full(reach, fill, x.dtype)
    padded[tuple(map(slice, x.shape))] = x
    seen = []
    for step in np.ndindex(*grid):
        starts = []
        for index, block, size in zip(index_map(*step), blocks, reach, strict=True):
            start = index * block
            start = start + size if start < 0 else start
            starts.append(min(max(start, 0), size - block))
        seen.append(
            padded[tuple(slice(s, s + b) for s, b in zip(starts, blocks, strict=True))]
        )
    return np.stack(seen)


MAPS = {
    "in order": lambda i, j: (i, j),
    "turned": lambda i, j: (1 - i, 2 - j),
    "the same": lambda i, j: (0, 0),
    "beyond": lambda i, j: (i + 9, -j - 1),
    "mixed": lambda i, j: ((i * 2 + j) % 3, i),
}


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool", "bfloat16"])
@pytest.mark.parametrize("blocks", [(2, 3), (3, 2), (7, 5), (1, 1), (8, 9)])
@pytest.mark.parametrize("name", MAPS)
def test_steps_see_the_blocks_that_the_index_map_names(name, blocks, dtype):
    dtype, grid = jnp.dtype(dtype), (2, 3)
    x = np.arange(35).reshape(7, 5).astype(dtype)
    fill = np.nan if jnp.issubdtype(dtype, jnp.floating) else None
    if fill is None:
        fill = jnp.iinfo(dtype).min if dtype.kind in "iu" else False
    wanted = by_hand(x, blocks, grid, MAPS[name], fill)

    found = run(
        copy,
        struct(6, *blocks, dtype=dtype),
        x,
        grid=grid,
        in_specs=[pl.BlockSpec(blocks, MAPS[name])],
        out_specs=pl.BlockSpec((None, *blocks), lambda i, j: (i * 3 + j, 0, 0)),
    )
    assert found.dtype == dtype
    # In float64, for NumPy compares NaN of its own types alone.
    np.testing.assert_array_equal(
        np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    )


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("block", [1, 2, 3, 5])
def test_blocks_that_reach_over_the_edge_write_what_is_inside(size, block):
    spec = pl.BlockSpec((block,), lambda i: (i,))
    found = run(
        copy,
        struct(size),
        np.arange(size, dtype=np.float32),
        grid=pl.cdiv(size, block),
        in_specs=[spec],
        out_specs=spec,
    )
    assert found.tolist() == list(range(size))


def test_steps_run_along_the_last_axis_first_and_share_memory():
    def number(out, count):
        @pl.when((pl.program_id(0) == 0) & (pl.program_id(1) == 0))
        def _():
            count[0] = 0

        out[pl.program_id(0), pl.program_id(1)] = count[0]
        count[0] += 1

    scratch = [pltpu.SMEM((1,), jnp.int32)]
    found = run(
        number, struct(2, 3, dtype=jnp.int32), grid=(2, 3), scratch_shapes=scratch
    )
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_windows_at_any_index_overlap():
    def total(x, out):
        out[0] = x[...].sum()

    found = run(
        total,
        struct(4),
        jnp.arange(11.0),
        grid=4,
        in_specs=[pl.BlockSpec((pl.Element(5),), lambda i: (i * 2,))],
        out_specs=pl.BlockSpec((1,), lambda i: (i,)),
    )
    assert found.tolist() == [10.0, 20.0, 30.0, 40.0]


def test_windows_may_be_thought_to_reach_beyond_the_ends():
    padded = pl.BlockSpec((pl.Element(4, (1, 2)),), lambda i: (i * 4,))
    found = run(
        copy,
        struct(8),
        jnp.arange(5.0),
        grid=2,
        in_specs=[padded],
        out_specs=pl.BlockSpec((4,), lambda i: (i,)),
    )
    np.testing.assert_array_equal(found, [np.nan, 0, 1, 2, 3, 4, np.nan, np.nan])


def test_prefetched_scalars_choose_blocks():
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=3,
        in_specs=[pl.BlockSpec((2, 4), lambda i, order: (order[i], 0))],
        out_specs=pl.BlockSpec((2, 4), lambda i, order: (i, 0)),
    )

    def scaled(order, x, out):
        out[...] = x[...] * order[pl.program_id(0)]

    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    found = run(scaled, struct(6, 4), jnp.array([2, 0, 1]), x, grid_spec=spec)
    np.testing.assert_array_equal(found, np.concatenate([x[4:] * 2, x[:2] * 0, x[2:4]]))


@pytest.mark.parametrize("grid", [(3,), (jnp.int32(3),), (1, 3), (3, 1)])
def test_indices_are_int32_whatever_the_width_of_numbers(grid):
    def where(x, out, indices):
        axis = 0 if len(grid) == 1 or grid[0] == 3 else 1
        index = pl.program_id(axis)
        assert index.dtype == jnp.int32
        out[index] = x[index] * index
        indices[index] = index + pl.num_programs(axis)

    with jax.enable_x64(True):
        kinds = struct(3, dtype=jnp.float64), struct(3, dtype=jnp.int32)
        x = np.arange(3.0) + 1
        out, indices = run(where, kinds, x, grid=grid)
        assert out.dtype == jnp.float64 and out.tolist() == [0.0, 2.0, 6.0]
        assert indices.tolist() == [3, 4, 5]


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("is_traced", [False, True])
def test_the_number_of_steps_may_be_an_array(steps, is_traced):
    def negate(x, out):
        out[pl.program_id(0)] = -x[pl.program_id(0)] * pl.num_programs(0)

    def call(n, x):
        return run(negate, struct(4), x, grid=(n,), input_output_aliases={0: 0})

    x = jnp.arange(4.0) + 1
    found = (jax.jit(call) if is_traced else call)(jnp.int32(steps), x)
    wanted = [-v * steps if i < steps else v for i, v in enumerate(x.tolist())]
    assert found.tolist() == wanted


def test_a_result_may_start_as_an_argument_that_stays_as_it_is():
    def one_index(x, out):
        out[1] = x[0] + 10

    x = jnp.arange(3.0)
    found = run(one_index, struct(3), x, input_output_aliases={0: 0})
    assert found.tolist() == [0.0, 10.0, 2.0] and x.tolist() == [0.0, 1.0, 2.0]


def test_what_was_never_written():
    def nothing(*refs):
        pass

    kinds = [jnp.float32, jnp.int32, jnp.uint8, bool]
    found = run(nothing, [struct(2, dtype=kind) for kind in kinds])
    assert isinstance(found, tuple) and np.isnan(found[0]).all()
    assert [x.tolist() for x in found[1:]] == [[-(2**31)] * 2, [0, 0], [False, False]]


def test_trees_go_in_and_out():
    def kernel(d, out, *, extra):
        extra[...] = d["p"][...] + 1
        out["r"][...] = extra[...]

    found = run(
        kernel,
        {"r": struct(4)},
        {"p": jnp.ones(4), "none": None},
        scratch_shapes={"extra": pltpu.VMEM((4,), jnp.float32)},
    )
    assert found["r"].tolist() == [2.0] * 4


def test_specs_are_values():
    spec = pl.BlockSpec((4,), lambda i: i)
    assert spec.index_map(3) == (3,)
    assert spec.replace(block_shape=(2,)).block_shape == (2,)
    assert pl.GridSpec(grid=(("i", 3),)).grid_names == ("i",)
    assert str(pl.Element(3, (1, 2))) == "Element(3, padding=(1, 2))"
    memory = pltpu.VMEM.like(jnp.ones((2, 3), jnp.int8))
    assert (memory.shape, memory.dtype, memory.memory_space) == (
        (2, 3),
        jnp.int8,
        pltpu.VMEM,
    )
    cost = pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3)
    assert cost.to_json().startswith(b'{"flops": 1, "transcendentals": 2')


@pytest.mark.parametrize("size", [0, 3])
def test_a_grid_without_steps_writes_nothing(size):
    row = pl.BlockSpec((1, 2), lambda i: (i, 0))
    copy = pl.pallas_call(
        lambda x, out: out.set(x[...] + 1),
        struct(size, 2),
        grid=0,
        in_specs=[row],
        out_specs=row,
        input_output_aliases={0: 0},
        interpret=True,
    )
    x = jnp.ones((size, 2))
    for f in (copy, jax.jit(copy)):
        np.testing.assert_array_equal(f(x), x)


def test_blocks_without_elements_and_without_dimensions():
    def add(x, y, out, last):
        out[...] = x[...]
        last[...] = y[...] + pl.program_id(0)

    empty = pl.BlockSpec((0, 3), lambda i: (0, 0))
    whole = pl.BlockSpec((), lambda i: ())
    out, last = pl.pallas_call(
        add,
        (struct(0, 3), struct()),
        grid=3,
        in_specs=[empty, whole],
        out_specs=(empty, whole),
        interpret=True,
    )(jnp.ones((0, 3)), jnp.float32(2))
    assert out.shape == (0, 3) and last == 4


def test_costs_are_counted():
    cost = pl.estimate_cost(
        lambda a, b: jnp.exp(a @ b) ** 3, jnp.ones((8, 4)), struct(4, 2)
    )
    assert (cost.flops, cost.transcendentals) == (2 * 8 * 4 * 2 + 3 * 16, 16)
    assert cost.bytes_accessed == 4 * (32 + 8 + 16)
    doubled = pl.estimate_cost(lambda x, *, n: x * n if n else x, jnp.ones(3), n=2)
    assert (doubled.flops, doubled.bytes_accessed) == (3, 24)


def test_costs_of_calls_are_those_of_what_they_call():
    def f(x):
        jax.debug.print("no result: {}", x)
        return jnp.exp(x) + 1

    ruled = jax.custom_vjp(f)
    ruled.defvjp(lambda x: (f(x), x), lambda x, ct: (ct,))
    for function in (f, jax.jit(f), ruled):
        cost = pl.estimate_cost(function, jnp.ones(3))
        assert (cost.flops, cost.transcendentals) == (3, 3)


@pytest.mark.parametrize("interpret", [False, True])
def test_single_arrays_may_have_no_specification(interpret):
    def kernel(whole, block, out):
        out[...] = block[...] + whole[0, 0]

    x = jnp.arange(8.0).reshape(4, 2)
    rows = pl.BlockSpec((2, 2), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=2,
        in_specs=[pl.no_block_spec, rows],
        out_specs=rows,
        interpret=interpret,
    )
    np.testing.assert_array_equal(call(x + 5, x), x + 5)
