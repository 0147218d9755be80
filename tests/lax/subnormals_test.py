"""Loops whose numbers fade away: products and quotients keep every bit.

Such loops have a second form, which a round takes if the round before it met
subnormal numbers. So each case is computed for several rounds, and the last
one's results are compared with NumPy's.
"""

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

ROUNDS = 4
ROWS, COLUMNS = 64, 80
OPERATIONS = {"multiply": (lax.mul, np.multiply), "divide": (lax.div, np.divide)}


def numbers(seed, shape, lowest, highest, dtype=np.float32):
    """Numbers of either sign with few or many digits, and what is special."""
    random = np.random.default_rng(seed)
    digits = random.integers(0, 2**23, shape, dtype=np.uint32)
    few = random.integers(0, 24, shape, dtype=np.uint32)
    digits = digits >> few << few  # so that some products are halfway
    exponent = random.integers(lowest, highest, shape, dtype=np.int64)
    scaled = np.ldexp(1 + digits / 2.0**23, exponent)
    signed = np.where(random.random(shape) < 0.5, -scaled, scaled)
    special = random.choice([0.0, -0.0, np.inf, -np.inf, np.nan], shape)
    with np.errstate(all="ignore"):
        return np.where(random.random(shape) < 0.02, special, signed).astype(dtype)


def assert_same_bits(got, wanted):
    got, wanted = np.asarray(got), np.asarray(wanted)
    nan = np.isnan(wanted)
    np.testing.assert_array_equal(np.isnan(got), nan)
    word = np.uint32 if wanted.dtype == np.float32 else np.uint16
    np.testing.assert_array_equal(
        np.where(nan, 0, got.view(word)), np.where(nan, 0, wanted.view(word))
    )


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float16], ids=str)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", OPERATIONS)
def test_results_next_to_the_subnormal_numbers_are_rounded_once(name, seed, dtype):
    ours, numpys = OPERATIONS[name]
    shape = (ROUNDS, ROWS, COLUMNS)
    least = -24 if dtype == np.float16 else -149
    x = numbers(seed, shape, least, least // 4, dtype)
    sign = 1 if name == "multiply" else -1
    other = sorted([sign * least // 4, sign * least])
    y = numbers(seed + 100, shape, other[0], min(other[1], 127), dtype)
    with np.errstate(all="ignore"):
        # Of two narrow numbers in float32, whose digits are more than twice as
        # many: the second rounding changes nothing.
        wide = numpys(x.astype(np.float32), y.astype(np.float32))
        wanted = wide.astype(dtype)
    magnitude = np.abs(wanted.astype(np.float64))
    smallest = float(ml_dtypes.finfo(dtype).smallest_normal)
    assert ((magnitude > 0) & (magnitude < smallest)).mean() > 0.02

    @jax.jit
    def last(x, y):
        start = jnp.zeros((ROWS, COLUMNS), dtype)
        return lax.fori_loop(0, ROUNDS, lambda i, _: ours(x[i], y[i]), start)

    for rounds in range(1, ROUNDS + 1):
        order = np.roll(np.arange(ROUNDS), rounds)
        assert_same_bits(last(x[order], y[order]), wanted[order[-1]])


def test_a_sum_of_outer_products_takes_factors_that_fade_away():
    """The gradient by a recurrent network's matrix is such a sum."""
    rounds = 200
    left = numbers(1, (rounds, ROWS), -4, 1)
    left = np.where(np.isfinite(left), left, 1).astype(np.float32)
    right = numbers(2, (COLUMNS,), -3, 0)
    right = np.where(np.isfinite(right), right, 1).astype(np.float32)

    @jax.jit
    def fade(left, right):
        def step(carry, row):
            total, factor = carry
            return (total + row[:, None] * factor, factor * 0.5), None

        start = jnp.zeros((ROWS, COLUMNS), jnp.float32), right
        return lax.scan(step, start, left)[0]

    total, factor = fade(left, right)
    wanted, exact = np.zeros((ROWS, COLUMNS)), right.copy()
    size = np.zeros_like(wanted)
    for row in left:
        product = row[:, None].astype(np.float64) * exact
        wanted, size = wanted + product, size + np.abs(product)
        exact = exact * np.float32(0.5)
    assert (exact[right != 0] != 0).sum() == 0
    assert_same_bits(factor, exact)
    bound = rounds * np.finfo(np.float32).eps * size
    assert (np.abs(np.asarray(total) - wanted) <= bound).all()


def test_a_run_does_not_depend_on_the_runs_before_it():
    random = np.random.default_rng(0)
    decay = random.uniform(0.5, 1, (ROWS, COLUMNS)).astype(np.float32)
    tiny = np.full((ROWS, COLUMNS), 1e-37, np.float32)
    usual = random.standard_normal((ROWS, COLUMNS)).astype(np.float32)

    @jax.jit
    def smooth(x, decay):
        return lax.fori_loop(0, 20, lambda _, s: s * decay + x * 0.1, x)

    before = np.asarray(smooth(usual, decay))
    smooth(tiny, decay).block_until_ready()
    np.testing.assert_array_equal(smooth(usual, decay), before)
