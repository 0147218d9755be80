"""Generators that change in place draw what their keys say, one key after the other."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.random import StatefulPRNG, stateful_rng


def _key(n, seed=0):
    return jax.random.fold_in(jax.random.key(seed), n)


def _same(a, b):
    return np.array_equal(jax.random.key_data(a), jax.random.key_data(b))


def test_keys_follow_each_other():
    rng = stateful_rng(0)
    assert np.array_equal(jax.random.key_data(rng.key()), [1797259609, 2579123966])
    assert _same(rng.key(), _key(1))
    assert _same(rng.key((2, 3)), jax.random.split(_key(2), (2, 3)))
    assert _same(rng.key(4), jax.random.split(_key(3), 4))


_DRAWS = {
    "random": (lambda r: r.random(3), lambda k: jax.random.uniform(k, (3,))),
    "one": (lambda r: r.random(), lambda k: jax.random.uniform(k)),
    "half": (
        lambda r: r.random((2,), dtype="float16"),
        lambda k: jax.random.uniform(k, (2,), "float16"),
    ),
    "uniform": (
        lambda r: r.uniform(jnp.zeros(2), jnp.ones((3, 1))),
        lambda k: jax.random.uniform(k, (3, 2)),
    ),
    "normal": (
        lambda r: r.normal(jnp.ones(2), 2.0, (3, 2)),
        lambda k: 1 + 2 * jax.random.normal(k, (3, 2)),
    ),
    "integers": (
        lambda r: r.integers(2, 9, (4,)),
        lambda k: jax.random.randint(k, (4,), 2, 9),
    ),
    "below": (lambda r: r.integers(5), lambda k: jax.random.randint(k, (), 0, 5)),
    "bytes": (
        lambda r: r.integers(0, 5, 3, dtype="uint8"),
        lambda k: jax.random.randint(k, (3,), 0, 5, "uint8"),
    ),
}


@pytest.mark.parametrize("which", _DRAWS)
def test_draws(which):
    drawn, wanted = _DRAWS[which]
    rng = stateful_rng(7)
    for n in range(2):
        found, expected = drawn(rng), wanted(_key(n, 7))
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_compiled_functions_count_on():
    rng = stateful_rng(0)

    @jax.jit
    def two(rng):
        return rng.random(), rng.random()

    first, second = two(rng)
    assert first != second
    assert rng.random() == jax.random.uniform(_key(2))


def test_children_are_independent():
    rng = stateful_rng(0)
    found = [float(child.random()) for child in rng.spawn(3)] + [float(rng.random())]
    assert len(set(found)) == 4
    assert rng.spawn(0) == []


def test_rows_have_generators_of_their_own():
    rows = stateful_rng(0).split(4)
    assert len(np.unique(jax.vmap(lambda rng: rng.random())(rows))) == 4
    with pytest.raises(ValueError, match=r"batch of generators(.|\n)*jax.vmap"):
        rows.key()


def test_seeds():
    assert not np.array_equal(stateful_rng().random(8), stateful_rng().random(8))
    assert (
        stateful_rng(0, impl="rbg").key().dtype == jax.random.key(0, impl="rbg").dtype
    )
    with pytest.raises(TypeError, match="When used within transformed code"):
        jax.jit(lambda: stateful_rng().random())()
    with pytest.raises(TypeError):
        stateful_rng(1.5)
    assert 0 <= jax.jit(lambda seed: stateful_rng(seed).random())(3) < 1


def test_parts_are_checked():
    with pytest.raises(ValueError, match="_base_key is not a key"):
        StatefulPRNG(1, 2)
    with pytest.raises(ValueError, match="_counter is not a reference"):
        StatefulPRNG(jax.random.key(0), 2)
    with pytest.raises(AttributeError):
        stateful_rng(0)._base_key = 1
    with pytest.raises(ValueError, match="-1 generators"):
        stateful_rng(0).spawn(-1)


def test_generators_are_trees():
    rng = stateful_rng(0)
    key, counter = jax.tree.leaves(rng)
    assert key is rng._base_key and counter is rng._counter
    again = jax.tree.unflatten(jax.tree.structure(rng), [key, counter])
    assert again.random() != rng.random()
