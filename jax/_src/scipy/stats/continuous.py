"""Distributions of real numbers, each as its formulas."""

from __future__ import annotations

import math

import numpy as np

from jax._src.lax.ops import stirling
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.scipy import bessel, gamma_family as gamma_functions, probability
from jax._src.scipy.stats.family import Family, declared

_LINE = (-np.inf, np.inf)
_LOG_2, _LOG_PI, _LOG_TAU = math.log(2), math.log(math.pi), math.log(2 * math.pi)
_lgamma = gamma_functions.gammaln


def _log_of_one_minus_exp(x):
    """log(1 - exp(x)) for negative numbers (Mächler, 2012)."""
    is_near = x > -_LOG_2
    near = jnp.log(-lax.expm1(jnp.where(is_near, x, -1)))
    far = lax.log1p(-jnp.exp(jnp.where(is_near, -1, x)))
    return jnp.where(is_near, near, far)


def _gamma_logpdf(y, a):
    """Returns the log density of the standard gamma distribution, without cancellation for large parameters."""
    is_inside = (y > 0) & (y < np.inf) & (a > 0) & (a < np.inf)
    x, p = (jnp.where(is_inside, v, 1) for v in (y, a))
    found = stirling.log_gamma_front(p, x) + jnp.log(p) - jnp.log(x)
    edge = probability.xlogy(a - 1, y) - y - _lgamma(a)
    return jnp.where(is_inside, found, edge)


def _beta_sf(y, a, b):
    # Near 0 what 1 - y rounds away is a part of y.
    is_low = (y < 1e-3) & (y < a / (a + b))
    p, q = jnp.where(is_low, a, b), jnp.where(is_low, b, a)
    found = gamma_functions.betainc(p, q, jnp.where(is_low, y, 1 - y))
    return jnp.where(is_low, 1 - found, found)


def _cauchy_logpdf(y):
    is_far = jnp.abs(y) > 1e9
    near, far = jnp.where(is_far, 0, y), jnp.where(is_far, jnp.abs(y), 1)
    return -_LOG_PI - jnp.where(is_far, 2 * jnp.log(far), lax.log1p(lax.square(near)))


def _cauchy_ppf(q):
    """Beyond the quartiles by the distance from the nearer end, which loses no digits."""
    tail = jnp.minimum(q, 1 - q)
    is_tail = tail < 0.25
    middle = jnp.tan(math.pi * (jnp.where(is_tail, 0.5, q) - 0.5))
    size = 1 / jnp.tan(math.pi * jnp.where(is_tail, tail, 0.25))
    return jnp.where(is_tail, jnp.where(q < 0.5, -size, size), middle)


def _continued_cauchy_cdf(y):
    """The probability at complex numbers, in the plane without the cuts of the arctangent."""
    return jnp.arctan(y) / math.pi + 0.5


beta_cdf, beta_logcdf, beta_logpdf, beta_logsf, beta_pdf, beta_sf = declared(
    Family(
        "beta",
        ("a", "b"),
        (0, 1),
        0.5,
        {
            "logpdf": lambda y, a, b: (
                probability.xlogy(a - 1, y)
                + probability.xlog1py(b - 1, -y)
                - gamma_functions.betaln(a, b)
            ),
            "cdf": lambda y, a, b: gamma_functions.betainc(a, b, y),
            "sf": _beta_sf,
        },
        in_double=True,
        valid=lambda a, b: (a > 0) & (b > 0),
    ),
    *"cdf logcdf logpdf logsf pdf sf".split(),
)

(
    cauchy_cdf,
    cauchy_isf,
    cauchy_logcdf,
    cauchy_logpdf,
    cauchy_logsf,
    cauchy_pdf,
    cauchy_ppf,
    cauchy_sf,
) = declared(
    Family(
        "cauchy",
        (),
        _LINE,
        0,
        {
            "logpdf": _cauchy_logpdf,
            "cdf": lambda y: jnp.arctan2(1, -y) / math.pi,
            "sf": lambda y: jnp.arctan2(1, y) / math.pi,
            "ppf": _cauchy_ppf,
            "isf": lambda q: -_cauchy_ppf(q),
        },
        on_complex={
            "pdf": None,
            "logpdf": lambda y: -_LOG_PI - lax.log1p(lax.square(y)),
            "cdf": _continued_cauchy_cdf,
            "sf": lambda y: _continued_cauchy_cdf(-y),
            "logcdf": lambda y: jnp.log(_continued_cauchy_cdf(y)),
            "logsf": lambda y: jnp.log(_continued_cauchy_cdf(-y)),
            "ppf": lambda q: jnp.tan(math.pi * (q - 0.5)),
            "isf": lambda q: jnp.tan(math.pi * (0.5 - q)),
        },
    ),
    *"cdf isf logcdf logpdf logsf pdf ppf sf".split(),
)

