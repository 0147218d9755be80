"""Pipelines fetch blocks ahead and store them late, and compute what a plain loop does."""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = np.arange(24, dtype=np.float32).reshape(12, 2) / 7
ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)
MAPS = {
    "each": lambda i, j: (i, 0),
    "reversed": lambda i, j: (3 - i, 0),
    "halved": lambda i, j: (i // 2, 0),
    "inner": lambda i, j: (j, 0),
    "one": lambda i, j: (0, 0),
}


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def run(outer, out, *args, interpret=True, **settings):
    """A kernel on references to whole arrays."""
    return pl.pallas_call(
        outer,
        out,
        in_specs=[ANYWHERE] * len(args),
        out_specs=ANYWHERE,
        interpret=interpret,
        **settings,
    )(*args)


def rows(index_map, mode=None, block=(3, 2)):
    return pl.BlockSpec(block, index_map, pipeline_mode=mode)


def added(x, out):
    """Adds blocks of the input up along the inner axis."""

    @pl.when(pl.program_id(1) == 0)
    def _():
        out[...] = jnp.zeros_like(out)

    out[...] += x[...]


def sums(size, index_map):
    """What `added` computes in four steps by two."""
    x = np.pad(X[:size], ((0, 12 - size), (0, 0))).reshape(4, 3, 2)
    out = np.zeros((4, 3, 2), np.float32)
    for i, j in itertools.product(range(4), range(2)):
        out[i] += x[index_map(i, j)[0]]
    return out.reshape(12, 2)[:size]


MODES = [None, (1, False), (2, False), (3, False), (3, True), (2, True)]


def cases():
    """All maps and modes interpreted; some of them checked, some compiled."""
    for number, (of_input, mode) in enumerate(itertools.product(MAPS, MODES)):
        yield of_input, mode, True
        if number % 5 == 0:
            yield of_input, mode, pl.InterpretParams()
        if number % 5 == 1:
            yield of_input, mode, False


@pytest.mark.parametrize(("of_input", "mode", "interpret"), list(cases()))
def test_pipelines_compute_what_a_loop_does(of_input, mode, interpret):
    index_map = MAPS[of_input]
    buffered = mode and pl.Buffered(mode[0], use_lookahead=mode[1])
    of_result = mode and pl.Buffered(min(mode[0], 2))

    def outer(x, out):
        pltpu.emit_pipeline(
            added,
            grid=(4, 2),
            in_specs=[rows(index_map, buffered)],
            out_specs=[rows(MAPS["each"], of_result)],
        )(x, out)

    found = run(outer, struct(12, 2), X, interpret=interpret)
    np.testing.assert_allclose(found, sums(12, index_map), rtol=1e-6)


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("size", [12, 10, 11])
def test_blocks_over_the_edge_are_copied_as_far_as_there_is_an_array(size, straight):
    def outer(x, out):
        pltpu.emit_pipeline(
            added,
            grid=(4, 2),
            in_specs=[rows(MAPS["each"])],
            out_specs=[rows(MAPS["each"])],
            no_pipelining=straight,
        )(x, out)

    checked = pl.InterpretParams(out_of_bounds_reads="uninitialized")
    for interpret in (True, False, *([checked] if size == 10 else [])):
        found = run(outer, struct(size, 2), X[:size], interpret=interpret)
        np.testing.assert_allclose(found, sums(size, MAPS["each"]), rtol=1e-6)


@pytest.mark.parametrize("straight", [False, True])
def test_lines_squeezed_blocks_and_whole_arrays_have_buffers(straight):
    line = pl.BlockSpec((None, 3), lambda i: (i, 0))
    part = pl.BlockSpec((3,), lambda i: (i,))
    whole = pl.BlockSpec((3,), lambda i: (0,))

    def inner(x, y, scale, out, total):
        out[...] = x[...] * scale[...] + y[...]
        total[...] = jnp.full(3, pl.program_id(0), jnp.float32)

    def outer(x, y, scale, out, total):
        pltpu.emit_pipeline(
            inner,
            grid=(4,),
            in_specs=[line, part, whole],
            out_specs=[part, whole],
            no_pipelining=straight,
        )(x, y, scale, out, total)

    x, y, scale = X.ravel()[:12].reshape(4, 3), X.ravel()[12:], X.ravel()[:3]
    out, total = pl.pallas_call(
        outer,
        (struct(12), struct(3)),
        in_specs=[ANYWHERE] * 3,
        out_specs=(ANYWHERE, ANYWHERE),
    )(x, y, scale)
    np.testing.assert_allclose(out, (x * scale).ravel() + y, rtol=1e-6)
    np.testing.assert_array_equal(total, np.full(3, 3))


def test_buffers_may_serve_several_runs():
    specs = {"in_specs": [rows(MAPS["each"])], "out_specs": [rows(MAPS["each"])]}
    run_once, make = pltpu.emit_pipeline_with_allocations(added, grid=(4, 2), **specs)

    def outer(x, out):
        def both(*made):
            run_once(x, out, allocations=made)
            run_once(out, out, allocations=list(made))

        pl.run_scoped(both, *make(x, out))

    for interpret in (True, False, pl.InterpretParams()):
        found = run(outer, struct(12, 2), X, interpret=interpret)
        np.testing.assert_allclose(found, 4 * X, rtol=1e-6)


def test_results_may_start_as_what_is_there():
    def outer(x, out):
        out[...] = x[...]
        kind = pltpu.BufferedRef.input_output(rows(MAPS["each"]), jnp.float32)

        def inner(out):
            out[...] += 1.0

        run_once = pltpu.emit_pipeline(
            inner, grid=(4, 2), in_specs=(), out_specs=[rows(MAPS["each"])]
        )
        pl.run_scoped(lambda made: run_once(out, allocations=[made]), kind)

    np.testing.assert_allclose(run(outer, struct(12, 2), X), X + 2, rtol=1e-6)


def test_bodies_pass_blocks_to_jitted_functions():
    @jax.jit
    def double(x, out):
        out[...] = x[...] * 2

    def outer(x, out):
        pltpu.emit_pipeline(
            double,
            grid=(4, 1),
            in_specs=[rows(MAPS["each"])],
            out_specs=[rows(MAPS["each"])],
        )(x, out)

    np.testing.assert_allclose(run(outer, struct(12, 2), X), X * 2, rtol=1e-6)


def test_a_prologue_runs_before_the_body_in_each_step():
    def outer(x, out, count):
        def before():
            count[0] += 1

        def inner(x, out):
            out[...] = x[...] * count[0]

        count[0] = 0
        pltpu.emit_pipeline(
            inner,
            grid=(4, 1),
            in_specs=[rows(MAPS["each"])],
            out_specs=[rows(MAPS["each"])],
            trace_scopes=False,
        )(x, out, body_prologue=before)

    own = {"scratch_shapes": [pltpu.SMEM((1,), jnp.int32)]}
    found = run(outer, struct(12, 2), X, **own)
    wanted = X * np.repeat(np.arange(1, 5), 3)[:, None]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_numbers_of_steps_may_be_known_only_at_run_time():
    def outer(steps, x, out):
        out[...] = jnp.zeros_like(out)
        pltpu.emit_pipeline(
            added,
            grid=(steps[0], 2),
            in_specs=[rows(MAPS["each"])],
            out_specs=[rows(MAPS["each"])],
        )(x, out)

    for steps in range(5):
        found = run(outer, struct(12, 2), np.array([steps], np.int32), X)
        wanted = np.where(np.arange(12)[:, None] < 3 * steps, 2 * X, 0)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_programs_of_the_outer_grid_share_steps():
    def outer(x, out):
        def inner(x, out):
            out[...] = x[...] + pl.program_id(0)

        pltpu.emit_pipeline(
            inner,
            grid=(4,),
            in_specs=[rows(lambda i: (i, 0))],
            out_specs=[rows(lambda i: (i, 0))],
            core_axis=0,
            dimension_semantics=(pltpu.PARALLEL,),
        )(x, out)

    for cores in (1, 2, 3):
        found = run(outer, struct(12, 2), X, grid=(cores,))
        wanted = X + np.repeat(np.arange(4), 3)[:, None]
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_slots_count_what_was_requested_and_done():
    spec = rows(lambda i: (i, 0))
    seen = []

    def outer(x, out):
        def work(buffers):
            into = buffers.initialize_slots()
            for row in range(2):
                into.copy_in(x, (row,))
                into = into.advance_copy_in_slot()
            for row in range(2):
                into.wait_in(x, (row,))
                out[pl.ds(3 * row, 3), :] = into.current_ref[...] * 2
                into = into.advance_wait_in_slot(row == row)
            seen.append((into.use_lookahead, into.buffer_count, into.is_input))
            out[pl.ds(6, 3), :] = jnp.full(
                (3, 2), into.cumulative_copy_in + 10 * into.current_wait_in_slot
            ).astype(jnp.float32)

        pl.run_scoped(work, pltpu.BufferedRef.input(spec, jnp.float32, 3))

    found = run(outer, struct(9, 2), X, interpret=pl.InterpretParams())
    np.testing.assert_allclose(found, np.vstack([X[:6] * 2, np.full((3, 2), 22)]))
    assert seen[0] == (False, 3, True)


def test_what_is_in_the_memory_of_buffers_is_used_where_it_is():
    spec = rows(lambda i: (i, 0))
    here = pltpu.BufferedRef.input(spec, jnp.float32, source_memory_space=pltpu.VMEM)
    assert not here.is_buffered and not here.has_allocated_buffer

    def outer(x, out):
        bound = here.bind_existing_ref(x, (2,))
        out[...] = bound.current_ref[...]
        assert bound.unbind_refs().window_ref is None

    np.testing.assert_array_equal(run(outer, struct(3, 2), X), X[6:9])


def test_mistakes_in_pipelines():
    spec = rows(lambda i: (i, 0))
    make = pltpu.BufferedRef
    ahead = rows(lambda i: (i, 0), pl.Buffered(2, use_lookahead=True))
    three = rows(lambda i: (i, 0), pl.Buffered(3))

    def piped(of_input, of_result, grid=(4,), **options):
        def outer(x, out):
            pltpu.emit_pipeline(
                lambda x, out: None,
                grid=grid,
                in_specs=[of_input],
                out_specs=[of_result],
                **options,
            )(x, out)

        return lambda: run(outer, struct(12, 2), X)

    for call, kind, text in [
        (piped(spec, ahead), ValueError, "does not support lookahead"),
        (piped(spec, three), NotImplementedError, "more than two"),
        (piped(spec, spec, grid=(0,)), ValueError, "strictly positive"),
        (piped(spec, spec, grid=(2.0,)), ValueError, "Python integers"),
        (
            piped(spec, spec, core_axis=0, core_axis_name="core"),
            ValueError,
            "cannot both",
        ),
        (lambda: make.input(spec, jnp.float32, 0), ValueError, "at least 1"),
        (
            lambda: make.input(spec, jnp.float32, use_lookahead=True),
            ValueError,
            "grid_rank",
        ),
        (lambda: make.input(pl.BlockSpec(), jnp.float32), ValueError, "Block shape"),
        (
            lambda: make.input(spec.replace(memory_space=pl.HOST), jnp.float32),
            ValueError,
            "memory space",
        ),
        (
            lambda: make.input(
                rows(lambda i: (i, 0), block=(pl.Element(3), 2)), jnp.float32
            ).compute_slice((0,)),
            ValueError,
            "Element dimensions",
        ),
    ]:
        with pytest.raises(kind, match=text):
            call()
