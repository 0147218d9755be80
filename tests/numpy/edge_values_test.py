"""Zeros, infinities, ties, bounds and weak types: where functions are easily a little wrong."""

import functools as ft
import itertools
import math

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import dtypes

X = np.arange(1.0, 11.0, dtype="f4")
FAR = np.array([0, 9, 10, 11, -1, -10, -11, 100, -100])
SPECIAL = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan], "f4")
I8 = np.array([-128, -3, -1, 0, 1, 3, 127], "i1")


def pairs(x):
    return np.repeat(x, x.size), np.tile(x, x.size)


@pytest.mark.parametrize("name", ["remainder", "fmod"])
def test_integers_modulo_zero_are_zero(name):
    a, b = pairs(I8)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(getattr(jnp, name)(a, b), getattr(np, name)(a, b))
    unsigned = np.array([0, 1, 200], "u1")
    assert not np.asarray(jnp.remainder(unsigned, np.uint8(0))).any()


def test_floats_are_divided_down_as_numpy_does():
    a, b = pairs(SPECIAL)
    with np.errstate(all="ignore"):
        for found, wanted in zip(jnp.divmod(a, b), np.divmod(a, b), strict=True):
            # An infinite divisor leaves what NumPy leaves, quotients of infinities are NaN.
            np.testing.assert_array_equal(found, wanted)


def test_integers_to_negative_powers():
    base, exponent = np.array([1, -1, -1, 2, 0]), np.array([-3, -3, -2, -1, -1])
    np.testing.assert_array_equal(jnp.power(base, exponent), [1, -1, 1, 0, 0])
    for exponent in (-1, jnp.int32(-1), np.int8(-2)):
        with pytest.raises(TypeError, match="negative powers"):
            jnp.arange(3) ** exponent
    assert jnp.full(2, 300, "uint8").tolist() == [44, 44]
    assert jnp.full_like(jnp.ones(1, "uint8"), -1).tolist() == [255]
    assert jnp.full(1, 2**32 - 1, "uint32").tolist() == [2**32 - 1]


def test_exponents_beyond_32_bits():
    for power in (jnp.power, jnp.pow):
        assert power(1.0, 2**31) == 1
        assert power(np.float32(2), np.int64(2**40)) == np.inf
        assert power(0.5, 2**40) == 0


def test_complex_extremes_are_lexicographic():
    a, b = pairs(np.array([0, 1j, -1j, 1, -1 + 2j], "c8"))
    np.testing.assert_array_equal(jnp.maximum(a, b), np.maximum(a, b))
    np.testing.assert_array_equal(jnp.minimum(a, b), np.minimum(a, b))


