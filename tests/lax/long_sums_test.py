"""Long sums keep their digits, whichever dimensions they go over and whatever is computed on the way."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# One chain of additions of so many equal numbers is wrong by 1e-5 to 1e-2.
COUNTS = [1000, 12544, 100_003]
# The sum's relative error: a few roundings, not one for each element.
BOUND = 6e-6


def even(*shape):
    return np.full(shape, 0.1, np.float32)


SUMS = {
    "vector": lambda n: (jnp.sum, [even(n)]),
    "rows": lambda n: (lambda x: x.sum(1), [even(3, n)]),
    "columns": lambda n: (lambda x: x.sum(0), [even(n, 17)]),
    "narrow columns": lambda n: (lambda x: x.sum(0), [even(n, 3)]),
    "wide columns": lambda n: (lambda x: x.sum(0), [even(n // 10, 1100)]),
    "columns between": lambda n: (lambda x: x.sum(1), [even(2, n, 5)]),
    "columns of short rows": lambda n: (lambda x: x.sum((0, 1)), [even(n // 3, 3, 8)]),
    "columns of odd rows": lambda n: (lambda x: x.sum((0, 1)), [even(n // 91, 91, 8)]),
    "columns of long rows": lambda n: (lambda x: x.sum((0, 1)), [even(3, n // 3, 8)]),
    "columns of images": lambda n: (
        lambda x: x.sum((0, 1, 2)),
        [even(2, n // 200, 100, 6)],
    ),
    "first and last": lambda n: (lambda x: x.sum((0, 2)), [even(n // 50, 4, 50)]),
    "squares": lambda n: (lambda x: (x * x).sum(0), [even(n, 8)]),
    "much to compute": lambda n: (lambda x: jnp.sin(x).sum(0), [even(n, 8)]),
    "complex": lambda n: (lambda x: (x + 1j * x).sum(0).imag, [even(n, 8)]),
    "gradient": lambda n: (
        lambda x: jax.grad(lambda b: jnp.sum((x + b) ** 2))(jnp.zeros(8, x.dtype)),
        [even(n, 8)],
    ),
    "mean of squares": lambda n: (lambda x: jnp.mean(x**2, 0), [even(n, 8)]),
    "scalar product": lambda n: (jnp.dot, [even(n), even(n)]),
    "matrix and vector": lambda n: (jnp.dot, [even(5, n), even(n)]),
    "vector and matrix": lambda n: (jnp.dot, [even(n), even(n, 6)]),
    "matrices": lambda n: (jnp.dot, [even(5, n), even(n, 6)]),
    "running": lambda n: (lambda x: jnp.cumsum(x, 0)[-1], [even(n, 5)]),
}


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", SUMS)
def test_long_sums_keep_their_digits(name, count):
    function, arguments = SUMS[name](count)
    found = np.asarray(jax.jit(function)(*arguments), np.float64)
    with jax.enable_x64(True):
        wide = [x.astype(np.float64) for x in arguments]
        wanted = np.asarray(jax.jit(function)(*wide))
    np.testing.assert_allclose(found, wanted, rtol=BOUND)


def test_batches_of_equal_rows_have_no_variance():
    x = np.tile(np.float32([1.2345678, -3.3333, 100.7, 0.0123]), (3, 112, 112, 1))

    @jax.jit
    def variance(x):  # as layers of batch normalization compute it
        return jnp.mean(x * x, (0, 1, 2)) - jnp.mean(x, (0, 1, 2)) ** 2

    assert (np.abs(variance(x)) <= 4e-6 * np.square(x[0, 0, 0])).all()
