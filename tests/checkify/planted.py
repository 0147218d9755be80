"""Programs with one planted NaN each, on a line with the mark ``# here``, and the message about it."""

import inspect
import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

X = np.linspace(0.5, 1.5, 8, dtype=np.float32)


def bad_log(x, is_bad):
    return jnp.log(jnp.where(is_bad, -x, x))  # here


def in_scan(x):
    def body(c, i):
        c = c + 0 * bad_log(c, i == 3)
        return c, c

    return lax.scan(body, x, jnp.arange(6))[0]


def in_reverse_scan(x):
    def body(c, i):
        c = c + 0 * bad_log(c, i == 2)
        return c, c

    return lax.scan(body, x, jnp.arange(6), reverse=True)[1].sum(0)


def in_stacked_scan(x):
    def body(c, i):
        return c, bad_log(x, i == 4)

    return lax.scan(body, 0.0, jnp.arange(6))[1].sum(0)


def in_while(x):
    def body(c):
        i, x = c
        return i + 1, x + 0 * bad_log(x, i == 2)

    return lax.while_loop(lambda c: c[0] < 5, body, (0, x))[1]


def in_fori(x):
    return lax.fori_loop(0, 5, lambda i, x: x + 0 * bad_log(x, i == 1), x)


def in_cond(x):
    return lax.cond(x[0] < 1, lambda x: bad_log(x, True), lambda x: x, x)


def in_switch(x):
    return lax.switch(2, [lambda x: x, jnp.sin, lambda x: bad_log(x, True)], x)


def in_map(x):
    return lax.map(lambda i: bad_log(x, i == 5), jnp.arange(7)).sum(0)


def in_jit(x):
    return jax.jit(lambda x: bad_log(x, x > 1.2))(x) + 1


def in_remat(x):
    return jax.checkpoint(lambda x: bad_log(x, x > 1.2))(x) + 1


def in_custom_jvp(x):
    @jax.custom_jvp
    def f(x):
        return bad_log(x, x > 1.2)

    f.defjvp(lambda p, t: (f(*p), t[0]))
    return f(x)


def in_custom_vjp(x):
    @jax.custom_vjp
    def f(x):
        return bad_log(x, x > 1.2)

    f.defvjp(lambda x: (f(x), None), lambda _, ct: (ct,))
    return f(x)


def in_vmap(x):
    return jax.vmap(lambda x: bad_log(x, x > 1.4))(x)


def scan_in_cond(x):
    return lax.cond(x[0] < 1, in_scan, jnp.sin, x)


def cond_in_scan(x):
    def body(c, i):
        d = lax.cond(i == 3, lambda c: bad_log(c, True), lambda c: c, c)
        return c + 0 * d, None

    return lax.scan(body, x, jnp.arange(5))[0]


def scan_in_scan(x):
    def outer(c, i):
        def inner(c, j):
            return c + 0 * bad_log(c, (i == 1) & (j == 2)), None

        return lax.scan(inner, c, jnp.arange(4))[0], None

    return lax.scan(outer, x, jnp.arange(3))[0]


def while_in_scan(x):
    def outer(c, i):
        def body(s):
            return s[0] + 1, s[1] + 0 * bad_log(s[1], (i == 2) & (s[0] == 1))

        return lax.while_loop(lambda s: s[0] < 3, body, (0, c))[1], None

    return lax.scan(outer, x, jnp.arange(4))[0]


def scan_in_while(x):
    def body(s):
        i, c = s

        def inner(c, j):
            return c + 0 * bad_log(c, (i == 1) & (j == 3)), None

        return i + 1, lax.scan(inner, c, jnp.arange(5))[0]

    return lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]


def vmap_of_scan(x):
    def one(x):
        def body(c, i):
            return c + 0 * bad_log(c, (i == 1) & (x > 1.4)), None

        return lax.scan(body, x, jnp.arange(3))[0]

    return jax.vmap(one)(x)


def vmap_of_while(x):
    def one(x):
        def body(s):
            return s[0] + 1, s[1] + 0 * bad_log(s[1], (s[0] == 1) & (x > 1.4))

        return lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]

    return jax.vmap(one)(x)


def vmap_of_cond(x):
    return jax.vmap(
        lambda x: lax.cond(x > 1.4, lambda x: bad_log(x, True), lambda x: x, x)
    )(x)


def masked_before(x):
    # The first NaN is dropped; the second one arrives.
    y = jnp.where(x > 0, x, jnp.log(-x))
    return jnp.sqrt(y - 2)  # here


