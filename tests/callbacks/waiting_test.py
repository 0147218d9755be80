"""Programs that call Python run on their callers' threads, as upstream's; no callback waits for ever."""

import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import io_callback
from jax.sharding import PartitionSpec as P

X = np.arange(4, dtype=np.float32)
add_one = jax.jit(lambda x: x + 1)


def pure(fun, x):
    return jax.pure_callback(fun, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def told(fun, x, **how):
    return io_callback(fun, jax.ShapeDtypeStruct(x.shape, x.dtype), x, **how)


def looked(fun, x, **how):
    jax.debug.callback(fun, x, **how)
    return x + 1


KINDS = {
    "pure": pure,
    "io": told,
    "ordered io": lambda fun, x: told(fun, x, ordered=True),
    "debug": looked,
    "ordered debug": lambda fun, x: looked(fun, x, ordered=True),
    "in a loop": lambda fun, x: jax.lax.fori_loop(0, 2, lambda i, y: pure(fun, y), x),
    "in a branch": lambda fun, x: jax.lax.cond(
        x[0] < 5, lambda y: pure(fun, y), lambda y: y, x
    ),
    "after much": lambda fun, x: pure(fun, jnp.outer(x, jnp.ones(9999)).sum(1)),
}


@pytest.mark.parametrize("name", KINDS)
def test_on_one_device_the_caller_makes_the_calls(name):
    threads = []

    def see(x):
        threads.append(threading.get_ident())
        return np.asarray(x)

    compiled = jax.jit(lambda x: KINDS[name](see, x))
    for _ in range(2):
        threads.clear()
        compiled(jnp.asarray(X))
        assert set(threads) == {threading.get_ident()}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("ahead", [False, True])
def test_what_a_callback_raises_is_raised_by_the_call(name, ahead):
    def fail(x):
        raise KeyError("no such thing")

    x = jnp.asarray(X)
    compiled = jax.jit(lambda x: KINDS[name](fail, x))
    run = compiled.lower(x).compile() if ahead else compiled
    for _ in range(2):
        with pytest.raises(jax.errors.JaxRuntimeError, match="no such thing"):
            run(x)
    jax.effects_barrier()
    np.testing.assert_array_equal(add_one(x), X + 1)


def over_two(x):
    return jax.device_put(x, jax.NamedSharding(jax.make_mesh((2,), ("i",)), P("i")))


def test_over_several_devices_errors_come_with_the_results():
    def fail(x):
        raise KeyError("no such thing")

    result = jax.jit(lambda x: pure(fail, x))(over_two(X))
    with pytest.raises(jax.errors.JaxRuntimeError, match="no such thing"):
        jax.block_until_ready(result)


def slow(x):
    """A result that takes a while: of a large product."""
    big = jnp.full((700, 700), x[0])
    return jax.jit(lambda m: jnp.linalg.matrix_power(m, 9)[:4, 0])(big)


LATER = {
    "the result itself": lambda first, x: first,
    "a result of it": lambda first, x: add_one(first),
    "a program behind it": lambda first, x: add_one(x),
    "a copy": lambda first, x: jax.device_put(first, jax.devices()[0]),
    "by way of others": lambda first, x: add_one(
        jax.device_put(
            add_one(jax.device_put(first, jax.devices()[1])), jax.devices()[2]
        )
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_a_callback_that_waits_for_what_comes_after_it_fails(name):
    later, ready = [], threading.Event()

    def read(y):
        assert ready.wait(20)
        return np.asarray(later[0])

    x = over_two(X)
    first = jax.jit(lambda x: pure(read, x))(x)
    later.append(LATER[name](first, x))
    ready.set()
    with pytest.raises(jax.errors.JaxRuntimeError, match="callback waits for an array"):
        jax.block_until_ready(first)


def test_a_callback_may_wait_for_programs_of_other_threads():
    later, ready = [], threading.Event()

    def other():
        later.append(add_one(jnp.asarray(X)))
        ready.set()

    def read(x):
        thread = threading.Thread(target=other)
        thread.start()
        assert ready.wait(20)
        thread.join()
        return np.asarray(later[0])

    np.testing.assert_array_equal(jax.jit(lambda x: pure(read, x))(X), X + 1)


def test_donated_arrays_are_not_overwritten_under_programs_in_the_queue():
    x = jnp.asarray(X) * 2
    first = jax.jit(lambda x, m: x + slow(m)[0] * 0)(x, jnp.zeros(4))
    change = jax.jit(
        lambda x: pure(lambda y: np.asarray(y) * 0 - 1, x) + x, donate_argnums=0
    )
    change(x)
    np.testing.assert_array_equal(first, X * 2)
