"""Programs that grow in depth or over devices."""

import growth_kinds as kinds
import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

# Depth: constructs within each other.


def scan_wrap(f, level):
    length = 1 if level else 2
    return lambda x: lax.scan(lambda c, _: (f(c) * 0.5, None), x, length=length)[0]


def _while_wrap(f, _):
    step = lambda c: (c[0] + 1, f(c[1]) * 0.5)  # noqa: E731
    return lambda x: lax.while_loop(lambda c: c[0] < 1, step, (0, x))[1]


def _cond_wrap(f, level):
    return lambda x: lax.cond(x.sum() > level, f, lambda x: x - 1, x)


def _switch_wrap(f, level):
    others = [lambda x: x - 1, lambda x: x * 2]

    def g(x):
        index = (x.sum() > level).astype(np.int32)
        return lax.switch(index, [f, *others], x)

    return g


def _jit_wrap(f, level):
    return jax.jit(lambda x: f(x) * np.float32(level + 1) + x)


def _checkpoint_wrap(f, _):
    return jax.checkpoint(lambda x: f(x) + jnp.cos(x))


def _policy_wrap(f, _):
    policy = jax.checkpoint_policies.dots_saveable
    return jax.checkpoint(lambda x: f(x) + jnp.cos(x), policy=policy)


def _custom_vjp_wrap(f, _):
    h = jax.custom_vjp(lambda x: f(x) * 2)
    h.defvjp(lambda x: (h(x), x), lambda x, ct: (ct * x,))
    return h


def _custom_jvp_wrap(f, _):
    h = jax.custom_jvp(lambda x: f(x) * 2)
    h.defjvp(lambda p, t: (h(*p), t[0] * 2))
    return h


def _fori_wrap(f, _):
    return lambda x: lax.fori_loop(0, 1, lambda _, c: f(c) * 0.5, x)


def _map_wrap(f, _):
    return lambda x: lax.map(f, x[None])[0]


def _solve_wrap(f, _):
    def g(x):
        root = lax.custom_root(
            lambda y: y - 0.5 * f(x), x, lambda _, x: 0.5 * f(x), lambda g, y: y
        )
        return root + x

    return g


_WRAPS = {
    "scan": scan_wrap,
    "while": _while_wrap,
    "fori": _fori_wrap,
    "map": _map_wrap,
    "cond": _cond_wrap,
    "switch": _switch_wrap,
    "jit": _jit_wrap,
    "checkpoint": _checkpoint_wrap,
    "policy": _policy_wrap,
    "custom_vjp": _custom_vjp_wrap,
    "custom_jvp": _custom_jvp_wrap,
}


def _mixed_wrap(f, level):
    kinds = ("jit", "scan", "cond", "checkpoint", "switch", "map")
    return _WRAPS[kinds[level % len(kinds)]](f, level)


_WRAPS["mixed"] = _mixed_wrap


def _tangent(f):
    return lambda x: jax.jvp(f, (x,), (x,))


def _linear(f):
    return lambda x: jax.linearize(f, x)[1](x)


_CHANGES = {
    "": lambda f: f,
    "_gradient": kinds.summed_gradient,
    "_tangent": _tangent,
    "_linearized": _linear,
    "_mapped": jax.vmap,
}


def _nested(name, wrap, suffix, change):
    def make(n):
        shape = (4, 16) if suffix == "_mapped" else (16,)
        return change(kinds.nest(n, wrap, kinds.sine)), (kinds.numbers(*shape),)

    make.__name__ = f"nested_{name}{suffix}"
    make.__doc__ = f"Levels of {name} within each other{suffix.replace('_', ', ')}."
    kinds.PROGRAMS[make.__name__] = make, kinds.DEEP


for _name, _wrap in _WRAPS.items():
    for _suffix, _change in _CHANGES.items():
        has_no_transpose = _name == "while" or (_suffix, _name) == ("", "policy")
        if not (has_no_transpose and _suffix in ("_gradient", "")) or not _suffix:
            _nested(_name, _wrap, _suffix, _change)


@kinds.program(6, 12, 18)
def nested_cond_with_scan_gradient(n):
    """The gradient of conditionals in loops of two steps in conditionals.

    What runs, and what is kept for the gradient, doubles at each level.
    """

    def wrap(f, level):
        inner = _cond_wrap(f, level)
        return lambda x: lax.scan(lambda c, _: (inner(c), None), x, length=2)[0]

    return kinds.summed_gradient(kinds.nest(n, wrap, kinds.sine)), (kinds.numbers(16),)


@kinds.program(3, 6, 12)
def nested_scan_results_gradient(n):
    """The gradient of loops that carry two arrays and stack one, in each other."""

    def wrap(f, _):
        step = lambda s, _: (f(*s), s[0].sum())  # noqa: E731
        return lambda c, y: lax.scan(step, (c, y), length=2)[0]

    f = kinds.nest(n, wrap, lambda c, y: (c * 2, y + 1))
    return jax.grad(lambda x: f(x, jnp.ones(4))[0].sum()), (kinds.numbers(4),)


@kinds.program(3, 6, 12)
def nested_scan_results_mapped(n):
    """Nested loops whose results are mapped over one of the arrays."""

    def wrap(f, _):
        step = lambda s, _: (f(*s), s[0].sum())  # noqa: E731
        return lambda c, y: lax.scan(step, (c, y), length=2)[0]

    f = kinds.nest(n, wrap, lambda c, y: (c * y, y + 1))
    return jax.vmap(f, (0, None)), (kinds.numbers(4, 8), kinds.numbers(8))


