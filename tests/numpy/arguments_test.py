"""What functions take besides arrays, the less known of their arguments, and refusals."""

import collections
import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.testing import refusals

X = np.array([3.0, 1.0, 2.0, 5.0, 4.0], "f4")
WEIGHTS = np.array([1.0, 5.0, 1.0, 0.0, 2.0], "f4")
SHARES = np.array([0.0, 0.1, 0.2, 0.5, 0.9, 1.0], "f4")


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda: jnp.array(range(3)), np.arange(3, dtype="i4")),
        (lambda: jnp.array(range(3), dtype=float), np.arange(3, dtype="f4")),
        (lambda: jnp.array([range(2), [4, 5]]), np.array([[0, 1], [4, 5]], "i4")),
        (lambda: jnp.array(collections.deque([1, 2])), np.array([1, 2], "i4")),
        (lambda: jnp.asarray(X, copy=False), X),
        (lambda: jnp.asarray(2, copy=False), np.array(2, "i4")),
        (lambda: jnp.zeros(3).at[:2].set([7, 8]), np.array([7, 8, 0], "f4")),
        (lambda: jnp.zeros(3).at[1:].add((7, 8)), np.array([0, 7, 8], "f4")),
    ],
)
def test_sequences_and_numbers_make_arrays(made, wanted):
    found = np.asarray(made())
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_quantiles_of_a_step_function(weights):
    options = {"method": "inverted_cdf", "weights": weights}
    wanted = np.quantile(X, SHARES, **options)
    np.testing.assert_array_equal(jnp.quantile(X, SHARES, **options), wanted)
    rows = np.stack([X, X[::-1]])
    for axis, keepdims in [(1, False), (1, True)]:
        found = jnp.quantile(rows, SHARES, axis=axis, keepdims=keepdims, **options)
        wanted = np.quantile(rows, SHARES, axis=axis, keepdims=keepdims, **options)
        np.testing.assert_array_equal(found, wanted)


def test_quantiles_with_weights_and_gaps():
    x = np.array([1.0, np.nan, 3.0, 2.0], "f4")
    options = {"method": "inverted_cdf", "weights": np.array([1, 9, 1, 1], "f4")}
    assert np.isnan(jnp.quantile(x, 0.5, **options))
    assert jnp.nanquantile(x, 0.5, **options) == 2.0
    assert np.isnan(jnp.quantile(X, 0.5, weights=-WEIGHTS, method="inverted_cdf"))


@pytest.mark.parametrize("dtype", ["i4", "f4", "u1", "c8"])
@pytest.mark.parametrize("method", ["auto", "compare_all", "binary_search", "sort"])
def test_many_values_are_looked_for(dtype, method):
    random = np.random.default_rng(0)
    x, values = (random.integers(0, 200, n).astype(dtype) for n in (120, 70))
    found = jnp.isin(x.reshape(40, 3), values, method=method)
    np.testing.assert_array_equal(found, np.isin(x.reshape(40, 3), values))


def test_values_are_looked_for_as_they_compare():
    x = np.array([-0.0, np.nan, np.inf], "f4")
    values = np.array([0.0, np.nan, -np.inf], "f4")
    for method in ("compare_all", "sort"):
        assert jnp.isin(x, values, method=method).tolist() == [True, False, False]


def test_negative_indices_are_out_of_bounds_where_they_do_not_wrap():
    x = jnp.arange(4.0)
    options = {"wrap_negative_indices": False}
    assert x.at[-1].get(**options) == 0
    assert np.isnan(x.at[-1].get(mode="fill", **options))
    assert x.at[1].get(**options) == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_lists_have_shapes_and_reshape_needs_no_copy():
    assert (jnp.shape([[1, 2]]), jnp.ndim([1]), jnp.size([1, 2])) == ((1, 2), 1, 2)
    assert jnp.reshape(X, (5, 1), copy=False).shape == (5, 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "thing",
    [None, "a", b"a", {}, range(3), slice(2), [None, 1], {1, 2}, 1.5],
    ids=repr,
)
def test_sizes_of_what_is_no_array_are_numpys(thing):
    found = jnp.shape(thing), jnp.ndim(thing), jnp.size(thing)
    assert found == (np.shape(thing), np.ndim(thing), np.size(thing))