@pytest.mark.parametrize("exponent", [-140, -30, -1, 0, 1, 7, 120, 300])
def test_ldexp_and_frexp_are_exact(exponent):
    x = np.array([1.0, -1.5, 3.25, 2.0**-60, np.inf, 0.0], "f4")
    with np.errstate(all="ignore"):
        wanted = np.ldexp(x, exponent)
    kept = (wanted == 0) | (np.abs(wanted) >= np.finfo("f4").tiny)
    np.testing.assert_array_equal(
        np.asarray(jnp.ldexp(x, exponent))[kept], wanted[kept]
    )
    for found, expected in zip(jnp.frexp(x), np.frexp(x), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(jax.grad(lambda v: jnp.frexp(v)[0])(3.0), 0.25)


def test_derivatives_of_log_sums_at_ties_and_infinities():
    for fun in (jnp.logaddexp, jnp.logaddexp2):
        np.testing.assert_allclose(jax.grad(fun)(1.0, 1.0), 0.5, rtol=1e-6)
        assert jax.grad(fun)(np.inf, 1.0) == 1.0
        assert jax.grad(fun, argnums=1)(np.inf, 1.0) == 0.0
        assert jax.grad(fun)(1.0, -np.inf) == 1.0
    np.testing.assert_allclose(jax.grad(jax.grad(jax.nn.softplus))(0.0), 0.25)
    assert jax.grad(jnp.i0)(0.0) == 0.0


@pytest.mark.parametrize(
    ("call", "weak"),
    [
        (lambda: jnp.array([1.0, 2]), False),
        (lambda: jnp.ones(2, "int8") > 1.0, True),
        (lambda: jnp.ones(2) > 1.0, False),
        (lambda: jnp.isnan(1.0), True),
        (lambda: jnp.isinf(1.0), False),
        (lambda: jnp.hypot(1, 2), True),
        (lambda: jnp.heaviside(1.0, 2.0), True),
        (lambda: jnp.polyval(jnp.array([1, 2]), 3.0), False),
        (lambda: jnp.median(jnp.ones(2, "int8")), False),
        (lambda: jax.grad(lambda x: x**2)(1.0), True),
        (lambda: jax.jvp(lambda x: x + 1, (np.float32(1),), (1.0,))[1], False),
        (lambda: jax.nn.relu(jnp.ones(2, bool)), True),
        (lambda: jnp.einsum(",", 2, 3), True),
        (lambda: jnp.einsum(",,->", 2.0, 3.0, 4.0), True),
        (lambda: jnp.einsum(",", 2, np.int32(3)), False),
        (lambda: jnp.einsum(",", 2, 3, preferred_element_type="int32"), False),
    ],
)
def test_weak_types_stay_weak_and_strong_ones_strong(call, weak):
    assert call().weak_type is weak


def test_indices_out_of_bounds():
    assert X[0] == jnp.asarray(X)[jnp.array(-11)]
    clipped = np.asarray(jnp.take(X, FAR, mode="clip"))
    np.testing.assert_array_equal(clipped, X[np.clip(FAR, 0, 9)])
    np.testing.assert_array_equal(jnp.take(X, FAR, mode="wrap"), X[FAR % 10])
    assert np.isnan(np.asarray(jnp.take(X, FAR))).sum() == 5
    put = jnp.put(X, jnp.array([0, 13]), 5.0, inplace=False)
    np.testing.assert_array_equal(put, [5, *X[1:9], 5])
    one_hot = jnp.asarray(X).at[FAR].add(1.0, mode="one_hot")
    np.testing.assert_array_equal(one_hot, jnp.asarray(X).at[FAR].add(1.0))
    with pytest.raises(ValueError, match="'fill'"):
        jnp.take(X, 1, mode="drop")
    with pytest.raises(ValueError, match="negative"):
        lax.dynamic_slice(X, (-1,), (3,), allow_negative_indices=False)
    taken = lax.index_take(
        X.reshape(2, 5), (np.array([1, 0]), np.array([4, 7])), (0, 1)
    )
    np.testing.assert_array_equal(taken, [10, 3])


@pytest.mark.parametrize("bucket_size", [None, 1, 2, 10])
def test_segments_drop_negative_numbers_and_take_buckets(bucket_size):
    ids = np.array([0, -1, 1, 7, 2, 1])
    found = jax.ops.segment_sum(X[:6], ids, 3, bucket_size=bucket_size)
    np.testing.assert_array_equal(found, [1, 9, 5])
    clipped = jax.ops.segment_max(X[:6], ids, 3, mode="clip")
    np.testing.assert_array_equal(clipped, [2, 6, 5])


def test_views_of_complex_numbers():
    z = (X[:6] + 1j).astype("c8").reshape(2, 3)
    for dtype in ("f4", "i4", "u1"):
        np.testing.assert_array_equal(jnp.asarray(z).view(dtype), z.view(dtype))
    pairs_of = np.arange(8.0, dtype="f4").reshape(2, 4)
    np.testing.assert_array_equal(jnp.asarray(pairs_of).view("c8"), pairs_of.view("c8"))
    with pytest.raises(ValueError, match="pairs"):
        jnp.ones(3).view("complex64")


def test_sets_of_a_given_size():
    a, b = jnp.array([3, 1, 1, 5]), jnp.array([3, 7])
    found = jax.jit(lambda a, b: jnp.setdiff1d(a, b, size=4, fill_value=-1))(a, b)
    assert found.tolist() == [1, 5, -1, -1]
    assert jnp.setxor1d(a, b, size=5).tolist() == [1, 5, 7, 1, 1]
    values, first, second = jnp.intersect1d(a, b, size=2, return_indices=True)
    assert (values.tolist(), first.tolist(), second.tolist()) == (
        [3, 3],
        [0, 4],
        [0, 2],
    )


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6, 7])
def test_the_last_of_fewer_distinct_values_is_counted_alone(size):
    x = np.repeat([5, 1, 7, 0, 3, 9], [2, 1, 4, 3, 1, 5])
    values, indices, counts = np.unique(x, return_index=True, return_counts=True)
    found = jnp.unique(x, size=size, return_index=True, return_counts=True)
    np.testing.assert_array_equal(found[0][:6], values[:size])
    np.testing.assert_array_equal(found[1][:6], indices[:size])
    np.testing.assert_array_equal(found[2], [*counts, 0][:size])


