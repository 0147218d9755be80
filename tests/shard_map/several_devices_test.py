"""`shard_map` and `pmap` on eight devices."""

import functools as ft

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import options
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

X = np.arange(64, dtype=np.float32).reshape(8, 8) / 8


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


@pytest.fixture(scope="module")
def line():
    return Mesh(np.array(jax.devices()), ("i",))


def mapped(f, mesh, in_specs, out_specs, **options):
    return jax.shard_map(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **options
    )


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_results_are_sharded_as_their_specs_say(mesh, wrap):
    f = wrap(
        mapped(
            lambda a: (a * 2, lax.psum(a, "x")),
            mesh,
            P("x", "y"),
            (P("x", "y"), P(None, "y")),
        )
    )
    same, total = f(X)
    np.testing.assert_array_equal(same, X * 2)
    np.testing.assert_array_equal(total, X.reshape(4, 2, 8).sum(0))
    assert same.sharding.is_equivalent_to(NamedSharding(mesh, P("x", "y")), 2)
    assert total.sharding.is_equivalent_to(NamedSharding(mesh, P(None, "y")), 2)
    assert [s.device for s in same.addressable_shards] == list(mesh.devices.flat)


def test_a_body_may_look_at_what_devices_share(mesh, capsys):
    def body(a):
        total = lax.psum(a.sum(), ("x", "y"))
        print(a.sum())
        return a * float(total) if total > 0 else a

    f = mapped(body, mesh, P("x", "y"), P("x", "y"))
    np.testing.assert_allclose(f(X), X * X.sum(), rtol=1e-6)
    assert "at mesh coordinates (x, y,) = (3, 1)" in capsys.readouterr().out


def test_rows_are_spread_over_axes_that_stay_with_the_compiler(mesh):
    def body(a):
        return a * lax.psum(a.sum(), "x")

    f = mapped(body, mesh, P("x"), P("x"), axis_names={"x"})
    rows = np.stack([X, -X, X + 1, X * 2])
    with jax.set_mesh(mesh):
        found = jax.jit(jax.vmap(f, spmd_axis_name="y"))(rows)
    np.testing.assert_allclose(found, rows * rows.sum((1, 2), keepdims=True), rtol=1e-6)


def test_arrays_without_rows_are_split_over_their_axis_if_the_user_asks(mesh):
    def body(a, b):
        return a * lax.psum(b.sum(), "x"), b * 3

    rows, line = np.arange(16.0, dtype=np.float32).reshape(4, 4), np.arange(4.0)
    specs = {"in_specs": (P(), P("x")), "out_specs": (P(), P("x"))}
    f = jax.jit(
        jax.vmap(
            mapped(body, mesh, **specs),
            in_axes=(0, None),
            out_axes=(0, None),
            spmd_axis_name="x",
        )
    )
    with pytest.raises(ValueError, match="jax_disable_vmap_shmap_error"):
        f(rows, line)
    with options.disable_vmap_shmap_error(True):
        scaled, tripled = f(rows, line)
        with pytest.raises(ValueError, match="uses itself"):
            same = mapped(lambda a: a, mesh, P("x"), P("x"))
            jax.vmap(same, spmd_axis_name="x")(rows)
    np.testing.assert_array_equal(scaled, rows * 6)
    np.testing.assert_array_equal(tripled, line * 3)
    assert scaled.sharding.spec == tripled.sharding.spec == P("x")


GROUPS = [[0, 2], [3, 1], [4, 6], [7, 5]]


