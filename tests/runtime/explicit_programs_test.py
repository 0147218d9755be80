"""Programs over Explicit axes, and random numbers over several devices: the shardings of results, and their derivatives."""

import functools as ft

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

VALUES = np.arange(32, dtype="f4").reshape(8, 4)


def mesh(*kinds):
    devices = np.array(jax.devices()).reshape(4, 2)
    return Mesh(devices, ("x", "y"), axis_types=kinds)


EXPLICIT = (AxisType.Explicit,) * 2


def test_the_aval_of_an_array_is_its_type():
    over = mesh(*EXPLICIT)
    x = jax.device_put(VALUES, NamedSharding(over, P("x", "y")))
    made = jax.jit(lambda a: a, out_shardings=NamedSharding(over, P(None, "y")))(VALUES)
    for array, spec in ((x, P("x", "y")), (x + 1, P("x", "y")), (made, P(None, "y"))):
        assert array.aval == jax.typeof(array)
        assert array.aval.sharding == NamedSharding(over.abstract_mesh, spec)
    auto = mesh(AxisType.Auto, AxisType.Auto)
    y = jax.device_put(VALUES, NamedSharding(auto, P("x")))
    assert y.aval == jax.typeof(y) and y.aval.sharding.spec == P(None, None)


OF_KEYS = {
    "split": lambda k: jax.random.split(k),
    "split in a shape": lambda k: jax.random.split(k, (3, 2)),
    "fold_in": lambda k: jax.random.fold_in(k, 3),
    "bits": lambda k: jax.random.bits(k, (4,)),
    "uniform": lambda k: jax.random.uniform(k, (4, 2)),
    "permutation": lambda k: jax.random.permutation(k, 4),
}


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit], ids=str)
@pytest.mark.parametrize("name", OF_KEYS)
def test_what_is_made_of_keys_is_sharded_as_they_are(name, kind):
    fun = OF_KEYS[name]
    sharding = NamedSharding(mesh(kind, kind), P("x"))
    keys = jax.random.split(jax.random.key(0), 8)
    parts = jax.device_put(keys, sharding)
    wanted = jax.vmap(fun)(keys)
    for call in (jax.vmap(fun), jax.jit(jax.vmap(fun))):
        got = call(parts)
        assert got.sharding.is_equivalent_to(sharding, got.ndim)
        is_key = jax.dtypes.issubdtype(got.dtype, jax.dtypes.prng_key)
        pair = map(jax.random.key_data, (got, wanted)) if is_key else (got, wanted)
        np.testing.assert_array_equal(*pair)


MIXED = {
    "element by element": (lambda x: -x, P(), P(None, None)),
    "split": (lambda x: jnp.sin(x), P("x"), P("x", None)),
    "summed": (lambda x: x.sum(0), P("x"), P(None)),
    "stacked": (lambda x: jnp.stack([x, x]), P("x"), P(None, "x", None)),
}


@pytest.mark.parametrize("name", MIXED)
def test_specs_over_an_explicit_axis_have_an_entry_for_each_dimension(name):
    fun, given, wanted = MIXED[name]
    over = mesh(AxisType.Explicit, AxisType.Auto)
    with jax.set_mesh(over):
        got = fun(jax.device_put(VALUES, NamedSharding(over, given)))
    assert got.sharding.spec == wanted
    np.testing.assert_allclose(got, np.asarray(fun(VALUES)), rtol=1e-6)


SAMPLERS = {
    name: dict(shape=(8, 4)) | rest
    for name, rest in {
        "bits": {},
        "uniform": {},
        "bernoulli": dict(p=0.3),
        "randint": dict(minval=0, maxval=9),
        "gamma": dict(a=1.5),
        "categorical": dict(logits=np.zeros((4, 3), "f4"), axis=-1),
        "choice": dict(a=9),
        "truncated_normal": dict(lower=-1, upper=1),
    }.items()
}


@pytest.mark.parametrize("other", [AxisType.Auto, AxisType.Explicit], ids=str)
@pytest.mark.parametrize("name", SAMPLERS)
def test_samples_are_sharded_as_requested_under_a_current_mesh(name, other):
    draw = ft.partial(getattr(jax.random, name), **SAMPLERS[name])
    wanted = draw(jax.random.key(0))
    with jax.set_mesh(mesh(AxisType.Explicit, other)):
        got = draw(jax.random.key(0), out_sharding=P("x"))
    assert got.sharding.spec == P("x", None)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_a_program_puts_values_on_an_explicit_mesh_that_nobody_set():
    explicit = mesh(*EXPLICIT)
    sharding = NamedSharding(explicit, P("x"))
    f = jax.jit(lambda x: jax.device_put(x, sharding) * 2)
    for x in (VALUES, jnp.asarray(VALUES)):
        out = f(x)
        assert out.sharding.mesh is explicit and out.sharding.spec == P("x", None)
        np.testing.assert_array_equal(out, 2 * VALUES)


