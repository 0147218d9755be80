"""Loops of which nobody knows the length get better code while they run, and compute the same bits."""

import os
import time

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import options


def repeated(step, *start):
    """A function of a number of rounds of `step`, whose carry begins as `start`."""

    def run(rounds):
        carry = tuple(jnp.asarray(x) for x in start)
        return lax.fori_loop(0, rounds, lambda i, c: step(i, *c), carry)

    return run


def scalars(i, x, y):
    return y * 0.5 + i * 1e-3 + jnp.sin(x), x - jnp.cos(y) * 0.1 + jnp.tanh(x * y)


def many_scalars(i, *xs):
    xs = xs[1:] + (xs[0] * 0.99 + i * 1e-3,)
    return tuple(
        x + 0.01 * jnp.sin(y) for x, y in zip(xs, xs[1:] + xs[:1], strict=True)
    )


def array(i, x):
    return (x * 0.999 + jnp.sin(x) * 1e-3 + i * 1e-6,)


def arrays_that_change_over(i, x, y):
    return y * 1.0001, x + i


def sums(i, x):
    return (x * 0.99 + 1e-3 * jnp.sum(x, -1, keepdims=True) / (1 + jnp.sum(x * x)),)


def product(i, a, x):
    return a, jnp.tanh(a @ x) + 1e-3


def complex_numbers(i, z, w):
    return z * jnp.exp(0.01j) + jnp.sum(w) * 1e-5, w * (1 - 1e-3j)


def half_floats(i, x):
    return (x * jnp.bfloat16(0.99) + jnp.bfloat16(0.01),)


def integers(i, x, seen):
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x, seen | (x % 7 == i % 7)


def branches(i, x):
    return (lax.switch(i % 3, [jnp.sin, lambda x: x * 1.5 - x**3, lambda x: -x], x),)


def loops_inside(i, x):
    def inner(c):
        n, y = c
        return n + 1, y * 0.5 + jnp.cos(y)

    x = lax.while_loop(lambda c: c[0] < i % 5, inner, (0, x))[1]
    return (lax.fori_loop(0, 3, lambda _, y: jnp.sin(y) + 0.1, x),)


def sorted_again(i, x):
    return (jnp.sort((x * 1.37 + i) % 5.0),)


def random_numbers(i, key, x):
    key, used = jax.random.split(key)
    return key, x * 0.9 + jax.random.normal(used, x.shape)


VECTOR = np.linspace(-1, 1, 100, dtype=np.float32)
PROGRAMS = {
    "scalars": repeated(scalars, np.float32(0.3), np.float32(-0.7)),
    "many scalars": repeated(many_scalars, *np.linspace(0, 1, 40, dtype=np.float32)),
    "array": repeated(array, VECTOR),
    "arrays that change over": repeated(
        arrays_that_change_over, VECTOR, VECTOR[::-1].copy()
    ),
    "sums": repeated(sums, VECTOR.reshape(4, 25)),
    "product": repeated(product, np.outer(VECTOR, VECTOR), VECTOR),
    "complex numbers": repeated(complex_numbers, np.complex64(1 + 2j), VECTOR + 0j),
    "half floats": repeated(half_floats, jnp.asarray(VECTOR, jnp.bfloat16)),
    "integers": repeated(integers, np.uint32(7), np.bool_(False)),
    "branches": repeated(branches, VECTOR),
    "loops inside": repeated(loops_inside, VECTOR),
    "sorted again": repeated(sorted_again, VECTOR),
    "random numbers": repeated(random_numbers, np.uint32([1, 2]), VECTOR),
}


def seconds(call, *args):
    start = time.perf_counter()
    jax.block_until_ready(call(*args))
    return time.perf_counter() - start


def compiled_in(tier, run):
    """A call of it in this tier, which was compiled and has run one round."""
    program = jax.jit(lambda rounds: run(rounds))

    def call(rounds):
        with options.compile_tier(tier):  # which chooses among programs, too
            return program(rounds)

    jax.block_until_ready(call(np.int32(1)))
    return call


def rounds_of(run, long):
    """About so many rounds as quick code needs so many seconds for."""
    call, rounds = compiled_in("fast", run), np.int32(64)
    while (taken := min(seconds(call, rounds) for _ in range(3))) < 0.02:
        rounds *= 4
    return np.int32(min(rounds * long / taken, 1 << 30))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_computes_the_same_bits_in_code_that_comes_while_it_runs(name):
    run = PROGRAMS[name]
    rounds = rounds_of(run, 0.3)
    expected = compiled_in("best", run)(rounds)
    found = compiled_in("auto", run)(rounds)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_a_failure_in_such_code_is_an_exception_and_the_program_runs_on():
    def step(i, x, last):
        wrong = (i == last) & (x[0] < 2)
        x = lax.cond(wrong, lambda x: jax.pure_callback(fail, x, x), lambda x: x, x)
        return x * 0.999 + jnp.sin(x) * 1e-3, last

    def fail(_):
        raise RuntimeError("the last round is wrong")

    def run(rounds):
        return lax.fori_loop(0, rounds, lambda i, c: step(i, *c), (VECTOR, rounds - 1))

    call = jax.jit(run)
    rounds = np.int32(1_500_000)
    with pytest.raises(jax.errors.JaxRuntimeError, match="the last round is wrong"):
        jax.block_until_ready(call(rounds))
    with pytest.raises(jax.errors.JaxRuntimeError, match="the last round is wrong"):
        jax.block_until_ready(call(np.int32(3)))
    assert call(np.int32(0))[1] == -1


@pytest.mark.skipif(os.environ.get("TEST_PLUGIN") == "real", reason="XLA has no tiers")
def test_one_long_run_does_not_end_in_quick_code():
    run = PROGRAMS["array"]
    rounds = rounds_of(run, 1.5)
    quick = compiled_in("fast", run)
    ratios = []
    for _ in range(3):  # other processes may hold up the thread that compiles
        ratios.append(
            seconds(compiled_in("auto", run), rounds) / seconds(quick, rounds)
        )
        if ratios[-1] < 0.8:
            return
    pytest.fail(f"over quick code all along: {ratios}")
