"""Distributions and summaries of samples agree with SciPy's in float64."""

import inspect
import itertools

import numpy as np
import pytest
import scipy.stats

import jax
import jax.numpy as jnp
import jax.scipy.stats as jss
from tests.testing import refusals


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


LINE = np.array([-np.inf, -3.1, -1.0, -0.2, 0.0, 0.3, 0.7, 1.0, 1.9, 5.3, np.inf])
WHOLE = np.array([-1.0, 0.0, 1.0, 2.0, 5.0, 9.0, 10.0, 11.0])
UNIT = np.array([0.0, 1e-4, 0.2, 0.5, 0.93, 1.0])
LOC_SCALE = (0.2, 1.3)

# name: parameters, with location and scale where there are such
FAMILIES = {
    "bernoulli": (0.3,),
    "beta": (2.0, 3.5, *LOC_SCALE),
    "betabinom": (10, 2.0, 3.0),
    "binom": (10, 0.3),
    "cauchy": LOC_SCALE,
    "chi2": (3.0, *LOC_SCALE),
    "expon": LOC_SCALE,
    "gamma": (2.5, *LOC_SCALE),
    "gennorm": (1.5,),
    "geom": (0.3,),
    "gumbel_l": LOC_SCALE,
    "gumbel_r": LOC_SCALE,
    "laplace": LOC_SCALE,
    "logistic": LOC_SCALE,
    "nbinom": (4, 0.3),
    "norm": LOC_SCALE,
    "pareto": (2.0, *LOC_SCALE),
    "poisson": (2.5,),
    "t": (3.0, *LOC_SCALE),
    "truncnorm": (-1.0, 2.0, *LOC_SCALE),
    "uniform": LOC_SCALE,
    "vonmises": (2.0,),
    "wrapcauchy": (0.5,),
}
CASES = [
    (family, function)
    for family in FAMILIES
    for function in "pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf".split()
    if hasattr(getattr(jss, family), function)
]


@pytest.mark.parametrize(("family", "function"), CASES)
def test_distributions_agree(family, function):
    x = UNIT if function in ("ppf", "isf") else LINE
    if hasattr(getattr(jss, family), "pmf") and x is LINE:
        x = WHOLE
    if family == "vonmises":
        x = np.linspace(-3, 3, 9)
    args = FAMILIES[family]
    with np.errstate(all="ignore"):
        expected = getattr(getattr(scipy.stats, family), function)(x, *args)
    found = getattr(getattr(jss, family), function)(x, *args)
    if function in ("ppf", "isf") and hasattr(getattr(jss, family), "pmf"):
        x, found, expected = x[1:], found[1:], expected[1:]
    if family == "cauchy" and x is UNIT:
        # At 0 and 1 the tangent of the nearest numbers is large, and not infinite.
        found, expected = found[1:-1], expected[1:-1]
    if family.startswith("gumbel"):
        # The density vanishes at infinity, where SciPy's is NaN.
        expected = np.where(np.isnan(expected), found, expected)
        assert not np.isnan(found).any()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("family", ["beta", "gamma", "norm", "t", "binom", "truncnorm"])
def test_derivatives_in_parameters_are_limits_of_differences(family):
    module, args = getattr(jss, family), FAMILIES[family]
    function = getattr(module, "logpdf", None) or module.logpmf
    point = [1.0, *map(float, args)]
    for number in range(1, len(point)):
        slope = jax.grad(function, number)(*point)

        def moved(by, number=number):
            return function(*(p + by * (i == number) for i, p in enumerate(point)))

        expected = (moved(1e-5) - moved(-1e-5)) / 2e-5
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)


def test_derivatives_outside_of_the_support_are_zero():
    assert jax.grad(jss.gamma.pdf)(-1.0, 2.5) == 0
    assert jax.grad(jss.beta.logpdf)(1.5, 2.0, 3.0) == 0


def test_names_of_arguments_work():
    np.testing.assert_allclose(
        jss.norm.pdf(x=1.0, scale=2.0), scipy.stats.norm.pdf(1.0, scale=2.0)
    )
    assert list(inspect.signature(jss.beta.pdf).parameters) == "x a b loc scale".split()