def slope(f):
    return lambda x: jax.value_and_grad(lambda x: f(x).sum())(x)


def backward_in_scan(x):
    def loss(x):
        def body(c, i):
            c = jnp.sqrt(c * (i - 2.0) ** 2)  # here
            return c + 1, c

        return lax.scan(body, x, jnp.arange(5.0))[0].sum()

    return jax.grad(loss)(x)


def backward_of_sqrt(x):
    return jax.grad(lambda x: (0 * jnp.sqrt(0 * x)).sum())(x)  # here


def over_devices(f):
    def run(x):
        mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
        return jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(x)

    return run


def on_one_device(x):
    return bad_log(x, lax.axis_index("d") == 5)


def scan_on_one_device(x):
    def body(c, i):
        return c + 0 * bad_log(c, (lax.axis_index("d") == 6) & (i == 2)), None

    return lax.scan(body, x, jnp.arange(4))[0]


def cond_on_one_device(x):
    bad = lax.axis_index("d") == 3
    return lax.cond(bad, lambda x: bad_log(x, True), lambda x: x, x)


def while_on_one_device(x):
    def body(s):
        bad = (lax.axis_index("d") == 1) & (s[0] == 3)
        return s[0] + 1, s[1] + 0 * bad_log(s[1], bad)

    return lax.while_loop(lambda s: s[0] < 4, body, (0, x))[1]


def sum_over_devices(x):
    return x + 0 * lax.psum(bad_log(x, lax.axis_index("d") == 7), "d")


def devices_in_scan(x):
    def body(c, i):
        def local(c):
            return bad_log(c, (lax.axis_index("d") == 2) & (i == 1))

        return c + 0 * over_devices(local)(c), None

    return lax.scan(body, x, jnp.arange(3))[0]


# Program, iterations, device, batch element.
PROGRAMS = [
    (in_scan, ["3 of scan"], None, None),
    (in_reverse_scan, ["2 of scan"], None, None),
    (in_stacked_scan, ["4 of scan"], None, None),
    (in_while, ["2 of while"], None, None),
    (in_fori, ["1 of scan"], None, None),
    (in_cond, [], None, None),
    (in_switch, [], None, None),
    (in_map, ["5 of scan"], None, None),
    (in_jit, [], None, None),
    (in_remat, [], None, None),
    (in_custom_jvp, [], None, None),
    (in_custom_vjp, [], None, None),
    (in_vmap, [], None, "7"),
    (scan_in_cond, ["3 of scan"], None, None),
    (cond_in_scan, ["3 of scan"], None, None),
    (scan_in_scan, ["1 of scan", "2 of scan"], None, None),
    (while_in_scan, ["2 of scan", "1 of while"], None, None),
    (scan_in_while, ["1 of while", "3 of scan"], None, None),
    (vmap_of_scan, ["1 of scan"], None, "7"),
    (vmap_of_while, ["1 of while"], None, "7"),
    (vmap_of_cond, [], None, "7"),
    (masked_before, [], None, None),
    (slope(in_scan), ["3 of scan"], None, None),
    (slope(in_stacked_scan), ["4 of scan"], None, None),
    (slope(in_jit), [], None, None),
    (slope(in_cond), [], None, None),
    (slope(in_remat), [], None, None),
    (slope(scan_in_cond), ["3 of scan"], None, None),
    (slope(cond_in_scan), ["3 of scan"], None, None),
    (slope(vmap_of_scan), ["1 of scan"], None, "7"),
    (backward_in_scan, ["2 of scan"], None, None),
    (backward_of_sqrt, [], None, None),
    (over_devices(on_one_device), [], "5", None),
    (over_devices(scan_on_one_device), ["2 of scan"], "6", None),
    (over_devices(cond_on_one_device), [], "3", None),
    (over_devices(while_on_one_device), ["3 of while"], "1", None),
    (over_devices(sum_over_devices), [], "7", None),
    (slope(over_devices(on_one_device)), [], "5", None),
    (slope(over_devices(scan_on_one_device)), ["2 of scan"], "6", None),
    (devices_in_scan, ["1 of scan"], "2", None),
]


def names():
    return [f"{i}-{p[0].__qualname__.split('.')[0]}" for i, p in enumerate(PROGRAMS)]


def planted_lines():
    source, first = inspect.getsourcelines(inspect.getmodule(planted_lines))
    return {
        i
        for i, line in enumerate(source, max(first, 1))
        if line.rstrip().endswith("# here")
    }


