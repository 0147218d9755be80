"""Layers: the shapes that they promise, what they compute, keys."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax, random
from jax.example_libraries import stax

KEY = random.key(0)
IMAGE = (2, 8, 8, 3)

LAYERS = {
    "Dense": (stax.Dense(4), (2, 5)),
    "Conv": (stax.Conv(4, (3, 3)), IMAGE),
    "Conv, SAME": (stax.Conv(4, (3, 3), (2, 2), "SAME"), IMAGE),
    "Conv, padded": (stax.Conv(4, (3, 3), (2, 2), ((1, 1), (0, 1))), IMAGE),
    "GeneralConv": (
        stax.GeneralConv(("NCHW", "OIHW", "NCHW"), 4, (2, 2)),
        (2, 3, 6, 6),
    ),
    "ConvTranspose": (stax.ConvTranspose(4, (3, 3), (2, 2), "SAME"), IMAGE),
    "Conv1DTranspose": (stax.Conv1DTranspose(4, (3,), (2,)), (2, 8, 3)),
    "BatchNorm": (stax.BatchNorm(), IMAGE),
    "BatchNorm, axis": (stax.BatchNorm(axis=0, center=False), (6, 3)),
    "MaxPool": (stax.MaxPool((3, 3), (2, 2), "SAME"), IMAGE),
    "SumPool": (stax.SumPool((2, 2), spec="NCHW"), (2, 3, 8, 8)),
    "AvgPool": (stax.AvgPool((2, 2)), IMAGE),
    "Flatten": (stax.Flatten, IMAGE),
    "Dropout": (stax.Dropout(0.7), (3, 4)),
    "FanOut": (stax.FanOut(2), (3, 4)),
    "serial": (stax.serial(stax.Dense(4), stax.Relu, stax.Dropout(0.5)), (3, 5)),
    "parallel": (
        stax.serial(
            stax.FanOut(2),
            stax.parallel(stax.Dense(3), stax.Dense(2)),
            stax.FanInConcat(),
        ),
        (3, 5),
    ),
    "shape_dependent": (stax.shape_dependent(lambda s: stax.Dense(2 * s[-1])), (3, 5)),
    "empty serial": (stax.serial(), (3, 5)),
}
for (
    name
) in "Tanh Relu Exp Sigmoid Softmax Softplus Elu LeakyRelu Selu Gelu Identity".split():
    LAYERS[name] = (getattr(stax, name), (3, 4))


def _run(layer, shape):
    init, apply = layer
    promised, params = init(KEY, shape)
    x = random.normal(random.key(1), shape)
    return promised, params, x, apply(params, x, rng=random.key(2))


@pytest.mark.parametrize("which", LAYERS)
def test_shapes_are_as_promised(which):
    promised, _, _, out = _run(*LAYERS[which])
    shapes = [x.shape for x in out] if isinstance(out, list) else out.shape
    assert shapes == promised


def test_dense():
    _, (matrix, bias), x, out = _run(*LAYERS["Dense"])
    np.testing.assert_allclose(out, np.asarray(x) @ matrix + bias, rtol=1e-5, atol=1e-6)


def test_convolution():
    _, (kernel, bias), x, out = _run(*LAYERS["Conv"])
    wanted = lax.conv_general_dilated(
        x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    assert bias.shape == (1, 1, 1, 4)
    np.testing.assert_allclose(out, wanted + bias, rtol=1e-5, atol=1e-6)


def test_normalization():
    _, _, _, out = _run(*LAYERS["BatchNorm"])
    np.testing.assert_allclose(np.mean(out, (0, 1, 2)), np.zeros(3), atol=1e-5)
    np.testing.assert_allclose(np.var(out, (0, 1, 2)), np.ones(3), rtol=1e-3)


def test_pooling():
    _, _, x, out = _run(*LAYERS["AvgPool"])
    x = np.asarray(x)
    corners = [x[:, i : i + 7, j : j + 7] for i in (0, 1) for j in (0, 1)]
    np.testing.assert_allclose(out, np.mean(corners, 0), rtol=1e-5, atol=1e-6)
    assert np.array_equal(stax.MaxPool((2, 2))[1]((), x), np.max(corners, 0))


def test_an_average_at_the_edge_counts_what_is_there():
    out = stax.AvgPool((3, 3), padding="SAME")[1]((), jnp.ones((1, 4, 4, 1)))
    np.testing.assert_allclose(out, np.ones((1, 4, 4, 1)))


def test_dropout_keeps_as_many_as_it_is_told():
    x = jnp.ones((100, 100))
    out = stax.Dropout(0.7)[1]((), x, rng=KEY)
    assert abs(float((out != 0).mean()) - 0.7) < 0.03
    assert set(np.unique(np.asarray(out))) == {0, np.float32(1 / 0.7)}
    assert stax.Dropout(0.7, mode="test")[1]((), x, rng=KEY) is x
    with pytest.raises(ValueError, match="no random key"):
        stax.Dropout(0.7)[1]((), x)


def test_branches_have_keys_of_their_own():
    init, apply = stax.parallel(stax.Dropout(0.5), stax.Dropout(0.5))
    _, params = init(KEY, [(50,), (50,)])
    a, b = apply(params, [jnp.ones(50)] * 2, rng=KEY)
    assert not np.array_equal(a, b)


def test_sums():
    xs = [jnp.arange(3.0), jnp.ones(3)]
    assert np.array_equal(stax.FanInSum[1]((), xs), [1, 2, 3])
    assert stax.FanInConcat(0)[0](KEY, [(3, 4), (2, 4)])[0] == (5, 4)


def test_initializers_of_constants():
    assert np.array_equal(stax.ones(KEY, (2, 3)), np.ones((2, 3)))
    assert stax.zeros(KEY, (2,), jnp.int32).dtype == jnp.int32
    _, (_, bias) = stax.Dense(3, b_init=stax.zeros)[0](KEY, (2, 5))
    assert np.array_equal(bias, np.zeros(3))


def test_a_small_network_learns():
    init, apply = stax.serial(stax.Dense(16), stax.Tanh, stax.Dense(1))
    _, params = init(KEY, (-1, 1))
    x = jnp.linspace(-2, 2, 40)[:, None]

    def loss(params):
        return jnp.square(apply(params, x) - jnp.sin(2 * x)).mean()

    first = loss(params)
    step = jax.jit(
        lambda p: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p))
    )
    for _ in range(300):
        params = step(params)
    assert loss(params) < 0.2 * first
