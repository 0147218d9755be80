"""Segments, windows, polynomials and predicates agree with NumPy or plain Python."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

P = np.array([1.0, -2.0, 3.0], "f4")


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_windows_agree(name, count):
    np.testing.assert_allclose(
        getattr(jnp, name)(count), getattr(np, name)(count), atol=1e-6
    )


def test_kaiser_agrees():
    np.testing.assert_allclose(jnp.kaiser(7, 3.0), np.kaiser(7, 3.0), rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.polyval(P, np.array([0.5, 2.0], "f4")),
        lambda np: np.polyadd(P, P[:2]),
        lambda np: np.polysub(P[:1], P),
        lambda np: np.polyder(P),
        lambda np: np.polyder(P, 2),
    ],
)
def test_polynomials_agree(call):
    np.testing.assert_allclose(call(jnp), call(np), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("segment_sum", [3, 0, 12]),
        ("segment_prod", [2, 1, 60]),
        ("segment_max", [2, -(2**31), 5]),
        ("segment_min", [1, 2**31 - 1, 3]),
    ],
)
def test_segments_are_reduced(name, expected):
    data, ids = jnp.array([1, 2, 3, 4, 5, 9]), jnp.array([0, 0, 2, 2, 2, 7])
    found = getattr(jax.ops, name)(data, ids, num_segments=3)
    np.testing.assert_array_equal(found, expected)


def test_segments_need_integers():
    with pytest.raises(TypeError, match="no integers"):
        jax.ops.segment_sum(jnp.ones(2), jnp.ones(2), 2)


def test_predicates_about_objects():
    assert jnp.isscalar(1.0) and jnp.isscalar(jnp.float32(1)) and not jnp.isscalar([1])
    assert jnp.iscomplexobj(1j) and jnp.isrealobj(jnp.ones(2))
    assert jnp.isdtype("float32", "real floating")
    assert not jnp.isdtype("int8", ("bool", "real floating"))
    with pytest.raises(ValueError, match="unknown"):
        jnp.isdtype("int8", "number")


@pytest.mark.parametrize(
    "dtype", "int4 uint4 int8 int16 int32 uint8 uint16 uint32 float16 bfloat16".split()
)
def test_powers_have_the_dtype_of_their_base(dtype):
    found = jnp.vander(jnp.array([0, 1, 3], dtype), 9)
    assert found.dtype == dtype
    if found.dtype.kind != "V" and found.dtype.kind in "iu":
        exact = np.array([[n**k for k in range(8, -1, -1)] for n in (0, 1, 3)])
        np.testing.assert_array_equal(found, exact.astype(found.dtype))
    assert (
        jnp.vander(jnp.array([1, 2], dtype), 200)[0].astype(int).tolist() == [1] * 200
    )


X = np.arange(12.0, dtype="f4").reshape(3, 4)
I, J = np.array([3, 1, 2, 3, 7]), np.array([7, 3, 5])


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.union1d(I, J),
        lambda np: np.setdiff1d(I, J),
        lambda np: np.setxor1d(I, J),
        lambda np: np.intersect1d(I, J),
        lambda np: np.intersect1d(I, J, return_indices=True),
        lambda np: np.indices((2, 3)),
        lambda np: np.indices((2, 3), sparse=True),
        lambda np: X[np.ix_([0, 2], [1, 3])],
        lambda np: np.unravel_index(np.array([5, 11, 0]), (3, 4)),
        lambda np: np.fromfunction(lambda i, j: i + 2 * j, (2, 3)),
        lambda np: np.vander(P),
        lambda np: np.vander(P, 2, increasing=True),
        lambda np: np.unwrap(np.array([0.0, 3.0, 6.5, 9.0, -9.0])),
        lambda np: X[np.s_[1:, ::2]],
    ],
)
def test_grids_and_sets_agree(call):
    expected, found = call(np), call(jnp)
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for want, got in zip(expected, found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
