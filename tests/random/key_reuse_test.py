"""With `jax_debug_key_reuse`, a key that is used twice is found, and nothing else."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax, random


@pytest.fixture(autouse=True)
def reuse_is_looked_for():
    with jax.debug_key_reuse(True):
        yield


def key():
    return random.key(0)


def twice(k):
    return random.normal(k), random.uniform(k)


def next_and_number(k, _):
    k, own = random.split(k)
    return k, random.normal(own)


def same_and_number(k, _):
    return k, random.normal(k)


def looped(step):
    return lambda k: lax.scan(step, k, None, length=3)


def one_after_another(f):
    """Calls with the same key, outside of programs."""

    def run(k):
        f(k)
        f(k)

    return run


REUSED = {
    "two samplers": twice,
    "compiled": jax.jit(twice),
    "split and a sampler": lambda k: (random.split(k), random.normal(k)),
    "two calls of a compiled function": one_after_another(jax.jit(random.normal)),
    "compiled inside of compiled": jax.jit(one_after_another(jax.jit(random.normal))),
    "an element again": lambda k: (lambda ks: twice(ks[0]))(random.split(k)),
    "an element again, compiled": jax.jit(
        lambda k: (lambda ks: (random.normal(ks[1]), random.normal(ks[1])))(
            random.split(k)
        )
    ),
    "all and then one": lambda k: (
        lambda ks: (jax.vmap(random.normal)(ks), random.normal(ks[0]))
    )(random.split(k)),
    "moved and used": jax.jit(
        lambda k: (random.normal(k), random.normal(jnp.stack([k, k])[1]))
    ),
    "each step of a scan": looped(same_and_number),
    "each step of a scan, compiled": jax.jit(looped(same_and_number)),
    "captured by a scan": lambda k: lax.scan(
        lambda c, x: (c + random.normal(k), x), 0.0, jnp.arange(3.0)
    ),
    "each step of a while": lambda k: lax.while_loop(
        lambda s: s[1] < 3,
        lambda s: (s[0], s[1] + 1 + random.normal(s[0]) ** 2),
        (k, 0.0),
    ),
    "a branch and after it": jax.jit(
        lambda k: (lax.cond(True, random.normal, lambda k: 0.0, k), random.normal(k))
    ),
    "returned after use": lambda k: random.normal(
        jax.jit(lambda k: (random.normal(k), k))(k)[1]
    ),
}

FINE = {
    "one sampler": random.normal,
    "a sampler of samplers": lambda k: random.choice(k, 5, (2,), replace=False),
    "gamma": lambda k: random.gamma(k, 2.0),
    "folding in": lambda k: [random.normal(random.fold_in(k, i)) for i in range(3)],
    "elements of a split": lambda k: [random.normal(k) for k in random.split(k, 3)],
    "mapped": lambda k: jax.vmap(random.normal)(random.split(k, 3)),
    "scan over keys": jax.jit(
        lambda k: lax.scan(
            lambda c, k: (c + random.normal(k), c), 0.0, random.split(k, 3)
        )
    ),
    "keys handed on": jax.jit(looped(next_and_number)),
    "either branch": lambda k: lax.cond(True, random.normal, random.uniform, k),
    "a loop that folds in": lambda k: lax.fori_loop(
        0, 3, lambda i, s: s + random.normal(random.fold_in(k, i)), 0.0
    ),
    "clone": lambda k: (random.normal(k), random.normal(random.clone(k))),
    "clone, compiled": jax.jit(
        lambda k: (random.normal(k), random.normal(random.clone(k)))
    ),
    "looking at words": lambda k: (random.normal(k), random.key_data(k)),
    "a gradient": lambda k: jax.grad(lambda x: x * random.normal(k))(1.0),
    "an array beside it": jax.jit(lambda k: random.normal(k) + np.arange(3.0)),
    "the same seed": lambda k: (random.normal(key()), random.normal(key())),
}


@pytest.mark.parametrize("name", REUSED)
def test_reuse_is_found(name):
    with pytest.raises(jax.errors.KeyReuseError, match="Two uses of one key"):
        REUSED[name](key())


@pytest.mark.parametrize("name", FINE)
def test_nothing_else_is(name):
    FINE[name](key())


def test_the_message_says_where():
    with pytest.raises(jax.errors.KeyReuseError, match=r"used again +\S*test\.py:\d+"):
        jax.jit(twice)(key())


def test_without_the_option_keys_may_be_used_again():
    with jax.debug_key_reuse(False):
        twice(key())
        jax.jit(twice)(key())


def draw_while(k):
    return lax.while_loop(
        lambda c: c[1] < 2, lambda c: (c[0], c[1] + random.uniform(c[0])), (k, 0.0)
    )


def ask_while(k):
    return lax.while_loop(
        lambda c: random.uniform(c[0]) < c[1], lambda c: (c[0], c[1] - 0.5), (k, 1.0)
    )


@pytest.mark.parametrize(
    ("part", "program"),
    [
        ("scan body", lambda k: lax.scan(same_and_number, k, None, length=2)),
        ("while_loop body", draw_while),
        ("while_loop cond", ask_while),
    ],
)
def test_the_message_names_the_part_of_a_loop(part, program):
    said = f"{part} function leads to key reuse when repeatedly executed"
    for run in (program, jax.jit(program)):
        with pytest.raises(jax.errors.KeyReuseError, match=said):
            run(key())


def test_a_reuse_within_one_step_is_no_repetition():
    def step(k, _):
        return k, (random.normal(k), random.uniform(k))

    with pytest.raises(jax.errors.KeyReuseError, match=r"^A random key was used twice"):
        lax.scan(step, key(), None, length=2)
