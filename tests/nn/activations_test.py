"""Activations agree with their definitions in float64, and their derivatives with differences."""

import numpy as np
import pytest
import scipy.special

import jax
import jax.numpy as jnp
from jax import nn
from tests.testing import refusals

# Beyond every corner that a definition has, and on none of them.
X = np.linspace(-7.05, 7.15, 72)
SELU = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def tanh_gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


PAIRS = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "relu6": (nn.relu6, lambda x: np.clip(x, 0, 6)),
    "sigmoid": (nn.sigmoid, sigmoid),
    "softplus": (nn.softplus, lambda x: np.log1p(np.exp(x))),
    "soft_sign": (nn.soft_sign, lambda x: x / (1 + np.abs(x))),
    "silu": (nn.silu, lambda x: x * sigmoid(x)),
    "swish": (nn.swish, lambda x: x * sigmoid(x)),
    "log_sigmoid": (nn.log_sigmoid, lambda x: -np.log1p(np.exp(-x))),
    "leaky_relu": (nn.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    "leaky_relu 0.2": (
        lambda x: nn.leaky_relu(x, 0.2),
        lambda x: np.where(x > 0, x, 0.2 * x),
    ),
    "elu": (nn.elu, elu),
    "elu 0.5": (lambda x: nn.elu(x, 0.5), lambda x: elu(x, 0.5)),
    "celu": (
        lambda x: nn.celu(x, 0.5),
        lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0) / 0.5)),
    ),
    "selu": (nn.selu, lambda x: SELU[1] * elu(x, SELU[0])),
    "gelu": (nn.gelu, tanh_gelu),
    "gelu exact": (
        lambda x: nn.gelu(x, approximate=False),
        lambda x: x * scipy.special.ndtr(x),
    ),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: np.clip(x + 3, 0, 6) / 6),
    "hard_silu": (nn.hard_silu, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hard_swish": (nn.hard_swish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hard_tanh": (nn.hard_tanh, lambda x: np.clip(x, -1, 1)),
    "squareplus": (nn.squareplus, lambda x: (x + np.sqrt(x**2 + 4)) / 2),
    "squareplus 1": (
        lambda x: nn.squareplus(x, 1.0),
        lambda x: (x + np.sqrt(x**2 + 1)) / 2,
    ),
    "mish": (nn.mish, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "sparse_plus": (
        nn.sparse_plus,
        lambda x: np.select([x <= -1, x >= 1], [0, x], (x + 1) ** 2 / 4),
    ),
    "sparse_sigmoid": (nn.sparse_sigmoid, lambda x: np.clip((x + 1) / 2, 0, 1)),
    "log1mexp": (
        lambda x: nn.log1mexp(abs(x)),
        lambda x: np.log(-np.expm1(-np.abs(x))),
    ),
    "identity": (nn.identity, lambda x: x),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_slopes(name):
    function, definition = PAIRS[name]
    found = function(jnp.asarray(X, jnp.float32))
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, definition(X), rtol=2e-5, atol=1e-6)
    slope = jax.vmap(jax.grad(function))(jnp.asarray(X, jnp.float32))
    wanted = (definition(X + 1e-6) - definition(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-5)


ROWS = np.random.default_rng(0).normal(size=(3, 6)).astype("f4")
SEEN = np.arange(18).reshape(3, 6) % 4 > 0


def share(x, seen, axis):
    powers = np.where(seen, np.exp(x - x.max(axis, keepdims=True)), 0)
    return powers / powers.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("seen", [None, SEEN])
def test_shares(axis, seen):
    wanted = share(ROWS, True if seen is None else seen, axis)
    found = nn.softmax(ROWS, axis, where=seen)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    logarithms = nn.log_softmax(ROWS, axis, where=seen)
    np.testing.assert_allclose(np.exp(logarithms), wanted, rtol=1e-5)


def test_booleans_are_numbers_beside_a_mask():
    x, seen = jnp.array([True, False, True]), jnp.array([True, True, False])
    for function in (nn.softmax, nn.log_softmax):
        wanted = function(x.astype("float32"), where=seen)
        np.testing.assert_array_equal(function(x, where=seen), wanted)


@pytest.mark.parametrize("algorithm", ["fast", "accurate"])
@pytest.mark.parametrize("axis", [0, -1])
def test_standardized_rows(algorithm, axis):
    x = 0.1 * ROWS + 1
    x64 = x.astype("f8")
    mean = x64.mean(axis, keepdims=True)
    wanted = (x64 - mean) / np.sqrt(x64.var(axis, keepdims=True) + 1e-3)
    found = nn.standardize(x, axis, epsilon=1e-3, algorithm=algorithm)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def test_halves_are_gates():
    a, b = np.split(ROWS, 2, axis=-1)
    np.testing.assert_allclose(nn.glu(ROWS), a * sigmoid(b), rtol=1e-5)


def test_ones_stand_in_the_rows_of_a_named_axis():
    numbers = np.array([2, 0, 1])
    rows = jax.vmap(
        lambda _: nn.one_hot(numbers, 3, axis="i"),
        axis_name="i",
        axis_size=3,
        in_axes=None,
    )(0)
    np.testing.assert_array_equal(rows, nn.one_hot(numbers, 3).T)
    with pytest.raises(ValueError, match="another size"):
        jax.vmap(lambda x: nn.one_hot(x, 4, axis="i"), axis_name="i")(numbers)


def test_class_numbers_are_whole():
    with pytest.warns(DeprecationWarning, match="float32"):
        nn.one_hot(np.float32([1.0]), 3)
    with pytest.raises(TypeError, match="no class numbers"):
        nn.one_hot(np.array([True]), 3)
    with pytest.raises(TypeError, match="no whole number"):
        nn.one_hot(np.array([1]), 3.0)
    np.testing.assert_array_equal(nn.one_hot([0, 2], 3), np.eye(3)[[0, 2]])


def test_ones_stand_at_the_numbers():
    numbers = np.array([[2, 0], [-1, 3]])
    wanted = (numbers[..., None] == np.arange(3)).astype("f4")
    np.testing.assert_array_equal(nn.one_hot(numbers, 3), wanted)
    first = nn.one_hot(numbers, 3, axis=0, dtype=np.int8)
    assert first.dtype == np.int8
    np.testing.assert_array_equal(first, np.moveaxis(wanted, -1, 0))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.int16])