def test_entropy_of_poisson_agrees():
    means = np.array([0.0, 0.5, 3.0, 50.0, 99.0, 150.0])
    expected = scipy.stats.poisson(means).entropy()
    np.testing.assert_allclose(
        jss.poisson.entropy(means), expected, rtol=1e-6, atol=1e-14
    )


@pytest.mark.parametrize(
    "counts, n, p",
    [
        ([1, 2, 1], 4, [1.2, -0.5, 0.3]),
        ([1, 2, 1], 4, [-0.2, 0.5, 0.7]),
        ([1, 2, 1], 4, [np.nan, 0.5, 0.3]),
        ([-1, 3, 2], 4, [0.2, 0.5, 0.3]),
        ([1.5, 1.5, 1], 4, [0.2, 0.5, 0.3]),
        ([0, 0, 0], 0, [0.2, 0.5, 0.3]),
        ([0, 0, 0], -1, [0.2, 0.5, 0.3]),
        ([0, 2, 2], 4, [0.0, 0.5, 0.5]),
    ],
)
def test_multinomials_with_unusual_parameters_agree(counts, n, p):
    for name in ("pmf", "logpmf"):
        expected = getattr(scipy.stats.multinomial, name)(counts, n, p)
        found = getattr(jss.multinomial, name)(np.array(counts), n, np.array(p))
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("n", [-1.0, np.nan, 0.0, 3.0])
def test_a_number_of_trials_is_not_negative(n):
    # SciPy's is whole as well; here it may be differentiated in.
    for k in (0.0, 1.0, 2.0):
        for name, parameters in (("binom", (0.3,)), ("betabinom", (2.0, 3.0))):
            expected = getattr(scipy.stats, name).pmf(k, n, *parameters)
            found = getattr(jss, name).pmf(k, n, *parameters)
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_distributions_of_vectors_agree():
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 3.0])
    expected = scipy.stats.dirichlet.logpdf(x, alpha)
    np.testing.assert_allclose(jss.dirichlet.logpdf(x, alpha), expected)
    np.testing.assert_allclose(jss.dirichlet.logpdf(x[:2], alpha), expected)
    counts, p = np.array([[1, 2, 3], [0, 6, 0], [1, 1, 1]]), x
    expected = scipy.stats.multinomial.pmf(counts, 6, p)
    np.testing.assert_allclose(jss.multinomial.pmf(counts, 6, p), expected)
    mean, cov = np.array([0.3, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    points = np.random.default_rng(0).normal(size=(4, 5, 2))
    expected = scipy.stats.multivariate_normal.logpdf(points, mean, cov)
    found = jss.multivariate_normal.logpdf(points, mean, cov)
    np.testing.assert_allclose(found, expected)


def test_estimated_densities_agree():
    random = np.random.default_rng(1)
    sample, weights = random.normal(size=(2, 30)), random.uniform(0.5, 2, 30)
    points = random.normal(size=(2, 7))
    for method in (None, "silverman", 0.4):
        want = scipy.stats.gaussian_kde(sample, method, weights)
        got = jss.gaussian_kde(sample, method, weights)
        np.testing.assert_allclose(got.covariance, want.covariance)
        np.testing.assert_allclose(got(points), want(points))
        np.testing.assert_allclose(got.logpdf(points), want.logpdf(points))
        np.testing.assert_allclose(got.integrate_kde(got), want.integrate_kde(want))
        cov = np.array([[1.0, 0.2], [0.2, 2.0]])
        np.testing.assert_allclose(
            got.integrate_gaussian(np.array([0.1, 0.2]), cov),
            want.integrate_gaussian([0.1, 0.2], cov),
        )
    one, other = jss.gaussian_kde(sample[0]), scipy.stats.gaussian_kde(sample[0])
    np.testing.assert_allclose(
        one.integrate_box_1d(-1, 2), other.integrate_box_1d(-1, 2)
    )
    drawn = one.resample(jax.random.key(0), (5000,))
    assert drawn.shape == (1, 5000)
    assert abs(drawn.mean() - sample[0].mean()) < 0.1
    again = jax.jit(lambda density: density)(one)
    np.testing.assert_array_equal(again.dataset, one.dataset)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_summaries_agree(axis):
    x = np.random.default_rng(2).integers(0, 4, (6, 5)).astype(float)
    want, got = scipy.stats.mode(x, axis=axis), jss.mode(jnp.asarray(x), axis=axis)
    np.testing.assert_array_equal(got.mode, want.mode)
    np.testing.assert_array_equal(got.count, want.count)
    for method in ("average", "min", "max", "dense", "ordinal"):
        expected = scipy.stats.rankdata(x, method, axis=axis)
        found = jss.rankdata(jnp.asarray(x), method, axis=axis)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(
        jss.sem(x, axis=axis, ddof=0), scipy.stats.sem(x, axis=axis, ddof=0)
    )


def test_missing_values():
    x = np.array([1.0, np.nan, 3.0, 5.0])
    assert np.isnan(jss.rankdata(x)).all() and np.isnan(jss.sem(x))
    np.testing.assert_allclose(
        jss.sem(x, nan_policy="omit"), scipy.stats.sem(x, nan_policy="omit")
    )


# Parameters that make no distribution, beside SciPy's.
NO_DISTRIBUTION = {
    "bernoulli": [(-0.1,), (1.5,), (np.nan,)],
    "betabinom": [(-1, 1.0, 1.0), (5, 0.0, 1.0), (5, 1.0, np.nan)],
    "binom": [(5, 1.5), (5, -0.5), (-1, 0.5), (np.nan, 0.5), (5, np.nan)],
    "geom": [(0.0,), (1.5,), (np.nan,)],
    "nbinom": [(0, 0.3), (-1, 0.5), (5, 0.0), (5, 1.5), (np.nan, 0.5)],
    "poisson": [(-1.0,), (np.nan,)],
}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [(name, p) for name, several in NO_DISTRIBUTION.items() for p in several],
)
@pytest.mark.parametrize("function", ["pmf", "logpmf", "cdf"])
def test_there_are_no_probabilities_without_a_distribution(name, parameters, function):
    ours = getattr(getattr(jss, name), function, None)
    if ours is None:
        assert function == "cdf"
        return
    counts = np.array([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0, 99.0])
    theirs = getattr(getattr(scipy.stats, name), function)
    np.testing.assert_array_equal(theirs(counts, *parameters), np.nan)
    np.testing.assert_array_equal(ours(counts, *parameters), np.nan)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", ["ppf", "isf"])
def test_quantiles_of_cauchy_reach_to_both_ends(function, dtype):
    q = np.array(
        [0, 1e-30, 1e-10, 0.1, 0.25, 0.4, 0.5, 0.75, 0.9, 1 - 2**-20, 1], dtype
    )
    want = getattr(scipy.stats.cauchy, function)(q.astype(np.float64), 1, 2)
    got = getattr(jss.cauchy, function)(q, 1, 2)
    np.testing.assert_allclose(got, want, rtol=2e-6)


@pytest.mark.parametrize(
    "values", [[np.nan, np.nan, 1], [np.nan, 1, 1], [1, np.nan], [2, 2, np.nan, np.nan]]
)
def test_nan_is_one_value_of_several_in_the_mode(values):
    x = np.array(values, np.float64)
    for got, want in zip(jss.mode(x), scipy.stats.mode(x), strict=True):
        np.testing.assert_array_equal(got, want)


test_misfits_are_explained = refusals.each(
    [
        (lambda: jss.norm.cdf(1j), TypeError, "complex-valued"),
        (lambda: jss.norm.pdf([1.0]), TypeError, "requires ndarray or scalar"),
        (lambda: jss.rankdata(np.ones(2), "best"), ValueError, "no such method"),
        (lambda: jss.mode(np.ones(2), nan_policy="omit"), NotImplementedError, "omit"),
        (lambda: jss.dirichlet.pdf(np.ones(5), np.ones(3)), ValueError, "do not fit"),
        (lambda: jss.gaussian_kde(np.ones(1)), ValueError, "no points"),
        (
            lambda: jss.multivariate_normal.logpdf(1.0, 0.0, 1.0, allow_singular=True),
            NotImplementedError,
            "singular",
        ),
    ]
)


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("bernoulli", (0.3,)),
        ("betabinom", (10, 2.0, 3.0)),
        ("binom", (10, 0.5)),
        ("geom", (0.5,)),
        ("nbinom", (3.0, 0.4)),
        ("poisson", (2.0,)),
    ],
)
def test_between_whole_numbers_no_discrete_distribution_has_probability(
    family, parameters
):
    distribution = getattr(jax.scipy.stats, family)
    k = np.array([0.5, 1.25, 0.999999, -0.5, 3e6 + 0.5, np.inf, -np.inf])
    for loc in (0, 1):
        assert not np.any(distribution.pmf(k + loc, *parameters, loc=loc))
        logarithms = distribution.logpmf(k + loc, *parameters, loc=loc)
        np.testing.assert_array_equal(logarithms, -np.inf)
    assert np.isnan(distribution.pmf(np.nan, *parameters))
    expected = getattr(scipy.stats, family).pmf(1, *parameters)
    np.testing.assert_allclose(distribution.pmf(1, *parameters), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("family", "count"),
    [
        ("beta", 2),
        ("chi2", 1),
        ("gamma", 1),
        ("gennorm", 1),
        ("truncnorm", 2),
        ("pareto", 1),
        ("betabinom", 3),
        ("norm", 0),
        ("gumbel_l", 0),
        ("gumbel_r", 0),
        ("uniform", 0),
        ("expon", 0),
    ],
)
def test_parameters_that_make_no_distribution_give_nan(family, count):
    ours, theirs = getattr(jss, family), getattr(scipy.stats, family)
    x = np.array([-1.0, 0.0, 0.5, 1.0, 3.0])
    if family == "betabinom":
        x = np.array([0.0, 1.0, 2.0])
    locations = [(), (0.0, 0.0), (0.0, -1.0)]
    locations = [()] if family in ("betabinom", "gennorm") else locations
    for function in {"logpdf", "cdf", "sf", "logpmf"} & set(dir(ours)):
        for shapes in itertools.product([-1.0, 0.0, 2.0], repeat=count):
            for location in locations:
                with np.errstate(all="ignore"):
                    wanted = getattr(theirs, function)(x, *shapes, *location)
                found = getattr(ours, function)(x, *shapes, *location)
                np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))