chi2_cdf, chi2_logcdf, chi2_logpdf, chi2_logsf, chi2_pdf, chi2_sf = declared(
    Family(
        "chi2",
        ("df",),
        (0, np.inf),
        1,
        {
            "logpdf": lambda y, df: _gamma_logpdf(y / 2, df / 2) - _LOG_2,
            "cdf": lambda y, df: gamma_functions.gammainc(df / 2, y / 2),
            "sf": lambda y, df: gamma_functions.gammaincc(df / 2, y / 2),
        },
        in_double=True,
        valid=lambda df: df > 0,
    ),
    *"cdf logcdf logpdf logsf pdf sf".split(),
)

(
    expon_cdf,
    expon_logcdf,
    expon_logpdf,
    expon_logsf,
    expon_pdf,
    expon_ppf,
    expon_sf,
) = declared(
    Family(
        "expon",
        (),
        (0, np.inf),
        1,
        {
            "logpdf": lambda y: -y,
            "cdf": lambda y: -lax.expm1(-y),
            "logcdf": lambda y: _log_of_one_minus_exp(-y),
            "logsf": lambda y: -y,
            "ppf": lambda q: -lax.log1p(-q),
        },
        on_complex={"ppf": None},
        weak_at_integers=frozenset("cdf logcdf logpdf logsf pdf ppf sf".split()),
    ),
    *"cdf logcdf logpdf logsf pdf ppf sf".split(),
)

gamma_cdf, gamma_logcdf, gamma_logpdf, gamma_logsf, gamma_pdf, gamma_sf = declared(
    Family(
        "gamma",
        ("a",),
        (0, np.inf),
        1,
        {
            "logpdf": _gamma_logpdf,
            "cdf": lambda y, a: gamma_functions.gammainc(a, y),
            "sf": lambda y, a: gamma_functions.gammaincc(a, y),
        },
        in_double=True,
        valid=lambda a: a > 0,
        weak_at_integers=frozenset("logsf sf".split()),
    ),
    *"cdf logcdf logpdf logsf pdf sf".split(),
)


def _gennorm_cdf(y, beta):
    power = jnp.abs(y) ** beta
    above = (1 + gamma_functions.gammainc(1 / beta, power)) / 2
    return jnp.where(y < 0, gamma_functions.gammaincc(1 / beta, power) / 2, above)


gennorm_cdf, gennorm_logpdf, gennorm_pdf = declared(
    Family(
        "gennorm",
        ("beta",),
        _LINE,
        0,
        {
            "logpdf": lambda y, beta: (
                jnp.log(beta) - _LOG_2 - _lgamma(1 / beta) - jnp.abs(y) ** beta
            ),
            "cdf": _gennorm_cdf,
        },
        located=False,
        in_double=True,
        valid=lambda beta: beta > 0,
        weak_at_integers=frozenset("cdf logpdf pdf".split()),
    ),
    *"cdf logpdf pdf".split(),
)


def _gumbel_logpdf(y):
    # Infinity minus infinity has no value, but the density has: 0.
    return jnp.minimum(y, 1e30) - jnp.exp(y)


(
    gumbel_l_cdf,
    gumbel_l_logcdf,
    gumbel_l_logpdf,
    gumbel_l_logsf,
    gumbel_l_pdf,
    gumbel_l_ppf,
    gumbel_l_sf,
) = declared(
    Family(
        "gumbel_l",
        (),
        _LINE,
        0,
        {
            "logpdf": _gumbel_logpdf,
            "cdf": lambda y: -lax.expm1(-jnp.exp(y)),
            "logcdf": lambda y: _log_of_one_minus_exp(-jnp.exp(y)),
            "logsf": lambda y: -jnp.exp(y),
            "ppf": lambda q: jnp.log(-lax.log1p(-q)),
        },
        quantile="p",
        weak_at_integers=frozenset("cdf logcdf logpdf logsf pdf ppf sf".split()),
    ),
    *"cdf logcdf logpdf logsf pdf ppf sf".split(),
)