def test_values_between_and_beyond_points():
    points = (jnp.array([0.0, 1.0, 2.0]), jnp.array([3.0, 5.0, 4.0]))
    found = jnp.interp(jnp.array([-1.0, 9.0]), *points, left=-7.0, right="extrapolate")
    np.testing.assert_allclose(found, [-7, -3])
    with pytest.raises(ValueError, match="extrapolate"):
        jnp.interp(1.0, *points, left="flat")


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[8.0, 4.0, 2.0], [2.0, 4.0, 8.0]])
def test_bins_rise_or_fall(bins, right):
    x, bins = np.array([1.0, 2, 3, 4, 8, 9], "f4"), np.array(bins, "f4")
    np.testing.assert_array_equal(
        jnp.digitize(x, bins, right), np.digitize(x, bins, right)
    )


def test_polynomials_are_factored_and_fitted():
    found = np.sort_complex(jnp.roots(jnp.array([0.0, 1.0, -6.0, 11.0, -6.0, 0.0])))
    np.testing.assert_allclose(found, [0, 1, 2, 3], atol=1e-4)
    x = np.linspace(-1, 1, 9).astype("f4")
    y = 3 * x**2 - x + 2
    np.testing.assert_allclose(jnp.polyfit(x, y, 2), [3, -1, 2], atol=1e-4)
    noisy = y + np.cos(40 * x).astype("f4")
    for found, wanted in zip(
        jnp.polyfit(x, noisy, 2, cov=True),
        np.polyfit(x, noisy, 2, cov=True),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(jnp.poly(jnp.diag(x[:3])), np.poly(x[:3]), atol=1e-5)


def test_complex_numbers_lose_a_part_with_a_warning():
    with pytest.warns(DeprecationWarning, match="imaginary"):
        found = jnp.array([1 + 2j]).astype("float32")
    assert found.tolist() == [1.0]


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: jnp.median(jnp.zeros(0)), TypeError),
        (lambda: jnp.median(jnp.zeros((2, 0)), axis=1), TypeError),
        (lambda: jnp.quantile(jnp.zeros((2, 0)), 0.5, axis=1), TypeError),
        (lambda: jnp.nanmedian(jnp.zeros((2, 0)), axis=1), TypeError),
        (lambda: jnp.nanmedian(jnp.zeros(0)), IndexError),
        (lambda: jnp.nanquantile(jnp.zeros((2, 0)), 0.5), IndexError),
    ],
)
def test_nothing_has_no_quantile(call, kind):
    with pytest.raises(kind, match="empty"):
        call()


@pytest.mark.parametrize("cuts", [[1, 10], [-1], [3, 1]])
@pytest.mark.parametrize("split", [jnp.split, jnp.array_split, jnp.hsplit])
def test_indices_to_cut_at_ascend_inside_of_the_axis(split, cuts):
    with pytest.raises(ValueError, match="cannot be cut"):
        split(jnp.arange(4), cuts)
    assert [x.tolist() for x in split(jnp.arange(4), [1, 1, 4])] == [
        [0],
        [],
        [1, 2, 3],
        [],
    ]