@pytest.mark.parametrize("p", [-0.5, 2.5])
def test_probabilities_out_of_range_have_no_distribution(p):
    x = jnp.array([0.0, 0.3, 1.0])
    for function in (jax.scipy.stats.bernoulli.cdf, jax.scipy.stats.bernoulli.ppf):
        assert np.isnan(function(x, p)).all()
        assert not function(x, p).weak_type
    for c in (0.0, 1.0, -0.5):
        assert np.isnan(jax.scipy.stats.wrapcauchy.pdf(x, c)).all()


@pytest.mark.parametrize("large", [2**40, -(2**31) - 1, 2**64, np.int64(2**40)])
def test_whole_numbers_beyond_32_bits_are_floats(large):
    near, special = np.float32(large), jax.scipy.special
    with jax.enable_x64(False):
        for found, wanted in [
            (jss.norm.logpdf(large), jss.norm.logpdf(near)),
            (jss.uniform.ppf(0.5, 0.25, scale=large), jss.uniform.ppf(0.5, 0.25, near)),
            (jss.poisson.logpmf(3, large), jss.poisson.logpmf(3, near)),
            (special.erf(large), special.erf(near)),
            (special.logsumexp(large), near),
            (special.factorial(large), special.factorial(near)),
            (special.comb(large, 1.0), special.comb(near, 1.0)),
            (special.polygamma(1, large), special.polygamma(1, near)),
            (special.wofz(large).imag, special.wofz(near).imag),
            (jax.nn.gelu(large), jax.nn.gelu(near)),
            (jnp.full_like(np.float32(1), large), near),
        ]:
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == np.float32
        assert jss.norm.logpdf(2**400) == -np.inf
        assert jss.norm.logpdf(2**40, np.float16(1)).dtype == np.float16
        covariance = jss.multivariate_normal.logpdf(np.ones(2), np.zeros(2), 2**40)
        assert np.isfinite(covariance)
