"""Functions that are exported by one implementation and called by another.

Nothing here imports `jax`: the same file runs with ours and with upstream's.
"""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = collections.namedtuple("Pair", ["first", "second"])


class Tagged:
    """A node of pytrees with data of its own."""

    def __init__(self, value, tag):
        self.value, self.tag = value, tag


_known: list[type] = []


def register(jax):
    """Makes the classes above known, once."""
    if _known:
        return
    _known.append(Tagged)
    jax.tree_util.register_pytree_node(
        Tagged, lambda t: ((t.value,), t.tag), lambda tag, c: Tagged(c[0], tag)
    )
    jax.export.register_pytree_node_serialization(
        Tagged,
        serialized_name="tests.Tagged",
        serialize_auxdata=lambda tag: tag.encode(),
        deserialize_auxdata=lambda data: bytes(data).decode(),
    )
    jax.export.register_namedtuple_serialization(Pair, serialized_name="tests.Pair")


@dataclasses.dataclass
class Case:
    """A function, its arguments, and how it is exported.

    With a `vjp_order`, the gradient of the sum of the float results in the first
    argument is compared too, that many times over.
    """

    name: str
    function: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    vjp_order: int = 0
    platforms: tuple[str, ...] | None = None


def _matrix(n, dtype=np.float32):
    a = np.arange(n * n, dtype=dtype).reshape(n, n) % 7 - 2
    return a @ a.T + n * np.eye(n, dtype=dtype)


def all_cases(jax):
    """The cases, for an implementation."""
    return [*_programs(jax), *_trees_and_types(jax), *_libraries(jax), *_platforms(jax)]


X = np.linspace(-1, 2, 6, dtype=np.float32).reshape(2, 3)
W = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
THREE = np.int32(3)


def _programs(jax):
    jnp, lax = jax.numpy, jax.lax

    def loops(x, n):
        total = lax.fori_loop(0, 5, lambda i, c: c + jnp.sin(x) * i, jnp.zeros_like(x))
        return lax.cond(n > 2, lambda: total, lambda: -total), n + 1

    def layer(x, w):
        return jnp.tanh(x @ w)

    return [
        Case("plain", layer, lambda: (X, W)),
        Case("unused", lambda x, y: y + 1, lambda: (X, THREE)),
        Case("loops", loops, lambda: (X, THREE), 1),
        Case("vjp", layer, lambda: (X, W), 2),
        Case("float0", lambda x, n: (x * n, n * 2), lambda: (X, THREE), 1),
        Case("sorts", lambda x: (jnp.sort(x), lax.top_k(x, 2)), lambda: (X,)),
        Case(
            "gathers",
            lambda x, i: (x[i], x.at[i].add(1.0)),
            lambda: (X.ravel(), np.int32([4, 0, 4])),
        ),
    ]


def _trees_and_types(jax):
    jnp = jax.numpy

    def trees(argument):
        pair = argument["pair"]
        out = Tagged(pair.first * 2, "out") if argument["tagged"].tag == "in" else None
        return [Pair(argument["tagged"].value, None), (), out], {"z": pair.second}

    def keys(key):
        first, second = jax.random.split(key)
        return jax.random.fold_in(first, 7), jax.random.normal(second, (3,))

    def small(x):
        names = "bfloat16 float16 float8_e4m3fn float8_e5m2 int4 uint4".split()
        return [x.astype(name) for name in names], x > 1

    pair = {"pair": Pair(X, np.float16(2)), "tagged": Tagged(np.int32([5, 6]), "in")}
    return [
        Case("trees", trees, lambda: (pair,)),
        Case("keys", keys, lambda: (jax.random.key(3),)),
        Case("small", small, lambda: (np.float32([0.5, 1, 3]),)),
        Case(
            "complex", lambda z: jnp.fft.fft(z * 1j), lambda: (np.complex64([1, 3j]),)
        ),
    ]


def _libraries(jax):
    jnp, special = jax.numpy, jax.scipy.special

    def functions(x):
        found = special.erf(x), special.erfc(x), special.gammaln(x + 2)
        return *found, jnp.arctan(x), jnp.sinh(x)

    def linear_algebra(a, b):
        lower = jnp.linalg.cholesky(a)
        return lower, jnp.linalg.eigvalsh(a), jnp.linalg.solve(a, b)

    def decompositions(a):
        values = jnp.linalg.svd(a, compute_uv=False)
        return values, jnp.abs(jnp.linalg.qr(a)[1])

    a = _matrix(4)
    return [
        Case("special", functions, lambda: (X,)),
        Case("linear_algebra", linear_algebra, lambda: (a, a[:, :1])),
        Case("decompositions", decompositions, lambda: (a[:, :3],)),
    ]


def _platforms(jax):
    jnp, lax = jax.numpy, jax.lax

    def rules(x):
        return lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos, default=jnp.tan)

    def algebra(a):
        return jnp.linalg.cholesky(a) + 1

    return [
        Case(
            "platforms", lambda x: jnp.sin(x), lambda: (X,), 1, ("cuda", "cpu", "tpu")
        ),
        Case("platform_rules", rules, lambda: (X,), 0, ("tpu", "cuda", "cpu")),
        Case("platform_algebra", algebra, lambda: (_matrix(4),), 0, ("cuda", "cpu")),
    ]


def results(jax, case, call):
    """The leaves of the result, and those of derivatives, by name, as NumPy arrays."""
    args = case.args()

    def total(x, *others):
        outs = jax.tree_util.tree_leaves(call(x, *others))
        return sum(o.sum() for o in outs if o.dtype == np.float32)

    found = {
        f"out{i}": _plain(jax, leaf)
        for i, leaf in enumerate(jax.tree_util.tree_leaves(call(*args)))
    }
    scalar = total
    for order in range(case.vjp_order):
        gradient = jax.grad(scalar)
        found[f"gradient{order}"] = np.asarray(gradient(*args))
        scalar = lambda *xs, f=gradient: f(*xs).sum()  # noqa: E731
    return found


def _plain(jax, leaf):
    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(leaf))
    array = np.asarray(leaf)
    return array if array.dtype.isbuiltin == 1 else array.astype(np.float32)
