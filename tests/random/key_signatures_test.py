"""Signatures of functions of random keys: what is consumed, made and handed on."""

import numpy as np
import pytest
from jax.experimental.key_reuse._core import Forward, KeyReuseSignature, Sink, Source

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.key_reuse import _core as core

KEY = jax.random.key(0)
KEYS = jax.random.split(KEY, 4)


def masked(kind, *used):
    return kind(0, np.isin(np.arange(4), used))


CASES = {
    "same": (lambda k: k, KEY, Forward(0, 0)),
    "bits": (jax.random.bits, KEY, Sink(0)),
    "normal": (jax.random.normal, KEY, Sink(0)),
    "split": (jax.random.split, KEY, Sink(0), Source(0)),
    "first of split": (lambda k: jax.random.split(k)[0], KEY, Sink(0), Source(0)),
    "fold in": (lambda k: jax.random.fold_in(k, 2), KEY, Source(0)),
    "clone": (jax.random.clone, KEY, Source(0)),
    "seed": (jax.random.key, 0, Source(0)),
    "unwrap": (jax.random.key_data, KEY),
    "wrap": (jax.random.wrap_key_data, np.zeros(2, np.uint32), Source(0)),
    "consume": (core.consume, KEY, Sink(0), Forward(0, 0)),
    "index": (lambda k: k[0], KEYS, masked(Sink, 0), Source(0)),
    "slice": (lambda k: k[1:3], KEYS, masked(Sink, 1, 2), Source(0)),
    "reshape": (lambda k: k.reshape(2, 2), KEYS, Forward(0, 0)),
    "vmap": (jax.vmap(jax.random.bits), KEYS, Sink(0)),
    "one of several": (lambda k: jax.random.bits(k[1]), KEYS, masked(Sink, 1)),
    "jit": (jax.jit(jax.random.bits), KEY, Sink(0)),
    "cond": (
        lambda k: lax.cond(True, jax.random.bits, lambda k: jnp.uint32(0), k),
        KEY,
        Sink(0),
    ),
    "cond same": (
        lambda k: lax.cond(True, lambda k: k, lambda k: k, k),
        KEY,
        Forward(0, 0),
    ),
    "scan": (
        lambda k: lax.scan(lambda c, x: (c, jax.random.bits(x)), 0, k)[1],
        KEYS,
        Sink(0),
    ),
    "while": (
        lambda k: lax.while_loop(
            lambda c: c[0] < 2, lambda c: (c[0] + 1, jax.random.split(c[1])[0]), (0, k)
        ),
        KEY,
        Sink(0),
        Source(1),
    ),
    "also returned": (lambda k: (jax.random.bits(k), k), KEY, Sink(0), Forward(0, 1)),
    "returned twice": (lambda k: (k, k), KEY, Forward(0, 0), Forward(0, 1)),
    "compared": (lambda k: k == k, KEY),
}


@pytest.mark.parametrize("name", CASES)
def test_signatures_say_what_happens_to_keys(name):
    fun, arg, *expected = CASES[name]
    assert core.function_type_signature(fun, arg) == KeyReuseSignature(*expected)
    with jax.debug_key_reuse(True):
        jaxpr = jax.make_jaxpr(fun)(arg).jaxpr
    assert core.jaxpr_type_signature(jaxpr) == KeyReuseSignature(*expected)


def test_joined_arguments_are_consumed_and_make_a_source():
    found = core.function_type_signature(
        lambda a, b: jnp.concatenate([a, b]), KEYS, KEYS
    )
    assert found == KeyReuseSignature(Sink(0), Sink(1), Source(0))


def test_a_key_that_is_used_twice_is_found_without_running():
    core.check_key_reuse(jax.random.bits, KEY)
    with pytest.raises(
        jax.errors.KeyReuseError, match="argument 0 is already consumed"
    ):
        core.check_key_reuse(lambda k: jax.random.bits(k) + jax.random.bits(k), KEY)


def test_assertions_about_keys_hold_where_they_are_checked():
    def consumed(k):
        core.assert_unconsumed(k)
        core.assert_consumed(core.consume(k))
        core.assert_consumed(k)

    core.check_key_reuse(consumed, KEY)
    core.check_key_reuse(core.assert_unconsumed, KEYS)

    def one(k):
        jax.random.bits(k[0])
        core.assert_consumed(k, np.array([True, False, False, False]))

    core.check_key_reuse(one, KEYS)
    with pytest.raises(AssertionError, match="Expected key to be consumed"):
        core.check_key_reuse(core.assert_consumed, KEY)
    with pytest.raises(AssertionError, match="Expected key to not be consumed"):
        core.check_key_reuse(lambda k: core.assert_unconsumed(core.consume(k)), KEY)


def test_marks_are_immutable_and_compare_by_their_keys():
    mask = np.array([True, False])
    for kind in (Sink, Source):
        mark = kind(0, mask)
        assert mask.flags.writeable
        assert not mark.mask.flags.writeable
        for name, value in (("idx", 1), ("mask", True)):
            with pytest.raises(ValueError, match="is immutable"):
                setattr(mark, name, value)
        assert mark == kind(0, np.array([True, False]))
        assert mark != kind(0)
        assert kind(0) == kind(0, np.array([True, True]))
        assert repr(kind(0)) == f"{kind.__name__}(0)"
    assert Sink(0) != Source(0)
    assert KeyReuseSignature(Sink(0), Source(1)) == KeyReuseSignature(
        Source(1), Sink(0)
    )
    assert repr(KeyReuseSignature(Sink(0), Forward(0, 1))) == (
        "KeyReuseSignature(Sink(0), Forward(0, 1))"
    )
