"""Types, weak types, warnings and classes of errors that programs have come to rely on."""

import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy
from jax import lax

FLAG, WHOLE = jnp.ones(1, bool), jnp.ones(1, "int32")
C = np.complex64([1 + 1j, 2])
KEY = jax.random.key(0)
TWO = np.array([True, True, False])
X = jnp.array([0, 1, 4, 7])
UPDATED = X.at[1:3]
SET_PLAIN = jax.jit(lambda x, i: x.at[i].set(5, wrap_negative_indices=False))


def described(x):
    """The type of an array; ``~`` before one that gives way to others."""
    aval = jax.typeof(x)
    return "~" * aval.weak_type + aval.str_short()


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        # Numbers give way to arrays; in an array the result no longer gives way.
        (lambda: 2.5**WHOLE, "float32[1]"),
        (lambda: 1j**WHOLE, "complex64[1]"),
        (lambda: 2.5 ** jnp.int32(1), "~float32[]"),
        (lambda: jnp.full(3, 2.5) ** jnp.full(3, 2), "~float32[3]"),
        (lambda: jnp.full(3, 2.5) ** jnp.int32(2), "~float32[3]"),
        (lambda: 2 ** jnp.uint8(2), "~int32[]"),
        (lambda: 2**FLAG, "int32[1]"),
        (lambda: 2.5**FLAG, "~float32[1]"),
        (lambda: jnp.hypot(2.5, WHOLE), "float32[1]"),
        (lambda: jnp.hypot(2.5, 2), "~float32[]"),
        (lambda: jnp.heaviside(WHOLE, 2.5), "float32[1]"),
        (lambda: jnp.logaddexp2(2, FLAG), "float32[1]"),
        (lambda: jnp.gcd(2, FLAG), "int32[1]"),
        (lambda: jnp.lcm(FLAG, 2), "int32[1]"),
        (lambda: jnp.median(2.5), "float32[]"),
        (lambda: jnp.nanmedian(2), "float32[]"),
        # What an activation multiplies or compares with gives way too.
        (lambda: jax.nn.hard_silu(WHOLE[0]), "~float32[]"),
        (lambda: jax.nn.hard_swish(jnp.int8(1)), "~float32[]"),
        (lambda: jax.nn.sparse_plus(jnp.int16(1)), "~float32[]"),
        (lambda: jax.nn.sparse_sigmoid(jnp.int32(1)), "~float32[]"),
        # Dtypes requested.
        (lambda: jnp.cumsum(FLAG, dtype=bool), "bool[1]"),
        (lambda: jnp.cumprod(jnp.ones(1), dtype=bool), "bool[1]"),
        (lambda: jnp.inner(2, WHOLE, preferred_element_type="float32"), "float32[1]"),
        (lambda: jnp.histogram(WHOLE, weights=WHOLE)[0], "float32[10]"),
        (lambda: jnp.histogram(FLAG, weights=C[:1])[1], "complex64[11]"),
        (
            lambda: jnp.histogram(jnp.ones(1, "float16"), weights=jnp.ones(1))[1],
            "float32[11]",
        ),
        (lambda: jnp.setdiff1d(WHOLE, jnp.zeros(1)), "int32[1]"),
        (lambda: jnp.polyder(jnp.arange(4)), "float32[3]"),
        (lambda: jnp.nonzero(FLAG, size=2, fill_value=1.5)[0], "~float32[2]"),
        (lambda: jnp.argwhere(FLAG, size=2, fill_value=np.float32(1)), "float32[2,1]"),
    ],
)
def test_results_have_these_types(made, wanted):
    assert described(made()).replace("~", "", wanted[0] != "~") == wanted


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda: jnp.piecewise(np.arange(3), [TWO, TWO[::-1]], [5, 6, 7]), [5, 6, 6]),
        (lambda: jnp.piecewise(np.arange(3), [TWO], [lambda x: 2 * x]), [0, 2, 0]),
        (lambda: jnp.piecewise(np.arange(3), [True, False], [5, 6]), [5, 5, 5]),
        (lambda: jnp.piecewise(np.arange(2), [True, False], [5]), [5, 0]),
        (lambda: jnp.sort_complex(jnp.array([[3, 1], [2, 5]])), [[1, 3], [2, 5]]),
        (lambda: jnp.cumsum(jnp.array([False, True, True]), dtype=bool), [0, 1, 1]),
        (lambda: jnp.intersect1d(jnp.arange(2), jnp.arange(5, 8), size=2), [0, 0]),
        (lambda: jnp.intersect1d(jnp.arange(3), jnp.arange(2, 8), size=2), [2, 2]),
        (lambda: jnp.argwhere(FLAG, size=2, fill_value=1.5), [[0], [1.5]]),
        # Updates are computed in the dtype of both, then converted back.
        (lambda: UPDATED.multiply(2.5), [0, 2, 10, 7]),
        (lambda: UPDATED.subtract(jnp.float32(2.5)), [0, -1, 1, 7]),
        (lambda: jnp.uint8([1, 4]).at[0].min(jnp.int32(-3)), [253, 4]),
        (lambda: jnp.zeros(2, bool).at[0].add(300), [1, 0]),
        (lambda: UPDATED.apply(jnp.negative), [0, -1, -4, 7]),
        (lambda: X.at[2**40].set(9, wrap_negative_indices=False), [0, 1, 4, 7]),
        (lambda: X.at[False].apply(jnp.negative), [0, 1, 4, 7]),
        (lambda: SET_PLAIN(X, -1), [0, 1, 4, 7]),
        (lambda: SET_PLAIN(X, 3), [0, 1, 4, 5]),
        (lambda: jnp.round(3.5, 40), 3.5),
        (lambda: jnp.round(jnp.array([3.5, np.nan]), 300), [3.5, np.nan]),
        (lambda: jnp.round(jnp.float32(3.5), -50), 0.0),
        (lambda: jnp.bartlett(3.0), [0, 1, 0]),
        (lambda: jnp.split(jnp.arange(4), 2.0)[1], [2, 3]),
        (lambda: jnp.array([np.inf, np.nan, -2]) * (X[:3] > 4), [0, 0, 0]),
        (
            lambda: (X > 0) * jnp.array([[np.nan], [3]]),
            [[0] + [np.nan] * 3, [0, 3, 3, 3]],
        ),
        (lambda: jax.grad(lambda x: ((X > 1) * x * x).sum())(1.0 * X), [0, 0, 8, 14]),
        (lambda: jnp.cumsum(jnp.array([0.0, 0.5, 0.0]), dtype=bool), [0, 1, 1]),
        (lambda: jnp.cumprod(jnp.array([-0.5, 0.25, 0.0]), dtype=bool), [1, 1, 0]),
        (lambda: jnp.nancumsum(jnp.array([np.nan, 0.5]), dtype=bool), [0, 1]),
        (lambda: jnp.nancumprod(jnp.array([np.nan, 2.5, 3]), dtype=int), [1, 2, 6]),
        (lambda: jnp.fft.fftshift(jnp.arange(3), (0, -1)), [1, 2, 0]),
        (lambda: jnp.isclose(np.nan, np.nan, equal_nan=None), False),
        (lambda: jnp.einsum(jnp.eye(2), ["a", "b"], X[:2], ["b"]), [0, 1]),
        (lambda: jnp.einsum(X[:2], "i", X, "j", ["j", "i"])[3], [0, 7]),
        (lambda: jnp.einsum(X[:2], [70], X, [-3]).shape, [4, 2]),
        (lambda: jnp.einsum(jnp.ones((2, 3)), [..., "k"], ["k", ...]).shape, [3, 2]),
        (lambda: jnp.einsum_path(X, ["a"], X, ["b"])[1].largest_intermediate, 16),
        (
            lambda: jnp.isclose(jnp.arange(2) > 0, jnp.arange(2) < 1, atol=1),
            [True, True],
        ),
        (
            lambda: jnp.isclose(jnp.arange(2) > 0, jnp.arange(2) < 1, rtol=1),
            [True, False],
        ),
        (lambda: jnp.average(jnp.eye(2), np.int32(0), jnp.arange(2)), [0, 1]),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_results_have_these_values(made, wanted):
    np.testing.assert_array_equal(made(), wanted)


