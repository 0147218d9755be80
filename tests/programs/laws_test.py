"""Random functions obey the laws of transformations."""

import pytest

import jax
from tests.programs import generate, laws

SEEDS = range(14)
SMOOTH_SEEDS = range(24)


@pytest.mark.parametrize("seed", SEEDS)
def test_transformations_mean_what_they_say(seed):
    text = generate.function(seed)
    if laws.is_refused(text):
        pytest.skip("the function refuses its arguments")
    assert not laws.broken(text), text


@pytest.mark.parametrize("seed", SMOOTH_SEEDS)
def test_derivatives_are_limits_of_differences(seed):
    text = generate.smooth_function(seed)
    with jax.enable_x64(True):
        assert not laws.broken(text, [laws.differences]), text


COUNTED = """
calls = []
def function(x):
    calls.append(1)
    return x * len(calls)
arguments = (jnp.float32(2),)
"""
WRONG_RULE = """
wrong = jax.custom_jvp(lambda x: x * x)
wrong.defjvp(lambda primals, tangents: (wrong(*primals), tangents[0]))
function, arguments = (lambda x: wrong(x) + x), (jnp.float32(2),)
"""


def test_the_laws_find_what_is_broken():
    found = dict(laws.broken(COUNTED))
    assert {"compiled", "program_again", "batched"} <= found.keys()
    assert "value" in found["compiled"]
    assert "differences" in dict(laws.broken(WRONG_RULE, [laws.differences]))


def test_a_seed_is_a_function():
    assert generate.function(5) == generate.function(5) != generate.function(6)