def test_arrays_as_text_name_their_class():
    assert jnp.array_repr(jnp.arange(2)) == "ArrayImpl([0, 1], dtype=int32)"
    # Later lines start below the first element.
    assert jnp.array_repr(jnp.zeros((2, 1))).splitlines()[1].index("[") == 11


def test_the_quotient_rounded_down_has_no_slope():
    slopes = jax.grad(jnp.floor_divide, (0, 1))
    for a, b in [(7.0, 2.0), (1.0, 0.0), (0.0, 0.0), (np.inf, 1.0)]:
        assert slopes(a, b) == (0, 0)


@pytest.mark.parametrize("x", [1e-20, -1e-20, 1e-6, 1e-3, 0.1, 0.16])
def test_slopes_of_sinc_near_zero(x):
    z = np.pi * x
    series = [(-1) ** n * z ** (2 * n) / math.factorial(2 * n + 3) for n in range(9)]
    terms = [(2 * n + 2) * -term for n, term in enumerate(series)]
    with jax.enable_x64(True):
        found = float(jax.grad(jnp.sinc)(x))
    assert found == pytest.approx(np.pi * z * sum(terms), rel=1e-13)


def test_strict_promotion():
    with jax.numpy_dtype_promotion("strict"):
        assert jnp.power(jnp.ones(2), jnp.int32(2)).dtype == "float32"
        with pytest.raises(dtypes.TypePromotionError):
            jnp.ones(2).at[0].set(jnp.int32(1))


def test_arrays_name_their_members():
    assert {"T", "at", "reshape", "sum", "shape"} <= set(dir(jax.Array))
    assert jnp.ndarray is jax.Array and jnp.dtype is np.dtype


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (1, 1), (1, 6, 1), (2, 1, 3)])
@pytest.mark.parametrize("axes", [(0,), (-1,), (0, -1), (1,), (1, -1)])
def test_new_axes_stand_where_they_are_requested(shape, axes):
    index = [slice(None)] * len(shape)
    for axis in axes:
        index.insert(len(index) if axis == -1 else axis, None)
    x = np.arange(math.prod(shape)).reshape(shape)
    assert jnp.asarray(x)[tuple(index)].shape == x[tuple(index)].shape
    index[index.index(slice(None))] = 0
    assert jnp.asarray(x)[tuple(index)].tolist() == x[tuple(index)].tolist()


def test_logaddexp2_of_halves_is_rounded_once():
    found = jnp.logaddexp2(jnp.float16(-2), jnp.float16(-0.5))
    assert found.dtype == "float16"
    assert found == np.float16(np.logaddexp2(-2, -0.5))


@pytest.mark.parametrize("take", [jnp.asarray, jnp.array])
def test_a_deleted_array_is_not_taken_as_it_is(take):
    x = jnp.ones(3)
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        take(x)


def test_views_as_truth_values_look_at_bytes():
    x = np.arange(3, dtype=np.float32)
    found = jnp.asarray(x).view(bool)
    np.testing.assert_array_equal(found, x.view(np.uint8) != 0)
    flags = x > 0
    wide = jnp.asarray(flags.repeat(2)).view("uint16")
    np.testing.assert_array_equal(wide, flags.repeat(2).view(np.uint16))
    with pytest.raises(ValueError, match="without axes"):
        jnp.float32(1).view("int16")


