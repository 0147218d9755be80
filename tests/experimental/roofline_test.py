"""What programs need, as counted by hand and by upstream 0.10.2."""

import logging

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import roofline as rl
from jax.extend.core import Primitive
from jax.sharding import AbstractMesh, PartitionSpec as P


def floats(*shape):
    return jnp.ones(shape, jnp.float32)


def halves(*shape):
    return jnp.ones(shape, jnp.bfloat16)


def numbers(result):
    return (
        result.flops,
        result.unfused_flops,
        result.hbm_bytes,
        result.peak_hbm_bytes,
        result.unfused_hbm_bytes,
    )


def conv(*settings, **options):
    return lambda x, w: lax.conv_general_dilated(x, w, *settings, **options)


X = floats(3, 5)
# Function, arguments, and upstream's flops, unfused flops, bytes, peak, unfused bytes.
CASES = {
    "products": (
        lambda x, y: x @ y,
        (halves(4, 5), halves(5, 6)),
        (240, 240, 148, 100, 148),
    ),
    "batches": (
        lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))),
        (floats(3, 4, 5), floats(3, 5, 6)),
        (720, 720, 888, 600, 888),
    ),
    "a layer": (
        lambda x, w: jnp.tanh(x @ w).sum(),
        (floats(8, 16), floats(16, 4)),
        (1024, 1055, 896, 768, 1028),
    ),
    "layers": (
        lambda x, w, v: jax.nn.relu(x @ w) @ v,
        (floats(8, 16), floats(16, 32), floats(32, 2)),
        (9216, 9472, 4928, 2816, 6980),
    ),
    "exp": (jnp.exp, (X,), (0, 15, 0, 60, 120)),
    "is_finite": (lax.is_finite, (X,), (0, 15, 0, 60, 75)),
    "real": (lax.real, (X.astype(jnp.complex64),), (0, 15, 0, 120, 180)),
    "tanh": (lax.tanh, (X,), (0, 0, 0, 60, 0)),
    "mul": (lax.mul, (X, X + 1), (0, 15, 0, 120, 180)),
    "eq": (lax.eq, (X, X + 1), (0, 15, 0, 120, 135)),
    "pow": (lax.pow, (X, X + 1), (0, 0, 0, 120, 0)),
    "cumsum": (lambda x: lax.cumsum(x, axis=1), (X,), (0, 5, 0, 60, 120)),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, axis=1), (X,), (0, 10, 0, 60, 120)),
    "sums": (lambda x: x.sum(1), (X,), (0, 12, 0, 60, 72)),
    "select": (lax.select_n, (X > 0, X, X + 1), (0, 15, 0, 135, 75)),
    "select by one": (lax.select_n, (jnp.bool_(True), X, X + 1), (0, 15, 0, 121, 61)),
    "conv": (
        conv((1, 1), "SAME"),
        (floats(1, 2, 8, 8), floats(3, 2, 3, 3)),
        (0, 5808, 0, 768, 1496),
    ),
    "dilated": (
        conv((1, 2), [(1, 2), (0, 1)], lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
        (floats(2, 4, 9, 8), floats(3, 4, 3, 3)),
        (0, 9984, 0, 2736, 4032),
    ),
    "groups of features": (
        conv((1, 1), "SAME", feature_group_count=2),
        (floats(2, 4, 6, 6), floats(6, 2, 3, 3)),
        (0, 12288, 0, 1728, 3312),
    ),
    "groups of batches": (
        conv((1, 1), "SAME", batch_group_count=2),
        (floats(4, 4, 6, 6), floats(6, 4, 3, 3)),
        (0, 24576, 0, 3168, 4896),
    ),
    "channels last": (
        conv((1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        (floats(2, 6, 6, 4), floats(3, 3, 4, 5)),
        (0, 20480, 0, 1872, 3312),
    ),
    "jit": (lambda x: jax.jit(jnp.exp)(x) + 1, (X,), (0, 30, 0, 60, 244)),
    "scan": (
        lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(5), x),
        (X,),
        (0, 10, 0, 80, 120),
    ),
    "remat": (
        lambda x: jax.checkpoint(lambda y: jnp.sin(y) * y)(x),
        (X,),
        (0, 30, 0, 120, 300),
    ),
    "softmax": (jax.nn.softmax, (X,), (0, 60, 0, 72, 484)),
    "several": (lambda x: (x * 2, x + 1, jnp.sin(x * 2)), (X,), (0, 60, 0, 180, 492)),
    "unused": (lambda x, y: x * 2, (X, floats(9)), (0, 15, 0, 60, 124)),
    "nothing": (lambda x: x, (floats(3),), (0, 0, 0, 12, 0)),
    "twice": (lambda x: x @ x.T @ x, (floats(4, 4),), (256, 256, 384, 128, 384)),
    "callback": (
        lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((3,), np.float32), x),
        (floats(3),),
        (0, 0, 0, 12, 24),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_programs_count_as_upstream(name):
    f, args, wanted = CASES[name]
    shapes, found = rl.roofline(f)(*args)
    assert numbers(found) == wanted
    assert jax.tree.map(lambda s: (s.shape, s.dtype), shapes) == jax.tree.map(
        lambda s: (s.shape, s.dtype), jax.eval_shape(f, *args)
    )


def test_rows_that_are_read_and_written():
    x, indices, rows = floats(7, 5), jnp.arange(4)[:, None], floats(4, 5)
    dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
    for mode, flops in (("fill", 4 * 4 + 20), ("clip", 0), ("promise_in_bounds", 0)):
        read = lambda x, i: lax.gather(x, i, dims, (1, 5), mode=mode)  # noqa: B023, E731
        found = rl.roofline(read)(x, indices)[1]
        assert found.unfused_flops == flops
        assert found.unfused_hbm_bytes == 2 * 80 + 16
    dims = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    for write, flops in (
        (lax.scatter_add, 20),
        (lax.scatter_max, 20),
        (lax.scatter, 0),
    ):
        add = lambda x, i, u: write(x, i, u, dims)  # noqa: B023, E731
        found = rl.roofline(add)(x, indices, rows)[1]
        assert (found.unfused_flops, found.unfused_hbm_bytes) == (flops, 3 * 80 + 16)


def test_operands_that_stay():
    x, w = floats(8, 16), floats(16, 4)
    for pins, moved in (((1, 0), 256), ((0, 1), 640), ((1, 1), 0), ((0, 0), 896)):
        pinned = rl.roofline(jnp.dot, pin_lhs_in_vmem=pins[0], pin_rhs_in_vmem=pins[1])
        found = pinned(x, w)[1]
        assert found.hbm_bytes == found.unfused_hbm_bytes == moved
        assert found.flops == 1024


def test_gradients():
    shapes, found = rl.roofline(jnp.dot, vjp=True)(halves(8, 16), halves(16, 4))
    assert [s.shape for s in shapes] == [(8, 16), (16, 4)]
    assert numbers(found) == (3072, 3072, 1344, 448, 1344)
    found = rl.roofline(lambda d: {"r": d["a"] * d["b"]}, vjp=True)(
        {"a": halves(3), "b": halves(3)}
    )[1]
    assert found.unfused_flops == 9
    # Other dtypes too.
    assert rl.roofline(jnp.dot, vjp=True)(floats(8, 16), floats(16, 4))[1].flops == 3072


MESH = AbstractMesh((2, 4), ("x", "y"))
CUBE = AbstractMesh((2, 2, 2), ("x", "y", "z"))


def on_device(f, spec=P("x", "y"), mesh=MESH):
    return rl.roofline(f, mesh, spec, spec)(halves(16, 32))[1]


@pytest.mark.parametrize(
    ("axes", "mesh", "spec", "sent", "steps"),
    [
        ("x", MESH, P("x", "y"), 128, 4),
        ("y", MESH, P("x", "y"), 192, 8),
        (("x", "y"), MESH, P("x", "y"), 112, 16),
        (("x", "y", "z"), CUBE, P(None, None), 588, 12),
        (("x", "z"), CUBE, P(None, None), 768, 8),
    ],
)
def test_sums_over_devices(axes, mesh, spec, sent, steps):
    found = on_device(lambda x: lax.psum(x, axes), spec, mesh)
    names = (axes,) if isinstance(axes, str) else axes
    assert found.ici_bytes == dict.fromkeys(names, sent)
    assert found.ici_latency == dict.fromkeys(names, steps)
    assert found.hbm_bytes == found.unfused_hbm_bytes == 0


@pytest.mark.parametrize(
    ("name", "axes", "sent", "steps"),
    [
        ("pmax", "x", 2, 2),
        ("pmin", "y", 6, 4),
        ("pmax", ("x", "y"), 7, 8),
        ("all_gather", "x", 128, 2),
        ("all_gather", ("x", "y"), 448, 8),
        ("psum_scatter", "x", 512, 2),
        ("psum_scatter", ("x", "y"), 448, 8),
        ("all_to_all", "x", 1024, 1),
        ("all_to_all", "y", 1024, 2),
        ("all_to_all", ("x", "y"), 2048, 3),
    ],
)
def test_exchanges(name, axes, sent, steps):
    calls = {
        "all_gather": lambda x: lax.all_gather(x, axes, tiled=True),
        "psum_scatter": lambda x: lax.psum_scatter(x, axes, tiled=True),
        "all_to_all": lambda x: lax.all_to_all(x, axes, 0, 1, tiled=True),
    }
    whole = name in ("psum_scatter", "all_to_all")
    f = calls.get(name, lambda x: getattr(lax, name)(x, axes))
    given = P(None, None) if whole else P("x", "y")
    found = rl.roofline(f, MESH, given, P("x", "y"))(halves(16, 32))[1]
    names = (axes,) if isinstance(axes, str) else axes
    assert found.ici_bytes == dict.fromkeys(names, sent)
    assert found.ici_latency == dict.fromkeys(names, steps)


@pytest.mark.parametrize(
    ("axes", "perm", "sent", "steps"),
    [
        ("x", [(0, 1), (1, 0)], 256, 1),
        ("y", [(0, 1), (1, 2), (2, 3), (3, 0)], 128, 1),
        ("y", [(0, 2), (1, 3)], 256, 2),
        ("y", [(0, 3)], 128, 1),
        ("y", [(0, 2), (1, 3), (2, 0), (3, 1)], 256, 2),
        ("y", [(0, 0), (1, 1)], 0, 0),
        ("y", [], 0, 0),
        (("x", "y"), [(0, 5), (1, 6), (2, 3)], 128, 2),
        (("x", "y"), [(i, (i + 1) % 8) for i in range(8)], 256, 2),
    ],
)
def test_messages(axes, perm, sent, steps):
    found = on_device(lambda x: lax.ppermute(x, axes, perm))
    names = (axes,) if isinstance(axes, str) else axes
    assert found.ici_bytes == dict.fromkeys(names, sent)
    assert found.ici_latency == dict.fromkeys(names, steps)


def test_a_function_and_its_gradients_on_a_device():
    counting = rl.roofline_and_grad(
        jnp.dot, MESH, (P("x", None), P(None, "y")), P("x", "y")
    )
    shapes, forward, backward = counting(halves(16, 32), halves(32, 8))
    assert shapes.shape == (16, 8)
    assert numbers(forward) == (1024, 1024, 672, 640, 672)
    assert numbers(backward) == (2048, 2048, 1344, 672, 1344)
    assert backward.ici_bytes == {"x": 128, "y": 768}
    assert backward.ici_latency == {"x": 4, "y": 8}


def test_rules_of_others(caplog, capsys):
    mine, free, unknown = Primitive("mine"), Primitive("free"), Primitive("unknown")
    for primitive in (mine, free, unknown):
        primitive.def_abstract_eval(lambda x, **params: x)
    seen = []

    @rl.register_roofline(mine)
    def rule(ctx, *shapes, **params):
        seen.append((ctx.primitive, ctx.mesh, ctx.avals_out, shapes, params))
        return rl.RooflineResult(flops=5, peak_hbm_bytes=3)

    rl.register_standard_roofline(free)
    with caplog.at_level(logging.WARNING, "jax.roofline"):
        f = lambda x: free.bind(mine.bind(x, n=3)) + mine.bind(x)  # noqa: E731
        found = rl.roofline(f, print_jaxpr=True)(floats(3))[1]
        assert numbers(found) == (10, 3, 0, 24, 36)
        assert not caplog.records and "mine" in capsys.readouterr().out
        assert rl.roofline(unknown.bind)(floats(3))[1] == rl.RooflineResult(
            peak_hbm_bytes=12
        )
    assert "unknown" in caplog.text
    shape = rl.RooflineShape(shape=(3,), dtype=jnp.dtype("float32"))
    assert [row[0] for row in seen] == [mine, mine]
    assert seen[0][3:] == ((shape,), {"n": 3})


def test_results_and_shapes():
    one = rl.RooflineResult(
        flops=1, ici_bytes={"x": 3}, ici_latency={"x": 1}, peak_hbm_bytes=5
    )
    two = rl.RooflineResult(flops=10, ici_bytes={"y": 30}, peak_hbm_bytes=2)
    assert one + two == rl.RooflineResult(
        flops=11, ici_bytes={"x": 3, "y": 30}, ici_latency={"x": 1}, peak_hbm_bytes=5
    )
    assert (
        one * 2
        == 2 * one
        == rl.RooflineResult(
            flops=2, ici_bytes={"x": 6}, ici_latency={"x": 2}, peak_hbm_bytes=10
        )
    )
    assert rl.RooflineResult.zeros() == rl.RooflineResult()
    aval = jax.core.ShapedArray((2, 3), jnp.bfloat16)
    shape = rl.RooflineShape.from_aval(aval)
    assert (shape.size, shape.bytes) == (6, 12)
    assert rl.RooflineShape.total_bytes([aval, aval]) == 24
    with pytest.raises(TypeError, match="ShapedArray"):
        rl.RooflineShape.from_aval(3)
    key = jax.typeof(jax.random.key(0))
    assert rl.RooflineShape.from_aval(key).bytes == 8