@pytest.mark.parametrize(
    ("body", "reference"),
    [
        (
            lambda a: lax.psum(a, "i", axis_index_groups=GROUPS),
            lambda rows, group, rank: sum(rows),
        ),
        (
            lambda a: lax.pmax(a, "i", axis_index_groups=GROUPS),
            lambda rows, group, rank: np.max(rows, 0),
        ),
        (
            lambda a: lax.all_gather(a, "i", axis_index_groups=GROUPS, tiled=True)[1:],
            lambda rows, group, rank: rows[1],
        ),
        (
            lambda a: lax.psum_scatter(
                a, "i", scatter_dimension=1, axis_index_groups=GROUPS, tiled=True
            ),
            lambda rows, group, rank: sum(rows)[4 * rank : 4 * rank + 4],
        ),
        (
            lambda a: lax.all_to_all(
                a, "i", 1, 1, axis_index_groups=GROUPS, tiled=True
            ),
            lambda rows, group, rank: np.concatenate(
                [r[4 * rank : 4 * rank + 4] for r in rows]
            ),
        ),
        (
            lambda a: lax.psum(a, "i", axis_index_groups=[[0], [1, 2, 3, 4, 5, 6, 7]]),
            None,
        ),
    ],
)
def test_groups_speak_among_themselves(line, body, reference):
    got = jax.jit(mapped(body, line, P("i"), P("i"), check_vma=False))(X)
    if reference is None:
        np.testing.assert_allclose(got, np.stack([X[0], *[X[1:].sum(0)] * 7]))
        return
    want = [None] * 8
    for group in GROUPS:
        for rank, device in enumerate(group):
            want[device] = reference([X[k] for k in group], group, rank)
    np.testing.assert_allclose(got, np.stack(want))


def test_axes_left_to_the_compiler_may_be_split(mesh):
    a = jax.device_put(X, NamedSharding(mesh, P("x", "y")))
    f = jax.jit(
        mapped(
            lambda b: lax.psum(b, "x") + lax.axis_index("x") * 0,
            mesh,
            P("x"),
            P("x"),
            axis_names={"x"},
        )
    )
    np.testing.assert_allclose(f(a), np.tile(X.reshape(4, 2, 8).sum(0), (4, 1)))


def test_maps_nest_over_different_axes(mesh):
    def outer(a):
        inner = mapped(
            lambda b: lax.psum(b, "y") + lax.axis_index("x"),
            mesh,
            P(None, "y"),
            P(),
            axis_names={"y"},
        )
        return inner(a)

    got = jax.jit(mapped(outer, mesh, P("x"), P("x"), axis_names={"x"}))(X)
    want = X[:, :4] + X[:, 4:] + np.repeat(np.arange(4), 2)[:, None]
    np.testing.assert_allclose(got, want)


def test_a_gradient_of_a_gradient_is_that_of_the_whole(mesh):
    def loss(w):
        f = mapped(
            lambda a, v: lax.psum(jnp.sum(jnp.sin(a @ v)), ("x", "y")),
            mesh,
            (P(("x", "y")), P()),
            P(),
        )
        return f(X, w)

    def whole(w):
        return jnp.sum(jnp.sin(X @ w))

    w = np.ones(8, np.float32) / 8
    got = jax.jit(jax.hessian(loss))(w)
    np.testing.assert_allclose(got, jax.hessian(whole)(w), rtol=1e-3, atol=1e-3)


def test_pmap_maps_over_as_many_entries_as_there_are_devices():
    f = jax.pmap(
        lambda x, k, scale: lax.psum(x * k, "i") * scale,
        axis_name="i",
        in_axes=(0, None, None),
        static_broadcasted_argnums=2,
    )
    out = f(jnp.arange(1.0, 9), 2.0, 3)
    np.testing.assert_allclose(out, np.full(8, 6.0 * 36))
    assert len(out.addressable_shards) == 8
    with pytest.raises(ValueError, match="Each entry needs a device"):
        jax.pmap(lambda x: x)(jnp.ones(9))


def test_pmap_puts_axes_where_they_were_requested():
    out = jax.pmap(lambda a, b: (a + b, b), in_axes=(1, 0), out_axes=(-1, None))(X, X)
    np.testing.assert_array_equal(out[0], X + X.T)
    np.testing.assert_array_equal(out[1], X[0])
    assert out[0].addressable_shards[3].index == (slice(None), slice(3, 4, None))


def test_pmap_over_one_device_names_its_axis():
    x = X[:1]
    out = jax.pmap(lambda a: (a, a, a.sum(), a * 0), "i", out_axes=(0, 1, 0, None))(x)
    specs = [P("i"), P(None, "i"), P("i"), P()]
    assert [o.sharding.spec for o in out] == specs
    assert all(o.sharding.mesh.axis_names == ("i",) for o in out)
    np.testing.assert_array_equal(out[1], x.T)
    keys = jax.pmap(jax.random.split, "i")(jax.random.split(jax.random.key(0), 1))
    assert keys.sharding.spec == P("i") and keys.shape == (1, 2)