AXES = [
    range(2),
    np.array([0, 1]),
    {0: "a", 1: "b"},
    frozenset({0, 1}),
    [np.int8(0), 1],
]


@pytest.mark.parametrize("axis", [*AXES, jnp.array([0, 1])], ids=str)
@pytest.mark.parametrize(
    "use",
    [
        lambda axis: jnp.expand_dims(jnp.ones(3), axis),
        lambda axis: jnp.squeeze(jnp.ones((1, 1, 3)), axis),
        lambda axis: jnp.sum(jnp.ones((2, 3, 4)), axis),
        lambda axis: jnp.std(jnp.ones((2, 3, 4)), axis),
        lambda axis: jnp.flip(jnp.ones((2, 3)), axis),
        lambda axis: jnp.roll(jnp.ones((2, 3)), 1, axis),
        lambda axis: jnp.moveaxis(jnp.ones((2, 3)), axis, (0, 1)),
        lambda axis: jax.nn.softmax(jnp.ones((2, 3)), axis),
    ],
)
def test_axes_are_any_iterable_of_numbers(use, axis):
    np.testing.assert_array_equal(use(axis), use((0, 1)))


def test_axes_are_a_generator_read_once():
    assert jnp.expand_dims(1.0, (i for i in (0, 1))).shape == (1, 1)
    with pytest.raises(ValueError, match="named twice"):
        jnp.sum(jnp.ones((2, 3)), (i for i in (0, 0)))


def test_covariances_and_quantiles_of_nothing():
    nothing = jnp.zeros((0, 3))
    assert jnp.cov(nothing).shape == jnp.corrcoef(nothing).shape == (0, 0)
    assert np.isnan(jnp.cov(nothing, rowvar=False)).all()
    assert jnp.quantile(nothing, 0.5, axis=-1, keepdims=True).shape == (0, 1)
    assert np.isnan(jnp.cov(1.0, 2.0)).tolist() == [[True] * 2] * 2


def test_complex_numbers_are_searched_in_their_order():
    ordered = np.sort(np.array([1j, 2, -1, 1 - 1j, 1 + 2j], "c8"))
    for side in ("left", "right"):
        found = jnp.searchsorted(ordered, ordered, side=side)
        np.testing.assert_array_equal(found, np.searchsorted(ordered, ordered, side))


def test_indices_are_counted_or_filled():
    x = np.array([[0, 1, 0], [2, 0, 3]])
    indices = np.argwhere(x).tolist()
    assert jnp.argwhere(x, size=2).tolist() == indices[:2]
    assert jnp.argwhere(x, size=4, fill_value=-1).tolist() == [*indices, [-1, -1]]
    assert jnp.flatnonzero(x, size=4, fill_value=9).tolist() == [1, 3, 5, 9]
    rows, columns = jnp.nonzero(x, size=4, fill_value=(7, 8))
    assert (rows[3], columns[3]) == (7, 8)


def test_single_elements():
    x = jnp.arange(4).reshape(2, 2)
    assert (x.item(-1), x.item(1, 0), x.item((0, 1))) == (3, 2, 1)


@pytest.mark.parametrize(
    "dtype",
    [np.float16, jnp.float16, "float16", "f2", np.dtype("float16"), X.astype("f2")],
)
def test_buffers_and_strings_take_every_form_of_a_dtype(dtype):
    numbers = np.arange(4, dtype="f2")
    for found in (
        jnp.frombuffer(numbers.tobytes(), dtype=dtype),
        jnp.fromstring("0 1 2 3", dtype=dtype, sep=" "),
    ):
        assert found.dtype == numbers.dtype
        np.testing.assert_array_equal(found, numbers)


def test_diagonals_may_be_traced():
    for k in (-1, 2):
        np.testing.assert_array_equal(
            jax.jit(lambda k: jnp.tri(3, k=k))(k), np.tri(3, k=k)
        )
        np.testing.assert_array_equal(
            jax.jit(lambda k: jnp.eye(3, k=k))(k), np.eye(3, k=k)
        )


