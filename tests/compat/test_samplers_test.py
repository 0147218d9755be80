"""Random arrays and lists of cases for test files: what upstream 0.10.2 draws with the same seeds."""

import ml_dtypes
import numpy as np
import pytest

import jax.numpy as jnp
from jax._src import test_util as jtu

SHAPES = [(), (3,), (2, 3), (0,), 4, [2, 2], jtu.NUMPY_SCALAR_SHAPE]
DTYPES = [
    np.bool_,
    np.int8,
    np.uint32,
    np.float16,
    np.float32,
    np.complex64,
    ml_dtypes.bfloat16,
]
ALL = [
    jtu.rand_default,
    jtu.rand_nonzero,
    jtu.rand_positive,
    jtu.rand_small,
    jtu.rand_not_small,
    jtu.rand_small_positive,
    jtu.rand_uniform,
    jtu.rand_some_equal,
    jtu.rand_some_inf,
    jtu.rand_some_nan,
    jtu.rand_some_inf_and_nan,
    jtu.rand_some_zero,
    jtu.rand_bool,
]


def drawn(sampler, shape, dtype, seed=3):
    return sampler(np.random.RandomState(seed))(shape, dtype)


@pytest.mark.parametrize("sampler", ALL, ids=lambda s: s.__name__)
@pytest.mark.parametrize("dtype", DTYPES, ids=jtu.dtype_str)
def test_every_sampler_keeps_shape_and_dtype(sampler, dtype):
    for shape in SHAPES:
        found = drawn(sampler, shape, dtype)
        assert np.shape(found) == tuple(jtu._dims_of_shape(shape))
        assert found.dtype == dtype


@pytest.mark.parametrize("sampler", ALL, ids=lambda s: s.__name__)
def test_a_number_of_python_is_drawn(sampler):
    assert type(drawn(sampler, jtu.PYTHON_SCALAR_SHAPE, np.float32)) is float
    assert type(drawn(sampler, jtu.PYTHON_SCALAR_SHAPE, np.int32)) is int


@pytest.mark.parametrize(
    ("sampler", "expected"),
    [
        (jtu.rand_default, [5.365885, 1.309529, 0.28949240, -5.590477]),
        (jtu.rand_positive, [2.1015959, 2.4162958, 1.5818095, 2.0216552]),
        (jtu.rand_not_small, [15.365885, 11.309529, 10.289492, -15.590477]),
        (jtu.rand_some_zero, [5.365885, 1.309529, 0.0, -5.590477]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_numbers_are_those_that_upstream_draws(sampler, expected):
    found = sampler(np.random.RandomState(3))((4,), np.float32)
    if sampler is jtu.rand_some_zero:
        # Which are zero is drawn first.
        assert set(np.flatnonzero(found == 0)) == set(
            np.flatnonzero(np.random.RandomState(3).rand(4) < 0.5)
        )
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_marks_come_where_the_dtype_has_them():
    many = (2000,)
    infinite = drawn(jtu.rand_some_inf, many, np.float32)
    assert 100 < np.isposinf(infinite).sum() < 300 > np.isneginf(infinite).sum() > 100
    odd = drawn(jtu.rand_some_nan, many, np.complex64)
    assert np.isnan(odd.real).any() and np.isnan(odd.imag).any()
    both = drawn(jtu.rand_some_inf_and_nan, many, np.float64)
    assert np.isnan(both).any() and np.isinf(both).any()
    assert np.isfinite(drawn(jtu.rand_some_nan, many, np.int32)).all()


def test_integers_keep_to_their_bounds():
    low = drawn(lambda rng: jtu.rand_int(rng, -3, 3), (500,), np.int8)
    assert set(low) == {-3, -2, -1, 0, 1, 2}
    assert drawn(jtu.rand_int, (50,), np.uint8).max() > 100
    assert sorted(drawn(jtu.rand_unique_int, (5,), np.int32)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="explicit `high` value"):
        drawn(jtu.rand_int, (3,), np.float32)
    with pytest.raises(AssertionError, match="not below"):
        jtu.rand_uniform(np.random.RandomState(0), 1.0, 1.0)


@pytest.mark.parametrize(
    ("shape", "axis"), [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 4, 3), -1)]
)
def test_indices_along_an_axis_are_different(shape, axis):
    draw = jtu.rand_indices_unique_along_axis(np.random.RandomState(0))
    found = np.moveaxis(draw(6, shape, axis), axis, -1) % 6
    assert all(len(set(row)) == row.size for row in found.reshape(-1, found.shape[-1]))
    assert draw(6, shape, axis, allow_negative=False).min() >= 0


def test_nans_of_the_full_range_may_be_the_usual_one():
    found = drawn(
        lambda rng: jtu.rand_fullrange(rng, standardize_nans=True),
        (30000,),
        np.float16,
    )
    nans = found.view(np.uint16)[np.isnan(found)]
    assert nans.size and set(nans) == {np.float16(np.nan).view(np.uint16)}


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((2, 3), "float32[2,3]"),
        ([4], "float32[4]"),
        (4, "float32[4,]"),
        ((), "float32[]"),
        (jtu.NUMPY_SCALAR_SHAPE, "float32"),
        (jtu.PYTHON_SCALAR_SHAPE, "pyfloat32"),
    ],
)
def test_shapes_have_short_texts(shape, text):
    assert jtu.format_shape_dtype_string(shape, np.float32) == text


