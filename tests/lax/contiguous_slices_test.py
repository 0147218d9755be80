"""Slices and updates that are one stretch of memory, and those that are not, beside NumPy.

A part that takes whole dimensions is walked as one long line: a wrong rule for which
dimensions are joined would read or write other elements.
"""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

# Shape, shape of the part, and where it starts: clamped as `dynamic_slice` does.
PARTS = {
    "first": ((3, 2, 2, 4), (1, 2, 2, 4), (1, 0, 0, 0)),
    "first_beyond_the_end": ((3, 2, 2, 4), (1, 2, 2, 4), (9, 0, 0, 0)),
    "two_of_the_first": ((4, 2, 3), (2, 2, 3), (1, 0, 0)),
    "first_and_second": ((3, 4, 2, 5), (1, 2, 2, 5), (2, 1, 0, 0)),
    "second": ((3, 4, 2, 5), (3, 2, 2, 5), (0, 1, 0, 0)),
    "last": ((3, 2, 6), (3, 2, 4), (0, 0, 2)),
    "middle": ((2, 5, 3), (2, 1, 3), (0, 3, 0)),
    "middle_and_last": ((2, 5, 4), (2, 1, 2), (0, 4, 1)),
    "ones_between": ((2, 1, 3, 1, 4), (2, 1, 3, 1, 4), (0, 0, 0, 0, 0)),
    "a_one_of_a_larger_size_between": ((2, 3, 4), (2, 1, 4), (0, 2, 0)),
    "ones_of_the_whole_between": ((4, 1, 2, 1, 3), (2, 1, 2, 1, 3), (2, 0, 0, 0, 0)),
    "many_small": ((2,) * 8, (1, *(2,) * 7), (1, *(0,) * 7)),
    "many_small_not_whole": ((2,) * 8, (1, 2, 2, 1, 2, 2, 2, 2), (1, 0, 0, 1, 0, 0, 0, 0)),
    "one_element": ((3, 4), (1, 1), (2, 3)),
    "vector": ((9,), (4,), (3,)),
}  # fmt: skip


@pytest.fixture(params=PARTS.values(), ids=list(PARTS))
def case(request):
    shape, part, starts = request.param
    clamped = [min(s, n - p) for s, n, p in zip(starts, shape, part, strict=True)]
    cut = tuple(slice(s, s + p) for s, p in zip(clamped, part, strict=True))
    generator = np.random.default_rng(0)
    x = generator.integers(0, 1000, shape).astype(np.float32)
    update = generator.integers(0, 1000, part).astype(np.float32)
    return x, update, jnp.array(starts), cut


def _without_ones(x):
    return x.reshape([size for size in x.shape if size != 1])


def test_updates_write_where_the_part_is(case):
    x, update, starts, cut = case
    plain = jax.jit(lambda x, u, s: lax.dynamic_update_slice(x, u, list(s)))
    computed = jax.jit(lambda x, u, s: lax.dynamic_update_slice(x, u * 2 + 1, list(s)))
    expected = x.copy()
    expected[cut] = update
    np.testing.assert_array_equal(plain(x, update, starts), expected)
    expected[cut] = update * 2 + 1
    np.testing.assert_array_equal(computed(x, update, starts), expected)


def test_slices_read_where_the_part_is(case):
    x, update, starts, cut = case
    by_value = jax.jit(lambda x, s: lax.dynamic_slice(x, list(s), update.shape) + 1)
    np.testing.assert_array_equal(by_value(x, starts), x[cut] + 1)
    first, last = [c.start for c in cut], [c.stop for c in cut]
    np.testing.assert_array_equal(
        jax.jit(lambda x: lax.slice(x, first, last) + 1)(x), x[cut] + 1
    )
    by_two = jax.jit(lambda x: lax.slice(x, first, last, (2,) * x.ndim) + 1)
    every_second = tuple(slice(c.start, c.stop, 2) for c in cut)
    np.testing.assert_array_equal(by_two(x), x[every_second] + 1)


def test_stacks_of_parts_hold_what_each_step_made(case):
    x, update, starts, cut = case

    def fill(x, update, starts):
        def step(carry, i):
            carry = lax.dynamic_update_slice(carry, update + i, list(starts))
            part = lax.dynamic_slice(carry, list(starts), update.shape)
            return carry, _without_ones(part)

        return lax.scan(step, x, jnp.arange(3.0))

    last, stacked = jax.jit(fill)(x, update, starts)
    expected = x.copy()
    expected[cut] = update + 2
    np.testing.assert_array_equal(last, expected)
    made = [_without_ones(update + i) for i in np.arange(3, dtype=np.float32)]
    np.testing.assert_array_equal(stacked, np.stack(made))