def test_sparse_plus_takes_whole_numbers(dtype):
    found = nn.sparse_plus(np.array([0, 1, 7], dtype))
    np.testing.assert_array_equal(found, [0.25, 1, 7])


WHOLE = np.arange(3)
KEYS = jax.random.split(jax.random.key(0), 2)
NUMERIC = """relu relu6 celu elu gelu silu swish leaky_relu log_sigmoid softmax log_softmax
logsumexp logmeanexp standardize glu hard_sigmoid hard_silu hard_swish hard_tanh mish selu
sigmoid soft_sign softplus sparse_plus sparse_sigmoid squareplus log1mexp"""

test_mistakes_name_the_function = refusals.each(
    [
        (lambda f=getattr(nn, name), x=x: f(x), TypeError, f"jax.nn.{name}{after}")
        for name in NUMERIC.split()
        for x, after in ((None, " requires"), (KEYS, ": "))
    ]
    + [
        (lambda: nn.sigmoid(WHOLE), TypeError, "jax.nn.sigmoid: whole numbers"),
        (lambda: nn.silu(WHOLE), TypeError, "jax.nn.silu: whole numbers"),
        (lambda: nn.swish(WHOLE > 0), TypeError, "jax.nn.swish: whole numbers"),
        (lambda: nn.log_softmax(WHOLE > 0), TypeError, "jax.nn.log_softmax: booleans"),
    ]
)
