"""Conversions to narrow floats round once, to the nearest value, wherever they are made."""

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

NARROW = [
    "bfloat16",
    "float16",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn",
]
INTEGERS = [np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.fixture(autouse=True)
def wide_numbers():
    with jax.enable_x64(True):
        yield


def finite_values(dtype):
    """All finite values of a dtype, which doubles hold, in order."""
    bits = ml_dtypes.finfo(dtype).bits
    words = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)
    with np.errstate(all="ignore"):
        values = words.view(dtype).astype(np.float64)
    return np.unique(values[np.isfinite(values)])


def beside_midpoints(dtype):
    """Doubles just above and just below each midpoint, and the values nearest to them."""
    values = finite_values(dtype)
    middle = values[:-1] / 2 + values[1:] / 2
    doubles = [np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]
    return np.concatenate(doubles), np.concatenate([values[1:], values[:-1]])


WAYS = {
    "astype": lambda x, dtype: jnp.asarray(x).astype(dtype),
    "astype in jit": lambda x, dtype: jax.jit(lambda x: x.astype(dtype))(x),
    "astype of a constant": lambda x, dtype: jax.jit(
        lambda: jnp.asarray(x).astype(dtype)
    )(),
    "array": lambda x, dtype: jnp.array(x, dtype),
    "asarray": lambda x, dtype: jnp.asarray(x, dtype),
    "list": lambda x, dtype: jnp.array(x.tolist(), dtype),
    "convert_element_type": lambda x, dtype: lax.convert_element_type(x, dtype),
    "astype in vmap": lambda x, dtype: jax.vmap(lambda x: x.astype(dtype))(x),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NARROW)
def test_doubles_beside_a_midpoint_go_to_the_nearest_value(name, way):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    x, nearest = beside_midpoints(dtype)
    if len(x) > 10_000 and way == "list":
        x, nearest = x[::97], nearest[::97]
    np.testing.assert_array_equal(WAYS[way](x, dtype).astype(np.float64), nearest)


@pytest.mark.parametrize("name", NARROW)
def test_python_numbers_beside_a_midpoint_go_to_the_nearest_value(name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    x, nearest = beside_midpoints(dtype)
    at = np.searchsorted(x[: len(x) // 2], 2.0)  # above the middle after 2
    number, wanted = float(x[at]), nearest[at]
    one = jnp.ones((), dtype)
    for found in (
        jnp.asarray(number, dtype),
        jnp.full((), number, dtype),
        jnp.full_like(one, number),
        lax.full((), number, dtype),
        lax.full_like(one, number),
        lax.convert_element_type(number, dtype),
        jnp.array([number], dtype)[0],
        jnp.maximum(number, one),
        jax.jit(lambda x: jnp.full_like(x, number))(one),
    ):
        assert found.dtype == dtype
        assert float(found) == wanted


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("integer", INTEGERS, ids=lambda d: d.__name__)
def test_integers_beside_a_midpoint_go_to_the_nearest_value(name, integer):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    bounds, values = np.iinfo(integer), finite_values(dtype)
    pairs = [
        ((int(low) + int(high)) // 2, low, high)
        for low, high in zip(values[:-1], values[1:], strict=True)
        if high - low >= 4
        and bounds.min < int(low)
        and (int(low) + int(high)) // 2 + 1 < bounds.max
    ]
    x = [m + 1 for m, *_ in pairs] + [m - 1 for m, *_ in pairs]
    nearest = [high for *_, high in pairs] + [low for _, low, _ in pairs]
    x = np.array(x, integer)
    ways = ["astype", "astype in jit", "array"]
    # NumPy makes doubles of a list with integers on both sides of 2**63.
    for way in ways if integer is np.uint64 else [*ways, "list"]:
        found = WAYS[way](x, dtype)
        np.testing.assert_array_equal(found.astype(np.float64), nearest, way)


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_infinities_zeros_and_nan_stay_what_they_are(name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    x = np.array([np.inf, -np.inf, 0.0, -0.0, np.nan, 1e300, -1e300, 1e-300, -1e-300])
    wanted = np.array([np.inf, -np.inf, 0, -0.0, np.nan, np.inf, -np.inf, 0, -0.0])
    for way in ("astype", "array"):
        found = np.asarray(WAYS[way](x, dtype).astype(np.float64))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found)[:4], np.signbit(wanted)[:4])
        np.testing.assert_array_equal(np.signbit(found)[5:], np.signbit(wanted)[5:])


def test_two_conversions_in_a_program_stay_two():
    x = jnp.asarray(1 + 2.0**-8 + 2.0**-40)
    twice = lambda x: x.astype(jnp.float32).astype(jnp.bfloat16)
    assert float(twice(x)) == float(jax.jit(twice)(x)) == 1
    assert float(x.astype(jnp.bfloat16)) == 1 + 2.0**-7