@pytest.mark.parametrize("function", [jnp.dot, jnp.matmul, jnp.inner, jnp.vdot])
def test_products_of_truth_values_are_counted_where_requested(function):
    x = jnp.ones(3, bool)
    found = function(x, x, preferred_element_type=np.int8)
    assert found.dtype == np.int8 and found == 3
    assert function(x, x).dtype == bool


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,ij->", [(1, 3), (2, 3)]),
        ("ij,ij->j", [(1, 3), (2, 3)]),
        ("ij,ij->i", [(2, 1), (1, 3)]),
        ("ij,ij->", [(2, 1), (1, 3)]),
        ("ij,jk->k", [(2, 1), (3, 4)]),
        ("ij,jk,kl->il", [(2, 1), (3, 1), (4, 5)]),
        ("ii,i->i", [(3, 3), (1,)]),
    ],
)
def test_axes_of_one_element_repeat_in_einsums(subscripts, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-9, 9, shape) for shape in shapes]
    found = jnp.einsum(subscripts, *arrays)
    np.testing.assert_array_equal(found, np.einsum(subscripts, *arrays))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_whole_numbers_slide_along_each_other_in_the_dtype_requested(name):
    x, y = np.array([100, 90, 7], np.int8), np.array([3, 100], np.int8)
    exact = getattr(np, name)(x.astype(int), y.astype(int), "full")
    ours = ft.partial(getattr(jnp, name), mode="full")
    for dtype in ("int32", "float32"):
        found = ours(x, y, preferred_element_type=dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, exact)
    many = np.array([2**25 + 1])
    assert ours(many, np.array([1]), preferred_element_type="int32").item() == many
    assert ours(many, np.array([1])).dtype == jnp.float32
    truths = ours(x > 50, y > 0, preferred_element_type="int8")
    np.testing.assert_array_equal(truths, getattr(np, name)([1, 1, 0], [1, 1], "full"))
    for dtype in ("uint32", "complex64"):
        with pytest.raises(TypeError, match="hold the sums"):
            ours(x, y, preferred_element_type=dtype)


@pytest.mark.parametrize("function", [jnp.mean, jnp.var, jnp.std])
def test_more_elements_than_an_int32_counts_have_a_mean(function):
    many = jax.ShapeDtypeStruct((1 << 20, 4096), np.float32)
    assert jax.eval_shape(function, many).shape == ()


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
@pytest.mark.parametrize("gaps", [2, 3, 4, 5, 6, 7, 10, 12, 20, 50])
def test_even_steps_are_exact_where_numbers_are(gaps, dtype):
    for first, step in itertools.product(
        range(-30, 31, 6), (-7, -1, 0, 1, 2, 3, 5, 10)
    ):
        wanted = (first + step * np.arange(gaps + 1)).astype(dtype)
        found = jnp.linspace(wanted[0], wanted[-1], gaps + 1)
        np.testing.assert_array_equal(found, wanted)
        found = jnp.linspace(wanted[0], wanted[-1], gaps, endpoint=False)
        np.testing.assert_array_equal(found, wanted[:-1])


@pytest.mark.parametrize("num", [3, 5, 7, 11, 101, 1001])
def test_the_middle_between_a_number_and_its_opposite_is_zero(num):
    for end in (1.0, 0.3, 3e38, 1e-45):
        assert jnp.linspace(-end, end, num)[num // 2] == 0


@pytest.mark.parametrize("start", [0, 0.0, np.float16(0)])
@pytest.mark.parametrize(
    "dtype, of_step",
    [
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("int32", "float32"),
        ("complex64", "complex64"),
    ],
)
def test_steps_have_the_dtype_of_numbers_with_fractions(start, dtype, of_step):
    found, step = jnp.linspace(start, 1, 5, retstep=True, dtype=dtype)
    assert (found.dtype, step.dtype) == (dtype, of_step)
    found, step = jnp.linspace(np.float16(0), np.float16(1), 5, retstep=True)
    assert found.dtype == step.dtype == np.float16


def test_that_imaginary_parts_are_lost_is_told_once():
    with pytest.warns(Warning, match="imaginary part") as told:
        found, step = jnp.linspace(1j, 1, 5, retstep=True, dtype="float32")
    assert len(told) == 1
    assert found.dtype == step.dtype == np.float32


def test_counts_in_bins_of_whole_numbers_are_those_of_numpy():
    x = np.array([1, 2, 3, 10, 11, 15, 19, 25])
    for found, wanted in zip(
        jnp.histogram(x, bins=5, range=(0, 25)),
        np.histogram(x, bins=5, range=(0, 25)),
        strict=True,
    ):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("p", [[1, 2], [1, 5, 6], [1, 2, 0], [2, 0, 0]])
def test_each_leading_zero_takes_a_root(p, zeros):
    padded = np.array([0] * zeros + p, "f4")
    roots = jax.jit(lambda p: jnp.roots(p, strip_zeros=False))
    wanted = sorted(np.roots(p), key=lambda x: -abs(x)) + [np.nan] * zeros
    np.testing.assert_allclose(roots(padded), wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "bfloat16"])