INDICES = np.array([3, 1, 0, 7, 5, 2, 6, 4])
PLACED_BY_THE_COMPILER = {
    "all axes": lambda x: jax.sharding.auto_axes(jnp.sin, out_sharding=P("x"))(x),
    "one axis": lambda x: jax.sharding.auto_axes(
        lambda v: jnp.tanh(v) * 2, axes="y", out_sharding=P("x", "y")
    )(x),
    "with constants": lambda x: jax.sharding.auto_axes(
        lambda v: jnp.where(jnp.arange(4) > 1, v, jnp.ones(4)), out_sharding=P()
    )(x),
    "a loop": lambda x: jax.sharding.auto_axes(
        lambda v: jax.lax.scan(lambda c, r: (c + r, c * r), v[0], v)[1],
        out_sharding=P("x"),
    )(x),
    "in a loop": lambda x: jax.lax.scan(
        lambda c, _: (jax.sharding.auto_axes(jnp.tanh, out_sharding=P("x"))(c), c),
        jax.reshard(x, P("x")),
        length=3,
    )[0],
    "get": lambda x: x.at[INDICES].get(out_sharding=P("x")),
    "set": lambda x: x.at[INDICES[:3]].set(1.0, out_sharding=P("x")),
    "repeat": lambda x: jnp.repeat(
        x, 2, 0, out_sharding=P("x"), total_repeat_length=16
    ),
}
PLACED_BY_TYPES = {
    "logsumexp": lambda x: jax.nn.logsumexp(x, 1),
    "clip": lambda x: jnp.clip(x, 3.0, 20.0),
    "larger": lambda x: jnp.maximum(x, x.mean(1, keepdims=True)),
    "sort": lambda x: jnp.sort(x, 1),
    "median": lambda x: jnp.median(x, 1),
    "variance": lambda x: x.var(1),
    "set column": lambda x: x.at[:, 2].set(0.0),
    "copy column": lambda x: x.at[:, 2].set(x[:, 3]),
    "picked": lambda x: jnp.take_along_axis(x, INDICES[:, None] % 4, 1),
}