@pytest.mark.parametrize(
    ("dtype", "var", "nanvar"),
    [
        ("int32", "f4", "i4"),
        ("int8", "f4", "i1"),
        ("c8", "c8", "c8"),
        ("f2", "f2", "f2"),
    ],
)
def test_variances_have_the_dtype_that_was_requested(dtype, var, nanvar):
    x = jnp.arange(5.0)
    for function, wanted in ((jnp.var, var), (jnp.nanvar, nanvar)):
        found = function(x, dtype=dtype)
        assert (found.dtype, found) == (np.dtype(wanted), 2)
    if np.dtype(var) == np.dtype(dtype):
        assert jnp.std(x, dtype=dtype).dtype == np.dtype(dtype)


def test_numbers_of_repetitions_may_have_any_shape():
    for repeats in ([[1], [0], [1], [2], [0]], [[2]]):
        wanted = np.repeat(X, np.ravel(repeats))
        np.testing.assert_array_equal(jnp.repeat(X, np.array(repeats)), wanted)


KEYS = jax.random.split(jax.random.key(0), 2)
test_keys_are_no_numbers = refusals.each(
    [
        (lambda f=getattr(jnp, name): f(KEYS, KEYS), TypeError, f"jnp.{name}: ")
        for name in "left_shift floor_divide fmod power remainder".split()
    ]
    + [
        (lambda f=getattr(jnp, name): f(KEYS), TypeError, f"jnp.{name}: ")
        for name in "square max min ptp".split()
    ]
)

test_diagonals_are_whole_numbers = refusals.each(
    [
        (lambda: jnp.tri(3, k=1.5), TypeError, "jnp.tri: the diagonal"),
        (lambda: jnp.tri(3, k=True), TypeError, "jnp.tri: the diagonal"),
        (lambda: jax.jit(lambda k: jnp.tri(3, k=k))(1.0), TypeError, "jnp.tri: the"),
        (lambda: jnp.tril(np.eye(3), k=1.5), TypeError, "jnp.tril: the diagonal"),
        (lambda: jnp.triu(np.eye(3), k=1.0), TypeError, "jnp.triu: the diagonal"),
        (lambda: jnp.tril_indices(2, 1.5), TypeError, "jnp.tril_indices: the diagonal"),
        (lambda: jnp.triu_indices(2, 1.5), TypeError, "jnp.triu_indices: the diagonal"),
        (lambda: jnp.eye(3, k=1.5), ValueError, "jnp.eye: k is not"),
        (lambda: jnp.trace(np.eye(3), 1.5), ValueError, "jnp.trace: the offset"),
    ]
)

test_sizes_are_not_negative = refusals.each(
    [
        (lambda: jnp.vander(X, -1), ValueError, "jnp.vander: a size is negative"),
        (lambda: jnp.vander(X, 1.5), TypeError, "(1.5,)"),
        (lambda: jnp.resize(X, -1), ValueError, "jnp.resize: a size is negative"),
        (lambda: jnp.resize(X, (2, -1)), ValueError, "(2, -1)"),
        (lambda: jnp.compress(X > 2, X, size=-1), ValueError, "jnp.compress: a size"),
        (lambda: jnp.tril_indices(-1), TypeError, "jnp.tril_indices: a size"),
        (lambda: jnp.triu_indices(2, 0, -1), TypeError, "jnp.triu_indices: a size"),
    ]
)


CUBE = np.zeros((2, 3, 4), "f4")
MASK = np.ones(7, bool)
hilbert = jax.scipy.linalg.hilbert
test_axes_out_of_bounds_are_values_and_indices = refusals.each(
    [
        (call, kind, text)
        for kind in (ValueError, IndexError)
        for call, text in [
            (lambda: jnp.swapaxes(CUBE, 0, 3), "jnp.swapaxes: axis"),
            (lambda: jnp.moveaxis(CUBE, -4, 0), "jnp.moveaxis: axis"),
            (lambda: jnp.split(X, 1, axis=1), "jnp.split: axis"),
            (lambda: jnp.dsplit(X, 1), "jnp.dsplit: axis"),
            (lambda: jnp.argmax(X, 1), "jnp.argmax: axis"),
            (lambda: jax.nn.glu(X, axis=1), "jax.nn.glu: axis"),
            (lambda: jax.nn.standardize(X, axis=1), "jax.nn.standardize: axis"),
        ]
    ]
)

