"""Prints what an iteration of a compiled loop costs besides its arithmetic, on the `jax` that is imported.

  python loops.py [--repeats N]

Each loop does next to nothing per iteration, so its time divided by the iterations is overhead: the test
of the condition, what is carried from one iteration to the next, and what is written per iteration. The
smallest of the repeats counts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax

ITERATIONS = 100_000


def count_scalar(n, x):
    return lax.fori_loop(0, n, lambda i, s: s * 0.999 + i, x[0])


def carry_vector(n, x):
    return lax.fori_loop(0, n, lambda i, s: s * 0.999 + 1, x)


def update_in_place(n, x):
    table = jnp.zeros((1024, x.shape[0]), x.dtype)
    return lax.fori_loop(0, n, lambda i, t: t.at[i % 1024].set(x), table)


def stack_outputs(n, x):
    return lax.scan(lambda s, _: (s + 1, s), x[0], None, length=ITERATIONS)[1]


def multiply_vector(n, x):
    matrix = jnp.eye(x.shape[0], dtype=x.dtype)
    return lax.fori_loop(0, n, lambda i, s: s @ matrix, x)


def nested_pair(n, x):
    def body(i, pair):
        a, b = pair
        return b, a + i

    return lax.fori_loop(0, n, body, (x[0], x[1]))


LOOPS = (
    count_scalar,
    carry_vector,
    update_in_place,
    stack_outputs,
    multiply_vector,
    nested_pair,
)


def nanoseconds(loop, repeats):
    run = jax.jit(loop)
    arguments = (np.int32(ITERATIONS), jnp.ones(16, jnp.float32))
    jax.block_until_ready(run(*arguments))
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(run(*arguments))
        best = min(best, time.perf_counter() - start)
    return best / ITERATIONS * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    print(f"jax {jax.__version__} from {jax.__file__}: nanoseconds per iteration")
    for loop in LOOPS:
        print(f"{loop.__name__:18} {nanoseconds(loop, options.repeats):8.1f}")


if __name__ == "__main__":
    main()
