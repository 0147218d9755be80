"""Operations named after kernels in Mosaic's language for GPUs agree with their formulas."""

import functools
import itertools

import numpy as np
import pytest
from jax.experimental.pallas.ops.gpu import (
    all_gather_mgpu,
    attention_mgpu,
    blackwell_matmul_mgpu,
    blackwell_ragged_dot_mgpu,
    collective_matmul_mgpu,
    hopper_matmul_mgpu,
    hopper_mixed_type_matmul_mgpu,
    ragged_dot_mgpu,
    reduce_scatter_mgpu,
    transposed_ragged_dot_mgpu,
)

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import all_gather as tpu_all_gather
from jax.sharding import PartitionSpec as P

TOLERANCE = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 4e-3}


def normal(seed, *shape, dtype="float32"):
    values = np.random.RandomState(seed).randn(*shape)
    return jnp.asarray(values, jnp.float32).astype(dtype)


def close(got, expected, dtype="float32"):
    got, expected = (np.asarray(x, np.float64) for x in (got, expected))
    bound = TOLERANCE[dtype] * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


def wide(*arrays):
    return [np.asarray(x, np.float64) for x in arrays]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (5, 64, 3), (128, 32, 64)])
def test_products_and_their_derivatives(m, k, n, dtype):
    a, b, c = (
        normal(i, *s, dtype=dtype) for i, s in enumerate([(m, k), (k, n), (m, n)])
    )
    hopper = hopper_matmul_mgpu.TuningConfig(64, 64, 64, 2)
    blackwell = blackwell_matmul_mgpu.TuningConfig(128, 128, 64, 2, False)
    expected = np.matmul(*wide(a, b))
    close(hopper_matmul_mgpu.matmul(a, b, None, hopper), expected, dtype)
    close(hopper_matmul_mgpu.matmul(a, b, c, hopper), expected + wide(c)[0], dtype)
    close(blackwell_matmul_mgpu.matmul_kernel(a, b, blackwell), expected, dtype)
    slope = jax.grad(
        lambda a: hopper_matmul_mgpu.matmul(a, b, c, hopper).sum().astype(jnp.float32)
    )(a)
    close(slope, np.broadcast_to(wide(b)[0].sum(1), (m, k)), dtype)
    if dtype != "float32":
        narrow = jnp.asarray(np.random.RandomState(0).randint(-9, 9, (m, k)), jnp.int8)
        expected = np.matmul(*wide(narrow, b))
        mixed = hopper_mixed_type_matmul_mgpu
        options = {"out_dtype": dtype}
        got = mixed.mixed_matmul_kernel(narrow, b, config=hopper, **options)
        assert got.dtype == dtype
        close(got, expected, dtype)
        close(mixed.reference(narrow.astype(dtype), b, **options), expected, dtype)


