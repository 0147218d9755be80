"""`jax_reproducible`: sums have the same bits in any order, and so on any mesh and number of threads."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.runtime.devices import backends

RANDOM = np.random.default_rng(7)
DTYPES = ("float32", "float64", "bfloat16", "float16", "complex64", "complex128")


def spread(*shape: int) -> np.ndarray:
    """Numbers of many magnitudes, of both signs."""
    return RANDOM.normal(size=shape) * np.exp(2 * RANDOM.normal(size=shape))


def of_dtype(dtype: str, *shape: int) -> jax.Array:
    values = spread(*shape)
    if dtype.startswith("complex"):
        return jnp.asarray(values + 1j * spread(*shape), dtype)
    return jnp.asarray(values, dtype)


def reproducible(fun):
    """The function, compiled with the option."""

    def call(*args):
        with jax.reproducible(True):
            return jax.jit(fun)(*args)

    return call


def same_bits(*arrays) -> bool:
    return len({np.asarray(x).tobytes() for x in arrays}) == 1


def total(x):
    return lax.reduce(x, jnp.zeros((), x.dtype), lax.add, (x.ndim - 1,))


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 3, 64, 1000, 40_001])
def test_sums_are_rounded_once_in_any_order(dtype, count):
    x = of_dtype(dtype, 2, count) / 64
    order = RANDOM.permutation(count)
    found = reproducible(total)(x)
    assert same_bits(found, reproducible(total)(x[:, order]))
    wide = np.asarray(x).astype(complex if x.dtype.kind == "c" else float)
    if x.dtype.kind == "c":
        exact = [complex(math.fsum(r.real), math.fsum(r.imag)) for r in wide]
    else:
        exact = [math.fsum(r) for r in wide]
    assert same_bits(found, jnp.asarray(exact).astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "subscripts",
    ["ik,kj->ij", "ik,k->i", "k,kj->j", "k,k->", "bik,bkj->bij", "kbi,bk->ib"],
)
def test_products_have_the_same_bits_in_any_order_of_terms(dtype, subscripts):
    sizes = {"i": 5, "j": 6, "b": 3, "k": 700}
    letters = subscripts.split("->")[0].split(",")
    x, y = (of_dtype(dtype, *(sizes[c] for c in word)) / 8 for word in letters)
    order = RANDOM.permutation(sizes["k"])

    def product(x, y):
        return jnp.einsum(subscripts, x, y)

    found = reproducible(product)(x, y)
    axes = [word.index("k") for word in letters]
    moved = (jnp.take(a, order, axis) for a, axis in zip((x, y), axes, strict=True))
    assert same_bits(found, reproducible(product)(*moved))
    wide = [np.asarray(a).astype(np.clongdouble) for a in (x, y)]
    expected = np.einsum(subscripts, *wide)
    bound = np.einsum(subscripts, *map(np.abs, wide)) * float(jnp.finfo(dtype).eps)
    assert np.all(np.abs(np.asarray(found, np.clongdouble) - expected) <= bound)


def test_convolutions_have_the_same_bits_in_any_order_of_channels():
    x, w = of_dtype("float32", 2, 24, 9, 9), of_dtype("float32", 8, 24, 3, 3)
    order = RANDOM.permutation(24)

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2))

    found = reproducible(convolve)(x, w)
    assert same_bits(found, reproducible(convolve)(x[:, order], w[:, order]))
    wide = convolve(x.astype(float), w.astype(float))
    np.testing.assert_allclose(found, wide, rtol=1e-6, atol=1e-6 * abs(wide).max())


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_scatters_add_in_any_order(dtype):
    start, updates = of_dtype(dtype, 10), of_dtype(dtype, 500)
    index = RANDOM.integers(0, 10, 500)
    order = RANDOM.permutation(500)

    def add(start, index, updates):
        return start.at[index].add(updates)

    found = reproducible(add)(start, index, updates)
    assert same_bits(found, reproducible(add)(start, index[order], updates[order]))
    wide = np.asarray(start, float)
    np.add.at(wide, index, np.asarray(updates, float))
    bound = 2 * float(jnp.finfo(dtype).eps) * np.abs(wide).max()
    np.testing.assert_allclose(np.asarray(found, float), wide, atol=bound)


@pytest.mark.parametrize(
    "values",
    [
        [1, math.inf, 2],
        [math.inf, -math.inf],
        [math.nan, 1.0],
        [-math.inf, 3e38, 3e38],
        [3e38, 3e38],
        [3e38, 3e38, -3e38, -3e38],
        [0.0, -0.0],
        [1e-45, 1e-45],
        [1e-45, 3e38],
        [],
    ],
)
def test_what_is_not_finite_and_what_is_extreme(values):
    x = np.asarray(values, np.float32)
    wide = x.astype(float)
    with np.errstate(all="ignore"):
        expected = wide.sum().astype(np.float32), (wide @ wide).astype(np.float32)
        rows = np.outer(np.float32([1, -1, 0]), x).astype(np.float32)
        matrix = (rows.astype(float) @ wide[:, None]).astype(np.float32)
    found = reproducible(lambda x: (x.sum(), x @ x))(x)
    np.testing.assert_array_equal(found, expected)
    found = reproducible(lambda x, y: x @ y)(rows, np.stack([x, x], 1))
    np.testing.assert_array_equal(found[:, :1], matrix)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 1e300])
def test_doubles_of_any_magnitude(scale):
    x = spread(3, 100) * scale
    order = RANDOM.permutation(100)
    found = reproducible(total)(x)
    assert same_bits(found, reproducible(total)(x[:, order]))
    np.testing.assert_array_equal(found, [math.fsum(r) for r in x])


def programs():
    a, b = spread(64, 96).astype("f"), spread(96, 32).astype("f")
    image = spread(8, 8, 16, 16).astype("f")
    kernel = spread(8, 8, 3, 3).astype("f")
    query = spread(8, 32, 4, 16).astype("f")

    def convolved(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME")

    def attention(q):
        return jax.nn.dot_product_attention(q, q, q, is_causal=True)

    return {
        "sum": (jnp.sum, a),
        "product": (jnp.prod, a / 4),
        "variance": (lambda x: jnp.var(x, 0), a),
        "running sum": (lambda x: jnp.cumsum(x, 0), a),
        "softmax": (lambda x: jax.nn.softmax(x, 0), a),
        "matrix product": (lambda x, y: x @ y, a, b),
        "gradient": (jax.grad(lambda y, x: jnp.mean(jnp.tanh(x @ y) ** 2)), b, a),
        "convolution": (convolved, image, kernel),
        "its gradient": (
            lambda x, w: jax.grad(lambda w: (convolved(x, w) ** 2).sum())(w),
            image,
            kernel,
        ),
        "attention": (jax.grad(lambda q: (attention(q) ** 2).sum()), query),
        "rows": (
            lambda x: jax.ops.segment_sum(x, jnp.arange(64) % 7, 7),
            a,
        ),
        "loop": (lambda x: lax.scan(lambda c, r: (c + r @ r, c), 0.0, x), a),
    }


@pytest.mark.skipif(
    len(backends.devices()) < 8, reason="needs 8 devices: JAX_NUM_CPU_DEVICES=8"
)
@pytest.mark.parametrize("name", programs())
def test_meshes_do_not_change_bits(name):
    function, *args = programs()[name]
    with jax.enable_x64(False), jax.reproducible(True):
        expected = jax.tree.leaves(jax.jit(function)(*args))
        for count in (2, 4, 8):
            mesh = jax.sharding.Mesh(np.array(jax.devices()[:count]), ("x",))
            for axis, size in enumerate(args[0].shape):
                if size % count:
                    continue
                spec = jax.P(*[None] * axis, "x")
                first = jax.device_put(args[0], jax.NamedSharding(mesh, spec))
                found = jax.tree.leaves(jax.jit(function)(first, *args[1:]))
                for x, y in zip(expected, found, strict=True):
                    assert same_bits(x, y), (count, axis)


PROGRAM = """
import sys
import numpy as np
import jax, jax.numpy as jnp
x = np.random.default_rng(0).normal(size=(300, 333)).astype("f")
def f(x):
    y = jnp.tanh(x) @ x.T
    return y.sum(), y, x.var(0), jax.nn.softmax(x), jnp.zeros(7).at[jnp.arange(333) % 7].add(x[0])