def test_roots_of_real_polynomials_are_real_or_pairs_of_conjugates(dtype):
    for p in ([1, 2, 3, 4], [1, -6, 11, -6], [1, 0, 0, -1], [2, 0, 5], [3, 1]):
        for found in (
            jnp.roots(jnp.asarray(p, dtype)),
            jnp.roots(jnp.asarray(p, dtype), strip_zeros=False),
        ):
            assert found.dtype == np.complex64
            found, wanted = np.asarray(found), np.roots(p)
            assert np.sum(found.imag == 0) == np.sum(wanted.imag == 0)
            assert sorted(found.imag) == sorted(-found.imag)


def test_nothing_but_zeros_has_no_roots():
    assert np.isnan(jnp.roots(np.zeros(3), strip_zeros=False)).tolist() == [True, True]


@pytest.mark.parametrize("function, sign", [(jnp.polyadd, 1), (jnp.polysub, -1)])
def test_polynomials_may_share_coefficients_along_further_axes(function, sign):
    x = np.array([[5, 7, 9], [8, 6, 4]])
    for few in (np.array([2]), np.array([[1, 2, 3]]), np.array(3)):
        wanted = x + sign * np.stack([np.zeros(3), np.broadcast_to(few, (1, 3))[0]])
        np.testing.assert_array_equal(function(x, few), wanted)
        np.testing.assert_array_equal(function(few, x), sign * wanted)
    with pytest.raises(ValueError, match="broadcast"):
        function(x, np.array([1, 3, 5]))


def test_fromfunction_calls_with_scalars():
    def function(i, j, factor):
        assert i.shape == j.shape == ()
        return {"sum": i + j, "row": (i + 10 * j) * jnp.arange(3)}

    found = jnp.fromfunction(function, (2, 4), dtype=int, factor=object())
    i, j = np.indices((2, 4))
    np.testing.assert_array_equal(found["sum"], i + j)
    np.testing.assert_array_equal(found["row"], (i + 10 * j)[..., None] * np.arange(3))
    assert jnp.fromfunction(lambda i, j: 7, (2, 0)).shape == (2, 0)
    assert jnp.fromfunction(lambda: 7, ()) == 7


@pytest.mark.parametrize("mmap_mode", [None, "r"])
def test_files_of_what_numpy_has_no_name_for(tmp_path, mmap_mode):
    path = tmp_path / "x.npy"
    for dtype in ("bfloat16", "float8_e4m3fn", "int4", "float16"):
        x = jnp.array([0, 1, -2], dtype)
        jnp.save(path, x)
        found = jnp.load(path, mmap_mode=mmap_mode)
        if dtype in ("bfloat16", "float16"):
            assert isinstance(found, jax.Array)
        np.testing.assert_array_equal(np.asarray(found).view(x.dtype), x)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int8", "bool"])
def test_where_there_is_nothing_the_fill_value_is_read(dtype):
    nothing, indices = jnp.zeros((0,), dtype), jnp.array([[0], [1], [-1], [7]])
    numbers = lax.GatherDimensionNumbers((), (0,), (0,))
    how = dict(dimension_numbers=numbers, slice_sizes=(0,))
    filled = lax.gather(nothing, indices, mode="fill", fill_value=1, **how)
    np.testing.assert_array_equal(filled, np.ones(4, dtype))
    clipped = lax.gather(nothing, indices, mode="clip", **how)
    np.testing.assert_array_equal(clipped, np.zeros(4, dtype))


def test_a_gradient_in_no_segments_is_zero():
    data, segments = jnp.arange(5.0), jnp.array([0, 0, 1, 2, 2])
    sums = lambda d: jax.ops.segment_sum(d, segments, num_segments=0).sum()  # noqa: E731
    np.testing.assert_array_equal(jax.jit(jax.grad(sums))(data), np.zeros(5))
