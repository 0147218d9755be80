"""Kernels for GPUs in Mosaic's language: layouts, memory and loops are real, instructions refuse."""

import inspect

import numpy as np
import pytest
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.mosaic.gpu import fragmented_array as fa, profiler, tcgen05, utils

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

LAYOUTS = [
    mgpu.WGMMA_LAYOUT,
    mgpu.WGMMA_LAYOUT_8BIT,
    mgpu.WGMMA_LAYOUT_UPCAST_2X,
    mgpu.WGMMA_LAYOUT_UPCAST_4X,
    mgpu.WGMMA_TRANSPOSED_LAYOUT,
    mgpu.TCGEN05_LAYOUT,
    mgpu.TCGEN05_TRANSPOSED_LAYOUT,
    mgpu.TMEM_NATIVE_LAYOUT,
    tcgen05.fa_m64_collective_layout(128),
    tcgen05.tmem_half_lane_layout(64),
]


def test_tiling_an_index_is_reversible_and_agrees_with_strides():
    tiling = fa.Tiling(((64, 8), (16, 8), (8, 8), (2,)))
    shape, strides = (3, 128, 16), (2048, 16, 1)
    assert tiling.tile_shape(shape) == (3, 2, 2, 4, 1, 2, 1, 8, 4, 2)
    assert tiling.untile_shape(tiling.tile_shape(shape)) == shape
    tiled_strides = tiling.tile_strides(strides)
    for index in [(0, 0, 0), (1, 70, 9), (2, 127, 15)]:
        tiled = tiling.tile_indices(index)
        assert tiling.untile_indices(tiled) == index
        assert np.dot(tiled, tiled_strides) == np.dot(index, strides)


def test_tilings_without_a_dimension_and_without_idle_tiles():
    tiling = fa.Tiling(((64, 8), (16, 8), (8, 8), (2,)))
    assert tiling.remove_dimension(0).tiles == ((8,), (8,), (8,), (2,))
    assert tiling.remove_dimension(0).canonicalize().tiles == ((8,), (2,))
    assert tiling.remove_dimension(1).tiles == ((64,), (16,), (8,))
    with pytest.raises(ValueError, match="does not apply to shape"):
        tiling.tile_shape((60, 8))
    with pytest.raises(ValueError, match="Tiles must have a decreasing rank"):
        fa.Tiling(((8,), (2, 2)))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_layouts_hold_each_element_and_survive_reductions(layout):
    shape = tuple(2 * size for size in layout.base_tile_shape)
    registers = layout.registers_shape(shape)
    assert np.prod(registers) * layout.vector_length * 128 == np.prod(shape)
    assert layout.shape_from_registers_shape(registers) == shape
    assert layout.canonicalize() == layout == type(layout)(**vars(layout))
    for axis in (0, 1):
        reduced = layout.reduce((axis,))
        assert len(reduced.base_tile_shape) == 1
        rest = reduced.base_tile_shape[0] // reduced.vector_length
        assert 128 // reduced.replication_factor <= rest


def test_reduced_layouts_are_those_of_rows_and_columns():
    rows = plgpu.Layout.WGMMA.reduce(1).to_mgpu()
    assert rows == mgpu.WGMMA_ROW_LAYOUT
    assert repr(rows) == (
        "TiledLayout(tiling=Tiling(tiles=((64,), (16,), (8,), (1,))), warp_dims=(-4,), "
        "lane_dims=(-2, Replicated(times=4)), vector_dim=-1)"
    )
    assert plgpu.Layout.WGMMA.reduce(0).to_mgpu() == mgpu.WGMMA_COL_LAYOUT
    assert plgpu.Layout.WG_STRIDED((2, 128), vec_size=2).to_mgpu() == (
        mgpu.WGStridedFragLayout((2, 128), 2)
    )
    assert plgpu.Layout.WG_SPLAT((4,)).to_mgpu().can_broadcast_to((3, 4))
    with pytest.raises(ValueError, match="Can't instantiate"):
        plgpu.Layout.WGMMA(1).to_mgpu()
    with pytest.raises(ValueError, match="Only TiledLayout supports reductions"):
        plgpu.Layout.WG_STRIDED((2, 128), 2).reduce(1).to_mgpu()
    with pytest.raises(ValueError, match="does not equal the warp size"):
        fa.TiledLayout(mgpu.WGMMA_LAYOUT.tiling, (-7,), (-3,), -1)


