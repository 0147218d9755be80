"""Functions of one argument, and what each is compared with at every float32."""

from typing import Any, NamedTuple

import numpy as np
import scipy.special as sp

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import lax, nn


class Row(NamedTuple):
    """A function and its truth.

    Attributes:
        name: as it stands in the table.
        fun: ours, of a float32 array.
        truth: of a float64 array: of JAX where `oracle` is "ours", else of NumPy or SciPy.
        oracle: whose the truth is.
        stride: of so many floats one is taken.
        bound: the greatest error in ULP that is accepted.
    """

    name: str
    fun: Any
    truth: Any
    oracle: str = "ours"
    stride: int = 1
    bound: float = 4.0


def slope(fun):
    """The derivative at each element."""
    return lambda x: jax.vjp(fun, x)[1](jnp.ones_like(x))[0]


# Computed in float32, beside the same function in float64.
OURS = {
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "log": jnp.log,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "log1p": jnp.log1p,
    "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt,
    "reciprocal": jnp.reciprocal,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "asin": jnp.asin,
    "acos": jnp.acos,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "asinh": jnp.asinh,
    "acosh": jnp.acosh,
    "atanh": jnp.atanh,
    "deg2rad": jnp.deg2rad,
    "rad2deg": jnp.rad2deg,
    "logistic": lax.logistic,
    "sinc": jnp.sinc,
    "softplus": nn.softplus,
    "log_sigmoid": nn.log_sigmoid,
    "celu": nn.celu,
    "soft_sign": nn.soft_sign,
    "erf": jsp.erf,
    "erfc": jsp.erfc,
    "erfinv": jsp.erfinv,
    "ndtr": jsp.ndtr,
}
# What the rounded product with a constant, or a difference, costs; docs/accuracy.md.
LOOSE = {
    "gelu": (
        lambda x: nn.gelu(x, approximate=False),
        lambda x: x * jsp.ndtr(x),
        200.0,
    ),
    "gelu, by tanh": (
        nn.gelu,
        lambda x: x * lax.logistic(np.sqrt(8 / np.pi) * (x + 0.044715 * x**3)),
        np.inf,
    ),
    "silu": (nn.silu, nn.silu, 60.0),
    "mish": (nn.mish, nn.mish, 60.0),
    "i0e": (jsp.i0e, jsp.i0e, 7.0),
}
# The derivatives of what is computed in float32.
SLOPES = {
    name: OURS[name]
    for name in "exp log log1p log2 sqrt rsqrt sin cos erf erfc erfinv ndtr".split()
} | {"expit": jsp.expit}

_PI = np.pi


def _at(value, result, function):
    """The function with another result at one argument, where theirs is no judge."""
    return lambda x: np.where(x == value, result, function(x))


def _odd(function):
    """The function with the zero of the argument at zeros."""
    return lambda x: np.where(x == 0, x, function(x))


def _half_turns(function, x):
    """A trigonometric function of π/2 x²; the square of a float is exact."""
    return function(_PI / 2 * np.fmod(x * x, 4))


def _at_zero_and_beyond(found, x, cut, far):
    """Another formula beyond a cut, where the first cancels."""
    return np.where(np.abs(x) > cut, far(np.where(np.abs(x) > cut, x, cut)), found)


def _dawsn_slope(x):
    def far(y):
        z = 1 / (2 * y * y)
        return -z * (1 + z * (3 + z * (15 + z * 105)))

    return _at_zero_and_beyond(1 - 2 * x * sp.dawsn(x), x, 50, far)


def _erfcx_slope(x):
    def far(y):
        z = 1 / (2 * y * y)
        return -(2 / np.sqrt(_PI)) * z * (1 - z * (3 - z * (15 - z * 105)))

    near = 2 * x * sp.erfcx(x) - 2 / np.sqrt(_PI)
    return np.where(x > 50, far(np.maximum(x, 50)), near)


def _factorial(x):
    return np.where(x < 0, 0.0, sp.gamma(x + 1))


def _digamma_slope(x):
    """By reflection below 0, where SciPy has none."""
    above = sp.polygamma(1, np.where(x > 0, x, 1.0))
    sine = np.sin(_PI * (x - np.round(x)))
    below = (_PI / sine) ** 2 - sp.polygamma(1, 1 - np.where(x > 0, 0.0, x))
    return np.where(x > 0, above, below)