@pytest.mark.parametrize(
    ("made", "error"),
    [
        # A complex number of Python's becomes no real one; arrays do, with a warning.
        *(
            (make, TypeError)
            for make in (
                lambda: jnp.array(1j, "float32"),
                lambda: jnp.array([1j, 2], "float32"),
                lambda: jnp.float32(1j),
                lambda: jnp.full(2, 1j, "int8"),
                lambda: jnp.full_like(jnp.ones(2), 1j),
                lambda: lax.full((2,), 1j, "float32"),
                lambda: lax.full_like(jnp.ones(2), 1j),
                lambda: lax.convert_element_type(1j, "int32"),
            )
        ),
        (lambda: jnp.full(2, KEY, "int32"), ValueError),
        (lambda: jnp.full_like(WHOLE, KEY), ValueError),
        (lambda: jnp.zeros(2, dtype=WHOLE), ValueError),
        (lambda: WHOLE.astype(WHOLE), ValueError),
        (lambda: jnp.sum(WHOLE, where=WHOLE), ValueError),
        (lambda: jnp.mean(WHOLE, where=WHOLE), ValueError),
        (lambda: jnp.choose(jnp.ones(1), [WHOLE]), ValueError),
        (lambda: jnp.cov(C, dtype="int32"), ValueError),
        (lambda: jnp.corrcoef(C, dtype=bool), ValueError),
        (lambda: jnp.nonzero(FLAG, size=2, fill_value=WHOLE), ValueError),
        (lambda: jnp.average(jnp.eye(2), 5, jnp.arange(2)), ValueError),
        (lambda: jnp.expand_dims(WHOLE, None), TypeError),
        (lambda: jnp.dot(WHOLE, WHOLE, preferred_element_type="int8"), TypeError),
        (lambda: jnp.zeros(2**63), OverflowError),
        (lambda: jax.scipy.linalg.dft(2, dtype="float32"), ValueError),
        (
            # The same refusal as without `hermitian`.
            lambda: jnp.linalg.svd(jnp.eye(3), hermitian=True, subset_by_index=(0, 1)),
            ValueError,
        ),
        (lambda: jax.dtypes.itemsize_bits(None), ValueError),
        *(
            (make, TypeError)
            for where in (2, "x", [2], jax.devices()[0], jnp.ones(1))
            for make in (
                lambda where=where: jax.jit(jnp.sin, in_shardings=where),
                lambda where=where: jax.jit(jnp.sin, out_shardings=where),
                lambda where=where: lax.with_sharding_constraint(WHOLE, where),
            )
        ),
    ],
)
def test_what_is_refused(made, error):
    with pytest.raises(error):
        made()


