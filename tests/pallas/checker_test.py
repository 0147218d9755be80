"""Planted faults in kernels, each found by the checker with its line and program ids."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton

X = np.arange(32, dtype=np.float32).reshape(8, 4)
ROWS = pl.BlockSpec((2, 4), lambda i: (i, 0))
WHOLE = pl.BlockSpec((8, 4), lambda i: (0, 0))
PARALLEL = pltpu.CompilerParams(dimension_semantics=["parallel"])
SCRATCH = [pltpu.VMEM((2, 4), jnp.float32)]
REGULAR, DMA = pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA


def run(kernel, *args, check=True, **settings):
    """Runs a kernel over rows, checked."""
    given = {"grid": 4, "in_specs": [ROWS], "out_specs": ROWS, **settings}
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(given.pop("shape", (8, 4)), jnp.float32),
        interpret=pl.InterpretParams(**given.pop("params", {})) if check else False,
        **given,
    )
    return jax.block_until_ready(call(*(args or (X,))))


def reads_result_first(x, out):
    out[...] = x[...] + out[...]


def reads_part_of_result(x, out):
    out[pl.ds(0, 1), :] = x[pl.ds(0, 1), :]
    out[pl.ds(1, 1), :] = out[pl.ds(1, 1), :] * 2


def reads_scratch_first(x, out, own):
    out[...] = x[...] + own[...]


def reads_column_of_scratch(x, out, own):
    own[:, 0] = x[:, 0]
    out[...] = jnp.broadcast_to(own[:, 1:2], (2, 4))


def starts_scratch_late(x, out, own):
    @pl.when(pl.program_id(0) == 1)
    def _():
        own[...] = jnp.zeros_like(own)

    own[...] += x[...]
    out[...] = own[...]


def reads_scoped_memory(x, out):
    def body(own):
        out[...] = x[...] + own[...]

    pl.run_scoped(body, pltpu.VMEM((2, 4), jnp.float32))


def reads_scoped_memory_of_a_call_before(x, out):
    def body(i, _):
        def inside(own):
            @pl.when(i == 0)
            def _():
                own[...] = x[...]

            out[...] = own[...]

        pl.run_scoped(inside, pltpu.VMEM((2, 4), jnp.float32))
        return 0

    jax.lax.fori_loop(0, 2, body, 0)


def loads_masked_result(x, out):
    mask = jax.lax.broadcasted_iota(jnp.int32, (2, 4), 1) < 2
    triton.store(out, x[...], mask=mask)
    out[...] = triton.load(out, mask=~mask, other=0.0)


def adds_to_result(x, out):
    jax.ref.addupdate(out, ..., x[...])


def copies_unwritten(x, out, own):
    pltpu.sync_copy(own, out)


UNWRITTEN = [
    (reads_result_first, {}),
    (reads_part_of_result, {}),
    (reads_scratch_first, {"scratch_shapes": SCRATCH}),
    (reads_column_of_scratch, {"scratch_shapes": SCRATCH}),
    (starts_scratch_late, {"scratch_shapes": SCRATCH}),
    (reads_scoped_memory, {}),
    (reads_scoped_memory_of_a_call_before, {}),
    (loads_masked_result, {}),
    (adds_to_result, {}),
    (copies_unwritten, {"scratch_shapes": SCRATCH}),
]


def line_of(kernel):
    code = kernel.__code__
    return range(code.co_firstlineno, code.co_firstlineno + 20)


def check_text(error, kernel):
    """Whether a message names a line of the kernel, and program ids."""
    text = str(error.value)
    lines = [int(n) for n in re.findall(r"checker_test\.py:(\d+)", text)]
    assert any(n in line_of(kernel) for n in lines), text
    assert "program ids" in text, text
    return text


@pytest.mark.parametrize(("kernel", "settings"), UNWRITTEN)
def test_reads_of_unwritten_memory_are_found(kernel, settings):
    with pytest.raises(jax.errors.JaxRuntimeError, match="never written") as error:
        run(kernel, **settings)
    check_text(error, kernel)


def writes_one_block(x, out):
    out[...] = x[...]


def writes_one_element(x, out):
    out[pl.ds(0, 1), pl.ds(0, 1)] = x[pl.ds(0, 1), pl.ds(0, 1)]


def writes_next_block_too(x, out):
    first = jnp.minimum(pl.program_id(0) * 2, 5)
    out[pl.ds(first, 3), :] = jnp.ones((3, 4))


def reads_block_of_another(x, out):
    first = pl.program_id(0) * 2
    out[pl.ds(first, 2), :] = x[...]
    before = jnp.maximum(first - 2, 0)
    out[pl.ds(first, 2), :] += out[pl.ds(before, 2), :]


def carries_scratch(x, out, own):
    @pl.when(pl.program_id(0) == 0)
    def _():
        own[...] = jnp.zeros_like(own)

    own[...] += x[...]
    out[...] = own[...]


def reads_alias_of_another(x, out):
    i = pl.program_id(0)
    out[pl.ds(i * 2, 2), :] = x[pl.ds((i + 1) % 4 * 2, 2), :]


def adds_everything(x, out):
    out[pl.ds(0, 1), :] = out[pl.ds(0, 1), :] + x[pl.ds(0, 1), :]


def counts_atomically_not(x, out):
    triton.atomic_add(out, (pl.ds(0, 1), pl.ds(0, 1)), x[:1, :1])


ALIASED = {"in_specs": [WHOLE], "out_specs": WHOLE, "input_output_aliases": {0: 0}}
START = {
    "in_specs": [ROWS, WHOLE],
    "out_specs": WHOLE,
    "input_output_aliases": {1: 0},
}


def with_start(kernel):
    def started(x, start, out):
        kernel(x, out)

    started.__wrapped__ = kernel
    return started


RACES = [
    (writes_one_block, {"out_specs": pl.BlockSpec((2, 4), lambda i: (0, 0))}, (X,)),
    (
        writes_one_block,
        {"out_specs": pl.BlockSpec((2, 4), lambda i: (i // 2, 0))},
        (X,),
    ),
    (writes_one_element, {"out_specs": WHOLE}, (X,)),
    (writes_next_block_too, {"out_specs": WHOLE}, (X,)),
    (reads_block_of_another, {"out_specs": WHOLE}, (X,)),
    (reads_alias_of_another, ALIASED, (X,)),
    (with_start(adds_everything), START, (X, X)),
    (with_start(counts_atomically_not), START, (X, X)),
]


@pytest.mark.parametrize(("kernel", "settings", "args"), RACES)
def test_races_between_parallel_steps_are_found(kernel, settings, args):
    with pytest.raises(jax.errors.JaxRuntimeError, match="A race") as error:
        run(kernel, *args, compiler_params=PARALLEL, **settings)
    text = check_text(error, getattr(kernel, "__wrapped__", kernel))
    assert text.count("by program ids") == 2
    # Where steps follow each other it is none, but that a block may not come back.
    if kernel is not writes_one_block:
        run(kernel, *args, **settings)


def test_races_of_programs_for_triton_are_found_along_all_axes():
    with pytest.raises(jax.errors.JaxRuntimeError, match="A race"):
        run(
            writes_one_element,
            out_specs=WHOLE,
            compiler_params=triton.CompilerParams(num_warps=1),
        )


def test_memory_that_is_carried_along_a_parallel_axis_is_found():
    run(carries_scratch, scratch_shapes=SCRATCH)
    with pytest.raises(jax.errors.JaxRuntimeError, match="never written") as error:
        run(carries_scratch, scratch_shapes=SCRATCH, compiler_params=PARALLEL)
    check_text(error, carries_scratch)


def signals_once_more(x, out, sem):
    pl.semaphore_signal(sem, 2)
    pl.semaphore_wait(sem, 1)
    out[...] = x[...]


def waits_for_nobody(x, out, sem):
    pl.semaphore_wait(sem, 1)
    out[...] = x[...]


def starts_a_copy_alone(x, out, sem):
    pltpu.make_async_copy(x, out, sem).start()


def waits_for_no_copy(x, out, sem):
    pltpu.make_async_copy(x, out, sem).wait()
    out[...] = x[...]


def signals_another(x, out, sem):
    pl.semaphore_signal(sem.at[0])
    pl.semaphore_wait(sem.at[1])
    out[...] = x[...]


@pytest.mark.parametrize(
    ("kernel", "kind", "message"),
    [
        (signals_once_more, REGULAR, "unbalanced"),
        (waits_for_nobody, REGULAR, "nobody signals"),
        (starts_a_copy_alone, DMA, "unbalanced"),
        (waits_for_no_copy, DMA, "nobody signals"),
        (signals_another, REGULAR((2,)), "nobody signals"),
    ],
)
def test_semaphores_that_do_not_balance_are_found(kernel, kind, message):
    with pytest.raises(jax.errors.JaxRuntimeError, match=message) as error:
        run(kernel, scratch_shapes=[kind])
    check_text(error, kernel)


def reads_beyond(x, out):
    out[...] = x[pl.ds(pl.program_id(0), 2), :]


def reads_one_beyond(x, out):
    out[...] = jnp.full((2, 4), x[pl.program_id(0), 0])


def writes_beyond(x, out):
    out[...] = x[...]
    out[pl.ds(pl.program_id(0), 1), :] = x[pl.ds(0, 1), :]


@pytest.mark.parametrize("kernel", [reads_beyond, reads_one_beyond, writes_beyond])
def test_elements_out_of_bounds_are_found(kernel):
    with pytest.raises(jax.errors.JaxRuntimeError, match="Out-of-bounds") as error:
        run(kernel)
    check_text(error, kernel)


def beyond(i):
    return i + 1, 0


def again(i):
    return i % 2, 0


def test_blocks_out_of_bounds_and_blocks_that_come_back_are_found():
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="Out-of-bounds block"
    ) as error:
        run(writes_one_block, in_specs=[pl.BlockSpec((2, 4), beyond)])
    text = check_text(error, beyond)
    assert "args[0]" in text and re.search(r"program ids +\(3,\)", text), text
    with pytest.raises(jax.errors.JaxRuntimeError, match="Revisited block") as error:
        run(writes_one_block, out_specs=pl.BlockSpec((2, 4), again))
    text = check_text(error, again)
    assert "outputs" in text and re.search(r"program ids +\(2,\)", text), text
    assert re.search(r"left by +program ids \(0,\)", text), text


def writes_its_half(x, out):
    i = pl.program_id(0)
    out[pl.ds(i, 1), :] = x[pl.ds(i, 1), :]


def test_blocks_come_back_in_programs_for_triton():
    # They store to the array itself, each its own elements.
    rows = pl.BlockSpec((2, 4), lambda i, j: (j, 0))
    settings = {"grid": (2, 4), "in_specs": [rows], "out_specs": rows}
    with pytest.raises(jax.errors.JaxRuntimeError, match="Revisited block"):
        run(writes_its_half, **settings)
    out = run(writes_its_half, compiler_params=triton.CompilerParams(), **settings)
    np.testing.assert_array_equal(out, X)


TWO = pltpu.create_tensorcore_mesh("core", num_cores=2)


def write_the_same(x, out):
    out[pl.ds(0, 4), :] = x[pl.ds(0, 4), :]


def read_what_the_first_wrote(x, out):
    core = jax.lax.axis_index("core")
    out[pl.ds(core * 4, 4), :] = x[pl.ds(core * 4, 4), :]
    out[pl.ds(core * 4, 1), :] = out[pl.ds(0, 1), :]


def each_its_half(x, out):
    half = pl.ds(jax.lax.axis_index("core") * 4, 4)
    out[half, :] = x[half, :] * 2


@pytest.mark.parametrize("body", [write_the_same, read_what_the_first_wrote])
def test_races_between_cores_are_found(body):
    out = jax.ShapeDtypeStruct(X.shape, X.dtype)
    call = pl.kernel(body, out, mesh=TWO, interpret=pl.InterpretParams())
    with pytest.raises(jax.errors.JaxRuntimeError, match="A race") as error:
        jax.block_until_ready(call(X))
    check_text(error, body)


def test_cores_with_parts_of_their_own_pass():
    out = jax.ShapeDtypeStruct(X.shape, X.dtype)
    call = pl.kernel(each_its_half, out, mesh=TWO, interpret=pl.InterpretParams())
    np.testing.assert_array_equal(call(X), X * 2)


def test_right_kernels_pass_in_any_order_of_parallel_steps():
    def sums(x, out, own):
        @pl.when(pl.program_id(1) == 0)
        def _():
            own[...] = jnp.zeros_like(own)

        own[...] += x[...]
        out[...] = own[...]

    spec = pl.BlockSpec((2, 2), lambda i, j: (i, j))
    settings = {
        "grid": (4, 2),
        "in_specs": [spec],
        "out_specs": pl.BlockSpec((2, 2), lambda i, j: (i, 0)),
        "scratch_shapes": [pltpu.VMEM((2, 2), jnp.float32)],
        "compiler_params": pltpu.CompilerParams(
            dimension_semantics=["parallel", "arbitrary"]
        ),
        "shape": (8, 2),
    }
    for seed in (None, 0, 7):
        found = run(sums, params={"random_seed": seed}, **settings)
        np.testing.assert_array_equal(found, X[:, :2] + X[:, 2:])


def test_a_seed_draws_the_order_of_parallel_steps():
    def order(seed):
        taken = []

        def kernel(x, out):
            jax.debug.callback(lambda i: taken.append(int(i)), pl.program_id(0))
            out[...] = x[...]

        row = pl.BlockSpec((1, 4), lambda i: (i, 0))
        settings = {"grid": 8, "in_specs": [row], "out_specs": row}
        run(kernel, params={"random_seed": seed}, compiler_params=PARALLEL, **settings)
        jax.effects_barrier()
        return taken

    ascending = list(range(8))
    assert order(None) == ascending
    assert sorted(order(3)) == ascending and order(3) != ascending
    assert order(3) == order(3) != order(4)


def test_one_setting_checks_all_kernels():
    jax.config.update("jax_pallas_check", True)
    try:
        with pytest.raises(jax.errors.JaxRuntimeError, match="never written"):
            run(reads_result_first, check=False)
        np.testing.assert_array_equal(run(writes_one_block, check=False), X)
    finally:
        jax.config.update("jax_pallas_check", False)


def test_checked_kernels_run_in_loops_and_over_batches():
    call = pl.pallas_call(
        writes_one_block,
        jax.ShapeDtypeStruct((8, 4), jnp.float32),
        grid=4,
        in_specs=[ROWS],
        out_specs=ROWS,
        interpret=pl.InterpretParams(),
    )
    np.testing.assert_array_equal(jax.vmap(call)(np.stack([X, -X])), [X, -X])
    found, _ = jax.lax.scan(lambda c, _: (call(c), None), X, length=3)
    np.testing.assert_array_equal(found, X)
    ends = jax.jit(lambda x: call(x) - 0.0)(-np.zeros_like(X))
    assert np.signbit(ends).all()
