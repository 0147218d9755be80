"""Special functions agree with SciPy's in float64, with their derivatives and transformations."""

import numpy as np
import pytest
import scipy.special

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
from tests.testing import refusals

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


INF, NAN = np.inf, np.nan
LINE = np.concatenate(
    [np.linspace(-9.7, 9.3, 58), [-30.0, -0.0, 0.0, 1e-9, 25.5, 80.0, INF, -INF, NAN]]
)
POSITIVE = np.concatenate([np.geomspace(1e-8, 400, 60), [INF, NAN]])
UNIT = np.concatenate([np.geomspace(1e-200, 0.3, 30), np.linspace(0.31, 1 - 1e-9, 30)])
A, B = (
    v.ravel() for v in np.meshgrid(np.geomspace(0.01, 300, 16), [0.3, 2.0, 17.5, 250.0])
)
THREE = [
    v.ravel()
    for v in np.meshgrid([0.3, 2.5, 40.0], [0.7, 3.0, 90.0], np.linspace(0.01, 0.99, 9))
]
SIGNED = [
    v.ravel()
    for v in np.meshgrid(
        np.append(np.linspace(-6.1, 6, 23), 0.0), [-7.0, -1.0, -0.3, 0.0, 0.5, 2.0, INF]
    )
]
# Of n x, orders first.
ORDERS = [v.ravel() for v in np.meshgrid(np.arange(7.0), np.geomspace(0.02, 60, 25))]

# name: (operands, relative bound)
CASES = {
    "beta": ((A, B), 1e-11),
    "betainc": (THREE, 1e-11),
    "betaln": ((A, B), 1e-12),
    "boxcox": ((A, B / 100), 1e-12),
    "boxcox1p": ((A, B / 100), 1e-12),
    "dawsn": ((LINE,), 1e-13),
    "digamma": ((LINE + 0.05,), 1e-11),
    "entr": ((LINE,), 1e-14),
    "erf": ((LINE,), 1e-14),
    "erfc": ((LINE,), 1e-13),
    "erfcx": ((LINE[LINE > -26],), 1e-13),
    "erfinv": ((np.linspace(-0.999, 0.999, 41),), 1e-12),
    "exp1": ((POSITIVE,), 1e-13),
    "expi": ((LINE,), 1e-12),
    "expit": ((LINE,), 1e-14),
    "expn": (ORDERS, 1e-13),
    "factorial": ((np.arange(60.0),), 1e-12),
    "fresnel": ((LINE,), 1e-12),
    "gamma": ((LINE + 0.05,), 1e-11),
    "gammainc": ((A, B), 1e-10),
    "gammaincc": ((A, B), 1e-10),
    "gammaln": ((POSITIVE,), 1e-12),
    "gammasgn": ((LINE + 0.05,), 0),
    "hyp1f1": (
        (
            np.array([0.5, 2.5, -3.0, 1.2]),
            np.array([1.5, 0.7, 2.0, 4.0]),
            np.array([[-40.0], [-3.0], [0.4], [30.0], [200.0]]),
        ),
        1e-10,
    ),
    "hyp2f1": (
        (
            np.array([0.5, 2.5, -3.0, 1.2]),
            0.8,
            np.array([1.5, 4.0, 2.0, 3.1]),
            np.array([[-6.0], [-0.4], [0.3], [0.95], [0.999]]),
        ),
        1e-9,
    ),
    "i0": ((LINE,), 1e-13),
    "i0e": ((LINE[:-3],), 1e-13),
    "i1": ((LINE[:-3],), 1e-13),
    "i1e": ((LINE[:-3],), 1e-13),
    "kl_div": (SIGNED, 1e-12),
    "log_ndtr": ((LINE,), 1e-12),
    "loggamma": ((POSITIVE,), 1e-12),
    "logit": ((UNIT,), 1e-13),
    "ndtr": ((LINE,), 1e-13),
    "ndtri": ((UNIT,), 1e-12),
    "owens_t": (SIGNED, 1e-12),
    "poch": ((A / 10, B / 10), 1e-11),
    "polygamma": ((np.arange(6), np.array([[0.4], [3.0], [20.0]])), 1e-11),
    "rel_entr": (SIGNED, 1e-12),
    "sici": ((LINE,), 1e-12),
    "spence": ((POSITIVE,), 1e-13),
    "xlog1py": ((A, B), 1e-14),
    "xlogy": ((A, B), 1e-14),
    "zeta": ((1 + A[:40] / 10, B[:40] / 10), 1e-11),
}
SMALL = 1e-14


