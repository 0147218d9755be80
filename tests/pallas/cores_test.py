"""Kernels on the cores of a mesh, and pipelines in kernels."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

TWO = pltpu.create_tensorcore_mesh("core", num_cores=2)
X = np.arange(24, dtype=np.float32).reshape(12, 2)


def kernel(body, out=X, mesh=TWO, **options):
    return pl.kernel(body, out, mesh=mesh, interpret=True, **options)


def half():
    return pl.ds(jax.lax.axis_index("core") * 6, 6)


def test_each_core_does_its_part():
    def body(x, out, own):
        pltpu.sync_copy(x.at[half()], own)
        own[...] *= jax.lax.axis_index("core").astype(jnp.float32) + 1
        pltpu.sync_copy(own, out.at[half()])

    scratch = pltpu.VMEM((6, 2), jnp.float32)
    wanted = X * np.repeat([1, 2], 6)[:, None]
    for given in ([scratch], {"own": scratch}):
        np.testing.assert_array_equal(kernel(body, scratch_types=given)(X), wanted)


def test_results_are_trees_like_their_types():
    def body(x, out):
        for part in out.values():
            part[...] = x[...]

    assert sorted(kernel(body, {"a": X, "b": X})(X)) == ["a", "b"]

    @pl.kernel(out_type=[X], mesh=TWO, interpret=True)
    def copy(x, out):
        out[...] = x[...]

    assert isinstance(copy(X), list)


@pytest.mark.parametrize("wrap", [jax.jit, lambda f: f])
def test_references_are_written_by_all_cores(wrap):
    def add(ref):
        ref[half()] += jax.lax.axis_index("core") + 1.0

    @wrap
    def passed(x):
        ref = jax.new_ref(x)
        kernel(add, ())(ref)
        return ref[...]

    @wrap
    def closed_over(x):
        ref = jax.new_ref(x)
        kernel(lambda: add(ref), ())()
        return ref[...]

    @wrap
    def mapped(x):
        ref = jax.new_ref(x)

        @pl.core_map(TWO, interpret=True)
        def _():
            add(ref)

        return ref[...]

    wanted = X + np.repeat([1, 2], 6)[:, None]
    for f in (passed, closed_over, mapped):
        np.testing.assert_array_equal(f(jnp.asarray(X)), wanted)


def test_jitted_functions_know_whether_an_axis_is_of_cores():
    where = jax.jit(lambda x: x + jax.lax.axis_index("core"))

    def body(x, out):
        i = jax.lax.axis_index("core")
        out[i] = where(x[i])

    x = jnp.zeros(2, jnp.int32)
    for _ in range(2):
        assert jax.vmap(where, axis_name="core")(x).tolist() == [0, 1]
        assert kernel(body, x)(x).tolist() == [0, 1]


def test_kernels_of_several_meshes_run_one_after_the_other():
    def first(x, out):
        out[...] = x[...]

    def second(x, out):
        out[half()] += jax.lax.axis_index("core") + 1.0

    found = kernel([first, second], mesh=[TWO, TWO])(X)
    np.testing.assert_array_equal(found, X + np.repeat([1, 2], 6)[:, None])


def test_the_first_core_and_barriers():
    def body(x, out):
        @pltpu.run_on_first_core("core")
        def _():
            out[...] = x[...] * 2

    np.testing.assert_array_equal(kernel(body)(X), X * 2)

    def meet(x, out):
        pltpu.core_barrier(None, core_axis_name="core")
        out[...] = x[...]

    one = pltpu.create_tensorcore_mesh("core", num_cores=1)
    np.testing.assert_array_equal(kernel(meet, mesh=one)(X), X)
    with pytest.raises(NotImplementedError, match="several cores"):
        kernel(meet)(X)


def rows(index_map=lambda i: (i, 0)):
    return pl.BlockSpec((3, 2), index_map)


@pytest.mark.parametrize("size", [12, 10])
def test_a_pipeline_has_a_grid_of_its_own(size):
    def outer(x, out):
        def inner(x, out):
            out[...] = x[...] * 2 + pl.program_id(0) + 10 * pl.num_programs(0)

        specs = {"in_specs": [rows()], "out_specs": rows()}
        pltpu.emit_pipeline(inner, grid=(4,), **specs)(x, out)

    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    found = pl.pallas_call(
        outer,
        jax.ShapeDtypeStruct((size, 2), jnp.float32),
        in_specs=[anywhere],
        out_specs=anywhere,
        interpret=True,
    )(X[:size])
    wanted = X * 2 + np.repeat(np.arange(4), 3)[:, None] + 40
    np.testing.assert_array_equal(found, wanted[:size])


def test_a_pipeline_adds_up_in_blocks_and_scratch():
    def outer(x, out, total):
        def inner(x, out, total):
            @pl.when(pl.program_id(0) == 0)
            def _():
                out[...] = jnp.zeros_like(out)
                total[0] = 0.0

            out[...] += x[...]
            total[0] += 1.0

        run = pltpu.emit_pipeline(
            inner, grid=(4,), in_specs=[rows()], out_specs=[rows(lambda i: (0, 0))]
        )
        run(x, out, scratches=[total])
        out[0, 0] = total[0]

    found = pl.pallas_call(
        outer,
        jax.ShapeDtypeStruct((3, 2), jnp.float32),
        scratch_shapes=[pltpu.SMEM((1,), jnp.float32)],
        interpret=True,
    )(X)
    wanted = X.reshape(4, 3, 2).sum(0)
    wanted[0, 0] = 4
    np.testing.assert_array_equal(found, wanted)


def test_cores_share_the_steps_of_a_pipeline():
    def outer(x, out, counts):
        def inner(x, out):
            out[...] = x[...] + jax.lax.axis_index("core")
            counts[jax.lax.axis_index("core")] += 1

        @pltpu.run_on_first_core("core")
        def _():
            counts[...] = jnp.zeros(2, jnp.int32)

        pltpu.emit_pipeline(
            inner,
            grid=(4,),
            in_specs=[rows()],
            out_specs=[rows()],
            core_axis_name="core",
            dimension_semantics=(pltpu.PARALLEL,),
        )(x, out)

    out, counts = kernel(outer, (X, jnp.zeros(2, jnp.int32)))(X)
    np.testing.assert_array_equal(out, X + np.repeat([0, 1], 6)[:, None])
    assert counts.tolist() == [2, 2]


def test_unwritten_memory_under_interpret_params():
    def nothing(*refs):
        pass

    kinds = [jax.ShapeDtypeStruct((2,), dtype) for dtype in ("float32", "int32")]
    for mode, wanted in [
        (pltpu.InterpretParams(), [np.nan, 2**31 - 1]),
        (pltpu.InterpretParams(uninitialized_memory="zero"), [0, 0]),
        (True, [np.nan, -(2**31)]),
    ]:
        found = pl.pallas_call(nothing, kinds, interpret=mode)()
        np.testing.assert_array_equal([x[0] for x in found], wanted)


def test_mistakes_with_cores():
    def body(x, out):
        out[...] = x[...]

    with pytest.raises(ValueError, match="a mesh for each body"):
        kernel(body, mesh=[TWO])
    with pytest.raises(ValueError, match="one mesh"):
        pl.kernel(mesh=[TWO])
    np.testing.assert_array_equal(pl.kernel(body, X, mesh=TWO)(X), X)
    with pytest.raises(ValueError, match="on cores returned"):
        kernel(lambda x, out: 1)(X)
    with pytest.raises(ValueError, match="give one"):
        pltpu.create_tensorcore_mesh("x", jax.devices(), 2)
    with pytest.raises(ValueError, match="not known"):
        pltpu.create_tensorcore_mesh("x")
    with pytest.raises(NameError, match="unbound"):
        jax.lax.axis_index("core")


@pytest.mark.parametrize("platform", ["tpu", "cuda"])
def test_functions_on_cores_are_refused_where_a_program_is_lowered_for(platform):
    def body(x, out):
        out[half()] = x[half()] * 2

    call = jax.jit(pl.kernel(body, X, mesh=TWO))
    with pytest.raises(ValueError, match=f"on platform: {platform}"):
        call.trace(X).lower(lowering_platforms=(platform,))
    call.trace(X).lower(lowering_platforms=("cpu",))

    def in_place(x):
        ref = jax.new_ref(x)

        @pl.core_map(TWO)
        def _():
            ref[half()] = ref[half()] * 2

        return ref[...]

    with pytest.raises(ValueError, match=f"on platform: {platform}"):
        jax.jit(in_place).trace(X).lower(lowering_platforms=(platform,))
