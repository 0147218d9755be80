"""`jax2tf` loads TensorFlow at the first call, and says what is missing where it is not there."""

import importlib.util

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import jax2tf

HAS_TENSORFLOW = importlib.util.find_spec("tensorflow") is not None
needs_tensorflow = pytest.mark.skipif(
    not HAS_TENSORFLOW, reason="TensorFlow is not installed"
)


@pytest.mark.skipif(HAS_TENSORFLOW, reason="TensorFlow is installed")
@pytest.mark.parametrize(
    "call",
    [
        lambda: jax2tf.convert(jnp.sin)(1.0),
        lambda: jax2tf.call_tf(jnp.sin)(1.0),
        lambda: jax2tf.dtype_of_val(1.0),
    ],
)
def test_without_tensorflow_the_error_says_so(call):
    with pytest.raises(ModuleNotFoundError, match="pip install tensorflow"):
        call()


def test_options_of_older_conversions_are_refused():
    with pytest.raises(NotImplementedError, match="enable_xla"):
        jax2tf.convert(jnp.sin, enable_xla=False)


def _outputs(x, w):
    return {"y": jnp.tanh(x @ w).sum(0), "n": (x > 0).sum()}


X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
W = np.linspace(0, 2, 6, dtype=np.float32).reshape(3, 2)


@needs_tensorflow
def test_a_converted_function_computes_the_same():
    import tensorflow as tf

    found, wanted = jax2tf.convert(_outputs)(X, W), _outputs(X, W)
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name].numpy(), value, rtol=1e-5)
        assert found[name].dtype.as_numpy_dtype == value.dtype
    weights = tf.Variable(W)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(jax2tf.convert(_outputs)(X, weights)["y"] ** 2)
    slope = jax.grad(lambda w: (_outputs(X, w)["y"] ** 2).sum())(W)
    np.testing.assert_allclose(tape.gradient(loss, weights), slope, rtol=1e-4)


@needs_tensorflow
def test_symbolic_shapes_and_saved_models(tmp_path):
    import tensorflow as tf

    sums = jax2tf.convert(lambda a: jnp.cumsum(a, 0), polymorphic_shapes=("b, 3",))
    spec = tf.TensorSpec([None, 3], tf.float32)
    module = tf.Module()
    module.f = tf.function(sums, autograph=False, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path))
    again = tf.saved_model.load(str(tmp_path)).f
    for rows in (2, 5):
        np.testing.assert_array_equal(again(tf.ones([rows, 3]))[-1], [rows] * 3)


@needs_tensorflow
def test_a_function_of_tensorflow_is_called_and_differentiated():
    import tensorflow as tf

    called = jax2tf.call_tf(lambda a, b: tf.sin(a) * b)
    x = jnp.ones(3)
    for run in (called, jax.jit(called)):
        np.testing.assert_allclose(run(x, 2 * x), 2 * np.sin(x), rtol=1e-6)
    slope = jax.grad(lambda a: called(a, 3 * x).sum())(x)
    np.testing.assert_allclose(slope, 3 * np.cos(x), rtol=1e-6)
