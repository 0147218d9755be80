"""Programs and tasks of any size, one kind for each direction in which a program can grow.

`growth.py` measures them on two interpreters; they use public API alone.  A *program* is a
function and its arguments, which are traced, lowered, compiled and run.  A *task* is a
function without arguments that is called once.
"""

from collections.abc import Callable

import numpy as np

import jax
import jax.numpy as jnp

PROGRAMS: dict[str, tuple[Callable, tuple[int, ...]]] = {}
TASKS: dict[str, tuple[Callable, tuple[int, ...]]] = {}

LONG = (500, 1000, 2000, 4000)
SHORT = (125, 250, 500, 1000)
FEW = (25, 50, 100, 200)
DEEP = (8, 15, 30)
SIZES = (10**4, 10**5, 10**6, 10**7)


def program(*sizes: int) -> Callable:
    """Registers ``make(size)``, which returns a function and its arguments."""

    def register(make):
        PROGRAMS[make.__name__] = make, sizes
        return make

    return register


def task(*sizes: int) -> Callable:
    """Registers ``make(size)``, which returns a function without arguments."""

    def register(make):
        TASKS[make.__name__] = make, sizes
        return make

    return register


def numbers(*shape: int, seed: int = 0):
    """Normally distributed numbers, the same on every interpreter."""
    generator = np.random.default_rng(seed)
    return jnp.asarray(generator.standard_normal(shape).astype(np.float32))


def summed_gradient(f: Callable) -> Callable:
    """The gradient of the sum of a function's results."""
    return jax.grad(lambda *args: sum(x.sum() for x in jax.tree.leaves(f(*args))))


def nest(depth: int, wrap: Callable, innermost: Callable) -> Callable:
    """``wrap(function, level)`` applied `depth` times."""
    for level in range(depth):
        innermost = wrap(innermost, level)
    return innermost


def sine(x):
    """The innermost function of most nests."""
    return jnp.sin(x) + 1