def test_memory_has_layouts_by_its_shape_and_refuses_what_it_cannot_hold():
    smem = plgpu.SMEM((2, 3), jnp.float32, transforms=(plgpu.TilingTransform((1, 3)),))
    assert (smem.shape, smem.dtype) == ((2, 3), np.float32)
    assert smem.memory_space is plgpu.SMEM is plgpu.MemorySpace("smem")
    assert plgpu.TMEM((128, 128), jnp.float32).layout == tcgen05.tmem_default_layout(1)
    half = plgpu.TMEM((64, 128), jnp.bfloat16, packed=True)
    assert half.layout == tcgen05.tmem_half_lane_layout(128, 2)
    both = plgpu.TMEM((64, 128), jnp.float32, collective=True)
    assert both.layout == plgpu.TMEMLayout.M64_COLLECTIVE_LAYOUT(128).to_mgpu()
    union = plgpu.RefUnion(smem, plgpu.SMEM((4,), jnp.float64))
    assert (union.shape, union.dtype) == ((32,), np.int8)
    for wrong, message in [
        (lambda: plgpu.TMEM((128,), jnp.float32), "2D shapes"),
        (lambda: plgpu.TMEM((32, 8), jnp.float32), "128 or 64 rows"),
        (lambda: plgpu.TMEM((128, 8), jnp.int8), "packed argument"),
        (lambda: plgpu.SMEM((2,), jnp.float32, packed=True), "only supported for TMEM"),
        (lambda: plgpu.Barrier(num_arrivals=0), "at least 1"),
        (lambda: plgpu.SwizzleTransform(31), "Only 32, 64 and 128"),
        (lambda: plgpu.Mesh(num_threads=2), "both set or both None"),
        (lambda: plgpu.Mesh(grid=(2,)), "same length as grid"),
        (lambda: plgpu.CompilerParams(profile_space=1), "or neither"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()


def test_transforms_of_shapes_strides_and_batches():
    tile = mgpu.TileTransform((8, 64))
    assert tile.transform_shape((64, 128)) == (8, 2, 8, 64)
    assert tile.transform_strides((128, 1)) == (1024, 64, 128, 1)
    swap = mgpu.TransposeTransform((1, 0))
    assert swap.transform_shape((3, 4)) == swap.transform_index((3, 4)) == (4, 3)
    assert swap.batch(1) == mgpu.TransposeTransform((0, 2, 1))
    assert plgpu.CopyPartition.PARTITIONED(0).axis == 0
    assert utils.tile_shape((4, 6), (2, 3)) == (2, 2, 2, 3)
    assert utils.reduce_shape((2, 3, 4), (1,), True) == (2, 1, 4)
    part = utils.Partition((8, 8), partition=(0, None), num_chunks=(2,))
    assert part.target_block_shape == (4, 8)
    assert part.get_base(1) == [4, 0]


def test_planar_snake_visits_each_tile_once_and_by_neighbours():
    shape, seen = (4, 6), []
    for step in range(24):
        seen.append(tuple(int(i) for i in plgpu.planar_snake(step, shape, 0, 2)))
    assert sorted(seen) == [(i, j) for i in range(4) for j in range(6)]
    for step in range(0, 22, 2):
        moved = np.abs(np.subtract(seen[step], seen[step + 2]))
        assert moved.sum() <= 2


def test_find_swizzle_takes_the_widest_that_divides():
    bits = (128, 256, 384, 512, 768, 1024, 1536)
    assert [plgpu.find_swizzle(b) for b in bits] == [16, 32, 16, 64, 32, 128, 64]
    with pytest.raises(ValueError, match="No valid out swizzle for lhs"):
        plgpu.find_swizzle(100, "lhs")


@pytest.mark.parametrize("tiling", [None, (1, 2), (3, 4)])
def test_nd_loop_shares_the_steps_of_a_grid(tiling):
    def count(_):
        @plgpu.nd_loop(
            (3, 4), collective_axes="i", tiling=tiling, init_carry=jnp.zeros((3, 4))
        )
        def seen(info, carry):
            return carry.at[info.index].add(1 + info.local_index)

        return seen

    per_thread = jax.vmap(count, axis_name="i")(jnp.arange(5))
    np.testing.assert_array_equal((per_thread > 0).sum(0), np.ones((3, 4)))
    np.testing.assert_array_equal((per_thread > 0).sum((1, 2)), [3, 3, 2, 2, 2])


def test_kernels_with_specifications_for_gpus_are_interpreted():
    def double(x, o):
        o[...] = plgpu.layout_cast(plgpu.load(x, ()), plgpu.Layout.WGMMA) * 2

    spec = plgpu.BlockSpec((2,), lambda i: (i,), memory_space=plgpu.SMEM)
    x = jnp.arange(4.0)
    doubled = pl.pallas_call(
        double,
        grid=(2,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=x,
        compiler_params=plgpu.CompilerParams(max_concurrent_steps=2),
        interpret=True,
    )(x)
    np.testing.assert_array_equal(doubled, 2 * x)
    made = plgpu.kernel(double, out_shape=x, interpret=True)
    np.testing.assert_array_equal(made(x), 2 * x)
    np.testing.assert_array_equal(plgpu.kernel(double, out_type=x)(x), 2 * x)
    with pytest.raises(ValueError, match="mean the same"):
        plgpu.kernel(double, out_type=x, out_shape=x)


@pytest.mark.parametrize(
    "call",
    [
        lambda: plgpu.barrier_wait(None),
        lambda: plgpu.inline_mgpu(arg_types=())(lambda ctx: None)(1),
        lambda: plgpu.tcgen05_mma(None, None, None, accumulate=False),
        lambda: plgpu.copy_gmem_to_smem(None, None, None),
        lambda: mgpu.warpgroup_barrier(),
        lambda: mgpu.as_gpu_kernel(None, (), (), (), (), ()),
        lambda: utils.bitcast(None, None),
        lambda: mgpu.FragmentedArray.splat(0, (4,)),
        lambda: tcgen05.commit_tmem(),
    ],
)
def test_instructions_of_gpus_refuse_with_the_reason(call):
    with pytest.raises(NotImplementedError, match="works on GPUs only"):
        call()


def test_refusing_functions_have_their_parameters():
    assert list(inspect.signature(plgpu.copy_gmem_to_smem).parameters) == [
        "src",
        "dst",
        "barrier",
        "collective_axes",
        "leader_tracked",
        "oob_mode",
    ]
    with pytest.raises(TypeError, match="missing a required argument"):
        plgpu.barrier_wait()


def test_measuring_kernels_needs_a_gpu_when_the_function_runs():
    measured = profiler.measure(lambda x: x + 1)
    with pytest.raises(RuntimeError, match="CUPTI profiling is not supported"):
        measured(1.0)
    with pytest.raises(ValueError, match="must be positive"):
        profiler.Cupti().measure(lambda x: x, iterations=0)
    assert profiler.ProfilerSpec(64).smem_bytes((128, 1, 1)) == 256