def found_in(program):
    """The message about the NaN of a program, which names the line with the mark."""
    with jax.debug_nans(True), pytest.raises(FloatingPointError) as caught:
        jax.jit(program)(X)
    text = str(caught.value)
    assert text.startswith("invalid value (nan) encountered in ")
    line = int(re.search(r"^  at +planted.py:(\d+)", text, re.MULTILINE)[1])
    assert line in planted_lines(), text
    return text


def iterations_in(text):
    return re.findall(r"iteration (\d+ of \w+)", text)


def message(call, option=jax.debug_nans):
    with option(True), pytest.raises(FloatingPointError) as caught:
        call()
    return str(caught.value)


def also_on(axes):
    """Whether this is the device with these coordinates."""
    return jnp.all(jnp.stack([lax.axis_index(a) == i for a, i in axes.items()]))


def dropped_in_scan(x):
    def body(c, i):
        return c + jnp.where(i == 3, jnp.log(-c), 0.0), None  # here

    return lax.scan(body, x, jnp.arange(6))[0]


def dropped_in_reverse_scan(x):
    def body(c, i):
        return c, jnp.where(i == 1, jnp.log(-x), x)  # here

    return lax.scan(body, 0.0, jnp.arange(5), reverse=True)[1]


def dropped_in_while_in_scan_in_cond(x):
    def outer(c, i):
        def inner(s):
            is_it = (i == 2) & (s[0] == 1)
            return s[0] + 1, jnp.where(is_it, jnp.log(-s[1]), s[1])  # here

        return lax.while_loop(lambda s: s[0] < 3, inner, (0, c))[1], None

    def yes(x):
        return lax.scan(outer, x, jnp.arange(4))[0]

    return lax.cond(x[0] < 9, yes, jnp.sin, x)


def dropped_of_elements(x):
    def bad(c):
        return jnp.log(-c)  # here

    def one(x, n):
        def body(c, i):
            return lax.cond((i == 2) & (n == 3), bad, lambda c: c + 1, c), None

        return lax.scan(body, x, jnp.arange(4))[0]

    return jax.vmap(one)(x, jnp.arange(8))


def dropped_on_devices(x):
    return jnp.where(lax.axis_index("d") == 5, jnp.log(-x), x)  # here


def dropped_in_scan_on_devices(x):
    def body(c, i):
        return jnp.where(also_on({"d": 5}) & (i == 2), jnp.log(-c), c), None  # here

    return lax.scan(body, x, jnp.arange(4))[0]


def dropped_on_devices_in_scan(x):
    def local(x, i):
        def body(c, j):
            is_it = also_on({"d": 2}) & (i == 1) & (j == 3)
            return jnp.where(is_it, jnp.log(-c), c), None  # here

        return lax.scan(body, x, jnp.arange(5))[0]

    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    shared = jax.shard_map(local, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d"))
    return lax.scan(lambda c, i: (shared(c, i), None), x, jnp.arange(3))[0]


def dropped_in_shard_map_in_shard_map(x):
    def inner(x):
        return jnp.where(also_on({"a": 1, "d": 3}), jnp.log(-x), x)  # here

    def outer(x):
        return jax.shard_map(
            inner, in_specs=P("d"), out_specs=P("d"), axis_names={"d"}
        )(x)

    types = (AxisType.Auto,) * 2
    mesh = jax.make_mesh((2, 4), ("a", "d"), axis_types=types)
    return jax.shard_map(outer, mesh=mesh, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})(x)  # fmt: skip


# Programs whose operation makes a NaN in many runs, of which one arrives: choices drop the others.
DROPPED = [
    (dropped_in_scan, ["3 of scan"], None, None),
    (dropped_in_reverse_scan, ["1 of scan"], None, None),
    (slope(dropped_in_scan), ["3 of scan"], None, None),
    (dropped_in_while_in_scan_in_cond, ["2 of scan", "1 of while"], None, None),
    (dropped_of_elements, ["2 of scan"], None, "3"),
    (over_devices(dropped_on_devices), [], "5", None),
    (over_devices(dropped_in_scan_on_devices), ["2 of scan"], "5", None),
    (dropped_on_devices_in_scan, ["1 of scan", "3 of scan"], "2", None),
    (slope(dropped_on_devices_in_scan), ["1 of scan", "3 of scan"], "2", None),
    (dropped_in_shard_map_in_shard_map, [], "3", None),
]
