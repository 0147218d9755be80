"""Where vectors are expected, and a number or nothing is given; where dtypes meet."""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def test_sums_of_products_keep_fractions_until_the_end():
    x = jnp.array([1.5, 2.5])
    for product in (lax.dot, jnp.dot, jnp.vecdot, jnp.inner, jnp.matmul):
        found = product(x, x, preferred_element_type=jnp.int32)
        assert (found.dtype, int(found)) == (jnp.int32, 8)


def test_a_real_product_of_complex_numbers_is_the_real_part():
    a, b = np.array([[1 + 2j]], np.complex64), np.array([[3 - 1j]], np.complex64)
    found = lax.dot(a, b, preferred_element_type=jnp.float32)
    assert (found.dtype, float(found[0, 0])) == (jnp.float32, (a @ b).real)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_a_number_is_accumulated_as_a_vector(name, axis):
    found = getattr(jnp, name)(2, axis=axis)
    wanted = getattr(np, name)(2, axis=axis)
    assert found.shape == wanted.shape and found.dtype == jnp.int32
    np.testing.assert_array_equal(found, wanted)


def test_an_axis_that_a_number_does_not_have():
    with pytest.raises(ValueError, match="out of bounds"):
        jnp.cumsum(2, axis=1)


def test_no_indices_are_indices():
    rows, columns = jnp.ix_([], jnp.zeros(0))
    assert rows.dtype == columns.dtype == jnp.int32
    assert (rows.shape, columns.shape) == ((0, 1), (1, 0))


def test_a_number_is_a_polynomial_without_roots():
    assert jnp.roots(2).shape == (0,)


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
def test_spaces_are_computed_in_the_dtype_that_is_requested(name):
    ends = np.float16(1), np.float16(2)
    found = getattr(jnp, name)(*ends, 7, dtype=jnp.float32)
    wanted = getattr(np, name)(1.0, 2.0, 7)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_permutation_of_few_indices_has_the_dtype_of_indices():
    found = jax.random.permutation(jax.random.key(0), jnp.int8(3))
    assert found.dtype == jnp.int32


def test_a_permutation_in_a_compiled_function():
    found = jax.jit(lambda key: jax.random.permutation(key, 8))(jax.random.key(0))
    assert sorted(found.tolist()) == list(range(8))


@pytest.mark.parametrize("shape, axis", [((0, 1), 0), ((2, 0), 1), ((0, 0), 0)])
def test_nothing_is_shuffled_and_repeated(shape, axis):
    x, key = jnp.ones(shape), jax.random.key(0)
    assert jax.random.permutation(key, x, axis=axis).shape == shape
    none = jnp.zeros(0, int)
    assert jnp.repeat(x, none, axis=axis, total_repeat_length=0).shape == shape


@pytest.mark.parametrize(
    "name", ["quantile", "nanquantile", "percentile", "nanpercentile"]
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int32"])
def test_quantiles_have_the_dtype_of_the_numbers(name, dtype):
    with jax.enable_x64(True):
        found = getattr(jnp, name)(jnp.arange(5).astype(dtype), jnp.array([0.5]))
    assert found.dtype == ("float32" if dtype == "int32" else dtype)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_quantiles_of_narrow_floats_are_rounded_once(name, method, dtype):
    numbers = jnp.asarray(np.random.default_rng(0).normal(size=1025) * 100, dtype)
    shares = np.float32([0.0, 0.1234, 0.333, 0.5, 0.77, 0.999, 1.0])
    # The position among 1,025 numbers needs more bits than the numbers have.
    expected = getattr(np, name)(np.float64(numbers), np.float64(shares), method=method)
    found = getattr(jnp, name)(numbers, shares, method=method)
    rounded = expected.astype(np.float32).astype(dtype)
    np.testing.assert_array_equal(np.float32(found.astype(dtype)), np.float32(rounded))
    (one,) = {float(getattr(jnp, name)(numbers, 0.333, method=method))}
    assert one == float(rounded[2])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float16"])
def test_powers_have_the_dtype_of_the_numbers(dtype):
    found = jnp.vander(jnp.array([1, 2], dtype), 3)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [[1, 1, 1], [4, 2, 1]])


def test_indices_of_a_partition_are_of_32_bits():
    with jax.enable_x64(True):
        assert jnp.argpartition(jnp.ones(3), 1).dtype == jnp.int32


def test_a_number_seen_as_one_of_the_same_size():
    with jax.enable_x64(True):
        number = jnp.asarray(1 + 2j, "complex64")
        assert number.view("int64").shape == ()
        assert number.view("int64").view("complex64") == number


def test_bits_are_packed_whatever_promotes():
    with jax.numpy_dtype_promotion("strict"):
        assert jnp.packbits(jnp.ones(3, bool)) == 0b11100000


@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "complex64"])
@pytest.mark.parametrize("shape", [(8, 0, 9, 18), (0, 64), (64, 0), (40, 50, 0)])
def test_transposes_of_empty_arrays_are_empty(shape, dtype):
    x = jnp.zeros(shape, dtype)
    orders = list(itertools.permutations(range(len(shape))))
    found = jax.jit(lambda x: [x.transpose(axes) for axes in orders])(x)
    assert [y.shape for y in found] == [
        tuple(shape[a] for a in axes) for axes in orders
    ]
