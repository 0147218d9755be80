"""Arrays of strings: they move and are cut as other arrays are, and no program takes them."""

import copy
import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

STRINGS = np.dtypes.StringDType()
WORDS = np.array([["red", "green"], ["", "sky blue"]], STRINGS)


def _on_first(words=WORDS):
    return jax.device_put(words, jax.devices()[0])


def _cut(spec):
    return NamedSharding(jax.make_mesh((2,), ("x",), devices=jax.devices()[:2]), spec)


@pytest.mark.parametrize(
    "words",
    [
        WORDS,
        np.array("alone", STRINGS),
        np.array([], STRINGS),
        np.array(["é", "日本" * 40], STRINGS),
        WORDS.T,
    ],
)
def test_the_words_come_back(words):
    x = _on_first(words)
    np.testing.assert_array_equal(np.asarray(x), words)
    assert np.asarray(x).dtype == STRINGS
    assert (x.shape, x.ndim, x.size) == (words.shape, words.ndim, words.size)
    assert x.tolist() == words.tolist()


def test_it_is_an_array_with_the_facts_of_one():
    x = _on_first()
    assert isinstance(x, jax.Array)
    assert x.devices() == {jax.devices()[0]}
    assert x.committed and not x.weak_type
    assert x.block_until_ready() is x
    assert jax.typeof(x).shape == (2, 2)
    assert not jax.device_put(WORDS).committed
    assert repr(_on_first(WORDS[0])) == "Array(['red', 'green'], dtype=StringDType128)"
    np.testing.assert_array_equal(jax.device_get(x), WORDS)


def test_what_the_host_changes_later_does_not_change_it():
    words = WORDS.copy()
    x = _on_first(words)
    words[0, 0] = "black"
    np.testing.assert_array_equal(np.asarray(x), WORDS)


@pytest.mark.parametrize("make", [jnp.asarray, jnp.array])
def test_functions_that_make_arrays_take_them(make):
    x = make(WORDS, device=jax.devices()[1])
    assert x.devices() == {jax.devices()[1]}
    np.testing.assert_array_equal(np.asarray(make(x)), WORDS)


def test_it_moves_between_devices_and_is_cut():
    x = jax.device_put(_on_first(), jax.devices()[1])
    assert x.devices() == {jax.devices()[1]}
    cut = jax.device_put(x, _cut(P(None, "x")))
    np.testing.assert_array_equal(np.asarray(cut), WORDS)
    for shard in cut.addressable_shards:
        np.testing.assert_array_equal(np.asarray(shard.data), WORDS[shard.index])
    replicated = jax.device_put(WORDS, _cut(P()))
    assert replicated.is_fully_replicated
    with pytest.raises(ValueError, match="split"):
        jax.device_put(np.array(["a", "b", "c"], STRINGS), _cut(P("x")))


def test_parts_become_one_array():
    sharding = _cut(P("x"))
    parts = [jax.device_put(WORDS[i : i + 1], jax.devices()[i]) for i in (0, 1)]
    joined = jax.make_array_from_single_device_arrays((2, 2), sharding, parts)
    np.testing.assert_array_equal(np.asarray(joined), WORDS)
    made = jax.make_array_from_callback((2, 2), sharding, lambda index: WORDS[index])
    np.testing.assert_array_equal(np.asarray(made), WORDS)
    assert made.sharding == sharding


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_have_the_same_words(again):
    np.testing.assert_array_equal(np.asarray(again(_on_first())), WORDS)


def test_it_can_be_deleted():
    x = _on_first()
    x.delete()
    assert x.is_deleted()


def test_a_map_that_does_nothing_takes_it():
    np.testing.assert_array_equal(np.asarray(jax.vmap(lambda x: x)(_on_first())), WORDS)


@pytest.mark.parametrize("transform", [jax.jit, jax.grad])
@pytest.mark.parametrize("make", [_on_first, lambda: WORDS])
def test_programs_refuse_it(transform, make):
    with pytest.raises(TypeError, match=r"Argument.*is not a valid JAX type"):
        transform(lambda x: x)(make())


@pytest.mark.parametrize(
    "use", [lambda x: x + x, lambda x: x[0], jnp.sort, lambda x: jnp.zeros(2, STRINGS)]
)
def test_nothing_computes_with_it(use):
    with pytest.raises(TypeError, match="valid JAX|only supports"):
        use(_on_first())
