"""Special functions of any precision, as balls that hold the true value.

Needs python-flint, which no lock names: these are for `special_accuracy`, which writes
`docs/accuracy.md`, and for `special_values_made`, which writes the numbers that tests compare
with. No test imports this module.
"""

import math

from flint import acb, arb, ctx

BITS = 90
"""Of accuracy of a true value: enough to see errors of 1e-10 units of float64."""


def _half_tail(x):
    return (x / arb(2).sqrt()).erfc() / 2


def _log_gamma(x):
    """log |gamma(x)|."""
    if x > 0:
        return x.lgamma()
    return (arb.pi() / abs(x.sin_pi())).log() - (1 - x).lgamma()


def _log_beta(a, b):
    return _log_gamma(a) + _log_gamma(b) - _log_gamma(a + b)


def _hurwitz(s, q):
    """zeta(s, q) for q not whole where it is negative."""
    if q > 0:
        return s.zeta(q)
    below = math.ceil(-float(q.mid()))
    while not q + below > 0:
        below += 1
    if below > 3000:
        return arb.nan()
    return sum(((q + k) ** -s for k in range(below)), arb(0)) + s.zeta(q + below)


def _polygamma(n, x):
    if n == 0:
        return x.digamma()
    sign = 1 if int(float(n.mid())) % 2 else -1
    return sign * (n + 1).gamma() * _hurwitz(n + 1, x)


def _log(x):
    return x.log()


def _spence(x):
    return (1 - x).polylog(2)


def _owens_t(h, a):
    end = acb(abs(a))

    def density(x, analytic):
        return (-(h * h) * (1 + x * x) / 2).exp() / (1 + x * x)

    # Beyond this slope nothing is left.
    if abs(h) > 0:
        far = arb(40) / abs(h)
        end = acb(far) if far < abs(a) else end
    found = acb.integral(density, acb(0), end).real / (2 * arb.pi())
    return found if a > 0 else -found


def _power_minus_one(logarithm, exponent):
    if exponent == 0:
        return logarithm
    return (exponent * logarithm).expm1() / exponent


def _entropy(p, q):
    return p * (p / q).log()


def _lower_gamma(a, x):
    # For large parameters the lower function takes seconds.
    return 1 - x.gamma_upper(a, 1) if a > 30 else x.gamma_lower(a, 1)


def _multigamma(a):
    return (
        arb(3) / 2 * arb.pi().log()
        + _log_gamma(a)
        + _log_gamma(a - arb(0.5))
        + _log_gamma(a - 1)
    )


VALUES = {
    "bessel_jn": lambda x: x.bessel_j(3),
    "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    "betainc": lambda a, b, x: x.beta_lower(a, b, 1),
    "betaln": _log_beta,
    "boxcox": lambda x, y: _power_minus_one(x.log(), y),
    "boxcox1p": lambda x, y: _power_minus_one(x.log1p(), y),
    "comb": lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    "dawsn": lambda x: arb.pi().sqrt() / 2 * (-x * x).exp() * x.erfi(),
    "digamma": lambda x: x.digamma(),
    "entr": lambda x: -x * x.log(),
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "erfcx": lambda x: (x * x).exp() * x.erfc(),
    "erfinv": lambda x: x.erfinv(),
    "exp1": lambda x: x.expint(arb(1)),
    "expi": lambda x: x.ei(),
    "expit": lambda x: 1 / (1 + (-x).exp()),
    "expn": lambda n, x: x.expint(n),
    "factorial": lambda n: (n + 1).gamma(),
    "fresnel_s": lambda x: x.fresnel_s(),
    "fresnel_c": lambda x: x.fresnel_c(),
    "gamma": lambda x: x.gamma(),
    "gammainc": _lower_gamma,
    "gammaincc": lambda a, x: x.gamma_upper(a, 1),
    "gammaln": _log_gamma,
    "hyp1f1": lambda a, b, x: x.hypgeom_1f1(a, b),
    "hyp2f1": lambda a, b, c, x: x.hypgeom_2f1(a, b, c),
    "i0": lambda x: x.bessel_i(0),
    "i0e": lambda x: x.bessel_i(0) * (-abs(x)).exp(),
    "i1": lambda x: x.bessel_i(1),
    "i1e": lambda x: x.bessel_i(1) * (-abs(x)).exp(),
    "kl_div": lambda p, q: _entropy(p, q) - p + q,
    "log_ndtr": lambda x: (1 - _half_tail(x)).log() if x > 0 else _half_tail(-x).log(),
    "logit": lambda x: (x / (1 - x)).log(),
    "multigammaln": _multigamma,
    "ndtr": lambda x: _half_tail(-x),
    "ndtri": lambda p: -arb(2).sqrt() * (2 * p).erfcinv(),
    "owens_t": _owens_t,
    "poch": lambda z, m: (z + m).gamma() * z.rgamma(),
    "polygamma": _polygamma,
    "rel_entr": _entropy,
    "sici_s": lambda x: x.si(),
    "sici_c": lambda x: abs(x).ci(),
    "sinc": lambda x: x.sinc_pi(),
    "spence": _spence,
    "xlog1py": lambda x, y: x * y.log1p(),
    "xlogy": lambda x, y: x * y.log(),
    "zeta": _hurwitz,
}
"""Of exact arguments; NaN, or a ball with NaN, where this way has no value."""


def _gamma_density(a, x):
    return ((a - 1) * x.log() - x - a.lgamma()).exp()


SLOPES = {
    ("betainc", 2): lambda a, b, x: (
        (a - 1) * x.log() + (b - 1) * (-x).log1p() - _log_beta(a, b)
    ).exp(),
    ("gammainc", 1): _gamma_density,
    ("gammaincc", 1): lambda a, x: -_gamma_density(a, x),
}
"""Derivatives in closed form, where differences would take long."""

_PRECISIONS = (128, 256, 768)


def true_value(name, *arguments):
    """The value at exact floats as a ball of `BITS` bits, or None where none was found."""
    return _accurate(lambda: VALUES[name](*map(arb, arguments)))


def true_slope(name, operand, *arguments):
    """The derivative in one operand, by a difference of step 2**-70 of the operand."""

    if (name, operand) in SLOPES:
        return _accurate(lambda: SLOPES[name, operand](*map(arb, arguments)))

    def difference():
        values = list(map(arb, arguments))
        step = abs(values[operand]) * arb(2) ** -70
        above, below = (
            VALUES[name](*(v + s if i == operand else v for i, v in enumerate(values)))
            for s in (step, -step)
        )
        return (above - below) / (2 * step)

    return _accurate(difference, _PRECISIONS[1:])


def _accurate(compute, precisions=_PRECISIONS):
    for precision in precisions:
        ctx.prec = precision
        try:
            found = compute()
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if found.is_finite() and (
            found.rel_accuracy_bits() >= BITS or found.is_exact()
        ):
            return found
    return None
