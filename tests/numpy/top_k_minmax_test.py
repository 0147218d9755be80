"""top_k and minmax: order, ties, NaN, zeros of both signs, dtypes, derivatives, refusals."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

FLOATS = ["float16", "bfloat16", "float32", "float8_e4m3fn"]
INTEGERS = ["int8", "uint8", "int32", "uint32", "bool", "int4"]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_top_k_of_the_smallest_is_a_stable_sort(dtype, axis):
    x = (jnp.arange(24).reshape(4, 6) * 7 % 5 - 2).astype(dtype)
    values, indices = jnp.top_k(x, 3, axis=axis, mode="smallest")
    order = jnp.argsort(x, axis=axis, stable=True)
    wanted = jnp.take(order, jnp.arange(3), axis=axis)
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, jnp.take_along_axis(x, wanted, axis))
    assert (values.dtype, indices.dtype) == (x.dtype, np.int32)


@pytest.mark.parametrize("dtype", FLOATS[:3])
def test_top_k_counts_nan_of_either_sign_as_the_largest_number(dtype):
    x = jnp.array([3.0, np.nan, -np.inf, -np.nan, 2.0], dtype)
    values, indices = jnp.top_k(x, 5, mode="smallest")
    np.testing.assert_array_equal(indices, [2, 4, 0, 1, 3])
    assert np.isnan(np.asarray(values, np.float32)[-2:]).all()


def test_top_k_puts_zero_above_minus_zero():
    x = jnp.array([0.0, -0.0, 0.0, -0.0])
    assert jnp.top_k(x, 4, mode="smallest")[1].tolist() == [1, 3, 0, 2]
    assert jnp.top_k(x, 4)[1].tolist() == [0, 2, 1, 3]


def test_top_k_is_a_list_of_the_largest_and_a_tuple_of_the_smallest():
    x = jnp.arange(3)
    assert type(jnp.top_k(x, 1)) is list
    assert type(jnp.top_k(x, 1, mode="smallest")) is tuple


@pytest.mark.parametrize("mode", ["largest", "smallest"])
def test_top_k_has_derivatives_and_batches(mode):
    weights = jnp.array([1.0, 10.0])

    def total(x):
        return (jnp.top_k(x, 2, mode=mode)[0] * weights).sum()

    wanted = {"largest": [10.0, 0.0, 1.0], "smallest": [10.0, 1.0, 0.0]}[mode]
    x = jnp.array([3.0, 1.0, 4.0])
    np.testing.assert_array_equal(jax.grad(total)(x), wanted)
    rows = jnp.stack([x, x[::-1]])
    np.testing.assert_array_equal(
        jax.vmap(jax.grad(total))(rows), [wanted, wanted[::-1]]
    )


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        ((jnp.arange(3), 4), {}, ValueError, "k is larger"),
        ((jnp.arange(3), -1), {}, ValueError, "negative"),
        ((jnp.arange(3), 1), {"mode": "max"}, ValueError, "mode='max'"),
        ((jnp.float32(1), 1), {}, ValueError, "scalar"),
        ((jnp.array([1j, 2]), 1), {}, ValueError, "complex"),
        (([3, 1], 1), {}, TypeError, "list"),
    ],
)
def test_top_k_refuses(arguments, options, error, match):
    with pytest.raises(error, match=match):
        jnp.top_k(*arguments, **options)


def test_top_k_refuses_a_traced_k():
    with pytest.raises(ValueError, match="k is traced"):
        jax.jit(jnp.top_k)(jnp.arange(3), 1)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_minmax_is_min_and_max(axis, keepdims):
    x = jnp.array([[3.0, 1.0, np.nan], [1.0, 5.0, 9.0]])
    found = jnp.minmax(x, axis, keepdims=keepdims)
    assert type(found) is tuple
    np.testing.assert_array_equal(found[0], jnp.min(x, axis, keepdims=keepdims))
    np.testing.assert_array_equal(found[1], jnp.max(x, axis, keepdims=keepdims))


def test_minmax_takes_one_initial_value_or_a_pair():
    x = jnp.array([3.0, 1.0, 4.0])
    assert [float(v) for v in jnp.minmax(x, initial=2.0)] == [1.0, 4.0]
    assert [float(v) for v in jnp.minmax(x, initial=(0.0, 100.0))] == [0.0, 100.0]
    mask = jnp.array([False, False, True])
    assert [float(v) for v in jnp.minmax(x, where=mask, initial=(9, -9))] == [4.0, 4.0]


def test_minmax_has_derivatives():
    grad = jax.grad(lambda x: jnp.minmax(x)[1] - jnp.minmax(x)[0])
    np.testing.assert_array_equal(grad(jnp.array([1.0, 5.0, 3.0])), [-1.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((jnp.zeros(0),), {}, ValueError),
        ((jnp.ones(2),), {"where": jnp.array([True, False])}, ValueError),
        ((jnp.ones(2),), {"axis": 1}, ValueError),
        ((jnp.ones(2),), {"out": jnp.ones(2)}, NotImplementedError),
        (([1, 2],), {}, TypeError),
    ],
)
def test_minmax_refuses(arguments, options, error):
    with pytest.raises(error):
        jnp.minmax(*arguments, **options)