sys.stdout.write(b"".join(np.asarray(a).tobytes() for a in jax.jit(f)(x)).hex())
"""


def test_threads_and_instructions_do_not_change_bits():
    found = set()
    for changes in (
        {"JAX_CPU_THREADS": "1"},
        {"JAX_CPU_THREADS": "3"},
        {"JAX_CPU_THREADS": "8"},
        {"JAX_CPU_THREADS": "2", "XLA_CPU_FEATURES": "avx2"},
    ):
        environment = {**os.environ, "JAX_REPRODUCIBLE": "1", **changes}
        environment["JAX_NUM_CPU_DEVICES"] = "1"
        child = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert child.returncode == 0, child.stderr
        found.add(child.stdout)
    assert len(found) == 1


def test_the_option_is_part_of_what_is_compiled():
    function = jax.jit(lambda x: x @ x)
    x = of_dtype("float32", 50, 50)
    plain = function.lower(x).as_text()
    assert "jax.reproducible" not in plain
    with jax.reproducible(True):
        assert "jax.reproducible" in function.lower(x).as_text()
        found = function(x)
    order = RANDOM.permutation(50)
    with jax.reproducible(True):
        again = jax.jit(lambda x, y: x @ y)(x[:, order], x[order])
    assert same_bits(found, again)


def test_plugins_of_others_are_refused(monkeypatch):
    monkeypatch.setattr(backends, "is_ours", lambda of: False)
    with pytest.raises(NotImplementedError, match="cannot be compiled by this plugin"):
        reproducible(lambda x: x.sum() * 3)(np.ones(5, "f"))