def test_what_is_no_shape_is_refused():
    with pytest.raises(TypeError, match="shapes do not have"):
        jtu.format_shape_dtype_string("ab", np.float32)
    with pytest.raises(TypeError, match="shapes do not have"):
        jtu._dims_of_shape(np.ones((1, 2)))


def test_samples_of_products_are_those_of_upstream():
    cases = jtu.sample_product_testcases(
        [{"a": 1, "b": 2}, {"a": 3, "b": 4}], x=range(5), y="abc"
    )
    assert len(cases) == 10
    assert cases[0] == {"a": 3, "b": 4, "x": 3, "y": "c"}
    assert len({tuple(sorted(case.items())) for case in cases}) == 10


def test_named_cases_are_different_and_few():
    def generate(choose):
        for a in choose(range(3)):
            for b in choose("xy"):
                yield {"testcase_name": f"{a}_{b}", "a": a}

    names = [case["testcase_name"] for case in jtu.named_cases_from_sampler(generate)]
    assert sorted(names) == ["0_x", "0_y", "1_x", "1_y", "2_x", "2_y"]
    with pytest.raises(RuntimeError, match="single case"):
        list(
            jtu.named_cases_from_sampler(
                lambda choose: [{"testcase_name": "a"}, {"testcase_name": "b"}]
            )
        )


def test_names_can_be_selected_by_filters():
    assert jtu.sanitize_test_name("f(x)=1.0,[2] 'q'") == "f_x_1_0_2_q_"


@pytest.mark.parametrize(
    ("text", "version"),
    [("1.2.3", (1, 2, 3)), ("0.4.0rc1", (0, 4, 0)), ("2.0.0.dev3", (2, 0, 0))],
)
def test_versions_are_numbers(text, version):
    assert jtu.parse_version(text) == version
    with pytest.raises(ValueError, match="Unable to parse version 'x'"):
        jtu.parse_version("x")


def test_tolerances_are_by_dtype():
    assert jtu.tolerance(np.float32) == 1e-6
    assert jtu.tolerance(np.float32, {np.float32: 1e-3}) == 1e-3
    assert jtu.tolerance(np.float16, {np.float32: 1e-3}) == 1e-3
    assert jtu.tolerance(np.int8, 0.5) == 0.5
    joined = jtu.join_tolerance({np.float32: 1e-2}, 1e-4)
    assert joined[np.dtype("float32")] == 1e-2
    assert joined[np.dtype("float64")] == 1e-4
    assert set(jtu.default_tolerance()) >= {np.dtype(jnp.bfloat16), np.dtype("int4")}


def test_a_sample_of_the_plane_has_its_edges():
    grid = jtu.complex_plane_sample(np.complex64, 0, 3)
    assert grid.shape == (9, 3)
    limits = np.finfo(np.float32)
    expected = [-np.inf, limits.min, -2, -limits.tiny, 0, limits.tiny, 2, limits.max]
    np.testing.assert_allclose(grid[:, 1].imag, [*expected, np.inf], rtol=1e-6)
    np.testing.assert_array_equal(grid[0].real, [-np.inf, 0, np.inf])
