"""Settings that check traces and results, with named axes, on eight devices."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()), ("i",))
X = np.arange(1, 9, dtype=np.float32)


def over_devices(f, out_specs=P("i"), **options):
    return jax.shard_map(f, mesh=MESH, in_specs=P("i"), out_specs=out_specs, **options)


def _scanned(x):
    step = lambda c, _: (lax.psum(c, "i") / 8 + x, c)  # noqa: E731
    return lax.scan(step, x, None, length=3)[0]


def _ruled():
    f = jax.custom_vjp(lambda x: lax.pmax(x, "i") * x)
    f.defvjp(lambda x: (lax.pmax(x, "i") * x, x), lambda x, ct: (ct * x,))
    return f


def _looped(x):
    return lax.while_loop(
        lambda c: lax.pmin(c[0], "i")[0] < 3,
        lambda c: (c[0] + 1, c[1] + c[0]),
        (x - x, x),
    )[1]


BODIES = {
    "psum": lambda x: x * lax.psum(x, "i"),
    "axis_index": lambda x: x + lax.axis_index("i"),
    "all_gather": lambda x: x + lax.all_gather(x, "i").sum(),
    "scan": _scanned,
    "while": _looped,
    "cond": lambda x: lax.cond(True, lambda x: x + lax.psum(x, "i"), lambda x: x, x),
    "jit": lambda x: jax.jit(lambda x: lax.pmean(x, "i") * x)(x),
    "remat": jax.checkpoint(lambda x: jnp.sin(lax.psum(x, "i")) * x),
    "custom_vjp": _ruled(),
    "ppermute": lambda x: lax.ppermute(x, "i", [(n, (n + 1) % 8) for n in range(8)]),
}


def _uses(f):
    yield f(X)
    yield jax.jit(f)(X)
    yield jax.vmap(f)(jnp.stack([X, 2 * X]))
    yield jax.jit(lambda x: jax.tree.map(jnp.sin, f(x)))(X)


def _derivatives(f):
    loss = lambda x: (f(x) ** 2).sum()  # noqa: E731
    yield jax.grad(loss)(X)
    yield jax.jit(jax.value_and_grad(loss))(X)
    yield jax.jvp(f, (X,), (X,))


@pytest.mark.parametrize("name", BODIES)
def test_checks_of_programs_know_the_named_axes_of_a_shard_map(name):
    f = over_devices(BODIES[name], check_vma=name != "custom_vjp")
    plain = list(_uses(f))
    if name not in ("while", "custom_vjp"):
        plain += list(_derivatives(f))
    with jax.enable_checks(True):
        f = over_devices(BODIES[name], check_vma=name != "custom_vjp")
        checked = list(_uses(f))
        if name not in ("while", "custom_vjp"):
            checked += list(_derivatives(f))
    for one, other in zip(plain, checked, strict=True):
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), one, other
        )


def test_checks_of_programs_know_the_named_axes_of_pmap_vmap_and_custom_partitioning():
    with jax.enable_checks(True):
        total = jax.pmap(lambda x: lax.psum(jax.jit(jnp.sin)(x), "d"), axis_name="d")
        np.testing.assert_allclose(total(X), np.full(8, np.sin(X).sum()), rtol=1e-5)
        slope = jax.grad(
            lambda x: jax.pmap(lambda y: lax.psum(y, "d") ** 2, axis_name="d")(x).sum()
        )
        np.testing.assert_allclose(slope(X), np.full(8, 16 * X.sum()), rtol=1e-5)
        inner = jax.jit(lambda x: lax.psum(x, "v"))
        np.testing.assert_allclose(jax.vmap(inner, axis_name="v")(X), np.full(8, 36.0))

        f = custom_partitioning(lambda x: x * 2)

        def partition(mesh, args, result):
            return mesh, lambda x: x * 2, args[0].sharding, (args[0].sharding,)

        f.def_partition(partition=partition, sharding_rule="i -> i")
        x = jax.device_put(X, NamedSharding(MESH, P("i")))
        out = jax.jit(
            lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0]
        )(x)
        np.testing.assert_allclose(out, 4 * X)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    "option, body, operation",
    [
        (jax.debug_nans, jnp.log, "log"),
        (jax.debug_nans, lambda x: lax.psum(jnp.sqrt(x) + 1, "i") * x, "sqrt"),
        (jax.debug_nans, jax.jit(lambda x: jnp.log(x) * 2), "log"),
        (jax.debug_infs, lambda x: 1 / (x - 1), "div"),
    ],
)
def test_a_bad_value_inside_a_shard_map_is_found_where_it_is_made(
    wrap, option, body, operation
):
    f = wrap(over_devices(body))
    good = np.full(8, 2, np.float32)
    with option(True):
        f(good)
        with pytest.raises(FloatingPointError, match=rf"encountered in {operation}\b"):
            f(X - 4 if option is jax.debug_nans else X)


def test_a_bad_value_inside_a_pmap_or_its_gradient_is_found():
    f = jax.pmap(jnp.log)
    with jax.debug_nans(True):
        np.testing.assert_allclose(f(X), np.log(X), rtol=1e-6)
        with pytest.raises(FloatingPointError, match="encountered in log"):
            f(X - 4)
        with pytest.raises(FloatingPointError):
            jax.grad(lambda x: jax.pmap(lambda y: jnp.sqrt(y * 0))(x).sum())(X)
        with pytest.raises(FloatingPointError):
            jax.grad(lambda x: over_devices(lambda y: jnp.sqrt(y * 0))(x).sum())(X)


def test_a_bad_value_of_a_function_compiled_ahead_is_found():
    f = jax.jit(jnp.log).lower(np.float32(0)).compile()
    with jax.debug_nans(True), pytest.raises(FloatingPointError, match="jit.log."):
        f(np.float32(-1))
    with jax.debug_infs(True), pytest.raises(FloatingPointError, match="inf"):
        f(np.float32(0))


def test_no_check_hides_that_a_bad_value_was_an_input():
    with jax.debug_nans(True):
        with pytest.raises(
            FloatingPointError, match="the de-optimized function did not .*input"
        ):
            jax.jit(lambda x: x * 3.0)(np.nan)
        with pytest.raises(FloatingPointError, match="encountered in sqrt"):
            jax.jit(lambda x: jnp.sqrt(x))(-1.0)


ROWS = np.arange(1, 25, dtype=np.float32).reshape(8, 3)
# What changes the axes, of an array whose 8 rows are on devices and whose columns no device count divides.
OVER_EXPLICIT_AXES = {
    "transposed": lambda a: a.T,
    "moved": lambda a: jnp.moveaxis(a[None], 0, 1),
    "added": lambda a: a[:, None],
    "squeezed": lambda a: a[:, :1].squeeze(1),
    "broadcast": lambda a: jnp.broadcast_to(a, (3, 8, 3)),
    "summed": lambda a: a.sum(0),
    "the largest": lambda a: jnp.max(a, 1),
    "multiplied": lambda a: jnp.einsum("ij,kj->kij", a, jnp.ones((3, 3))),
    "joined": lambda a: jnp.concatenate([a.T, a.T], 0),
    "stacked": lambda a: jnp.stack([a, a], 1),
    "cut": lambda a: a[:, 1:],
    "padded": lambda a: jnp.pad(a, ((0, 0), (1, 0))),
    "accumulated": lambda a: jnp.cumsum(a, 1),
    "sorted": lambda a: jnp.sort(a.T, 0),
    "chosen": lambda a: lax.cond(a.sum() > 0, lambda a: a.T, lambda a: -a.T, a),
    "in rows": lambda a: jax.vmap(lambda row: row[::-1] * row.sum())(a),
    "scanned": lambda a: lax.scan(lambda c, x: (c, x * 2), 0.0, a.T)[1],
    "differentiated": lambda a: jax.grad(lambda a: (jnp.sin(a.T) ** 2).sum())(a),
    "checkpointed": lambda a: jax.grad(
        lambda a: jax.checkpoint(lambda a: jnp.sin(a.T))(a).sum()
    )(a),
    "mapped": lambda a: jax.shard_map(lambda a: lax.psum(a, "i").T, out_specs=P())(a),
}


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("name", OVER_EXPLICIT_AXES)
def test_checks_of_programs_accept_axes_that_change_over_explicit_axes(name, outer):
    f = OVER_EXPLICIT_AXES[name]
    with jax.set_mesh(jax.make_mesh((8,), ("i",))):
        a = jax.device_put(ROWS, P("i"))
        plain = outer(f)(a)
        with jax.enable_checks(True):
            checked = outer(lambda a: f(a))(a)
        assert jax.typeof(checked) == jax.typeof(plain)
        np.testing.assert_array_equal(checked, plain)
