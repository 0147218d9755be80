"""Computing on devices besides the first, and on arrays that lie in parts on several."""

import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

VALUES = np.arange(32, dtype="f4").reshape(8, 4)


def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def split(spec=P("x", "y"), values=VALUES):
    return jax.device_put(values, NamedSharding(mesh(), spec))


WHOLE = lambda: NamedSharding(mesh(), P())  # noqa: E731  (devices start late)


@pytest.mark.parametrize("number", [1, 7])
def test_results_lie_where_the_arguments_do(number):
    device = jax.devices()[number]
    x = jax.device_put(VALUES, device)
    for result in (
        x + 1,
        jnp.sum(x),
        jax.jit(jnp.sin)(x),
        x @ x.T,
        x[2],
        x.at[0].set(1),
    ):
        assert result.devices() == {device}
        assert result.committed


def test_an_array_of_another_device_gives_way_unless_it_was_put_there():
    here, there = jax.devices()[:2]
    x = jax.device_put(VALUES, there)
    assert (x + jnp.ones(4)).devices() == {there}
    with pytest.raises(ValueError, match="incompatible devices"):
        x + jax.device_put(VALUES, here)


def test_a_default_device_is_for_what_names_none():
    with jax.default_device(jax.devices()[3]):
        x = jnp.ones(2) + 1
    assert x.devices() == {jax.devices()[3]}
    assert not x.committed


def test_calls_on_a_device_return_before_it_is_done():
    @jax.jit
    def slow(x):
        return jax.lax.fori_loop(0, 300, lambda _, y: jnp.tanh(y @ y), x)

    x = jax.device_put(np.ones((200, 200), "f4"), jax.devices()[2])
    slow(x).block_until_ready()
    y = slow(slow(x))
    assert not y.is_ready()
    assert y.block_until_ready().is_ready()


CALLS = {
    "an operator": (lambda x: x * x + 1, lambda x: x * x + 1),
    "a reduction": (lambda x: jnp.sum(x, 0), lambda x: np.sum(x, 0)),
    "a product": (lambda x: x @ x.T, lambda x: x @ x.T),
    "an index": (lambda x: x[3], lambda x: x[3]),
    "a number": (lambda x: 2.0 * x, lambda x: 2.0 * x),
    "a host array": (lambda x: x + VALUES, lambda x: x + VALUES),
    "an uncommitted array": (lambda x: x + jnp.ones(4), lambda x: x + 1),
    "a gradient": (jax.grad(lambda x: jnp.sum(x**2)), lambda x: 2 * x),
    "a batch": (jax.vmap(lambda row: row - row[0]), lambda x: x - x[:, :1]),
    "a loop": (lambda x: jax.lax.scan(lambda c, r: (c + r, r), x[0], x)[0],
               lambda x: x.sum(0) + x[0]),
    "a pure callback": (
        lambda x: jax.pure_callback(np.negative, jax.ShapeDtypeStruct((8, 4), "f4"), x),
        np.negative,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_arrays_in_parts_are_computed_with(name):
    fun, expected = CALLS[name]
    for call in (fun, jax.jit(fun)):
        for _ in range(2):  # the second time by the native path
            result = call(split())
            assert result.sharding == WHOLE()
            assert result.committed
            np.testing.assert_allclose(result, expected(VALUES), rtol=1e-6)


def test_results_of_jit_are_those_on_every_device():
    x = jax.jit(lambda x: x + 1)(split())
    for shard in x.addressable_shards:
        np.testing.assert_array_equal(shard.data, VALUES + 1)


def test_arrays_split_differently_over_the_same_devices_go_together():
    result = split(P("x")) + split(P(None, "y")) + split(P())
    assert result.sharding == WHOLE()
    np.testing.assert_array_equal(result, 3 * VALUES)


def test_arrays_on_other_devices_do_not():
    with pytest.raises(ValueError, match="incompatible devices"):
        split() + jax.device_put(VALUES, jax.devices()[0])


def test_jit_puts_results_where_it_is_asked_to():
    halves = NamedSharding(mesh(), P("y"))
    fun = jax.jit(lambda x: (x + 1, x.sum()), out_shardings=(halves, None))
    for _ in range(2):
        more, total = fun(split())
        assert more.sharding == halves
        assert more.addressable_shards[1].data.shape == (4, 4)
        assert total.sharding == WHOLE()
        np.testing.assert_array_equal(more, VALUES + 1)
        assert total == VALUES.sum()


def test_jit_moves_arguments_where_it_is_asked_to():
    fun = jax.jit(lambda x: x + 1, in_shardings=NamedSharding(mesh(), P("x")))
    result = fun(VALUES)
    assert result.sharding == WHOLE()
    np.testing.assert_array_equal(result, VALUES + 1)


def test_jit_wants_shardings_over_the_same_devices():
    one = SingleDeviceSharding(jax.devices()[0])
    fun = jax.jit(lambda x: x, in_shardings=WHOLE(), out_shardings=one)
    with pytest.raises(ValueError, match="name different devices"):
        fun(VALUES)


def test_effects_on_several_devices_are_refused():
    with pytest.raises(NotImplementedError, match="so each would have the effects"):
        jax.jit(lambda x: jax.debug.print("{}", x))(split())


def test_keys_may_lie_on_several_devices():
    key = jax.device_put(jax.random.key(3), WHOLE())
    x = jax.random.normal(key, (5,))
    assert x.sharding == WHOLE()
    np.testing.assert_array_equal(x, jax.random.normal(jax.random.key(3), (5,)))


def test_arrays_in_parts_are_values():
    x = split()
    np.testing.assert_array_equal(np.asarray(x), VALUES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), VALUES)
    np.testing.assert_array_equal(np.stack(list(x)), VALUES)
    assert repr(x) == repr(jnp.asarray(VALUES))
    assert f"{x[1, 2]:.1f}" == "6.0"
    assert x.tolist() == VALUES.tolist()
    with pytest.raises(BufferError, match="8 device"):
        x.__dlpack__()


def test_arrays_in_parts_are_deleted_as_one():
    x = split()
    x.delete()
    assert x.is_deleted()
    with pytest.raises(RuntimeError, match="deleted"):
        jnp.sin(x)


def test_donating_on_a_device_takes_the_memory():
    x = jax.device_put(VALUES, jax.devices()[5])
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    assert y.devices() == {jax.devices()[5]}


def test_dlpack_tells_the_device_and_shares_its_memory():
    x = jax.device_put(VALUES, jax.devices()[1])
    host = np.from_dlpack(x)
    np.testing.assert_array_equal(host, VALUES)
    assert host.ctypes.data == x.unsafe_buffer_pointer()
    back = jax.dlpack.from_dlpack(x)
    np.testing.assert_array_equal(back, VALUES)


def test_pmap_on_as_many_entries_as_devices():
    x = np.arange(8.0, dtype="f4")
    result = jax.pmap(lambda v: v / jax.lax.psum(v, "i"), axis_name="i")(x)
    np.testing.assert_allclose(result, x / x.sum(), rtol=1e-6)
