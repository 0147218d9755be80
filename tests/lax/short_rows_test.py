"""Arrays whose lines are shorter than a vector: they are computed by many lines at a time."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

LENGTHS = [1, 2, 3, 5, 7, 8, 10, 12, 15, 17]


def lines_of(length, count=3000):
    random = np.random.RandomState(length)
    return random.randint(-50, 50, (count, length)).astype("float32")


@pytest.mark.parametrize("length", LENGTHS)
def test_a_line_for_all_and_a_number_for_each(length):
    x = lines_of(length)
    line, column = x[0], x[:, :1]
    found = jax.jit(lambda x, v, c: x * v + c)(x, line, column)
    np.testing.assert_array_equal(found, x * line + column)


@pytest.mark.parametrize("length", LENGTHS)
def test_turned_and_moved(length):
    x = lines_of(length).reshape(30, 100, length)
    found = jax.jit(lambda x: x[..., ::-1] + x.swapaxes(0, 1)[:30, :30].sum())(x)
    np.testing.assert_array_equal(
        found, x[..., ::-1] + x.swapaxes(0, 1)[:30, :30].sum()
    )


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_side_by_side(count):
    x = lines_of(count).reshape(20, 150, count)
    found = jax.jit(lambda x: jnp.stack([x[..., i] * i for i in range(count)], -1))(x)
    np.testing.assert_array_equal(found, x * np.arange(count))


def test_pieces_of_several_widths():
    x = lines_of(4).reshape(30, 100, 4)
    found = jax.jit(lambda x: jnp.concatenate([x[..., :1], -x[..., 1:]], -1))(x)
    np.testing.assert_array_equal(found, x * [1, -1, -1, -1])


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_that_are_folded(length):
    x = lines_of(length) / 50
    found = jax.jit(lambda x: jax.nn.softmax(x, -1))(x)
    powers = np.exp(x.astype("float64"))
    np.testing.assert_allclose(found, powers / powers.sum(-1, keepdims=True), 1e-6)


@pytest.mark.parametrize("shape", [(50, 2, 2), (50, 3, 3), (5, 40, 2, 3)])
def test_short_in_two_dimensions(shape):
    x = lines_of(1, int(np.prod(shape))).reshape(shape)
    found = jax.jit(lambda x: x.swapaxes(-1, -2) - x[..., :1, :1])(x)
    np.testing.assert_array_equal(found, x.swapaxes(-1, -2) - x[..., :1, :1])
