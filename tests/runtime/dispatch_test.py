"""Eager operations and jitted functions, through the whole front end, on our plugin and on the real XLA."""

import functools as ft
import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lib import client
from jax._src.runtime import dispatch


def remembered():
    return dispatch.callable_of.cache_info().currsize


def test_eager_operations_are_compiled_once_per_type():
    x, y, z = jnp.float32(1), jnp.float32(2), jnp.ones(3)
    lax.atan2(x, y)
    before = remembered()
    run = dispatch.callable_of(lax.atan2_p, ())
    size = run._cache_size()
    lax.atan2(y, x)
    assert run._cache_size() == size
    lax.atan2(z, z)
    assert run._cache_size() == size + 1
    assert remembered() == before


def test_operations_that_were_not_used_for_long_are_forgotten(monkeypatch):
    few = ft.lru_cache(3)(dispatch.callable_of.__wrapped__)
    monkeypatch.setattr(dispatch, "callable_of", few)
    for _ in range(2):
        for step in range(1, 6):
            out = lax.while_loop(lambda n: n < 9, lambda n, k=step: n + k, 0)
            assert out == -(-9 // step) * step
    assert few.cache_info().currsize == 3


def test_known_values_inside_a_transformation_are_not_compiled_again(monkeypatch):
    x, many = jnp.full(3, 0.5), jnp.ones((2, 3))

    def run():
        jax.grad(lambda z: (z * x).sum())(x)
        jax.vmap(lambda z: z * x)(many)

    run()
    compiled = []
    original = dispatch.compile_primitive
    monkeypatch.setattr(
        dispatch,
        "compile_primitive",
        lambda *args: compiled.append(args) or original(*args),
    )
    run()
    assert not compiled


def test_results_are_arrays_with_the_expected_types():
    x = jnp.arange(3)
    assert type(x + 1) is client.Array
    assert (x + 1).dtype == np.int32
    assert (x + 1.5).dtype == np.float32
    assert not (x + 1).weak_type
    assert (jnp.asarray(1) + 1).weak_type


def test_results_follow_committed_arguments():
    one, two = jax.devices()[1:3]
    x = jax.device_put(np.ones(3), one)
    assert (x + 1).devices() == {one}
    assert (x + jnp.ones(3)).devices() == {one}
    assert jax.jit(lambda a, b: a * b)(x, jnp.ones(3)).devices() == {one}
    assert (x + 1).committed
    assert not (jnp.ones(3) + 1).committed
    y = jax.device_put(np.ones(3), two)
    with pytest.raises(ValueError, match="incompatible devices") as caught:
        x + y
    assert "ids [1]" in str(caught.value) and "ids [2]" in str(caught.value)


def test_the_default_device_decides_for_what_names_none():
    two = jax.devices()[2]
    f = jax.jit(lambda: jnp.ones(2) + 1)
    assert f().devices() == {jax.devices()[0]}
    with jax.default_device(two):
        assert jnp.ones(3).devices() == {two}
        assert f().devices() == {two}
    assert f().devices() == {jax.devices()[0]}


def test_switching_to_sixty_four_bits_recompiles():
    f = jax.jit(lambda x: x + 1)
    assert f(np.arange(3)).dtype == np.int32
    with jax.enable_x64(True):
        assert f(np.arange(3)).dtype == np.int64
        assert f(1.5).dtype == np.float64
    assert f(np.arange(3)).dtype == np.int32


def test_donated_arguments_are_deleted_and_reused():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    for _ in range(3):
        x = jnp.zeros(1000)
        y = f(x)
        assert x.is_deleted()
        assert float(y[0]) == 1.0
    with pytest.raises(RuntimeError, match="Array has been deleted"):
        f(x)


def test_jitted_functions_take_trees_and_give_trees():
    f = jax.jit(lambda t: {"sum": t["a"] + t["b"][0], "same": t["b"]})
    for _ in range(2):
        out = f({"a": jnp.ones(2), "b": (np.float32(2), None)})
        np.testing.assert_array_equal(np.asarray(out["sum"]), [3, 3])
        assert out["same"][1] is None
    assert f._cache_size() == 1


def test_keys_take_the_native_path():
    f = jax.jit(lambda key: jax.random.split(key))
    key = jax.random.key(0)
    for _ in range(3):
        keys = f(key)
    assert keys.dtype == key.dtype
    assert f._cache_statistics()["hits"] >= 1


def test_threads_may_trace_and_call_the_same_function():
    failures = []
    f = jax.jit(lambda x, n: x * n + 1)

    def work(seed):
        try:
            for size in range(1, 8):
                out = f(jnp.full(size, seed, jnp.float32), 2)
                np.testing.assert_array_equal(np.asarray(out), [2 * seed + 1] * size)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_numpy_values_become_arrays_without_a_program():
    before = remembered()
    for value in (np.ones((2, 7)), 3, 2.5, True, np.arange(11)):
        np.testing.assert_array_equal(np.asarray(jnp.asarray(value)), value)
    assert remembered() == before


def test_a_compiler_error_is_a_runtime_error():
    with pytest.raises(jax.errors.JaxRuntimeError):
        jax.devices()[0].client.compile("nonsense")
