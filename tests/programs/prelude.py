"""What every program begins with: `HEADER` is its first lines, which need nothing but JAX and NumPy.

`array` gives the same numbers wherever it runs: small multiples of 1/16, few of them alike, so that
comparisons and sorts do not hang on a rounding. Everything else is JAX.
"""

HEADER = """\
import contextlib, functools, operator, pickle, warnings
import jax, jax.export
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

WIGGLE = 0.0


def array(shape, dtype, seed, sort="small"):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape)
    if sort == "positive":
        numbers = 0.5 + np.abs(numbers)
    if sort == "square":
        n = min(shape[-2:])
        numbers = numbers / 4 + 3 * np.eye(*shape[-2:])
        numbers = numbers + np.swapaxes(numbers, -1, -2) if shape[-1] == n == shape[-2] else numbers
    numbers = np.round(numbers * 16) / 16
    if sort == "wild" and numbers.size:
        odd = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30], size=shape)
        numbers = np.where(rng.random(shape) < 0.5, odd, numbers)
    kind = jnp.dtype(dtype)
    if kind == np.bool_:
        return jnp.asarray(numbers > 0)
    if jnp.issubdtype(kind, jnp.unsignedinteger):
        high = 4 if kind.name == "uint2" else 11
        return jnp.asarray(rng.integers(0, high, size=shape).astype(kind))
    if jnp.issubdtype(kind, jnp.integer):
        low, high = (-2, 2) if kind.name == "int2" else (-7, 8)
        return jnp.asarray(rng.integers(low, high, size=shape).astype(kind))
    numbers = numbers * (1 + WIGGLE * rng.normal(size=shape))
    if jnp.issubdtype(kind, jnp.complexfloating):
        numbers = numbers + 1j * np.round(rng.normal(size=shape) * 16) / 16
    with np.errstate(all="ignore"):
        return jnp.asarray(np.asarray(numbers).astype(kind))


def ones_like(tree, add=0):
    def one(x):
        kind = jnp.result_type(x)
        if not jnp.issubdtype(kind, jnp.inexact):
            return np.zeros(np.shape(x), jax.dtypes.float0)
        return jnp.full(jnp.shape(x), 1 + add, kind)
    return jax.tree.map(one, tree)


def total(tree):
    leaves = [x for x in jax.tree.leaves(tree) if jnp.issubdtype(jnp.result_type(x), jnp.inexact)]
    return sum((jnp.sum(jnp.real(x)).astype(jnp.float32) for x in leaves), jnp.float32(0))
"""


_CODE = compile(HEADER, "<prelude>", "exec")


def namespace() -> dict:
    """A fresh namespace in which programs run."""
    names: dict = {}
    exec(_CODE, names)
    return names