# Computed in float64 and rounded, beside others' functions: ours, theirs, and where their
# result is no judge: at poles, and where theirs is known to be inexact.
THEIRS = {
    "tan": (jnp.tan, np.tan),
    "atan": (jnp.atan, np.arctan),
    "cbrt": (jnp.cbrt, np.cbrt),
    "gammaln": (jsp.gammaln, _at(-np.inf, np.inf, sp.gammaln)),
    "gamma": (jsp.gamma, sp.gamma),
    "factorial": (jsp.factorial, _factorial),
    "digamma": (jsp.digamma, _at(0, np.nan, sp.digamma)),
    "trigamma": (lambda x: jsp.polygamma(1, x), _digamma_slope),
    "i0": (jsp.i0, sp.i0),
    "i1": (jsp.i1, _odd(sp.i1)),
    "i1e": (jsp.i1e, _odd(sp.i1e)),
    "dawsn": (jsp.dawsn, sp.dawsn),
    "entr": (jsp.entr, sp.entr),
    "erfcx": (jsp.erfcx, sp.erfcx),
    "exp1": (jsp.exp1, sp.exp1),
    "expi": (jsp.expi, sp.expi),
    "expn of order 3": (lambda x: jsp.expn(3, x), lambda x: sp.expn(3, x)),
    "fresnel_s": (lambda x: jsp.fresnel(x)[0], lambda x: sp.fresnel(x)[0]),
    "fresnel_c": (lambda x: jsp.fresnel(x)[1], lambda x: sp.fresnel(x)[1]),
    "log_ndtr": (jsp.log_ndtr, sp.log_ndtr),
    "logit": (jsp.logit, sp.logit),
    "ndtri": (jsp.ndtri, sp.ndtri),
    "sici_s": (lambda x: jsp.sici(x)[0], lambda x: sp.sici(x)[0]),
    "sici_c": (lambda x: jsp.sici(x)[1], lambda x: sp.sici(x)[1]),
    "spence": (jsp.spence, sp.spence),
    "zeta(x, 1)": (lambda x: jsp.zeta(x, 1), lambda x: sp.zeta(x, 1)),
    "gammaln, slope": (slope(jsp.gammaln), _at(0, np.nan, sp.digamma)),
    "gamma, slope": (
        slope(jsp.gamma),
        _at(0, np.nan, lambda x: sp.gamma(x) * sp.digamma(x)),
    ),
    "digamma, slope": (slope(jsp.digamma), _digamma_slope),
    "i0, slope": (slope(jsp.i0), _odd(sp.i1)),
    "dawsn, slope": (slope(jsp.dawsn), _dawsn_slope),
    "entr, slope": (slope(jsp.entr), lambda x: np.where(x < 0, 0, -np.log(x) - 1)),
    "erfcx, slope": (slope(jsp.erfcx), _erfcx_slope),
    "exp1, slope": (
        slope(jsp.exp1),
        lambda x: np.where(x < 0, np.nan, -np.exp(-x) / x),
    ),
    "expi, slope": (slope(jsp.expi), lambda x: np.exp(x) / x),
    "fresnel_s, slope": (
        slope(lambda x: jsp.fresnel(x)[0]),
        lambda x: _half_turns(np.sin, x),
    ),
    "fresnel_c, slope": (
        slope(lambda x: jsp.fresnel(x)[1]),
        lambda x: _half_turns(np.cos, x),
    ),
    "log_ndtr, slope": (
        slope(jsp.log_ndtr),
        lambda x: np.sqrt(2 / _PI) / sp.erfcx(-x / np.sqrt(2)),
    ),
    "logit, slope": (slope(jsp.logit), lambda x: 1 / (x * (1 - x))),
    "ndtri, slope": (
        slope(jsp.ndtri),
        lambda p: np.sqrt(2 * _PI) * np.exp(sp.ndtri(p) ** 2 / 2),
    ),
    "sici_s, slope": (
        slope(lambda x: jsp.sici(x)[0]),
        _at(0, 1.0, lambda x: np.sin(x) / x),
    ),
    "sici_c, slope": (slope(lambda x: jsp.sici(x)[1]), lambda x: np.cos(x) / x),
    "spence, slope": (slope(jsp.spence), _at(1, -1.0, lambda x: np.log(x) / (1 - x))),
}
_BELL = 2 / np.sqrt(_PI)
# What the derivatives of OURS are, in float64.
_SLOPE_TRUTHS = {
    "erf": lambda x: _BELL * jnp.exp(-x * x),
    "erfc": lambda x: -_BELL * jnp.exp(-x * x),
    "expit": lambda x: lax.logistic(x) * lax.logistic(-x),
    "ndtr": lambda x: jnp.exp(-x * x / 2) / np.sqrt(2 * _PI),
}
ROWS = [
    *[Row(name, fun, fun) for name, fun in OURS.items()],
    *[Row(n, fun, truth, bound=b) for n, (fun, truth, b) in LOOSE.items()],
    Row("expit", jsp.expit, lax.logistic),
    *[
        Row(f"{n}, slope", slope(fun), _SLOPE_TRUTHS.get(n, slope(fun)))
        for n, fun in SLOPES.items()
    ],
    *[Row(n, *pair, "NumPy or SciPy") for n, pair in THEIRS.items()],
]
