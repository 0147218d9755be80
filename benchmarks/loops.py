"""Prints what an iteration of a compiled loop costs, in all and besides its arithmetic, on the `jax` that is imported.

  python loops.py [--repeats N]

Each loop does next to nothing per iteration. *Time* is its time divided by the iterations; *overhead* what is left of
that without the body's arithmetic, whose operations wait for each other: twice the time of the loop less that of one
whose body does everything twice; nothing is taken off where the body has no arithmetic. The smallest of the repeats counts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax

ITERATIONS = 100_000
MATRIX = np.eye(16, dtype=np.float32)


def count_scalar(i, s):
    return s * 0.999 + i


def carry_vector(i, s):
    return s * 0.999 + 1


def multiply_vector(i, s):
    return s @ MATRIX


def nested_pair(i, pair):
    a, b = pair
    return b, a + i


def update_in_place(i, table):
    return table.at[i % 1024].set(jnp.full(16, i, table.dtype))


def stacked(body, times):
    """A scan that stores its carry each time before `body` changes it."""

    def step(carry, _):
        following = carry
        for _ in range(times):
            following = body(0, following)
        return following, carry

    return lambda n, start: lax.scan(step, start, length=ITERATIONS)[1]


def counted(body, times):
    """The loop whose body does `times` times what `body` does."""

    def repeated(i, carry):
        for _ in range(times):
            carry = body(i, carry)
        return carry

    return lambda n, start: lax.fori_loop(0, n, repeated, start)


SCALAR = np.float32(1)
VECTOR = np.ones(16, np.float32)
LOOPS = (
    ("count_scalar", counted, count_scalar, SCALAR),
    ("carry_vector", counted, carry_vector, VECTOR),
    ("multiply_vector", counted, multiply_vector, VECTOR),
    ("nested_pair", counted, nested_pair, (SCALAR, SCALAR)),
    ("stack_outputs", stacked, carry_vector, SCALAR),
)


def nanoseconds(loop, start, repeats):
    run = jax.jit(loop)
    arguments = (np.int32(ITERATIONS), jax.tree.map(jnp.asarray, start))
    jax.block_until_ready(run(*arguments))
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(run(*arguments))
        best = min(best, time.perf_counter() - begin)
    return best / ITERATIONS * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    repeats = parser.parse_args().repeats
    print(f"jax {jax.__version__} from {jax.__file__}: nanoseconds per iteration")
    print(f"{'':18} {'time':>8} {'overhead':>8}")
    for name, loop, body, start in LOOPS:
        once, twice = (
            nanoseconds(loop(body, times), start, repeats) for times in (1, 2)
        )
        print(f"{name:18} {once:8.1f} {2 * once - twice:8.1f}")
    table = np.zeros((1024, 16), np.float32)
    once = nanoseconds(counted(update_in_place, 1), table, repeats)
    print(f"{'update_in_place':18} {once:8.1f} {once:8.1f}")


if __name__ == "__main__":
    main()