def leaves(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("name", CASES)
def test_values_agree_with_scipy(name):
    operands, bound = CASES[name]
    with np.errstate(all="ignore"):
        expected = leaves(getattr(scipy.special, name)(*operands))
    found = leaves(getattr(jsp, name)(*operands))
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, want, rtol=bound, atol=SMALL * bool(bound))


# name: a point inside the domain; operands without a derivative are None in the second tuple
POINTS = {
    "beta": ((1.3, 2.2), (0, 1)),
    "betainc": ((1.3, 2.2, 0.4), (2,)),
    "betaln": ((1.3, 12.2), (0, 1)),
    "boxcox": ((1.3, 0.7), (0, 1)),
    "dawsn": ((0.9,), (0,)),
    "digamma": ((0.9,), (0,)),
    "entr": ((0.9,), (0,)),
    "erfcx": ((0.9,), (0,)),
    "exp1": ((0.9,), (0,)),
    "expi": ((0.9,), (0,)),
    "expn": ((3.0, 0.9), (1,)),
    "fresnel": ((0.9,), (0,)),
    "gamma": ((1.9,), (0,)),
    "gammainc": ((1.9, 0.7), (0, 1)),
    "gammaincc": ((1.9, 0.7), (0, 1)),
    "gammaln": ((1.9,), (0,)),
    "hyp1f1": ((0.7, 1.4, -0.8), (0, 1, 2)),
    "hyp2f1": ((0.7, 1.4, 2.3, 0.3), (0, 1, 2, 3)),
    "i0": ((0.9,), (0,)),
    "i0e": ((0.9,), (0,)),
    "i1": ((0.9,), (0,)),
    "i1e": ((0.9,), (0,)),
    "kl_div": ((0.9, 0.4), (0, 1)),
    "log_ndtr": ((-3.9,), (0,)),
    "logit": ((0.4,), (0,)),
    "ndtr": ((0.9,), (0,)),
    "ndtri": ((0.02,), (0,)),
    "owens_t": ((0.9, 1.7), (0, 1)),
    "poch": ((0.9, 1.7), (0, 1)),
    "polygamma": ((2, 1.7), (1,)),
    "rel_entr": ((0.9, 0.4), (0, 1)),
    "sici": ((0.9,), (0,)),
    "spence": ((0.4,), (0,)),
    "xlog1py": ((0.9, 1.7), (0, 1)),
    "xlogy": ((0.9, 1.7), (0, 1)),
    "zeta": ((2.9, 1.7), (0, 1)),
}


@pytest.mark.parametrize("name", POINTS)
def test_derivatives_under_jit_and_vmap_are_limits_of_differences(name):
    point, numbers = POINTS[name]
    function = getattr(jsp, name)

    def total(*args):
        return sum(leaves(function(*args)))

    slopes = jax.jit(jax.vmap(jax.grad(total, numbers)))
    found = slopes(*(jnp.full(2, p) for p in point))
    for number, slope in zip(numbers, found, strict=True):
        step = 1e-5

        def moved(by, number=number):
            return total(*(p + by if i == number else p for i, p in enumerate(point)))

        expected = (moved(step) - moved(-step)) / (2 * step)
        np.testing.assert_allclose(slope, [expected] * 2, rtol=1e-6)


@pytest.mark.parametrize(
    "name", ["erfcx", "expi", "spence", "ndtri", "i1", "log_ndtr", "gamma"]
)
def test_second_derivatives_exist(name):
    slope = jax.grad(getattr(jsp, name))
    x, step = 0.3, 1e-5
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    np.testing.assert_allclose(jax.grad(slope)(x), expected, rtol=1e-6)


@pytest.mark.parametrize("x", [7.9, 8.1, 20.0, 1e3, 1e30])
def test_slope_of_erfcx_keeps_its_digits(x):
    # 2 x erfcx(x) - 2 / sqrt(pi) as the integral of -4 t exp(-t^2 - 2 x t) / sqrt(pi).
    u, weights = np.polynomial.laguerre.laggauss(60)
    t = u / (2 * x)
    expected = -np.sum(weights * 4 * t * np.exp(-(t**2))) / (2 * x * np.sqrt(np.pi))
    with jax.enable_x64(True):
        assert float(jax.grad(jsp.erfcx)(x)) == pytest.approx(
            expected, rel=1e-11, abs=0
        )


def test_slopes_at_the_edges_of_domains():
    assert jax.grad(jsp.rel_entr, (0, 1))(np.inf, 1.0) == (np.inf, -np.inf)
    assert jax.grad(jsp.rel_entr, (0, 1))(-1.0, 1.0) == (0, 0)
    assert jax.grad(jsp.kl_div, (0, 1))(np.inf, 1.0) == (np.inf, -np.inf)
    assert np.isnan(jax.grad(jsp.exp1)(-1.0))


