"""Causes of compilations that several devices bring: devices and shardings."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

X = jnp.arange(4.0)


def cause(call):
    before = jax.compilation_report()[-1].number
    call()
    found = [one for one in jax.compilation_report() if one.number > before]
    (one,) = [one for one in found if __file__ in one.location]
    return one


def test_another_device_is_named():
    f = jax.jit(lambda x: x + 1)
    first, second = jax.devices()[:2]
    x, y = jax.device_put(X, first), jax.device_put(X, second)
    f(x)
    one = cause(lambda: f(y))
    assert one.kinds == ("device",)
    assert "the device changed from " in one.cause
    assert str(second) in one.cause


def test_another_number_of_devices_is_named():
    f = jax.jit(lambda x: x + 1)
    mesh = jax.make_mesh((2,), ("a",), axis_types=(AxisType.Auto,))
    f(X)
    y = jax.device_put(X, NamedSharding(mesh, P("a")))
    one = cause(lambda: f(y))
    assert one.kinds[0] == "device"
    assert "the devices changed from " in one.cause


def test_another_sharding_is_named():
    mesh = jax.make_mesh((2,), ("a",), axis_types=(AxisType.Auto,))
    f = jax.jit(lambda x, y: x + y)
    x, y = (jax.device_put(X, NamedSharding(mesh, s)) for s in (P("a"), P()))
    f(x, x)
    one = cause(lambda: f(x, y))
    assert one.kinds == ("sharding",)
    assert "the sharding of argument `y` changed from NamedSharding" in one.cause


def test_a_sharding_in_a_type_is_named():
    mesh = jax.make_mesh((2,), ("a",), axis_types=(AxisType.Explicit,))
    f = jax.jit(lambda x: x * 2)
    x, y = (jax.device_put(X, NamedSharding(mesh, s)) for s in (P("a"), P()))
    f(x)
    one = cause(lambda: f(y))
    assert one.kinds == ("sharding",)
    assert "the sharding of argument `x` changed from " in one.cause


def test_a_move_between_shardings_is_in_the_report():
    mesh = jax.make_mesh((2,), ("a",), axis_types=(AxisType.Auto,))
    x = jax.device_put(jnp.ones((1 << 13, 1 << 11)), NamedSharding(mesh, P("a")))
    before = jax.compilation_report()[-1].number
    jax.device_put(x, NamedSharding(mesh, P(None, "a")))
    names = [o.function for o in jax.compilation_report() if o.number > before]
    assert names in ([], ["move"])