test_the_function_that_was_called_is_named = refusals.each(
    [
        (lambda: jnp.dot(KEYS, KEYS), TypeError, "jnp.dot: the elements"),
        (lambda: jnp.matmul(KEYS, KEYS), TypeError, "jnp.matmul: the elements"),
        (lambda: jnp.hstack([X, CUBE]), TypeError, "jnp.hstack: the arrays"),
        (lambda: jnp.vstack([X, X[:2]]), TypeError, "jnp.vstack: the shapes"),
        (lambda: jnp.concatenate([X, CUBE]), TypeError, "jnp.concatenate: the arrays"),
        (lambda: jnp.block([[CUBE, X]]), TypeError, "jnp.block: the shapes"),
        (lambda: jnp.argmax(X + 0j), TypeError, "jnp.argmax: complex"),
        (lambda: jax.nn.glu(X), ValueError, "jax.nn.glu: the axis cannot be halved"),
        (lambda: jax.nn.softmax(X, axis=1), ValueError, "jax.nn.softmax: axis"),
        (lambda: jax.nn.softmax(X, where=X), ValueError, "jax.nn.softmax: where must"),
        (lambda: jax.nn.log_softmax(X, where=MASK), ValueError, "jax.nn.log_softmax: "),
        (
            lambda: jax.nn.logsumexp(X, where=X),
            ValueError,
            "jax.nn.logsumexp: where must",
        ),
        (
            lambda: jax.nn.logsumexp(X, where=MASK),
            ValueError,
            "jax.nn.logsumexp: Incompatible shapes",
        ),
        (lambda: jax.nn.logmeanexp(X, axis=1), ValueError, "jax.nn.logmeanexp: axis"),
        (lambda: jnp.percentile("a", 1), TypeError, "jnp.percentile requires ndarray"),
    ]
)