@pytest.mark.parametrize("name", [*PLACED_BY_THE_COMPILER, *PLACED_BY_TYPES])
def test_derivatives_over_explicit_axes_are_those_of_the_whole(name):
    fun = {**PLACED_BY_THE_COMPILER, **PLACED_BY_TYPES}[name]

    def total(f, x):
        return (f(x) ** 2).sum()

    with jax.set_mesh(mesh(*EXPLICIT)):
        x = jax.device_put(VALUES, P("x"))
        got = [
            jax.grad(ft.partial(total, fun))(x),
            jax.jit(jax.grad(ft.partial(total, jax.checkpoint(fun))))(x),
        ]
        tangent = jax.jit(lambda v: jax.linearize(fun, v)[1](v))(x)
        assert jax.typeof(got[0]) == jax.typeof(x)
        whole = jax.device_put(VALUES, P())
        want = jax.grad(ft.partial(total, fun))(whole)
        wanted_tangent = jax.jvp(fun, (whole,), (whole,))[1]
    for one in got:
        np.testing.assert_allclose(one, want, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(tangent, wanted_tangent, rtol=1e-5, atol=1e-5)


CHANGED = {
    "to Auto": (
        EXPLICIT,
        jax.sharding.auto_axes(
            lambda v: jax.nn.logsumexp(v, 1, keepdims=True) + v, out_sharding=P("x")
        ),
    ),
    "to Explicit": (
        (AxisType.Auto,) * 2,
        jax.sharding.explicit_axes(lambda v: jnp.sin(v) + v, in_sharding=P("x")),
    ),
}


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("also_outside", [False, True])
def test_cotangents_of_what_lay_on_no_mesh_are_of_the_mesh_outside(name, also_outside):
    kinds, fun = CHANGED[name]

    def loss(v):
        return (fun(v) ** 2).sum() + (v.sum() if also_outside else 0)

    over = mesh(*kinds)
    with jax.set_mesh(over):
        for call in (jax.grad(loss), jax.jit(jax.grad(loss))):
            got = call(VALUES)
            assert jax.typeof(got).sharding.mesh is over.abstract_mesh
            assert not jax.typeof(got).sharding.spec.names
            step = np.full_like(VALUES, 2.0**-6)
            slope = (loss(VALUES + step) - loss(VALUES - step)) / 2.0**-5
            np.testing.assert_allclose(np.sum(got), slope, rtol=1e-2)


OTHER = np.arange(32, 64, dtype="f4").reshape(8, 4)
# Functions of a sharded array and one that is on no mesh: how the results are sharded.
WITH_ONE_ON_NO_MESH = {
    "concatenate": (lambda x, y: jnp.concatenate([x, y], 1), P("x", "y")),
    "concatenate, the sharded one last": (
        lambda x, y: jnp.concatenate([y, x]),
        P("x", "y"),
    ),
    "stack": (lambda x, y: jnp.stack([x, y]), P(None, "x", "y")),
    "hstack": (lambda x, y: jnp.hstack([y, x]), P("x", "y")),
    "vstack": (lambda x, y: jnp.vstack([x, y]), P("x", "y")),
    "block": (lambda x, y: jnp.block([[x], [y]]), P("x", "y")),
    "append a constant": (lambda x, y: jnp.append(x, jnp.ones((4, 4)), 0), P("x", "y")),
    "where": (lambda x, y: jnp.where(x > 9, x, y), P("x", "y")),
    "where, of another choice": (lambda x, y: jnp.where(y > 40, x, 0), P("x", "y")),
    "select": (lambda x, y: jax.lax.select(y > 40, x, y), P("x", "y")),
    "clip": (lambda x, y: jnp.clip(x, 3, y), P("x", "y")),
    "linspace": (lambda x, y: jnp.linspace(0, x, 3), P(None, "x", "y")),
}


@pytest.mark.parametrize("name", WITH_ONE_ON_NO_MESH)
def test_operands_on_no_mesh_are_sharded_as_the_others(name):
    fun, spec = WITH_ONE_ON_NO_MESH[name]
    over = mesh(*EXPLICIT)
    x = jax.device_put(VALUES, NamedSharding(over, P("x", "y")))
    for call in (fun, jax.jit(fun)):
        got = call(x, jnp.asarray(OTHER))
        assert got.sharding.spec == spec
        np.testing.assert_array_equal(got, fun(jnp.asarray(VALUES), jnp.asarray(OTHER)))


def test_a_joined_axis_must_still_divide():
    x = jax.device_put(VALUES, NamedSharding(mesh(*EXPLICIT), P("x")))
    with pytest.raises(Exception, match="does not divide"):
        jnp.append(x, jnp.ones((1, 4)), 0)


CONTROL = {
    "cond, split first": lambda x, u, p: jax.lax.cond(
        p, lambda x, u: x, lambda x, u: u, x, u
    ),
    "cond, split last": lambda x, u, p: jax.lax.cond(
        p, lambda x, u: u, lambda x, u: x, x, u
    ),
    "switch": lambda x, u, p: jax.lax.switch(
        p.astype(int), [lambda x, u: u, lambda x, u: u * x, lambda x, u: x], x, u
    ),
    "while": lambda x, u, p: jax.lax.while_loop(
        lambda c: c[1] < 3, lambda c: (c[0] + x, c[1] + 1), (u, 0)
    )[0],
    "scan": lambda x, u, p: jax.lax.scan(lambda c, _: (c + x, c), u, length=2)[0],
    "fori": lambda x, u, p: jax.lax.fori_loop(0, 3, lambda i, c: c * x, u),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CONTROL)
def test_control_flow_splits_values_on_no_mesh_as_those_on_one(name, compiled):
    over = mesh(*EXPLICIT)
    x = jax.device_put(VALUES, NamedSharding(over, P("x")))
    u, p = jnp.asarray(VALUES) + 1, jnp.asarray(True)
    fun = jax.jit(CONTROL[name]) if compiled else CONTROL[name]
    with jax.set_mesh(over):
        got = fun(x, u, p)
        assert jax.typeof(got).sharding.spec == P("x", None)
        wanted = CONTROL[name](VALUES, VALUES + 1, np.asarray(True))
        np.testing.assert_array_equal(got, wanted)
        if name != "while":
            total = lambda x, u: jnp.sum(fun(x, u, p) ** 2)  # noqa: E731
            slopes = jax.grad(total, argnums=(0, 1))(x, u)
            assert jax.typeof(slopes[0]).sharding.spec == P("x", None)
            plain = lambda x, u: jnp.sum(CONTROL[name](x, u, p) ** 2)  # noqa: E731
            one_device = jax.grad(plain, argnums=(0, 1))(*map(jnp.asarray, (VALUES, u)))
            jax.tree.map(
                lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6),
                slopes,
                one_device,
            )


@pytest.mark.parametrize("other", ["whole", "split otherwise"])
def test_branches_on_one_mesh_must_be_split_alike(other):
    over = mesh(*EXPLICIT)
    x = jax.device_put(VALUES, NamedSharding(over, P("x")))
    make = {
        "whole": lambda x: jnp.zeros(x.shape),
        "split otherwise": lambda x: jax.sharding.reshard(x, P(None, "y")),
    }[other]
    with jax.set_mesh(over), pytest.raises(TypeError, match="must have equal output"):
        jax.lax.cond(True, lambda x: x, make, x)


def test_associative_scans_keep_the_axes_beside_them_sharded():
    over = mesh(*EXPLICIT)
    x = jax.device_put(VALUES, NamedSharding(over, P("x", None)))
    with jax.set_mesh(over):
        found = jax.lax.associative_scan(jnp.add, x, axis=1)
    assert jax.typeof(found).sharding.spec == P("x", None)
    np.testing.assert_array_equal(found, np.cumsum(VALUES, 1))
