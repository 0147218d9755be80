"""Edge values of operations, and what is refused. The laws test the rest."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

EDGES = np.float32([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])


def f32(*shape):
    return np.ones(shape, np.float32)


@pytest.mark.parametrize(
    ("function", "oracle"),
    [
        (lax.neg, np.negative),
        (lax.abs, np.abs),
        (lax.sign, np.sign),
        (lax.floor, np.floor),
        (lax.exp, np.exp),
        (lax.log, np.log),
        (lax.sqrt, np.sqrt),
        (lax.sin, np.sin),
        (lax.tanh, np.tanh),
        (lax.is_finite, np.isfinite),
        (lax.log1p, np.log1p),
        (lax.expm1, np.expm1),
        (lax.cbrt, np.cbrt),
    ],
)
def test_edge_values_agree_with_numpy(function, oracle):
    with np.errstate(all="ignore"):
        wanted = oracle(EDGES)
    np.testing.assert_allclose(np.asarray(function(EDGES)), wanted, rtol=1e-6)


@pytest.mark.parametrize("function", [lax.max, lax.min])
def test_extremes_propagate_nan(function):
    found = np.asarray(function(np.float32([1, np.nan]), np.float32([np.nan, 2])))
    assert np.isnan(found).all()


def test_running_logarithms_pass_infinities():
    x = np.float32([-np.inf, -np.inf, 2, 1, np.inf, 0])
    with np.errstate(all="ignore"):
        wanted = np.logaddexp.accumulate(x)
    np.testing.assert_allclose(lax.cumlogsumexp(x), wanted, rtol=1e-6)
    z = np.complex64([-np.inf, 2 + 1j, -np.inf])
    np.testing.assert_allclose(
        lax.cumlogsumexp(z), [-np.inf, 2 + 1j, 2 + 1j], rtol=1e-6
    )


def test_running_logarithms_share_derivatives_of_equal_terms():
    found = jax.grad(lambda x: lax.cumlogsumexp(x).sum())(jnp.ones(3))
    np.testing.assert_allclose(found, [11 / 6, 5 / 6, 1 / 3], rtol=1e-6)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32])
def test_whole_numbers_are_transformed_as_floats(dtype):
    x = np.array([0, 1, 1, 0]).astype(dtype)
    for kind in ("fft", "ifft", "rfft"):
        found = lax.fft(x, kind, (4,))
        assert found.dtype == np.complex64
        np.testing.assert_allclose(found, getattr(np.fft, kind)(x), atol=1e-6)
    found = lax.fft(x, "irfft", (6,))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.fft.irfft(x, 6), atol=1e-6)
    assert lax.fft(x, "fft", ()).dtype == np.complex64


@pytest.mark.parametrize("out", ["int8", "int32", "float32", "complex64"])
def test_products_of_two_dtypes_are_computed_in_the_one_requested(out):
    x, y = np.int8([1, -2]), np.float32([1.5, 3.0])
    found = lax.mul(x, y, out_dtype=out)
    assert found.dtype == out
    np.testing.assert_array_equal(found, x.astype(out) * y.astype(out))
    assert lax.mul(2, 1.5, out_dtype=out).dtype == out


def test_whole_matrices_are_symmetrized_as_floats():
    x = np.int8([[100, 100], [20, 127]])
    wanted = np.linalg.cholesky(np.array([[100.0, 60.0], [60.0, 127.0]]))
    np.testing.assert_allclose(lax.linalg.cholesky(x), wanted, rtol=1e-6)
    values = lax.linalg.eigh(x)[1]
    wanted = np.linalg.eigvalsh(np.array([[100.0, 60.0], [60.0, 127.0]]))
    np.testing.assert_allclose(values, wanted, rtol=1e-5)


def test_clamp_takes_complex_numbers_in_their_order():
    low, high = np.complex64([1, 0, -1j, 2]), np.complex64([2, 1j, 1j, 3])
    x = np.complex64([3j, 2j, -2j, 2 + 5j])
    wanted = np.minimum(np.maximum(x, low), high)
    np.testing.assert_array_equal(lax.clamp(low, x, high), wanted)
    wanted = np.minimum(np.maximum(x, low[2]), high[2])
    np.testing.assert_array_equal(lax.clamp(low[2], x, high[2]), wanted)


def test_clamp_keeps_nan():
    found = lax.clamp(np.float32(-1), np.float32([np.nan, 5]), np.float32(1))
    np.testing.assert_array_equal(found, [np.nan, 1])


@pytest.mark.parametrize(
    ("x", "y", "quotient", "remainder"),
    [(7, -2, -3, 1), (-7, 2, -3, -1), (5, 0, -1, 5), (-(2**31), -1, -(2**31), 0)],
)
def test_integers_divide_towards_zero(x, y, quotient, remainder):
    x, y = np.int32(x), np.int32(y)
    assert int(lax.div(x, y)) == quotient
    assert int(lax.rem(x, y)) == remainder


def test_floats_saturate_when_they_become_integers():
    x = np.float32([1e10, -1e10, np.nan, 2.9, -2.9])
    found = lax.convert_element_type(x, np.int8)
    np.testing.assert_array_equal(found, [127, -128, 0, 2, -2])


def test_sort_puts_nan_last_and_keeps_the_order_of_zeros():
    x = np.float32([np.nan, 0.0, -0.0, -np.inf, np.inf, 1.0])
    found = np.asarray(lax.sort(x))
    np.testing.assert_array_equal(found, [-np.inf, 0.0, -0.0, 1.0, np.inf, np.nan])
    assert list(np.signbit(found[1:3])) == [False, True]


def test_top_k_breaks_ties_by_index():
    values, indices = lax.top_k(np.int32([3, 7, 7, -1]), 3)
    np.testing.assert_array_equal(values, [7, 7, 3])
    np.testing.assert_array_equal(indices, [1, 2, 0])


def test_argmax_finds_the_first_nan():
    x = np.float32([1, np.nan, 7, np.nan])
    assert int(lax.argmax(x, 0, np.int32)) == 1


def test_reductions_of_nothing_are_neutral():
    empty = np.zeros((0, 2), np.float32)
    np.testing.assert_array_equal(lax.reduce_sum(empty, (0,)), [0, 0])
    np.testing.assert_array_equal(lax.reduce_max(empty, (0,)), [-np.inf, -np.inf])


def test_running_sums_are_right_across_blocks():
    x = np.arange(1, 2001, dtype=np.int32)
    np.testing.assert_array_equal(lax.cumsum(x), np.cumsum(x))
    np.testing.assert_array_equal(
        lax.cummax(x[::-1].copy(), reverse=True), np.maximum.accumulate(x)[::-1]
    )


@pytest.mark.parametrize(
    ("mode", "wanted"), [("clip", [1, 3, 1]), ("fill", [np.nan, 3, np.nan])]
)
def test_gather_treats_indices_outside_by_its_mode(mode, wanted):
    numbers = lax.GatherDimensionNumbers((), (0,), (0,))
    x, indices = (
        np.float32([1, 2, 3]),
        np.array([[-1], [2], [0 if mode == "clip" else 9]]),
    )
    found = lax.gather(x, indices.astype(np.int32), numbers, (1,), mode=mode)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("call", "kind", "facts"),
    [
        (lambda: lax.add(f32(2), f32(3)), TypeError, ["float32[2]", "float32[3]"]),
        (lambda: lax.add(f32(2, 3), f32(3)), TypeError, ["dimensions"]),
        (lambda: lax.add(f32(2), 1), TypeError, ["int32", "jnp.add"]),
        (lambda: lax.sin(np.int32(1)), TypeError, ["int32[]", "floating-point"]),
        (lambda: lax.bitwise_and(1.0, 2.0), TypeError, ["float32"]),
        (lambda: lax.lt(1j, 2j), TypeError, ["complex64"]),
        (lambda: lax.dot(f32(2, 3), f32(2, 3)), ValueError, ["float32[2,3]"]),
        (
            lambda: lax.dot_general(f32(2, 3), f32(2, 3), (((1,), (0,)), ((), ()))),
            TypeError,
            ["same shape, got (3,) and (2,)", "contracting"],
        ),
        (lambda: lax.reshape(f32(3), (2,)), ValueError, ["3 elements", "2 elements"]),
        (lambda: lax.reshape(f32(3), (-1,)), TypeError, ["jnp.reshape"]),
        (lambda: lax.transpose(f32(2, 3), (0, 0)), TypeError, ["permutation"]),
        (lambda: lax.squeeze(f32(1, 3), (1,)), ValueError, ["size 1"]),
        (
            lambda: lax.broadcast_in_dim(f32(3), (2, 4), (1,)),
            TypeError,
            ["dimension sizes must either be 1", "float32[3]", "(2, 4)"],
        ),
        (lambda: lax.concatenate([], 0), ValueError, ["no arrays"]),
        (lambda: lax.concatenate([f32(2), f32(2, 2)], 0), TypeError, ["dimensions"]),
        (lambda: lax.dynamic_slice(f32(3), (0,), (5,)), TypeError, ["(5,)"]),
        (lambda: lax.dynamic_slice(f32(3), (0, 0), (1,)), ValueError, ["1 axes"]),
        (
            lambda: lax.dynamic_update_slice(f32(3), f32(5), (0,)),
            TypeError,
            ["larger"],
        ),
        (lambda: lax.select(f32(2), f32(2), f32(2)), TypeError, ["boolean"]),
        (lambda: lax.select(True, f32(2), f32(3)), TypeError, ["shape"]),
        (lambda: lax.top_k(f32(3), 5), ValueError, ["at most 3"]),
        (lambda: lax.sort((f32(2), f32(3))), TypeError, ["shape"]),
        (lambda: lax.pad(f32(2), 0, [(1, 1, 0)]), TypeError, ["dtype"]),
        (lambda: lax.pad(f32(2), 0.0, [(1, 1, -1)]), ValueError, ["negative"]),
        (
            lambda: lax.reduce_sum(f32(2), (1,)),
            ValueError,
            ["out-of-bounds", "(1,)", "float32[2]"],
        ),
        (lambda: lax.argmax(f32(0), 0, np.int32), ValueError, ["empty"]),
        (
            lambda: lax.conv(f32(1, 2, 4), f32(3, 3, 3), (1,), "SAME"),
            ValueError,
            ["feature dimension size", "float32[1,2,4]", "float32[3,3,3]"],
        ),
        (
            lambda: lax.conv(f32(1, 2, 4), f32(3, 2, 3), (1,), "NOPE"),
            RuntimeError,
            ["NOPE"],
        ),
        (lambda: lax.integer_pow(2, -1), TypeError, ["negative"]),
        (
            lambda: lax.index_take(f32(3), (np.arange(2),), 0),
            TypeError,
            ["axes", "(index,), (axis,)"],
        ),
        (
            lambda: lax.fft(np.ones(4, np.complex64), "FFT", (3,)),
            ValueError,
            ["complex64[4]"],
        ),
    ],
)
def test_mistakes_are_explained(call, kind, facts):
    with pytest.raises(kind) as caught:
        call()
    for fact in facts:
        assert fact in str(caught.value)


def test_shapes_are_extended_and_named():
    row = np.arange(3.0, dtype=np.float32)
    like = lax.broadcast_like(row, f32(2, 3))
    np.testing.assert_array_equal(like, np.stack([row, row]))
    assert lax.broadcast_to_rank(row, 3).shape == (1, 1, 3)
    assert lax.shape_as_value((2, 3)).tolist() == [2, 3]
    indices = lax.conv_general_permutations(("NCHW", "OIHW", "NHWC"))
    assert [tuple(p) for p in indices] == [(0, 1, 2, 3), (0, 1, 2, 3), (0, 3, 1, 2)]


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("start", [-np.inf, float("-inf"), np.float32(-np.inf)])
def test_a_reduction_starts_from_a_number_of_python(x64, start):
    """Also where a Python float is of another dtype than the array."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)

    def fold(x):
        windows = lax.reduce_window(x, start, lax.max, (1, 2), (1, 2), "VALID")
        return windows, lax.reduce(x, start, lax.max, (1,))

    with jax.enable_x64(x64):
        names = [e.primitive.name for e in jax.make_jaxpr(fold)(x).eqns]
        windows, rows = jax.jit(fold)(x)
    assert names == ["reduce_window_max", "reduce_max"]
    assert windows.dtype == rows.dtype == np.float32
    np.testing.assert_array_equal(windows, x[:, 1::2])
    np.testing.assert_array_equal(rows, x[:, -1])


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "uint64", "int64"])
def test_indices_of_every_integer_dtype(dtype):
    """Bounds of indices hold in their own dtype, whatever it can hold."""
    largest = np.iinfo(dtype).max
    numbers = lax.GatherDimensionNumbers((), (0,), (0,))
    added = lax.ScatterDimensionNumbers((), (0,), (0,))
    x, indices = np.arange(4.0), np.array([[3], [largest], [4], [0]], dtype)
    with jax.enable_x64(True):
        taken = lax.gather(x, indices, numbers, (1,), mode="fill")
        summed = lax.scatter_add(x, indices, np.ones(4), added, mode="clip")
    np.testing.assert_array_equal(taken, [3.0, np.nan, np.nan, 0.0])
    np.testing.assert_array_equal(summed, [1.0, 1.0, 2.0, 6.0])