def test_gammaln_can_be_differentiated_thrice():
    third = jax.grad(jax.grad(jax.grad(jsp.gammaln)))
    expected = scipy.special.polygamma(2, 1.5)
    np.testing.assert_allclose(third(1.5), expected, rtol=1e-5)


def test_derivatives_in_parameters_can_be_taken_twice():
    slope = jax.grad(jsp.hyp1f1, 0)
    expected = (slope(0.7 + 1e-5, 1.4, 0.5) - slope(0.7 - 1e-5, 1.4, 0.5)) / 2e-5
    found = jax.grad(slope, 0)(0.7, 1.4, 0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["erfcx", "expi", "gammainc", "ndtri", "xlogy"])
def test_halves_are_computed_in_single_precision(name):
    operands, _ = CASES[name]
    narrow = [jnp.asarray(x, jnp.bfloat16) for x in operands]
    found = getattr(jsp, name)(*narrow)
    assert found.dtype == jnp.bfloat16
    expected = getattr(jsp, name)(*(x.astype(np.float32) for x in narrow))
    found, expected = np.asarray(found, "f4"), expected.astype(jnp.bfloat16)
    np.testing.assert_array_equal(found, np.asarray(expected, "f4"))


def test_integers_become_floats():
    for name in ("gammaln", "digamma", "exp1", "i0"):
        assert getattr(jsp, name)(3).dtype.kind == "f"
    np.testing.assert_allclose(jsp.comb(6, [2, 3, 7][0]), 15)


def test_complex_functions_agree():
    z = np.array([0.3 + 0.4j, -2.3 + 0.1j, -2.3 - 0.1j, 5 - 7j, -8.5 + 3j, 0.5, 4 + 0j])
    np.testing.assert_allclose(jsp.loggamma(z), scipy.special.loggamma(z), rtol=1e-12)
    np.testing.assert_allclose(jsp.gamma(z), scipy.special.gamma(z), rtol=1e-11)
    np.testing.assert_allclose(jsp.wofz(z), scipy.special.wofz(z), rtol=1e-11)


def test_combinations_agree():
    n, k = np.arange(8)[:, None], np.arange(9)[None]
    for repetition in (False, True):
        expected = scipy.special.comb(n, k, repetition=repetition)
        found = jsp.comb(n, k, repetition=repetition)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bernoulli_numbers_agree():
    np.testing.assert_allclose(
        jsp.bernoulli(20), scipy.special.bernoulli(20), rtol=1e-11
    )
    assert jsp.bernoulli(0).shape == (1,)


def test_multivariate_gamma_agrees():
    x = np.linspace(2.1, 30, 7)
    for d in (1, 2, 4):
        np.testing.assert_allclose(
            jsp.multigammaln(x, d), scipy.special.multigammaln(x, d), rtol=1e-12
        )


def test_bessel_functions_agree():
    z = np.array([[0.0, 0.1, 1.0], [7.5, 20.0, -3.0]])
    expected = np.stack([scipy.special.jv(v, z) for v in range(6)])
    np.testing.assert_allclose(jsp.bessel_jn(z, v=5), expected, rtol=1e-11, atol=1e-13)
    slope = jax.vmap(jax.grad(lambda z: jsp.bessel_jn(z, v=2)[2]))(z.ravel()[1:])
    np.testing.assert_allclose(slope, scipy.special.jvp(2, z.ravel()[1:]), rtol=1e-10)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("v", [0, 1, 3, 31, 45])
def test_bessel_functions_of_large_numbers_agree(v, wide):
    # By default the recurrence starts at order 50; numbers may be larger, and infinite.
    z = np.concatenate(
        [np.linspace(-200, 200, 801), 10.0 ** np.arange(-9, 9), [30, 45]]
    )
    with jax.enable_x64(wide):
        z = z.astype(np.float64 if wide else np.float32)
        found = jsp.bessel_jn(z, v=v)
        slope = jax.vmap(jax.grad(lambda z: jsp.bessel_jn(z, v=v)[v]))(z)
    expected = np.stack([scipy.special.jv(k, z.astype(float)) for k in range(v + 1)])
    # Beside zeros, digits are those of the waves' height.
    height = np.sqrt(2 / np.pi / np.maximum(np.abs(z), 1))
    error = np.abs(found - expected) / height
    assert error.max() < (1e-12 if wide else 1e-7), (
        error.max(),
        z[error.max(0).argmax()],
    )
    error = np.abs(slope - scipy.special.jvp(v, z.astype(float))) / height
    assert error.max() < (1e-12 if wide else 1e-7), (error.max(), z[error.argmax()])
    with jax.numpy_rank_promotion("raise"):
        infinite = jsp.bessel_jn(np.array([np.inf, -np.inf]), v=v)
    np.testing.assert_array_equal(infinite, np.zeros((v + 1, 2)))


