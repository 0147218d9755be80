"""Computing on devices besides the first, and on arrays that are sharded over several."""

import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

VALUES = np.arange(32, dtype="f4").reshape(8, 4)


def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def split(spec=P("x", "y"), values=VALUES):
    return jax.device_put(values, NamedSharding(mesh(), spec))


@pytest.mark.parametrize("number", [1, 7])
def test_results_are_on_the_devices_of_the_arguments(number):
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

    def is_early():
        y = slow(slow(x))
        before = y.is_ready()
        assert y.block_until_ready().is_ready()
        return not before

    # Between the call and the question the system may stop a thread, but not every time.
    assert any(is_early() for _ in range(20))


def test_arrays_in_parts_are_values():
    x = split()
    np.testing.assert_array_equal(np.asarray(x), VALUES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), VALUES)
    assert repr(x) == repr(jnp.asarray(VALUES))
    assert x.tolist() == VALUES.tolist()
    with pytest.raises(BufferError, match="8 device"):
        x.__dlpack__()


def test_donating_on_a_device_takes_the_memory():
    x = jax.device_put(VALUES, jax.devices()[5])
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    assert y.devices() == {jax.devices()[5]}


def test_dlpack_reports_the_device_and_shares_its_memory():
    x = jax.device_put(VALUES, jax.devices()[1])
    host = np.from_dlpack(x)
    np.testing.assert_array_equal(host, VALUES)
    assert host.ctypes.data == x.unsafe_buffer_pointer()
    back = jax.dlpack.from_dlpack(x)
    np.testing.assert_array_equal(back, VALUES)
