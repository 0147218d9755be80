"""Shapes, axes and numbers of arguments that are given as iterables other than tuples and lists."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

X = np.arange(6, dtype=np.float32).reshape(2, 3)
KEY = jax.random.key(0)

ITERABLES = {
    "generator": lambda *values: (value for value in values),
    "map": lambda *values: map(int, values),
    "keys": lambda *values: dict.fromkeys(values).keys(),
    "ndarray": lambda *values: np.array(values),
    "list": lambda *values: list(values),
}

SHAPES = {
    "reshape": lambda shape: jnp.reshape(X, shape),
    "method reshape": lambda shape: jnp.asarray(X).reshape(shape),
    "lax.reshape": lambda shape: lax.reshape(X, shape),
    "zeros": jnp.zeros,
    "full": lambda shape: jnp.full(shape, 2),
    "lax.full": lambda shape: lax.full(shape, 2.0),
    "broadcasted_iota": lambda shape: lax.broadcasted_iota(int, shape, 0),
    "tile": lambda repetitions: jnp.tile(X, repetitions),
    "unravel_index": lambda shape: jnp.unravel_index(4, shape),
    "normal": lambda shape: jax.random.normal(KEY, shape),
    "gamma": lambda shape: jax.random.gamma(KEY, 1.0, shape),
    "randint": lambda shape: jax.random.randint(KEY, shape, 0, 9),
    "split": lambda shape: jax.random.key_data(
        jax.random.split(KEY, tuple(map(int, shape)))
    ),
    "initializer": lambda shape: jax.nn.initializers.normal()(KEY, shape),
    "glorot": lambda shape: jax.nn.initializers.glorot_normal()(KEY, shape),
    "resize": lambda shape: jax.image.resize(X, shape, "linear"),
    "fftn": lambda shape: jnp.fft.fftn(X, s=shape),
    "dctn": lambda shape: jax.scipy.fft.dctn(X, s=shape),
    "limits of slice": lambda limits: lax.slice(np.ones((4, 4)), (0, 1), limits),
    "roll": lambda shifts: jnp.roll(X, shifts, axis=(0, 1)),
}

AXES = {
    "transpose": lambda axes: jnp.transpose(X, axes),
    "method transpose": lambda axes: jnp.asarray(X).transpose(axes),
    "lax.transpose": lambda axes: lax.transpose(X, axes),
    "sum": lambda axes: jnp.sum(X, axis=axes),
    "ptp": lambda axes: jnp.ptp(X, axis=axes),
    "median": lambda axes: jnp.median(X, axis=axes),
    "quantile": lambda axes: jnp.quantile(X, 0.3, axis=axes),
    "nanquantile": lambda axes: jnp.nanquantile(X, 0.3, axis=axes),
    "logsumexp": lambda axes: jax.nn.logsumexp(X, axis=axes),
    "logmeanexp": lambda axes: jax.nn.logmeanexp(X, axis=axes),
    "standardize": lambda axes: jax.nn.standardize(X, axis=axes),
    "softmax": lambda axes: jax.nn.softmax(X, axis=axes),
    "log_softmax": lambda axes: jax.nn.log_softmax(X, axis=axes),
    "flip": lambda axes: jnp.flip(X, axis=axes),
    "fftshift": lambda axes: jnp.fft.fftshift(X, axes=axes),
}


def both(function, iterable, *values):
    return jax.tree.map(np.asarray, (function(iterable(*values)), function(values)))


@pytest.mark.parametrize("kind", ITERABLES)
@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_may_be_any_iterable(name, kind):
    got, expected = both(SHAPES[name], ITERABLES[kind], 3, 2)
    jax.tree.map(np.testing.assert_array_equal, got, expected)


@pytest.mark.parametrize("kind", ITERABLES)
@pytest.mark.parametrize("name", AXES)
def test_axes_may_be_any_iterable_and_are_read_once(name, kind):
    got, expected = both(AXES[name], ITERABLES[kind], 1, 0)
    np.testing.assert_array_equal(got, expected)
    assert got.shape == expected.shape


@pytest.mark.parametrize("name", ["reshape", "normal", "lax.full"])
def test_an_iterable_of_a_bad_size_is_refused_as_a_tuple_is(name):
    with pytest.raises(TypeError):
        SHAPES[name](size for size in (2.5, 3))
    with pytest.raises(TypeError):
        SHAPES[name]("23")


def test_numbers_of_arguments_may_be_an_array():
    slopes = jax.grad(lambda a, b: a * b, argnums=np.array([0, 1]))(2.0, 3.0)
    assert slopes == (3.0, 2.0)
    assert jax.grad(lambda a, b: a * b, argnums=np.int32(1))(2.0, 3.0) == 2.0
    double = jax.jit(lambda a, times: a * times, static_argnums=np.array([1]))
    assert double(1.5, 2) == 3.0


def test_starts_may_be_a_range():
    np.testing.assert_array_equal(lax.dynamic_slice(X, range(2), (1, 2)), X[:1, 1:])
    updated = lax.dynamic_update_slice(X, np.ones((1, 1), X.dtype), range(2))
    assert updated[0, 1] == 1
