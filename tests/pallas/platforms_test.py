"""What is named after platforms: moving elements, chips, compilers of others, refusals."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton as plgpu
from jax.extend import pallas as extended

X = np.arange(24, dtype=np.float32).reshape(6, 4)


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_rolls(axis):
    np.testing.assert_array_equal(pltpu.roll(X, 5, axis), np.roll(X, 5, axis))
    other = 1 - axis % 2
    lines = np.moveaxis(X, other, 0)
    wanted = [np.roll(line, 1 + 2 * i) for i, line in enumerate(lines)]
    found = jax.jit(lambda n: pltpu.roll(X, n, axis, stride=2, stride_axis=other))(1)
    np.testing.assert_array_equal(np.moveaxis(found, other, 0), np.stack(wanted))


@pytest.mark.parametrize("narrow", [jnp.int16, jnp.uint8, jnp.bfloat16])
def test_bits_of_the_last_axis_but_one_are_taken_apart_and_put_together(narrow):
    ratio = 4 // jnp.dtype(narrow).itemsize
    found = pltpu.bitcast(X, narrow)
    assert found.shape == (6 * ratio, 4)
    columns = X.T.copy().view(np.dtype(f"u{4 // ratio}"))
    bits = np.asarray(found).view(np.dtype(f"u{4 // ratio}"))
    np.testing.assert_array_equal(bits, columns.T)
    np.testing.assert_array_equal(pltpu.bitcast(found, jnp.float32), X)
    np.testing.assert_array_equal(pltpu.bitcast(X, jnp.int32), X.view(np.int32))


def test_axes_are_split_moved_and_merged():
    assert pltpu.einshape("ab->ba", X).tolist() == X.T.tolist()
    found = pltpu.einshape("a(bc)->c(ab)", X, b=2)
    wanted = X.reshape(6, 2, 2).transpose(2, 0, 1).reshape(2, 12)
    np.testing.assert_array_equal(found, wanted)


def test_products_for_triton():
    a, b = jnp.ones((3, 4), jnp.bfloat16), jnp.ones((2, 4), jnp.bfloat16)
    found = plgpu.dot(a, b, trans_b=True)
    assert found.dtype == jnp.float32 and found.tolist() == [[4.0] * 2] * 3
    n = jnp.ones((4, 3), jnp.int8)
    assert plgpu.dot(n, n, trans_a=True).dtype == jnp.int32
    assert plgpu.CompilerParams(num_warps=4) == plgpu.CompilerParams(4, None)


def test_numbers_of_chips():
    info = pltpu.get_tpu_info_for_chip(pltpu.ChipVersion.TPU_V5P, 2)
    assert info.is_megacore and not info.is_split_chip and not info.is_lite
    assert (info.num_cores, info.vmem_capacity_bytes) == (2, 64 << 20)
    assert [info.get_sublane_tiling(d) for d in (jnp.float32, jnp.int8)] == [8, 32]
    assert info.is_matmul_supported(jnp.int8, jnp.int8)
    assert not info.is_matmul_supported(jnp.float32, jnp.int8)
    for version in pltpu.ChipVersion:
        assert pltpu.get_tpu_info_for_chip(version, 1).num_lanes == 128
    with pytest.raises(ValueError, match="TPU_V5E"):
        pltpu.get_tpu_info_for_chip(pltpu.ChipVersion.TPU_V5E, 2)
    assert not pltpu.is_tpu_device()
    with pytest.raises(ValueError, match="do not run on TPUs"):
        pltpu.get_tpu_info()


def test_blocks_of_random_numbers_are_parts_of_one_array():
    key, draw = jax.random.key(0), jax.random.uniform
    whole = pltpu.sample_block(draw, key, (32, 16), (8, 8), (32, 16), (0, 0))
    part = pltpu.sample_block(draw, key, (16, 8), (8, 8), (32, 16), (1, 1))
    np.testing.assert_array_equal(part, whole[16:, 8:])
    tile = draw(jax.random.fold_in(key, 2 * 2 + 1), (8, 8))
    np.testing.assert_array_equal(part[:8], tile)

    def kernel(key, out):
        out[...] = pltpu.sample_block(draw, key[...], (16, 8), (8, 8), (32, 16))

    blocks = pl.BlockSpec((16, 8), lambda i, j: (i, j))
    call = pl.pallas_call(
        kernel, struct(32, 16), grid=(2, 2), out_specs=blocks, interpret=True
    )
    np.testing.assert_array_equal(call(key), whole)
    with pytest.raises(ValueError, match="whole tiles"):
        pltpu.sample_block(draw, key, (12, 8), (8, 8), (32, 16), (0, 0))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pltpu.prng_seed(1), "pltpu.prng_seed"),
        (lambda: pltpu.prng_random_bits((8,)), "pltpu.prng_random_bits"),
        (
            lambda: pltpu.pack_elementwise([X], packed_dtype=jnp.int8),
            "pack_elementwise",
        ),
        (lambda: pl.delay(1), "pl.delay"),
        (lambda: pl.get_global(pltpu.VMEM((2,), jnp.float32)), "pl.get_global"),
        (lambda: plgpu.debug_barrier(), "plgpu.debug_barrier"),
        (lambda: pl.pallas_export_experimental(True), "not known"),
    ],
)
def test_what_only_some_hardware_has_refuses(call, text):
    with pytest.raises(NotImplementedError, match=text):
        call()


def test_refusals_have_the_parameters_of_the_functions():
    with pytest.raises(TypeError, match="packed_dtype"):
        pltpu.pack_elementwise([X])


def test_programs_with_kernels_as_text():
    def double(x, out):
        out[...] = x[...] * 2

    call = pl.pallas_call(double, struct(8), interpret=True)
    assert "stablehlo" in pl.lower_as_mlir(call, struct(8), platforms=["cpu"])
    compiled = pl.pallas_call(double, struct(8))
    for platform in ("tpu", "cuda"):
        with pytest.raises(ValueError, match=f"on platform: {platform}"):
            pl.lower_as_mlir(compiled, struct(8), platforms=[platform])


def test_compilers_of_kernels_register_by_the_class_of_their_settings():
    class Here:
        pass

    class TpuOnly:
        pass

    def rule(ctx, x, *, grid_mapping, jaxpr, written, **params):
        assert isinstance(grid_mapping, extended.GridMapping) and written == (1,)
        return [x]

    def kernel(x, out):
        out[...] = x[...] * 2

    extended.register_lowering_rule(Here, rule, "cpu")
    extended.register_lowering_rule(TpuOnly, rule, "tpu")
    x = jnp.arange(3.0)

    def run(settings):
        return pl.pallas_call(kernel, x, compiler_params=settings)(x)

    if jax.default_backend() == "cpu":
        assert run(Here()).tolist() == x.tolist()
        with pytest.raises(ValueError, match="for +tpu"):
            run(TpuOnly())
    with pytest.raises(ValueError, match="a compiler of kernels already"):
        extended.register_lowering_rule(Here, rule, "cpu")


def test_a_traced_call_distinguishes_its_operands():
    def kernel(which, x, out, own):
        out[...] = x[...] * which[0]

    half = pl.BlockSpec((2,), lambda i, which: i)
    spec = pltpu.PrefetchScalarGridSpec(
        1, (2,), [half], half, [pltpu.VMEM((2,), jnp.float32)]
    )
    call = pl.pallas_call(kernel, struct(4), grid_spec=spec, interpret=True)
    jaxpr = jax.make_jaxpr(call)(jnp.ones(1, jnp.int32), jnp.ones(4))
    (eqn,) = jaxpr.eqns
    mapping = eqn.params["grid_mapping"]
    assert (mapping.static_grid, mapping.num_scratch_operands) == ((2,), 1)
    operands = ["which", "x", "out", "own"]
    assert operands[mapping.slice_index_ops] == ["which"]
    assert operands[mapping.slice_block_ops] == ["x", "out"]
    assert operands[mapping.slice_scratch_ops] == ["own"]
    for shapes in (mapping.in_shapes, mapping.out_shapes):
        assert [(x.shape, x.dtype) for x in shapes] == [((4,), jnp.float32)]


def test_settings_report_what_follows_from_them():
    params = pltpu.InterpretParams(num_cores_or_threads=2, vector_clock_size=3)
    assert params.num_cores_per_device == 2
    assert params.get_vector_clock_size(1) == 3
    assert pltpu.InterpretParams().get_vector_clock_size(3) == 6
    with pytest.raises(ValueError, match="too few clocks"):
        params.get_vector_clock_size(2)
    cores = [v.num_physical_tensor_cores_per_chip for v in pltpu.ChipVersion]
    assert cores == [2, 2, 1, 2, 1, 2, 1, 2, 2, 2]
