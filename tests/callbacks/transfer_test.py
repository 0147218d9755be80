"""Arrays are offered and pulled by number; arrays that are errors."""

import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import transfer

X = jnp.arange(4.0)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)


@pytest.fixture
def server():
    return transfer.start_transfer_server(jax.devices()[0].client)


def test_what_is_offered_is_pulled_once(server):
    connection = server.connect(server.address())
    server.await_pull(7, {"x": X})
    found = connection.pull(7, {"x": like(X)})
    np.testing.assert_array_equal(found["x"], X)
    with pytest.raises(TimeoutError, match="nothing was offered in time"):
        connection.pull(7, {"x": like(X)}, timeout=0.01)


def test_a_pull_waits_for_its_offer(server):
    found = []
    connection = transfer.start_transfer_server(None).connect(server.address())
    thread = threading.Thread(target=lambda: found.append(connection.pull(1, like(X))))
    thread.start()
    server.await_pull(1, X)
    thread.join()
    np.testing.assert_array_equal(found[0], X)


def test_mistakes_are_explained(server):
    with pytest.raises(NotImplementedError, match="not in this process"):
        server.connect("other-machine:1")
    with pytest.raises(TypeError, match="trees of arrays"):
        server.await_pull(1, [3])
    server.await_pull(2, X)
    with pytest.raises(ValueError, match="another type was offered"):
        server.connect(server.address()).pull(2, like(X[:2]))
    with pytest.raises(NotImplementedError, match="no transport"):
        transfer.start_transfer_server(None, transport_addresses=["127.0.0.1:0"])


def test_an_array_that_is_an_error_raises_when_it_is_read():
    array = transfer.make_error_array(like(X), "it went wrong")
    assert (array.shape, array.dtype) == (X.shape, X.dtype)
    with pytest.raises(jax.errors.JaxRuntimeError, match="it went wrong"):
        jax.block_until_ready(array)