(
    gumbel_r_cdf,
    gumbel_r_logcdf,
    gumbel_r_logpdf,
    gumbel_r_logsf,
    gumbel_r_pdf,
    gumbel_r_ppf,
    gumbel_r_sf,
) = declared(
    Family(
        "gumbel_r",
        (),
        _LINE,
        0,
        {
            "logpdf": lambda y: _gumbel_logpdf(-y),
            "logcdf": lambda y: -jnp.exp(-y),
            "sf": lambda y: -lax.expm1(-jnp.exp(-y)),
            "logsf": lambda y: _log_of_one_minus_exp(-jnp.exp(-y)),
            "ppf": lambda q: -jnp.log(-jnp.log(q)),
        },
        quantile="p",
        weak_at_integers=frozenset("cdf logcdf logpdf logsf pdf ppf".split()),
    ),
    *"cdf logcdf logpdf logsf pdf ppf sf".split(),
)


def _laplace_cdf(y):
    tail = jnp.exp(-jnp.abs(y)) / 2
    return jnp.where(y < 0, tail, 1 - tail)


laplace_cdf, laplace_logpdf, laplace_pdf = declared(
    Family(
        "laplace",
        (),
        _LINE,
        0,
        {"logpdf": lambda y: -jnp.abs(y) - _LOG_2, "cdf": _laplace_cdf},
    ),
    *"cdf logpdf pdf".split(),
)


def _logistic_logpdf(y):
    size = jnp.abs(y)
    return -size - 2 * lax.log1p(jnp.exp(-size))


(
    logistic_cdf,
    logistic_isf,
    logistic_logpdf,
    logistic_pdf,
    logistic_ppf,
    logistic_sf,
) = declared(
    Family(
        "logistic",
        (),
        _LINE,
        0,
        {
            "logpdf": _logistic_logpdf,
            "cdf": probability.expit,
            "sf": lambda y: probability.expit(-y),
            "ppf": probability.logit,
            "isf": lambda q: -probability.logit(q),
        },
        quantile="x",
        on_complex={
            "logpdf": lambda y: -2 * jnp.logaddexp(y / 2, -y / 2),
            **dict.fromkeys("pdf cdf sf ppf isf".split()),
        },
        weak_at_integers=frozenset("cdf sf".split()),
    ),
    *"cdf isf logpdf pdf ppf sf".split(),
)


def norm_logpdf_of(y):
    """The logarithm of the standard normal density."""
    return -(lax.square(y) + _LOG_TAU) / 2


(
    norm_cdf,
    norm_isf,
    norm_logcdf,
    norm_logpdf,
    norm_logsf,
    norm_pdf,
    norm_ppf,
    norm_sf,
) = declared(
    Family(
        "norm",
        (),
        _LINE,
        0,
        {
            "logpdf": norm_logpdf_of,
            "cdf": probability.ndtr,
            "logcdf": probability.log_ndtr,
            "sf": lambda y: probability.ndtr(-y),
            "logsf": lambda y: probability.log_ndtr(-y),
            "ppf": probability.ndtri,
            "isf": lambda q: -probability.ndtri(q),
        },
        strong=frozenset("cdf logcdf sf logsf ppf isf".split()),
        on_complex=dict.fromkeys(("logpdf", "pdf")),
    ),
    *"cdf isf logcdf logpdf logsf pdf ppf sf".split(),
)

(
    pareto_cdf,
    pareto_logcdf,
    pareto_logpdf,
    pareto_logsf,
    pareto_pdf,
    pareto_ppf,
    pareto_sf,
) = declared(
    Family(
        "pareto",
        ("b",),
        (1, np.inf),
        2,
        {
            "logpdf": lambda y, b: jnp.log(b) - (b + 1) * jnp.log(y),
            "cdf": lambda y, b: -lax.expm1(-b * jnp.log(y)),
            "logcdf": lambda y, b: _log_of_one_minus_exp(-b * jnp.log(y)),
            "logsf": lambda y, b: -b * jnp.log(y),
            "ppf": lambda q, b: jnp.exp(-lax.log1p(-q) / b),
        },
        valid=lambda b: b > 0,
        on_complex={"ppf": None},
        weak_at_integers=frozenset("logcdf".split()),
    ),
    *"cdf logcdf logpdf logsf pdf ppf sf".split(),
)


