"""What steps of compiled kernels add up is taken as one sum, where it is one."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.pallas import step_groups
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = np.arange(8 * 12, dtype=np.float32).reshape(8, 12) / 7 - 5
TILES = pl.BlockSpec((2, 4), lambda i, k: (i, k))
LINES = pl.BlockSpec((2, 4), lambda i, k: (i, 0))


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def memory(*shape, dtype=jnp.float32):
    return {"scratch_shapes": [pltpu.VMEM(shape, dtype)]}


def summed_axes(kernel, out, *args, rtol=1e-6, **settings):
    """The axes over which the compiled kernel, which is compared with the interpreted one, has sums."""
    compiled = pl.pallas_call(kernel, out, **settings)
    interpreted = pl.pallas_call(kernel, out, interpret=True, **settings)
    for found, wanted in zip(
        jax.tree.leaves(compiled(*args)),
        jax.tree.leaves(interpreted(*args)),
        strict=True,
    ):
        found, wanted = (np.asarray(x, np.float64) for x in (found, wanted))
        size = np.abs(wanted).max()
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * size)
    (eqn,) = jax.make_jaxpr(compiled)(*args).eqns
    names = ("grid_mapping", "jaxpr", "written", "compiler_params")
    found = step_groups.grouping_of(*[eqn.params[name] for name in names])
    return () if found is None or found.sums is None else found.sums.axes


def add_up(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] += x[...] * 2 + pl.program_id(1)
    out[...] = total[...]


def add_up_at_end(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.full_like(total, 3)

    total[...] += x[...]

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        out[...] = jnp.tanh(total[...])


ROWS = {"grid": (4, 3), "in_specs": [TILES], "out_specs": LINES}


@pytest.mark.parametrize("kernel", [add_up, add_up_at_end])
def test_sums_in_memory_are_taken_as_one(kernel):
    assert summed_axes(kernel, struct(8, 4), X, **ROWS, **memory(2, 4)) == (1,)


def test_sums_in_the_result_itself_are_taken_as_one():
    def kernel(x, out):
        @pl.when(pl.program_id(1) == 0)
        def _():
            out[...] = x[...] - 1

        out[...] = out[...] + jnp.sin(x[...])

    assert summed_axes(kernel, struct(8, 4), X, **ROWS) == (1,)

    def all_steps(x, out):
        @pl.when((pl.program_id(0) == 0) & (pl.program_id(1) == 0))
        def _():
            out[...] = jnp.zeros_like(out)

        out[...] += x[...].sum(0, keepdims=True)

    whole = pl.BlockSpec((1, 4), lambda i, k: (0, 0))
    found = summed_axes(
        all_steps, struct(1, 4), X, **{**ROWS, "out_specs": whole}, rtol=1e-5
    )
    assert found == (0, 1)


def test_sums_that_begin_with_an_operand():
    def kernel(x, start, out):
        out[...] += x[...]

    settings = {**ROWS, "in_specs": [TILES, LINES], "input_output_aliases": {1: 0}}
    assert summed_axes(kernel, struct(8, 4), X, X[:, :4], **settings) == (1,)


@pytest.mark.parametrize("combine", [jnp.maximum, jnp.minimum])
def test_largest_and_smallest_values_are_taken_as_one(combine):
    def kernel(x, out):
        first = pl.program_id(1) == 0
        before = jnp.where(first, x[...], out[...])
        out[...] = combine(before, jnp.cos(x[...]))

    assert summed_axes(kernel, struct(8, 4), X, **ROWS) == (1,)


@pytest.mark.parametrize("begin", [0, 3, -3, -np.inf])
@pytest.mark.parametrize("combine", [jnp.maximum, jnp.minimum, jnp.add])
def test_what_a_fold_begins_with_takes_part(combine, begin):
    def kernel(x, out):
        @pl.when(pl.program_id(1) == 0)
        def _():
            out[...] = jnp.full_like(out, begin)

        out[...] = combine(out[...], x[...])

    for x in (X, -np.abs(X) - 1, np.abs(X) + 1):
        if np.isfinite(begin) or combine is jnp.maximum:
            assert summed_axes(kernel, struct(8, 4), x, **ROWS) == (1,)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
@pytest.mark.parametrize(("m", "n", "k"), [(8, 6, 12), (7, 5, 9), (2, 3, 6)])
@pytest.mark.parametrize("inner", [0, 1, 2])
def test_products_in_blocks_are_one_product(m, n, k, dtype, inner):
    draw = np.random.default_rng(0)
    x = jnp.asarray(draw.integers(-4, 5, (m, k)), dtype)
    y = jnp.asarray(draw.integers(-4, 5, (k, n)), dtype)
    # A block beyond the end holds what is not a number: sums are over whole blocks.
    step = 3 if k % 3 == 0 else 1
    order = [a for a in range(3) if a != inner]

    def at(first, second):
        """An index map that takes (i, j) from the outer axes, and k from the inner one."""

        def index_map(*ids):
            named = {"i": ids[order[0]], "j": ids[order[1]], "k": ids[inner]}
            return named[first], named[second]

        return index_map

    total = jnp.int32 if dtype == "int32" else jnp.float32

    def kernel(x, y, out):
        @pl.when(pl.program_id(inner) == 0)
        def _():
            out[...] = jnp.zeros_like(out)

        out[...] += jnp.dot(x[...], y[...], preferred_element_type=total)

    sizes = {order[0]: pl.cdiv(m, 4), order[1]: pl.cdiv(n, 3), inner: k // step}
    found = summed_axes(
        kernel,
        struct(m, n, dtype=total),
        x,
        y,
        grid=tuple(sizes[a] for a in range(3)),
        in_specs=[
            pl.BlockSpec((4, step), at("i", "k")),
            pl.BlockSpec((step, 3), at("k", "j")),
        ],
        out_specs=pl.BlockSpec((4, 3), at("i", "j")),
    )
    assert found == (inner,)


def test_products_of_what_is_computed_of_blocks():
    def kernel(x, y, out, total):
        @pl.when(pl.program_id(1) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        x = jnp.exp(x[...] / 10) + pl.program_id(1)
        total[...] += jax.lax.dot_general(x, y[...], (((1,), (1,)), ((), ())))
        out[...] = total[...] * 2

    wide = pl.BlockSpec((3, 4), lambda i, k: (0, k))
    out = pl.BlockSpec((2, 3), lambda i, k: (i, 0))
    settings = {"grid": (4, 3), "in_specs": [TILES, wide], "out_specs": out}
    found = summed_axes(
        kernel, struct(8, 3), X, X[:3], **settings, **memory(2, 3), rtol=1e-5
    )
    assert found == (1,)


def test_factors_that_are_the_same_in_all_steps():
    def kernel(x, y, out, total):
        @pl.when(pl.program_id(1) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += jnp.dot(x[...], y[...])
        total[...] += y[:2, :]
        out[...] = total[...]

    whole = pl.BlockSpec((4, 4), lambda i, k: (0, 0))
    settings = {**ROWS, "in_specs": [TILES, whole]}
    y = X[:4, 3:7]
    found = summed_axes(kernel, struct(8, 4), X, y, **settings, **memory(2, 4))
    assert found == (1,)


def test_sums_of_a_batch_are_sums_of_each():
    call = pl.pallas_call(add_up, struct(8, 4), **ROWS, **memory(2, 4))
    batch = np.stack([X, X + 1, X * 2])
    found = jax.vmap(call)(batch)
    np.testing.assert_allclose(found, [call(x) for x in batch], rtol=1e-6)


def _later(x, out, total):
    @pl.when(pl.program_id(1) == 1)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] = total[...] + x[...]
    out[...] = total[...]


def _often(x, out, total):
    @pl.when(pl.program_id(1) % 2 == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] += x[...]
    out[...] = total[...]


def _scaled(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] = total[...] * 0.5 + x[...]
    out[...] = total[...]


def _seen(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    out[...] = total[...]
    total[...] += x[...]


def _conditional(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    @pl.when(pl.program_id(1) < 2)
    def _():
        total[...] += x[...]

    out[...] = total[...]


def _kept(x, out, total):
    @pl.when(pl.program_id(1) == 0)
    def _():
        total[...] = jnp.zeros_like(total)
        out[...] = jnp.ones_like(out)

    total[...] += x[...]
    out[0:1, :] = total[0:1, :]


@pytest.mark.parametrize(
    "kernel", [_often, _scaled, _seen, _conditional, _kept], ids=lambda f: f.__name__
)
def test_what_is_no_sum_passes_from_step_to_step(kernel):
    assert summed_axes(kernel, struct(8, 4), X, **ROWS, **memory(2, 4)) == ()


def test_a_sum_that_begins_later_is_no_sum_of_all_steps():
    call = pl.pallas_call(_later, struct(8, 4), **ROWS, **memory(2, 4))
    wanted = X.reshape(8, 3, 4)[:, 1:].sum(1)
    np.testing.assert_allclose(call(X), wanted, rtol=1e-6)


def test_results_with_a_block_for_each_step_are_no_sums():
    def kernel(x, out, total):
        @pl.when(pl.program_id(1) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += x[...]
        out[...] = total[...]

    settings = {**ROWS, "out_specs": TILES}
    assert summed_axes(kernel, struct(8, 12), X, **settings, **memory(2, 4)) == ()


def test_terms_that_take_much_memory_are_added_one_by_one(monkeypatch):
    monkeypatch.setattr(step_groups, "_TIMES", 0)
    monkeypatch.setattr(step_groups, "_LARGEST", 100)
    assert summed_axes(add_up, struct(8, 4), X, **ROWS, **memory(2, 4)) == ()