def test_pmap_donates_and_keeps_keys():
    x = jax.pmap(lambda a: a)(X)
    np.testing.assert_array_equal(jax.pmap(lambda a: a + 1, donate_argnums=0)(x), X + 1)
    assert x.is_deleted()
    keys = jax.random.split(jax.random.key(0), 8)
    drawn = jax.pmap(lambda k: jax.random.uniform(k, (2,)))(keys)
    np.testing.assert_array_equal(
        drawn, jax.vmap(lambda k: jax.random.uniform(k, (2,)))(keys)
    )


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: jax.pmap(lambda a, b: a)(np.ones(8), np.ones(4)), ValueError),
        (lambda: jax.pmap(lambda a: a)(1.0), ValueError),
        (lambda: jax.pmap(lambda a: a, axis_size=4)(np.ones(8)), ValueError),
        (lambda: jax.pmap(lambda a: a, in_axes=None)(np.ones(8)), ValueError),
        (lambda: jax.pmap(lambda a: a, in_axes="x"), TypeError),
        (lambda: jax.pmap(lambda a: a, in_axes=5)(np.ones(8)), IndexError),
        (lambda: jax.pmap(lambda a: a, out_axes=3)(np.ones(8)), ValueError),
        (
            lambda: jax.pmap(lambda a: a, static_broadcasted_argnums=3)(np.ones(8)),
            ValueError,
        ),
        (lambda: jax.pmap(lambda a: lax.psum(a, "z"), "i")(np.ones(8)), NameError),
        (lambda: jax.pmap(jax.pmap(lambda a: a))(np.ones((2, 4))), ValueError),
        (lambda: jax.pmap(3), TypeError),
    ],
)
def test_pmap_explains_mistakes(run, error):
    with pytest.raises(error):
        run()


@pytest.mark.parametrize("axes", [{"x"}, {"x", "y"}], ids=["one axis", "both"])
@pytest.mark.parametrize("check_vma", [True, False])
def test_devices_draw_with_a_sharding_as_without(mesh, axes, check_vma):
    key = jax.random.key(3)
    draws = [
        lambda a, **sharding: jax.random.normal(key, a.shape, **sharding),
        lambda a, **sharding: jax.random.bernoulli(key, 0.5, a.shape, **sharding),
        lambda a, **sharding: jax.random.randint(key, a.shape, 0, 9, **sharding),
    ]
    options = {"axis_names": axes, "check_vma": check_vma}
    for draw in draws:

        def placed(a, draw=draw):
            return draw(a, out_sharding=jax.typeof(a).sharding)

        found, wanted = [
            jax.jit(mapped(f, mesh, P("x"), P("x"), **options))(X)
            for f in (placed, draw)
        ]
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(jax.pmap(placed)(X), jax.pmap(draw)(X))


def test_the_compiler_gets_no_axes_that_the_program_decides_about(mesh):
    inner = jax.sharding.auto_axes(lambda a: a * 2, out_sharding=P())
    with pytest.raises(NotImplementedError, match="the axis 'x' is Manual here"):
        mapped(inner, mesh, P("x"), P("x"))(X)


@pytest.mark.parametrize(
    "total",
    [
        jax.jit(lambda u: (u * u).sum()),
        lambda u: lax.cond(True, lambda v: (v * v).sum(), lambda v: v.sum(), u),
        lambda u: lax.map(lambda v: v * v, u).sum(),
        lambda u: jnp.linalg.norm(u) ** 2,
    ],
)
def test_values_of_outside_are_arguments_of_calls_inside(total):
    mesh = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    split = ft.partial(jax.shard_map, mesh=mesh, in_specs=P("i"), out_specs=P("i"))

    def whole(x):
        y = split(lambda a: a * 2)(x)
        return split(lambda b: b * total(y))(x)

    x = jnp.arange(8.0).reshape(4, 2)
    wanted = lambda x: x * (4 * x * x).sum()  # noqa: E731
    np.testing.assert_allclose(jax.jit(whole)(x), wanted(x), rtol=1e-6)
    slope = jax.jit(jax.grad(lambda x: whole(x).sum()))(x)
    np.testing.assert_allclose(slope, jax.grad(lambda x: wanted(x).sum())(x), rtol=1e-6)