@pytest.mark.parametrize("in_program", [False, True])
@pytest.mark.parametrize("start", [-128, -3, -1, 0, 127])
def test_starts_of_a_dtype_that_cannot_hold_the_size(in_program, start):
    x = np.arange(300, dtype=np.int32)

    def both(start):
        taken = lax.dynamic_slice(x, (start,), (2,))
        return taken, lax.dynamic_update_slice(x, np.int32([7, 8]), (start,))

    taken, changed = (jax.jit(both) if in_program else both)(np.int8(start))
    index = min(start % 300, 298)
    np.testing.assert_array_equal(taken, [index, index + 1])
    expected = x.copy()
    expected[index : index + 2] = [7, 8]
    np.testing.assert_array_equal(changed, expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("holds_nan", [False, True])
def test_extremes_of_columns_in_16_bits(dtype, name, holds_nan):
    random = np.random.RandomState(0)
    x = random.randn(37, 53) * 10.0 ** random.randint(-9, 5, (37, 53))
    x[3, 5], x[4], x[5, 7], x[:, 9] = -0.0, np.inf, -np.inf, [-0.0, *[0.0] * 36]
    if holds_nan:
        x[7, 9], x[8, 10] = np.nan, -np.nan
    x = jnp.asarray(x, dtype)
    found = np.asarray(getattr(x, name)(0), "float32")
    expected = getattr(np.asarray(x, "float32"), name)(0)
    np.testing.assert_array_equal(found, expected)
    assert holds_nan or np.signbit(found[9]) == (name == "min")


@pytest.mark.parametrize(
    "x, wanted",
    [
        (np.dtype("int32"), "int32"),
        ("float32", "float32"),
        (jnp.bfloat16, "bfloat16"),
        (np.int8, "int8"),
        (float, "float32"),
        (1.5, "float32"),
        (np.arange(2), "int32"),
        (jax.ShapeDtypeStruct((2,), "int8"), "int8"),
        (jax.random.key(0), "key<fry>"),
    ],
)
def test_the_dtype_of_a_value_and_of_what_stands_for_a_dtype(x, wanted):
    assert str(lax.dtype(x)) == wanted
    with pytest.raises(ValueError, match="None has no dtype"):
        lax.dtype(None)
