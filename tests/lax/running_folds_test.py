"""Windows that reach from one end of a dimension: every sum is folded in the order of its elements, bit by bit.

NumPy's `accumulate` adds one element after the other, so its results are the expected ones for any number of lines, of
which the compiler folds several at a time.
"""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

SHAPES = (
    ((3, 20), 1),
    ((4, 20), 1),
    ((5, 9), 1),
    ((7, 33), 1),
    ((1003, 40), 1),
    ((6, 20, 3), 1),
    ((2, 3, 17), 2),
    ((3, 50, 1), 1),
    ((19, 2, 12), 2),
)
FOLDS = {
    "add": (np.add, lax.add, 0),
    "maximum": (np.maximum, lax.max, -np.inf),
    "multiply": (np.multiply, lax.mul, 1),
}


def numbers(shape, dtype):
    values = np.random.default_rng(0).standard_normal(shape)
    return (values * 3).astype(dtype)


def running(x, axis, fold, initial, backward):
    shape = jax.tree.leaves(x)[0].shape
    reach = shape[axis] - 1
    sizes, pads = [1] * len(shape), [(0, 0)] * len(shape)
    sizes[axis], pads[axis] = reach + 1, (0, reach) if backward else (reach, 0)
    return lax.reduce_window(x, initial, fold, tuple(sizes), (1,) * len(shape), pads)


def expected(x, axis, fold, backward):
    flipped = np.flip(x, axis) if backward else x
    result = fold.accumulate(flipped, axis=axis, dtype=x.dtype)
    return np.flip(result, axis) if backward else result


def initial_of(fold, dtype):
    initial = FOLDS[fold][2]
    if np.isinf(initial) and np.issubdtype(dtype, np.integer):
        initial = np.iinfo(dtype).min
    return np.array(initial, dtype)


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("dtype", (np.float32, np.int32, np.int8))
@pytest.mark.parametrize("backward", (False, True))
def test_lines_are_folded_in_order(fold, dtype, backward):
    for shape, axis in SHAPES:
        x = numbers(shape, dtype)
        folded = jax.jit(running, static_argnums=(1, 2, 4))(
            x, axis, FOLDS[fold][1], initial_of(fold, dtype), backward
        )
        np.testing.assert_array_equal(
            folded, expected(x, axis, FOLDS[fold][0], backward), str((shape, axis))
        )


@pytest.mark.parametrize("backward", (False, True))
def test_what_is_folded_may_be_computed_on_the_way(backward):
    for shape, axis in SHAPES:
        x = numbers(shape, np.int32)

        def of_squares(x, axis=axis):
            return running(x.T.T * x + 1, axis, lax.add, np.int32(0), backward) * 2

        np.testing.assert_array_equal(
            jax.jit(of_squares)(x),
            2 * expected(x * x + 1, axis, np.add, backward),
            str((shape, axis)),
        )


@pytest.mark.parametrize("backward", (False, True))
def test_two_arrays_are_folded_together(backward):
    for shape, axis in SHAPES:
        x = (
            np.random.default_rng(1)
            .permutation(np.prod(shape))
            .reshape(shape)
            .astype(np.int32)
        )
        position = np.broadcast_to(
            np.arange(shape[axis]).reshape(
                [-1 if d == axis else 1 for d in range(x.ndim)]
            ),
            shape,
        )

        def larger(a, b):
            return jnp.maximum(a[0], b[0]), jnp.where(b[0] > a[0], b[1], a[1])

        initial = (np.int32(-1), np.int32(-1))
        both = jax.jit(running, static_argnums=(1, 2, 3, 4))
        values, positions = both(
            (x, position.astype(np.int32)), axis, larger, initial, backward
        )
        np.testing.assert_array_equal(values, expected(x, axis, np.maximum, backward))
        np.testing.assert_array_equal(
            np.take_along_axis(x, positions, axis), values, str((shape, axis))
        )