def _t_logpdf(y, df):
    finite = jnp.where(jnp.isinf(df), 1, df)
    ratio = stirling.log_gamma_step(finite / 2, jnp.full_like(finite, 0.5))
    constant = ratio - (jnp.log(finite) + _LOG_PI) / 2
    found = constant - (finite + 1) / 2 * lax.log1p(lax.square(y) / finite)
    # With infinitely many degrees of freedom it is the normal distribution.
    return jnp.where(df == np.inf, norm_logpdf_of(y), found)


t_logpdf, t_pdf = declared(
    Family("t", ("df",), _LINE, 0, {"logpdf": _t_logpdf}, in_double=True),
    *"logpdf pdf".split(),
)


def _log_mass(a, b):
    """The logarithm of the normal probability between a and b, in the nearer tail."""
    flips = a > 0
    low, high = jnp.where(flips, -b, a), jnp.where(flips, -a, b)
    is_tail = high <= 0
    upper = probability.log_ndtr(jnp.where(is_tail, high, -1))
    lower = probability.log_ndtr(jnp.where(is_tail, low, -2))
    is_nothing = upper == -np.inf
    ratio = jnp.minimum(lower - jnp.where(is_nothing, 0, upper), 0)
    tail = jnp.where(is_nothing, -np.inf, upper + _log_of_one_minus_exp(ratio))
    middle = lax.log1p(-probability.ndtr(low) - probability.ndtr(-high))
    # Also where both are infinite, and have no difference.
    return jnp.where(a == b, -np.inf, jnp.where(is_tail, tail, middle))


def _log_share(low, high, a, b, other_low, other_high):
    """The logarithm of an interval's share of [a, b]; by the other part's where it is less."""
    whole = _log_mass(a, b)
    rest = jnp.minimum(_log_mass(other_low, other_high) - whole, 0)
    is_most = rest < -_LOG_2
    small = _log_of_one_minus_exp(jnp.where(is_most, rest, -1))
    return jnp.where(is_most, small, _log_mass(low, high) - whole)


(
    truncnorm_cdf,
    truncnorm_logcdf,
    truncnorm_logpdf,
    truncnorm_logsf,
    truncnorm_pdf,
    truncnorm_sf,
) = declared(
    Family(
        "truncnorm",
        ("a", "b"),
        (lambda a, b: a, lambda a, b: b),
        lambda a, b: jnp.clip(0, a, b),
        {
            "logpdf": lambda y, a, b: norm_logpdf_of(y) - _log_mass(a, b),
            "logcdf": lambda y, a, b: _log_share(a, y, a, b, y, b),
            "logsf": lambda y, a, b: _log_share(y, b, a, b, a, y),
        },
        strong=frozenset("cdf logcdf logpdf logsf pdf sf".split()),
        in_double=True,
        valid=lambda a, b: a < b,
    ),
    *"cdf logcdf logpdf logsf pdf sf".split(),
)

uniform_cdf, uniform_logpdf, uniform_pdf, uniform_ppf = declared(
    Family(
        "uniform",
        (),
        (0, 1),
        0.5,
        {"logpdf": jnp.zeros_like, "cdf": lambda y: y, "ppf": lambda q: q},
        strong=frozenset({"cdf"}),
        on_complex={"ppf": None},
    ),
    *"cdf logpdf pdf ppf".split(),
)

vonmises_logpdf, vonmises_pdf = declared(
    Family(
        "vonmises",
        ("kappa",),
        _LINE,
        0,
        {
            "logpdf": lambda y, kappa: (
                # cos(y) - 1, without its cancellation.
                -2 * kappa * lax.square(jnp.sin(y / 2))
                - _LOG_TAU
                - jnp.log(bessel.i0e(kappa))
            )
        },
        located=False,
        valid=lambda kappa: kappa >= 0,
    ),
    *"logpdf pdf".split(),
)


def _wrapcauchy_logpdf(y, c):
    # 1 + c² - 2 c cos(y), which cancels where c is near 1.
    spread = lax.square(1 - c) + 4 * c * lax.square(jnp.sin(y / 2))
    return jnp.log((1 - c) * (1 + c)) - _LOG_TAU - jnp.log(spread)


wrapcauchy_logpdf, wrapcauchy_pdf = declared(
    Family(
        "wrapcauchy",
        ("c",),
        (0, 2 * math.pi),
        1,
        {"logpdf": _wrapcauchy_logpdf},
        located=False,
        valid=lambda c: (c > 0) & (c < 1),
    ),
    *"logpdf pdf".split(),
)