@kinds.program(6, 12, 24)
def nested_unused_gradient(n):
    """The gradient of loops and conditionals of which one result is dropped."""

    def wrap(f, level):
        def both(x):
            found = lax.cond(
                x.sum() > level,
                lambda x: (f(x), jnp.cos(x)),
                lambda x: (x, x),
                x,
            )
            step = lambda c, _: (c * found[0], jnp.exp(c))  # noqa: E731
            return lax.scan(step, x, length=2)[0]

        return both

    return kinds.summed_gradient(kinds.nest(n, wrap, kinds.sine)), (kinds.numbers(8),)


@kinds.program(6, 9, 12)
def nested_weak_carries(n):
    """Loops within each other whose carry begins as a Python number."""

    def wrap(f, _):
        step = lambda c: f(c) * np.float32(0.5) + 1  # noqa: E731
        return lambda x: x + lax.while_loop(lambda c: c < 1, step, 0.0)

    return kinds.nest(n, wrap, kinds.sine), (jnp.float32(0.5),)


@kinds.program(*kinds.DEEP)
def nested_vmap(n):
    """Maps over as many axes."""
    f = kinds.nest(n, lambda f, _: jax.vmap(f), lambda x: jnp.sin(x).sum() + 1)
    return f, (jnp.ones((1,) * max(n - 3, 0) + (2,) * min(n, 3) + (4,)),)


@kinds.program(1, 2, 3, 4, 5)
def nested_grad(n):
    """Derivatives of derivatives."""
    f = kinds.nest(n, lambda f, _: jax.grad(f), lambda x: jnp.sin(x) * jnp.exp(x))
    return f, (jnp.float32(0.5),)


@kinds.program(2, 4, 6, 8)
def nested_jvp(n):
    """Tangents of tangents."""

    def wrap(f, _):
        return lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]

    return kinds.nest(n, wrap, lambda x: jnp.sin(x) * x), (kinds.numbers(4),)


@kinds.program(4, 8, 12)
def nested_jit_twice(n):
    """Compiled functions each of which calls the one inside twice."""

    def wrap(f, _):
        return jax.jit(lambda x: f(f(x)))

    return kinds.nest(n, wrap, jax.jit(kinds.sine)), (kinds.numbers(4),)


@kinds.program(100, 200, 400)
def far_nested_jit(n):
    """Far more compiled functions within each other."""
    return kinds.nest(n, _jit_wrap, kinds.sine), (kinds.numbers(16),)


@kinds.program(30, 60, 120)
def far_nested_scan(n):
    """Far more loops within each other."""
    return kinds.nest(n, scan_wrap, kinds.sine), (kinds.numbers(16),)


@kinds.program(30, 60, 120)
def far_nested_cond(n):
    """Far more conditionals within each other."""
    return kinds.nest(n, _cond_wrap, kinds.sine), (kinds.numbers(16),)


# Devices.


def _mesh(count):
    kinds_of_axes = (AxisType.Auto,)
    return jax.make_mesh((count,), ("i",), kinds_of_axes, devices=jax.devices()[:count])


@kinds.program(*kinds.FEW)
def sharded_layers_gradient(n):
    """The gradient of layers over eight devices, divided by the compiler."""
    mesh = _mesh(8)
    rows = jax.NamedSharding(mesh, P("i", None))
    columns = jax.NamedSharding(mesh, P(None, "i"))

    def f(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return x

    weights = [jax.device_put(kinds.numbers(16, 16) * 0.1, columns) for _ in range(n)]
    return kinds.summed_gradient(f), (
        weights,
        jax.device_put(kinds.numbers(8, 16), rows),
    )


@kinds.program(*kinds.FEW)
def collectives(n):
    """Collectives in a row under `jax.shard_map`, over eight devices."""
    mesh = _mesh(8)

    def local(x):
        for i in range(n):
            x = jnp.sin(x) + lax.psum(x, "i") * np.float32(i)
        return x

    f = jax.shard_map(local, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    return f, (kinds.numbers(16),)


@kinds.program(4, 8, 16)
def sharded_loops(n):
    """Loops within each other whose carries are cut over eight devices."""
    mesh = _mesh(8)
    f = kinds.nest(n, scan_wrap, kinds.sine)
    return f, (jax.device_put(kinds.numbers(16), jax.NamedSharding(mesh, P("i"))),)


@kinds.program(4, 8, 16)
def manual_loops(n):
    """Loops within each other under `jax.shard_map`, with a collective inside."""
    mesh = _mesh(8)

    def wrap(f, _):
        step = lambda c, _: (f(c) + lax.axis_index("i"), None)  # noqa: E731
        return lambda x: lax.scan(step, x, length=2)[0]

    local = kinds.nest(n, wrap, lambda x: jnp.sin(x))
    f = jax.shard_map(local, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    return f, (kinds.numbers(16),)


@kinds.program(2, 4, 8)
def devices(n):
    """A layer over more and more devices."""
    rows = jax.NamedSharding(_mesh(n), P("i", None))
    f = kinds.summed_gradient(lambda x, w: jnp.tanh(x @ w))
    return f, (jax.device_put(kinds.numbers(16, 16), rows), kinds.numbers(16, 16))