@pytest.mark.parametrize(
    ("run", "category"),
    [
        (lambda: jnp.asarray(C, "float32"), np.exceptions.ComplexWarning),
        (lambda: jnp.array(C, bool), None),
        (lambda: jnp.float32(jnp.asarray(C)), np.exceptions.ComplexWarning),
        (lambda: jnp.sum(C, dtype="float32"), np.exceptions.ComplexWarning),
        (lambda: jnp.max(jnp.ones(3), initial=1j), np.exceptions.ComplexWarning),
        (lambda: jnp.asarray(C).astype("int32"), DeprecationWarning),
        (lambda: jnp.asarray(C).astype(bool), None),
        (lambda: lax.iota("int64", 3), UserWarning),
        (lambda: lax.full((2,), 1, "float64"), UserWarning),
        (lambda: jnp.shape([1, 2]), DeprecationWarning),
        (lambda: jnp.ndim((1, 2)), DeprecationWarning),
        (lambda: jnp.size([[1], [2]]), DeprecationWarning),
        (lambda: jnp.full_like(jnp.ones(2, "uint8"), np.nan), None),
        (lambda: jnp.full((2,), 1e39), None),
    ],
)
def test_what_is_warned_of(run, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    assert [w.category for w in caught] == ([category] if category else [])


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ("float64", "float32", "float64"),
        ("complex128", "int32", "complex128"),
        ("int64", "int64", "int64"),
        ("int8", float, "float64"),
        ("uint32", "int32", "int32"),
        ("bfloat16", float, "bfloat16"),
    ],
)
def test_promotion_of_dtypes_knows_64_bits_in_every_mode(a, b, wanted):
    assert jnp.promote_types(a, b) == jnp.dtype(wanted)
    assert jax.dtypes.itemsize_bits(float) == 64


def test_steps_have_no_slope():
    _, (quotient, _) = jax.jvp(jnp.divmod, (1.0, 0.0), (1.0, 1.0))
    assert quotient == 0.0


def test_long_arrays_are_iterated_without_a_program_per_part():
    x = jnp.arange(3000).reshape(1500, 2)
    parts = [*x]
    assert parts[1499].tolist() == [2998, 2999]
    assert [*jax.jit(lambda x: [*x])(x[:2])[1]] == [2, 3]
    assert len([*jax.random.split(KEY, 5)]) == 5


def test_functions_do_not_raise_ranks_behind_the_back_of_users():
    x = jnp.arange(6.0).reshape(2, 3)
    with jax.numpy_rank_promotion("raise"):
        transformed = jax.scipy.fft.dctn(x, norm="ortho")
        back = jax.scipy.fft.idctn(transformed, norm="ortho")
        root = jax.scipy.linalg.sqrtm(jnp.array([[4.0, 1.0], [0.0, 9.0]]))
    np.testing.assert_allclose(back, x, atol=1e-5)
    np.testing.assert_allclose(root, [[2, 0.2], [0, 3]], atol=1e-6)


def test_arrays_of_numpy_keep_their_name_as_text():
    assert jnp.array_repr(np.zeros(2)) == "array([0., 0.])"


def test_a_known_whole_exponent_is_a_chain_of_products():
    assert 2j ** jnp.int32(2) == -4
    with pytest.raises(TypeError, match="negative powers"):
        2 ** jnp.int32(-1)