def test_products_refuse_what_does_not_fit():
    a = jnp.zeros((4, 4))
    config = hopper_matmul_mgpu.TuningConfig(64, 64, 64, 2)
    matmul = hopper_matmul_mgpu.matmul
    for call, message in [
        (lambda: matmul(a, a.astype(jnp.float16), None, config), "incompatible dtypes"),
        (lambda: matmul(a, a[:2], None, config), "incompatible shapes"),
        (lambda: matmul(a, a, a[:2], config), "C has incompatible shape"),
        (
            lambda: hopper_mixed_type_matmul_mgpu.mixed_matmul_kernel(
                a, a, out_dtype=a.dtype, config=config
            ),
            "have the same dtype",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(NotImplementedError, match="works on GPUs only"):
        hopper_matmul_mgpu.main(None)


SIZES = [[5, 0, 3, 4], [12], [0, 0, 12]]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("sizes", SIZES)
def test_products_of_groups(sizes, dtype):
    group = np.repeat(np.arange(len(sizes)), sizes)
    given = jnp.asarray(sizes, jnp.int32)
    lhs, rhs = normal(0, 12, 8, dtype=dtype), normal(1, len(sizes), 8, 6, dtype=dtype)
    expected = np.einsum("mk,mkn->mn", wide(lhs)[0], wide(rhs)[0][group])
    blocks = {"block_m": 4, "block_n": 2, "block_k": 4}
    blocks |= {"max_concurrent_steps": 2, "grid_block_n": 1}
    config = blackwell_ragged_dot_mgpu.TuningConfig(128, 128, 64, 2, False, 1, 0)
    for got in (
        ragged_dot_mgpu.ragged_dot(lhs, rhs, group_sizes=given, **blocks),
        ragged_dot_mgpu.ragged_dot(
            lhs, rhs.swapaxes(1, 2), group_sizes=given, transpose_rhs=True, **blocks
        ),
        blackwell_ragged_dot_mgpu.ragged_dot_kernel(lhs, rhs, given, config),
    ):
        close(got, expected, dtype)
    columns = normal(2, 12, 6, dtype=dtype)
    each = np.stack(
        [
            wide(lhs)[0][group == g].T @ wide(columns)[0][group == g]
            for g in range(len(sizes))
        ]
    )
    transposed = transposed_ragged_dot_mgpu
    close(
        transposed.transposed_ragged_dot(lhs, columns, group_sizes=given, **blocks),
        each,
        dtype,
    )
    close(transposed.ref_transposed_ragged_dot(lhs, columns, given), each, dtype)
    with pytest.raises(ValueError, match="Expected group_sizes to have shape"):
        ragged_dot_mgpu.ragged_dot(lhs, rhs, group_sizes=given[:0], **blocks)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("tile", [3, 4, 5])
def test_steps_visit_all_rows_of_all_groups_once(sizes, tile):
    ends = np.cumsum(sizes)
    seen = []
    for step in range(12 // tile + 2 * len(sizes)):
        info = ragged_dot_mgpu.GroupInfo.create(jnp.asarray(sizes), tile, step)
        if int(info.actual_size) > 0:
            assert int(info.block_start) == int(info.block) * tile
            assert int(info.start_within_block) < tile
            rows = range(int(info.actual_start), int(info.actual_end))
            seen += [(row, int(info.group_id)) for row in rows]
    first = np.concatenate([[0], ends[:-1]])
    expected = [
        (row, g) for g, n in enumerate(sizes) for row in range(first[g], first[g] + n)
    ]
    assert seen == expected


def test_random_sizes_add_up():
    sample = blackwell_ragged_dot_mgpu.sample_group_sizes
    drawn = [sample(jax.random.key(i), 5, 100) for i in range(3)]
    assert all(d.shape == (5,) and int(d.sum()) == 100 for d in drawn)
    assert not np.array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("heads, kv_heads", [(2, 2), (4, 2), (3, 1)])
def test_attention_and_its_derivatives(heads, kv_heads, dtype):
    q = normal(0, 2, 7, heads, 8, dtype=dtype) / 3
    k, v = (normal(i, 2, 9, kv_heads, 8, dtype=dtype) for i in (1, 2))
    for causal in (False, True):
        config = attention_mgpu.TuningConfig(64, 64, 2, causal=causal)
        expected, logsum = np.zeros(q.shape), np.zeros((2, heads, 7))
        for b, h, t in itertools.product(range(2), range(heads), range(7)):
            last = t + 1 if causal else 9
            keys, values = (wide(x)[0][b, :last, h * kv_heads // heads] for x in (k, v))
            shares = np.exp(keys @ wide(q)[0][b, t, h])
            expected[b, t, h] = shares @ values / shares.sum()
            logsum[b, h, t] = np.log2(shares.sum())
        out, (found,) = attention_mgpu.attention(q, k, v, config, True)
        assert out.dtype == dtype
        close(out, expected, dtype)
        close(found, logsum, dtype)
        close(
            attention_mgpu.attention_with_pipeline_emitter(q, k, v, config), out, dtype
        )
        if dtype == "float32":
            ct = normal(3, *q.shape)
            call = lambda q, c=config, ct=ct: (  # noqa: E731
                (attention_mgpu.attention(q, k, v, c) * ct).sum()
            )
            step, direction = 1e-2, normal(4, *q.shape)
            up, down = (float(call(q + s * step * direction)) for s in (1, -1))
            slope = float(jnp.vdot(jax.grad(call)(q), direction))
            np.testing.assert_allclose(
                (up - down) / (2 * step), slope, rtol=2e-2, atol=2e-2
            )


def test_attention_refuses_what_does_not_fit():
    q = jnp.zeros((1, 4, 4, 8), jnp.float16)
    config = attention_mgpu.TuningConfig(64, 64, 2)
    for args, message in [
        ((q[0], q, q), "should all be 4D"),
        ((q, q[:, :, :3], q[:, :, :3]), "do not fit"),
        ((q, q, q.astype(jnp.float32)), "same dtype"),
    ]:
        with pytest.raises(ValueError, match=message):
            attention_mgpu.attention(*args, config)
    for sizes, message in [
        ((63, 64, 2), "must be a multiple of 64"),
        ((64, 64, 1), "must be at least 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            attention_mgpu.TuningConfig(*sizes)
    with pytest.raises(ValueError, match="all be specified"):
        attention_mgpu.TuningConfig(64, 64, 2, block_q_dkv=64)


needs_devices = pytest.mark.skipif(jax.device_count() < 4, reason="needs four devices")


def on_parts(call, x, out=P("x")):
    mesh = jax.make_mesh((4,), ("x",))
    run = jax.shard_map(
        call, mesh=mesh, in_specs=P("x"), out_specs=out, check_vma=False
    )
    return np.asarray(jax.jit(run)(jax.device_put(x, jax.NamedSharding(mesh, P("x")))))


@needs_devices
@pytest.mark.parametrize("dimension", [0, 1, -1])
def test_parts_are_gathered(dimension):
    x = np.arange(48.0).reshape(8, 6)
    call = functools.partial(
        all_gather_mgpu.all_gather, axis_name="x", gather_dimension=dimension
    )
    expected = np.concatenate(np.split(x, 4), dimension)
    np.testing.assert_array_equal(on_parts(call, x, P()), expected)


@needs_devices
@pytest.mark.parametrize("name", ["add", "min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("dimension", [0, 1, None])
def test_arrays_are_combined_and_split(name, dimension):
    x = np.random.RandomState(0).randint(0, 99, (16, 8)).astype(np.int32)
    combine = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[name]
    whole = combine.reduce(np.stack(np.split(x, 4)))
    call = functools.partial(
        reduce_scatter_mgpu.reduce_scatter,
        axis_name="x",
        scatter_dimension=dimension,
        reduction=name,
    )
    out = {0: P("x"), 1: P(None, "x"), None: P()}[dimension]
    np.testing.assert_array_equal(on_parts(call, x, out), whole)


@needs_devices
def test_rows_of_all_devices_are_multiplied():
    x, y = normal(0, 8, 16), normal(1, 16, 5)
    config = collective_matmul_mgpu.TuningConfig(64, 64, 64, 2)
    call = functools.partial(
        collective_matmul_mgpu.all_gather_lhs_matmul,
        axis_name="x",
        config=config,
        dtype=jnp.float32,
    )
    close(on_parts(lambda part: call(part, y), x, P()), np.matmul(*wide(x, y)))


@needs_devices
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_kernel_gathers_on_a_ring(count):
    mesh = jax.make_mesh((count,), ("x",), devices=jax.devices()[:count])
    x = np.arange(32.0 * count).reshape(8 * count, 4)
    placed = jax.device_put(x, jax.NamedSharding(mesh, P("x")))
    got = tpu_all_gather.all_gather(placed, mesh=mesh, axis_name="x")
    np.testing.assert_array_equal(got, x)
    assert count == 1 or got.sharding.is_fully_replicated
    with pytest.raises(NotImplementedError, match="Only one axis"):
        tpu_all_gather.all_gather(placed, mesh=mesh, axis_name=("x", "x"))