test_mistakes_are_explained = refusals.each(
    [
        (lambda: jnp.std(X, dtype=int), ValueError, "jnp.std: the result"),
        (lambda: jnp.std(X, dtype=bool), ValueError, "jnp.std: the result"),
        (lambda: jnp.mean(X, dtype=bool), TypeError, "jnp.mean: booleans"),
        (lambda: jnp.ptp(None), TypeError, "jnp.ptp requires ndarray"),
        (lambda: jnp.ptp(X, axis=1), ValueError, "jnp.ptp: axis"),
        (lambda: jnp.ptp(X[:0]), ValueError, "jnp.ptp: an axis"),
        (lambda: jnp.ptp(X > 1), TypeError, "jnp.ptp: booleans"),
        (lambda: jnp.allclose(None, X), TypeError, "jnp.allclose requires ndarray"),
        (lambda: jnp.allclose(X, X[:2]), TypeError, "jnp.allclose got incompatible"),
        (lambda: jnp.hstack(()), IndexError, "jnp.hstack: at least one array"),
        (lambda: jnp.frompyfunc(1, 1, 1), AttributeError, "jnp.frompyfunc: func"),
        (lambda: jnp.cross(1.0, X[:3]), ValueError, "jnp.cross: axis"),
        (lambda: jnp.linalg.cross(1.0, 1.0), IndexError, "jnp.linalg.cross: the axis"),
        (lambda: jnp.linalg.cross(X[:3], X[:3], axis=1), IndexError, "float32[3]"),
        (lambda: jnp.clip(None, 1), ValueError, "the array is missing"),
        (lambda: jnp.arange(3) == [0, 1, 2], TypeError, "int32[3]"),
        (lambda: jnp.arange(3) != (0, 1, 2), TypeError, "tuple"),
        (lambda: jnp.ones((2, 2)).item(4), IndexError, "out of bounds"),
        (lambda: jnp.arange(3)[1.5:], TypeError, "slice(1.5"),
        (lambda: jnp.asarray([1], copy=False), ValueError, "list"),
        (lambda: jnp.isin(X, X, method="hash"), ValueError, "'hash'"),
        (lambda: jnp.cov(X, fweights=WEIGHTS), TypeError, "float32[5]"),
        (lambda: jnp.repeat(X, 1.5), TypeError, "float"),
        (lambda: jnp.repeat(X, -1), TypeError, "jnp.repeat: the numbers of rep"),
        (lambda: jnp.repeat(X, [1, 2]), ValueError, "jnp.repeat: the numbers of rep"),
        (lambda: jnp.nanstd(X, dtype=int), TypeError, "jnp.nanstd: the result"),
        (lambda: jnp.block(()), ValueError, "jnp.block: a tuple"),
        (lambda: jnp.block([(X, X)]), ValueError, "jnp.block: a tuple"),
        (lambda: jnp.split(X, 0), ValueError, "There is at least one part"),
        (lambda: jnp.array_split(X, 0), ValueError, "There is at least one part"),
        (lambda: hilbert(-1), TypeError, "jax.scipy.linalg.hilbert: n"),
        (lambda: jnp.linalg.cond(jnp.zeros((0, 0))), ValueError, "float32[0,0]"),
        (lambda: jnp.quantile(X, 0.5, weights=X), NotImplementedError, "inverted_cdf"),
        (
            lambda: jnp.quantile(X, 0.5, weights=X[:2], method="inverted_cdf"),
            ValueError,
            "float32[2]",
        ),
    ]
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rowvar", [True, False])
def test_variables_of_two_arrays_are_those_of_numpy(rowvar):
    shapes = [(3,), (4,), (3, 4), (4, 3), (3, 3), (1, 3), (3, 1), (1, 4)]
    draw = np.random.default_rng(0).normal
    kept = 0
    for first, second in itertools.product(shapes, repeat=2):
        m, y = draw(size=first).astype("f4"), draw(size=second).astype("f4")
        try:
            expected = np.cov(m, y, rowvar=rowvar)
        except ValueError:
            with pytest.raises((TypeError, ValueError)):
                jnp.cov(m, y, rowvar=rowvar)
            continue
        found = jnp.cov(m, y, rowvar=rowvar)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        kept += 1
    assert kept > 15


def test_arguments_that_are_neither_of_a_type_nor_a_value_are_errors_of_both_classes():
    keys = jax.random.split(jax.random.key(0), 3)
    matrix = np.ones((3, 4), "f4")
    for ask, says in {
        lambda: jnp.sum(matrix, axis=matrix): "an axis is not a concrete whole number",
        lambda: jnp.all(2.0, axis=X): "an axis is not a concrete whole number",
        lambda: jnp.zeros(3, dtype=X): "an array was given for a dtype",
        lambda: jnp.tril(matrix, X): "the diagonal is not a whole number",
        lambda: jnp.polyder(X, X): "m is not a whole number",
        lambda: jnp.polyint(X, [1]): "m is not a whole number",
        lambda: jnp.linspace(0, 1, X): "num is not a whole number",
        lambda: jnp.dot(keys, X): "the elements of an array are no numbers",
        lambda: jax.scipy.linalg.cho_factor(X): "a is no square matrix",
        lambda: jax.lax.platform_dependent(X): "no function is given",
    }.items():
        for kind in (TypeError, ValueError):
            with pytest.raises(kind, match=says):
                ask()
    with pytest.raises(TypeError) as caught:
        jnp.sum(matrix, axis=1.5)
    assert not isinstance(caught.value, ValueError)
    with pytest.raises(TypeError, match="same generator"):
        jax.lax.eq(keys, np.ones(3, "f4"))


def test_arrays_of_text_are_not_complex():
    words = np.array(["a", "b"])
    assert not jnp.iscomplexobj(words) and jnp.isrealobj(words)
    assert jnp.iscomplexobj(np.ones(2, ">c8"))


DECIMALS = [0.25, 1.0, np.float32(1), "1", 1 + 0j, np.bool_(True), [1]]


@pytest.mark.parametrize("decimals", DECIMALS, ids=repr)
@pytest.mark.parametrize("x", [0.26, 3, CUBE], ids=["float", "int", "array"])
def test_decimals_are_one_whole_number(x, decimals):
    x = jnp.asarray(x)
    rounded = lambda x: jnp.round(x, decimals)
    for call in (
        rounded,
        jax.jit(rounded),
        jax.vmap(rounded, axis_size=1, in_axes=None),
    ):
        with pytest.raises((TypeError, ValueError)):
            call(x)
    for call in (lambda: x.round(decimals), lambda: jnp.around(x, decimals)):
        with pytest.raises((TypeError, ValueError)):
            call()
    if isinstance(decimals, float):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            rounded(x)


@pytest.mark.parametrize("decimals", [1, np.int64(1), True])
def test_whole_decimals_of_every_class_are_taken(decimals):
    assert jnp.round(0.26, decimals) == jnp.float32(0.3)


PARTS = [
    ((3, 4), (1, 2)),
    ((4, 3), (2, 1)),
    ((4, 2), (2, 0)),
    ((2, 3), (0, -2)),
    ((4, 3, 2), (2, 1, 0)),
    ((3,), 1),
    ((2, 3, 4), (0, 2)),
]


@pytest.mark.parametrize(("shape", "axis"), PARTS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_weights_belong_to_the_axes_in_their_order(shape, axis, keepdims):
    a = np.random.RandomState(0).rand(2, 3, 4).astype("f4")
    weights = np.random.RandomState(1).rand(*shape).astype("f4")
    options = {"axis": axis, "weights": weights, "keepdims": keepdims}
    wanted = np.average(a, **options)
    np.testing.assert_allclose(jnp.average(a, **options), wanted, rtol=1e-5)
    if len(shape) < 3 or shape != a.shape:
        options["method"] = "inverted_cdf"
        for name in ("quantile", "nanquantile"):
            found = getattr(jnp, name)(a, 0.3, **options)
            axes = (axis,) if isinstance(axis, int) else axis
            order = np.argsort([i % 3 for i in axes])
            wide = np.expand_dims(
                np.transpose(weights, order),
                [i for i in range(3) if i not in {j % 3 for j in axes}],
            )
            options["weights"] = np.broadcast_to(wide, a.shape)
            wanted = getattr(jnp, name)(a, 0.3, **options)
            np.testing.assert_array_equal(found, wanted)
            options["weights"] = weights


def test_weights_that_do_not_fit_are_explained():
    a, weights = np.ones((2, 3), "f4"), np.ones(2, "f4")
    with pytest.raises(ValueError, match="Axis must be specified when shapes"):
        jnp.average(a, weights=weights)
    with pytest.raises(ValueError, match="Shape of weights must be consistent"):
        jnp.average(a, axis=1, weights=weights)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((4,), 1), ((3, 1, 4), 1), ((3, 4, 4), 1), ((3, 5, 1), -1), ((5, 4), 0)],
)
def test_distances_of_coordinates_broadcast_as_in_numpy(shape, axis):
    y = np.random.RandomState(0).rand(3, 5, 4)
    dx = np.random.RandomState(1).rand(*shape)
    wanted = np.trapezoid(y, dx=dx, axis=axis)
    np.testing.assert_allclose(jnp.trapezoid(y, dx=dx, axis=axis), wanted, rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_coordinates_of_one_axis_belong_to_the_axis_of_an_integral(axis):
    y = np.random.RandomState(0).rand(3, 5, 4)
    x = np.arange(y.shape[axis]) ** 2.0
    wanted = np.trapezoid(y, x, axis=axis)
    with jax.numpy_rank_promotion("raise"):
        np.testing.assert_allclose(jnp.trapezoid(y, x, axis=axis), wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_sums_and_means_are_computed_in_the_dtype_that_was_requested(dtype):
    x = jnp.ones(3, dtype)
    program = jax.make_jaxpr(lambda x: jnp.mean(x, dtype=dtype))(x)
    assert [e.primitive.name for e in program.eqns] == ["reduce_sum", "div"]
    for function in (jnp.sum, jnp.prod):
        program = jax.make_jaxpr(lambda x, f=function: f(x, dtype=dtype))(x)
        assert len(program.eqns) == 1
    for function in (jnp.mean, jnp.sum, jnp.prod):
        assert len(jax.make_jaxpr(function)(x).eqns) > 2
        assert function(x.astype(float), dtype=dtype).dtype == dtype
