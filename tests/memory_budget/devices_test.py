"""`jax.memory_budget` on eight devices: it is what each of them holds."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

RNG = np.random.default_rng(0)
WEIGHTS = [RNG.standard_normal((64, 64)).astype(np.float32) / 8 for _ in range(8)]
X = RNG.standard_normal((16384, 64)).astype(np.float32)


def loss(weights, x):
    for w in weights:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def peak(compiled):
    return compiled.memory_analysis().peak_memory_in_bytes


def arguments(mesh):
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("x"))
    return jax.device_put(WEIGHTS, whole), jax.device_put(X, rows)


def assert_close(found, expected):
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_each_device_keeps_to_the_budget():
    given = arguments(jax.make_mesh((8,), ("x",)))
    lowered = jax.jit(jax.grad(loss)).lower(*given)
    plain = lowered.compile()
    budget = int(0.8 * peak(plain))
    with jax.memory_budget(budget):
        limited = lowered.compile()
    assert peak(limited) <= budget < peak(plain)
    assert_close(limited(*given), plain(*given))
    assert limited.output_shardings == plain.output_shardings


def test_a_call_on_devices_keeps_to_the_budget():
    given = arguments(jax.make_mesh((8,), ("x",)))
    function = jax.jit(jax.grad(loss))
    expected = function(*given)
    need = peak(function.lower(*given).compile())
    with jax.memory_budget(int(0.8 * need)):
        assert_close(function(*given), expected)
    with jax.memory_budget(1000), pytest.raises(jax.errors.JaxRuntimeError) as error:
        function(*given)
    assert "8, each" in str(error.value)


def test_what_fits_as_it_is_stays_as_it_is():
    given = arguments(jax.make_mesh((8,), ("x",)))
    lowered = jax.jit(jax.grad(loss)).lower(*given)
    plain = lowered.compile()
    with jax.memory_budget(peak(plain)):
        assert lowered.compile().as_text() == plain.as_text()


def test_programs_of_parts_keep_to_the_budget():
    mesh = jax.make_mesh((8,), ("x",))

    def slopes(weights, x):
        whole = lambda weights: jax.lax.pmean(loss(weights, x), "x")
        return jax.grad(whole)(weights)

    function = jax.shard_map(slopes, mesh=mesh, in_specs=(P(), P("x")), out_specs=P())
    given = arguments(mesh)
    lowered = jax.jit(function).lower(*given)
    plain = lowered.compile()
    budget = int(0.8 * peak(plain))
    with jax.memory_budget(budget):
        limited = lowered.compile()
    assert peak(limited) <= budget
    assert_close(limited(*given), plain(*given))
