"""Independent steps of compiled kernels are taken together, and others are not."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.pallas import dependences, step_groups
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = np.arange(8 * 12, dtype=np.float32).reshape(8, 12) / 7


def struct(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def sizes_of(call, *args):
    """How many steps along each axis are taken together."""
    (eqn,) = jax.make_jaxpr(call)(*args).eqns
    params = eqn.params
    found = step_groups.grouping_of(
        params["grid_mapping"],
        params["jaxpr"],
        params["written"],
        params["compiler_params"],
    )
    return {} if found is None else dict(found.sizes)


def both(kernel, out, *args, **settings):
    """The result of the compiled kernel, which is compared with the interpreted one."""
    compiled = pl.pallas_call(kernel, out, **settings)
    interpreted = pl.pallas_call(kernel, out, interpret=True, **settings)
    found = compiled(*args)
    np.testing.assert_allclose(found, interpreted(*args), rtol=1e-6)
    return sizes_of(compiled, *args)


ROWS = pl.BlockSpec((2, 12), lambda i: (i, 0))
TILES = pl.BlockSpec((2, 4), lambda i, j: (i, j))


def double(x, out):
    out[...] = x[...] * 2


def test_blocks_of_rows_and_tiles_are_taken_together():
    assert both(double, struct(8, 12), X, grid=4, in_specs=[ROWS], out_specs=ROWS) == {
        0: 4
    }
    tiles = {"grid": (4, 3), "in_specs": [TILES], "out_specs": TILES}
    assert both(double, struct(8, 12), X, **tiles) == {0: 4, 1: 3}


def test_blocks_may_move_along_other_dimensions_than_results():
    turned = pl.BlockSpec((4, 2), lambda i, j: (j, i))

    def kernel(x, out):
        out[...] = x[...].T

    found = both(
        kernel,
        struct(12, 8),
        X,
        grid=(4, 3),
        in_specs=[TILES],
        out_specs=turned,
    )
    assert found == {0: 4, 1: 3}


def test_dimensions_that_blocks_lack_are_grouped():
    line = pl.BlockSpec((None, 12), lambda i: (i, 0))
    assert both(double, struct(8, 12), X, grid=8, in_specs=[line], out_specs=line) == {
        0: 8
    }


def test_blocks_over_the_edge_are_grouped():
    ragged = pl.BlockSpec((3, 5), lambda i, j: (i, j))
    found = both(
        double, struct(8, 12), X, grid=(3, 3), in_specs=[ragged], out_specs=ragged
    )
    assert found == {0: 3, 1: 3}


def sums(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] += x[...]
    out[...] = total[...]


def test_memory_that_the_first_steps_overwrite_is_of_each_group_member():
    out = pl.BlockSpec((2, 4), lambda i, j: (i, 0))
    found = both(
        sums,
        struct(8, 4),
        X,
        grid=(4, 3),
        in_specs=[TILES],
        out_specs=out,
        scratch_shapes=[pltpu.VMEM((2, 4), jnp.float32)],
    )
    assert found == {0: 4}


def test_memory_that_passes_from_step_to_step_keeps_them_apart():
    def kernel(x, out, before):
        out[...] = before[...]
        before[...] = x[...]

    scratch = {"scratch_shapes": [pltpu.VMEM((2, 12), jnp.float32)]}
    rows = {"grid": 4, "in_specs": [ROWS], "out_specs": ROWS}
    call = pl.pallas_call(kernel, struct(8, 12), **rows, **scratch)
    assert sizes_of(call, X) == {}
    np.testing.assert_array_equal(call(X)[2:], X[:-2])
    # The user may say otherwise; what the memory holds then is not specified.
    said = pltpu.CompilerParams(dimension_semantics=["parallel"])
    call = pl.pallas_call(
        kernel, struct(8, 12), compiler_params=said, **rows, **scratch
    )
    assert sizes_of(call, X) == {0: 4}


def test_a_result_that_all_steps_write_keeps_them_apart():
    def kernel(x, out):
        @pl.when(pl.program_id(0) == 0)
        def _():
            out[...] = jnp.zeros_like(out)

        out[...] += x[...]

    whole = pl.BlockSpec((2, 12), lambda i: (0, 0))
    assert (
        both(kernel, struct(2, 12), X, grid=4, in_specs=[ROWS], out_specs=whole) == {}
    )


@pytest.mark.parametrize(
    "where",
    [
        lambda i: (3 - i, 0),
        lambda i: (i // 2, 0),
        lambda i: (i % 4, 0),
        lambda i: (jnp.maximum(i - 1, 0), 0),
        lambda i: (i + 1, 0),
    ],
)
def test_blocks_in_another_order_are_gathered_for_inputs_alone(where):
    moved = pl.BlockSpec((2, 12), where)

    def kernel(x, y, out):
        out[...] = x[...] + y[...]

    rows = {"grid": 4, "out_specs": ROWS}
    found = both(kernel, struct(8, 12), X, X, in_specs=[moved, ROWS], **rows)
    assert found == {0: 4}
    turned = {"grid": 4, "in_specs": [ROWS], "out_specs": moved}
    call = pl.pallas_call(double, struct(8, 12), **turned)
    assert sizes_of(call, X) == {}


def test_blocks_on_a_diagonal_are_gathered():
    diagonal = pl.BlockSpec((2, 3), lambda i: (i, i))
    out = pl.BlockSpec((2, 3), lambda i: (0, i))
    assert both(
        double, struct(2, 12), X, grid=4, in_specs=[diagonal], out_specs=out
    ) == {0: 4}


def test_blocks_at_prefetched_indices_are_gathered():
    def kernel(order, x, out):
        out[...] = x[...] * 2

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(4, 3),
        in_specs=[pl.BlockSpec((2, 4), lambda i, j, order: (order[i], j))],
        out_specs=pl.BlockSpec((2, 4), lambda i, j, order: (i, j)),
    )
    order = np.array([2, 0, 3, 0], np.int32)
    assert both(kernel, struct(8, 12), order, X, grid_spec=spec) == {0: 4, 1: 3}


def test_choices_by_a_program_id_keep_steps_apart_along_its_axis_alone():
    def kernel(x, out):
        def step(_, value):
            return value * 2

        out[...] = jax.lax.fori_loop(0, pl.program_id(0), step, x[...])

    tiles = {"grid": (4, 3), "in_specs": [TILES], "out_specs": TILES}
    assert both(kernel, struct(8, 12), X, **tiles) == {1: 3}

    def choice(x, out):
        out[...] = x[...]

        @pl.when(pl.program_id(1) == 1)
        def _():
            out[...] = -x[...]

    assert both(choice, struct(8, 12), X, **tiles) == {0: 4}


def test_reads_at_indices_by_a_program_id_are_gathered_from_one_array_alone():
    def kernel(x, out):
        out[...] = x[pl.ds(pl.program_id(0) * 2, 2), :]

    whole = pl.BlockSpec((8, 12), lambda i: (0, 0))
    rows = {"grid": 4, "out_specs": ROWS}
    assert both(kernel, struct(8, 12), X, in_specs=[whole], **rows) == {0: 4}

    def part(x, out):
        out[...] = jnp.broadcast_to(x[:, pl.ds(pl.program_id(0), 1)], (2, 12))

    assert both(part, struct(8, 12), X, in_specs=[ROWS], **rows) == {}


def test_writes_at_indices_by_a_program_id_keep_steps_apart():
    def kernel(x, out):
        out[...] = x[...]
        out[:, pl.ds(pl.program_id(0), 1)] = jnp.zeros((2, 1))

    assert both(kernel, struct(8, 12), X, grid=4, in_specs=[ROWS], out_specs=ROWS) == {}


def test_values_by_a_program_id_are_those_of_each_step():
    def kernel(x, out):
        out[...] = x[...] * pl.program_id(0) + pl.program_id(1)

    tiles = {"grid": (4, 3), "in_specs": [TILES], "out_specs": TILES}
    assert both(kernel, struct(8, 12), X, **tiles) == {0: 4, 1: 3}


def test_aliased_results_start_as_their_operand_in_each_step():
    def kernel(x, out):
        out[0, :] = x[1, :] + out[0, :]

    rows = {"grid": 4, "in_specs": [ROWS], "out_specs": ROWS}
    aliased = {"input_output_aliases": {0: 0}}
    assert both(kernel, struct(8, 12), X, **rows, **aliased) == {0: 4}


def test_batch_elements_are_grouped_as_steps_are():
    batch = np.stack([X, X + 1, X * 2])
    call = pl.pallas_call(
        double, struct(8, 12), grid=4, in_specs=[ROWS], out_specs=ROWS
    )
    np.testing.assert_array_equal(jax.vmap(call)(batch), batch * 2)
    assert sizes_of(jax.vmap(call), batch) == {0: 3, 1: 4}


def test_groups_are_no_larger_than_their_memory(monkeypatch):
    monkeypatch.setattr(step_groups, "_TIMES", 0)
    monkeypatch.setattr(step_groups, "_LARGEST", 2 * 3 * 2 * 4 * 4)
    found = both(
        double, struct(8, 12), X, grid=(4, 3), in_specs=[TILES], out_specs=TILES
    )
    assert found == {0: 2}
    monkeypatch.setattr(step_groups, "_LARGEST", 1)
    assert (
        both(double, struct(8, 12), X, grid=(4, 3), in_specs=[TILES], out_specs=TILES)
        == {}
    )


@pytest.mark.parametrize(
    ("f", "given"),
    [
        (lambda i: (i.astype(jnp.uint32) - 1) < 5, 0),
        (lambda i: i.astype(jnp.int8) * 100 > 0, 3),
        (lambda i: jnp.where(i.astype(bool), 5, 7) == 5, 2),
        (lambda i: i.astype(jnp.float32) + 0.25 > 1, 1),
        (lambda i: jnp.maximum(i + 1, 4) == 4, 2),
    ],
    ids=["below zero", "beyond the end", "to Boolean", "floats", "plain"],
)
def test_numbers_that_are_known_are_those_that_the_program_computes(f, given):
    program = jax.make_jaxpr(f)(jnp.int32(0))
    (fact,) = dependences.Walk().outputs(program, [dependences.Fact(known=given)])
    assert fact.known in (None, bool(f(jnp.int32(given))))
