"""Donation: when an argument's memory becomes a result's, and when it must not."""

import gc
import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from tests.testing import patience

STEPS = {
    "update": lambda x: x.at[3].set(5.0),
    "elementwise": lambda x: x * 2.0 + 1.0,
    "loop": lambda x: lax.fori_loop(0, 3, lambda i, x: x + 1.0, x),
    "scan": lambda x: lax.scan(lambda c, y: (c + y, None), x, jnp.arange(3.0))[0],
}


def _fresh(size=1000):
    """An array in memory that nobody else looks at."""
    return jax.block_until_ready(jnp.arange(float(size)) + 0.0)


@pytest.mark.parametrize("name", STEPS)
def test_the_result_is_where_the_argument_was(name):
    step, x = STEPS[name], _fresh()
    wanted = jax.jit(step)(x)
    address = x.unsafe_buffer_pointer()
    y = jax.jit(step, donate_argnums=0)(x)
    assert y.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(y, wanted)


def test_results_of_a_tree_are_where_its_leaves_were():
    state = {"w": _fresh(), "b": _fresh(10), "n": jnp.arange(4)}
    addresses = {k: v.unsafe_buffer_pointer() for k, v in state.items()}
    step = jax.jit(
        lambda s: {k: v + v.dtype.type(1) for k, v in s.items()}, donate_argnums=0
    )
    after = step(state)
    assert {k: v.unsafe_buffer_pointer() for k, v in after.items()} == addresses
    assert all(v.is_deleted() for v in state.values())


USES = {
    "value": np.asarray,
    "operation": lambda x: x + 1,
    "item": lambda x: x[0],
    "compiled": jax.jit(lambda x: x),
    "donated again": jax.jit(lambda x: x * 2, donate_argnums=0),
    "put": jax.device_put,
    "copied": lambda x: jax.device_put(x, jax.devices()[0], may_alias=False),
    "exported": np.from_dlpack,
}


@pytest.mark.parametrize("name", USES)
def test_a_donated_array_is_gone(name):
    x = _fresh()
    jax.jit(STEPS["update"], donate_argnums=0)(x)
    assert x.is_deleted()
    with pytest.raises((RuntimeError, ValueError), match="deleted"):
        USES[name](x)


VIEWS = {
    "asarray": np.asarray,
    "buffer": memoryview,
    "dlpack": np.from_dlpack,
    "capsule": lambda x: x.__dlpack__(),
}


@pytest.mark.parametrize("name", VIEWS)
def test_memory_that_somebody_looks_at_is_left_alone(name):
    x = _fresh()
    seen, address = VIEWS[name](x), x.unsafe_buffer_pointer()
    y = jax.block_until_ready(jax.jit(STEPS["elementwise"], donate_argnums=0)(x))
    assert x.is_deleted() and y.unsafe_buffer_pointer() != address
    if name != "capsule":
        np.testing.assert_array_equal(np.asarray(seen), np.arange(1000.0))
    np.testing.assert_array_equal(y, np.arange(1000.0) * 2 + 1)


def test_memory_is_taken_again_once_nobody_looks():
    x = _fresh()
    seen = np.from_dlpack(x)
    del seen
    gc.collect()
    address = x.unsafe_buffer_pointer()
    y = jax.jit(STEPS["update"], donate_argnums=0)(x)
    assert y.unsafe_buffer_pointer() == address


def test_one_array_cannot_be_donated_twice_in_a_call():
    both = jax.jit(lambda x, y: (x + 1, y * 2), donate_argnums=(0, 1))
    one = jax.jit(lambda x, y: x + y, donate_argnums=0)
    x = _fresh()
    for function in (both, one):
        with pytest.raises((RuntimeError, ValueError), match="same buffer.*donated"):
            function(x, x)
    # What was refused took nothing away.
    np.testing.assert_array_equal(x, np.arange(1000.0))


def test_a_running_program_keeps_what_it_reads():
    started, go_on = threading.Event(), threading.Event()

    def wait(value):
        started.set()
        assert go_on.wait(patience.LIMIT_S)
        return value

    @jax.jit
    def slow(x):
        scalar = jax.ShapeDtypeStruct((), x.dtype)
        return jax.pure_callback(wait, scalar, x[0]) + x * 2.0

    x = _fresh()
    found = []
    thread = threading.Thread(target=lambda: found.append(np.asarray(slow(x))))
    thread.start()
    assert started.wait(patience.LIMIT_S)
    y = jax.jit(STEPS["elementwise"], donate_argnums=0)(x)
    assert x.is_deleted()
    go_on.set()
    thread.join(patience.LIMIT_S)
    np.testing.assert_array_equal(found[0], np.arange(1000.0) * 2)
    np.testing.assert_array_equal(y, np.arange(1000.0) * 2 + 1)


def test_threads_that_read_see_the_value_or_that_it_is_gone():
    read = jax.jit(lambda x: x.sum())
    step = jax.jit(lambda x: x + 1.0, donate_argnums=0)
    current = [_fresh()]
    sums = {499500.0 + 1000.0 * i for i in range(301)}
    failures, over = [], threading.Event()

    def reader():
        while not over.is_set():
            try:
                total = float(read(current[0]))
            except (RuntimeError, ValueError) as error:
                if "deleted" not in str(error):
                    failures.append(error)
                continue
            if total not in sums:
                failures.append(total)

    threads = [threading.Thread(target=reader) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        current[0] = step(current[0])
    over.set()
    for thread in threads:
        thread.join(patience.LIMIT_S)
    assert not failures
    np.testing.assert_array_equal(current[0], np.arange(1000.0) + 300)


def test_training_in_place_needs_no_memory():
    device = jax.devices()[0]
    step = jax.jit(lambda x: x * 0.5 + 1.0, donate_argnums=0)
    x = jax.block_until_ready(step(step(_fresh())))
    before = device.memory_stats()
    for _ in range(100):
        x = step(x)
    jax.block_until_ready(x)
    after = device.memory_stats()
    assert after["bytes_in_use"] == before["bytes_in_use"]
    assert after["num_allocs"] == before["num_allocs"]


def test_moving_an_array_gives_away_only_what_moved():
    device = jax.devices()[0]
    x = _fresh()
    y = jax.device_put(x, device, donate=True)
    np.testing.assert_array_equal(y, np.arange(1000.0))
    z = jax.device_put(y, device, may_alias=False)
    assert z.unsafe_buffer_pointer() != y.unsafe_buffer_pointer()
    jax.jit(STEPS["update"], donate_argnums=0)(y)
    np.testing.assert_array_equal(z, np.arange(1000.0))
