"""Values inside of programs: their shardings, and `device_put` of what is traced."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import (
    AxisType,
    NamedSharding,
    PartitionSpec as P,
    SingleDeviceSharding,
)

V = np.arange(8, dtype="f4")


def line():
    return jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))


def rows():
    return NamedSharding(line(), P("x"))


def split():
    return jax.device_put(V, rows())


def on(number):
    return jax.device_put(V, jax.devices()[number])


def seen_by(make):
    """What is told of values inside of a program, while it is compiled."""
    seen = []
    lowered = jax.jit(make(seen.append)).lower(split())
    assert not seen
    lowered.compile()
    return seen


def test_the_compiler_reports_the_sharding_of_a_value():
    def make(record):
        def program(x):
            y = x * 2
            jax.debug.inspect_array_sharding(y, callback=record)
            return y.sum()

        return program

    assert seen_by(make) == [rows()]


def test_it_reports_loops_and_each_call():
    def make(record):
        @jax.jit
        def twice(x):
            y = x + x
            jax.debug.inspect_array_sharding(y, callback=record)
            return y

        def body(x, _):
            jax.debug.inspect_array_sharding(x, callback=record)
            return x + 1, None

        def program(x):
            return jax.lax.scan(body, twice(x), None, length=3)[0] + twice(3 * x)

        return program

    assert seen_by(make) == [rows()] * 3


def test_it_reports_under_transformations():
    def make(record):
        def loss(x):
            y = jnp.sin(x)
            jax.debug.inspect_array_sharding(y, callback=record)
            return y.sum()

        return jax.grad(loss)

    assert set(seen_by(make)) == {rows()}


def test_on_one_device_the_sharding_is_that_device():
    seen = []

    @jax.jit
    def program(x):
        jax.debug.inspect_array_sharding(x, callback=seen.append)
        return x

    program(on(2))
    program(on(2))  # compiled already
    assert seen == [SingleDeviceSharding(jax.devices()[2])]


MOVES = {"one to many": (on, rows), "many to one": (lambda n: split(), lambda: on(3).sharding),
         "one to another": (on, lambda: on(5).sharding)}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_a_gradient_is_sharded_as_the_argument(name):
    source, target = MOVES[name]
    x = source(1)

    def loss(x):
        moved = jax.device_put(x * 2, target())
        return jnp.sum(moved**2)

    value, gradient = jax.value_and_grad(loss)(x)
    assert value.sharding.device_set == target().device_set
    assert gradient.sharding == x.sharding
    np.testing.assert_array_equal(gradient, 8 * V)


def test_rows_are_moved_together():
    x = jnp.asarray(np.stack([V] * 3))
    moved = jax.vmap(lambda row: jax.device_put(row, rows()))(x)
    assert moved.sharding.spec == P(None, "x")
    second = jax.hessian(lambda x: jnp.sum(jax.device_put(x, rows()) ** 3))(
        jnp.asarray(V)
    )
    np.testing.assert_array_equal(second, np.diag(6 * V))


def test_what_does_not_fit_is_refused_inside_too():
    with pytest.raises(ValueError, match="multiple of 8"):
        jax.jit(lambda x: jax.device_put(x, rows()))(np.arange(9.0))
    with pytest.raises(ValueError, match="unconstrained"):
        jax.device_put(V, NamedSharding(line(), P(P.UNCONSTRAINED)))


@pytest.mark.parametrize("make", [split, lambda: on(1), lambda: jnp.asarray(V)])
def test_types_have_the_memory_space(make):
    x = make()
    host = jax.jit(lambda x: jax.device_put(x, jax.memory.Space.Host))(x)
    assert str(jax.typeof(host)) == "float32<host>[8]"
    assert host.sharding == x.sharding.with_memory_kind("pinned_host")
    doubled = host * 2
    assert doubled.sharding == host.sharding
    back = jax.device_put(doubled, jax.memory.Space.Device)
    assert back.sharding == x.sharding
    np.testing.assert_array_equal(back, 2 * V)
    with pytest.raises(ValueError, match="memory_space"):
        host + x


@pytest.mark.parametrize("make", [split, lambda: on(1)])
def test_arrays_like_another_are_sharded_like_it(make):
    x = make()
    for like in (jnp.zeros_like(x), jnp.ones_like(x, dtype=int), jnp.full_like(x, 3)):
        assert like.sharding == x.sharding
        assert like.committed
    assert jnp.zeros_like(x, shape=(4,)).sharding.num_devices == 1


def test_parts_of_a_split_array_come_in_one_piece():
    parts = list(split())
    assert all(part.sharding.num_devices == 1 for part in parts)
    np.testing.assert_array_equal(parts, V)


def test_in_shardings_may_name_the_devices_in_another_order():
    backwards = jax.sharding.Mesh(np.array(jax.devices()[::-1]), ("x",))
    requested = NamedSharding(backwards, P("x"))
    y = jax.jit(lambda x: x + 1, in_shardings=requested)(split())
    np.testing.assert_array_equal(y, V + 1)
    assert y.sharding == requested


def test_local_data_of_a_tree():
    made = jax.make_array_from_process_local_data({"a": rows()}, {"a": V})
    assert made["a"].sharding == rows()
    with pytest.raises(ValueError, match="do not fit"):
        jax.make_array_from_process_local_data(rows(), V, (16,))


def test_types_of_results_say_nothing_of_auto_axes():
    assert jax.eval_shape(lambda x: x * 2, split()).sharding is None


def test_keys_under_a_mesh_of_explicit_axes():
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        x = jax.random.normal(jax.random.key(0), (8,), out_sharding=P("x"))
    np.testing.assert_array_equal(x, jax.random.normal(jax.random.key(0), (8,)))
    assert str(jax.typeof(x)) == "float32[8@x]"