def test_legendre_functions_and_harmonics_agree():
    z = np.array([-0.9, -0.2, 0.0, 0.4, 0.99])
    values, slopes = jsp.lpmn(4, 4, z)
    orders, degrees = (v[..., None] for v in np.indices((5, 5)))
    expected = np.where(orders <= degrees, scipy.special.lpmv(orders, degrees, z), 0.0)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-13)
    ahead, behind = (jsp.lpmn_values(4, 4, z + h, False) for h in (1e-6, -1e-6))
    np.testing.assert_allclose(slopes, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-8)
    n = np.array([0, 1, 2, 5, 5, 3])
    m = np.array([0, -1, 2, -4, 5, 0])
    theta, phi = np.linspace(0.1, 3, 6), np.linspace(-3, 6, 6)
    expected = scipy.special.sph_harm_y(n, m, theta, phi)
    np.testing.assert_allclose(
        jsp.sph_harm_y(n, m, theta, phi), expected, rtol=1e-12, atol=1e-14
    )
    traced = jax.jit(jsp.sph_harm_y, static_argnames="n_max")
    np.testing.assert_allclose(
        traced(n, m, theta, phi, n_max=5), expected, rtol=1e-12, atol=1e-14
    )


def test_softmax_and_its_logarithm_agree():
    x = np.random.default_rng(0).normal(size=(3, 4)) * 30
    for axis in (None, 0, (0, 1)):
        for name in ("softmax", "log_softmax", "logsumexp"):
            expected = getattr(scipy.special, name)(x, axis=axis)
            found = getattr(jsp, name)(x, axis=axis)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


test_misfits_are_explained = refusals.each(
    [
        (
            lambda: jsp.expi(1j),
            ValueError,
            "expi does not support complex-valued inputs",
        ),
        (lambda: jsp.erf(1j), TypeError, "erf does not support complex-valued inputs"),
        (lambda: jsp.ndtr(np.arange(3)), TypeError, "no floats"),
        (lambda: jsp.log_ndtr(1.0, -1), ValueError, "out of range"),
        (lambda: jsp.zeta(2.0), NotImplementedError, "q = 1"),
        (lambda: jsp.factorial(3, exact=True), NotImplementedError, "exact"),
        (lambda: jsp.lpmn(1, 2, 0.5), NotImplementedError, "differ"),
        (lambda: jsp.bernoulli(-1), ValueError, "negative"),
        (lambda: jsp.bessel_jn(1.0, v=60), ValueError, "start of the recurrence"),
        (lambda: jsp.sph_harm_y(1, 0, 0.1, 0.2, diff_n=1), NotImplementedError, "jax"),
        (lambda: jsp.betaln([1.0], 2.0), TypeError, "got <class 'list'>"),
        (lambda: jsp.xlogy(np.ones(2), np.ones(3)), TypeError, "broadcast"),
    ]
)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jsp.digamma(2),
        lambda: jsp.erf(2),
        lambda: jsp.betainc(2, 3, 0.5),
        lambda: jsp.zeta(2, 0.5),
        lambda: jsp.xlogy(2, 3),
    ],
)
def test_python_numbers_stay_weak(call):
    assert call().weak_type


@pytest.mark.parametrize("name", ["gamma", "ndtr", "spence", "erfcx"])
def test_some_results_are_strong(name):
    assert not getattr(jsp, name)(0.5).weak_type


@pytest.mark.parametrize("name", ["expit", "logit", "xlogy", "xlog1py"])
def test_logarithms_of_complex_numbers(name):
    z = np.array([0.3 + 0.4j, -0.2 - 2j, 1j, 0j][: 3 if name == "logit" else 4], "c16")
    w = np.array([2 - 1j, 0.5j, -3, 0][: z.size], "c16")
    wide = z.astype("c16")
    exact = {
        "expit": lambda: 1 / (1 + np.exp(-wide)),
        "logit": lambda: np.log(wide / (1 - wide)),
        "xlogy": lambda: np.where(wide == 0, 0, wide * np.log(np.where(w == 0, 1, w))),
        "xlog1py": lambda: wide * np.log(1 + w.astype("c16")),
    }[name]()
    operands = (z,) if name in ("expit", "logit") else (z, w)
    found = getattr(jsp, name)(*operands)
    np.testing.assert_allclose(found, exact, 1e-5, 1e-6)
