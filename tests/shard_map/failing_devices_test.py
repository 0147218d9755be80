"""One device of eight fails: the caller gets an exception, and nobody hangs."""

import faulthandler

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from tests.testing import patience

MESH = Mesh(np.array(jax.devices()), ("i",))
X = np.arange(8, dtype=np.float32)


@pytest.fixture(autouse=True)
def a_hang_ends_the_process():
    faulthandler.dump_traceback_later(patience.LIMIT_S, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def fail(x):
    """What the device that has the number three does."""
    if (np.asarray(x) == 3).any():
        raise ValueError("three is refused")
    return np.asarray(x)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def debugged(x):
    jax.debug.callback(fail, x)
    return x


CALLBACKS = {
    "pure": lambda x: jax.pure_callback(fail, like(x), x),
    "io": lambda x: io_callback(fail, like(x), x),
    "debug": debugged,
}
COLLECTIVES = {
    "psum": lambda cb, x: lax.psum(cb(x), "i"),
    "gather": lambda cb, x: lax.all_gather(cb(x), "i").sum(0),
    "ppermute": lambda cb, x: lax.ppermute(cb(x), "i", [(i, 7 - i) for i in range(8)]),
    "loop": lambda cb, x: lax.fori_loop(
        0, 3, lambda i, c: lax.psum(cb(c), "i") / 8 + 0 * c, x
    ),
    "scan": lambda cb, x: lax.scan(
        lambda c, _: (lax.pmax(cb(c), "i") + 0 * c, None), x, length=3
    )[0],
}
WHOLE = {
    "once": lambda cb, x: cb(x) * 2,
    "sum": lambda cb, x: cb(x * 1).sum(),
    "loop": lambda cb, x: lax.fori_loop(0, 3, lambda i, c: cb(c), x),
}


def on_devices():
    return jax.device_put(X, NamedSharding(MESH, P("i")))


def mapped(f):
    return jax.jit(
        jax.shard_map(f, mesh=MESH, in_specs=P("i"), out_specs=P("i"), check_vma=False)
    )


def check_devices_work():
    out = mapped(lambda x: lax.psum(x, "i") * jnp.ones_like(x))(on_devices())
    np.testing.assert_array_equal(out, np.full(8, 28))


def run(f):
    jax.block_until_ready(f(on_devices()))
    jax.effects_barrier()


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("callback", CALLBACKS)
def test_one_part_fails_before_a_collective(callback, collective):
    f = COLLECTIVES[collective]
    with pytest.raises(jax.errors.JaxRuntimeError, match="three is refused"):
        run(mapped(lambda x: f(CALLBACKS[callback], x)))
    check_devices_work()


@pytest.mark.parametrize("program", WHOLE)
@pytest.mark.parametrize("callback", CALLBACKS)
def test_a_callback_of_a_divided_array_fails(callback, program):
    f = WHOLE[program]
    with pytest.raises(jax.errors.JaxRuntimeError, match="three is refused"):
        run(jax.jit(lambda x: f(CALLBACKS[callback], x)))
    check_devices_work()


def test_what_no_device_has_memory_for_fails_on_all():
    count = 1 << 42

    def sort(x):
        many = jnp.broadcast_to(x.sum(), (count,)) * jnp.arange(count, dtype="float32")
        return lax.psum(jnp.sort(many)[:1], "i")

    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED"):
        run(mapped(sort))
    check_devices_work()
