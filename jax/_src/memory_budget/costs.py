"""Rough times of equations, by which candidates for recomputation are compared."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.memory_budget import planning

# Nanoseconds: of a product of two numbers with its sum in a matrix product, of an element
# that is moved or computed, of a function of an element, and of any equation.
_PRODUCT, _ELEMENT, _FUNCTION, _EQUATION = 0.03, 0.15, 1.0, 100.0
# Of an element of something that is known for being slow.
_SLOW = 20.0

_FUNCTIONS = frozenset(
    """
    exp exp2 expm1 log log1p sin cos tan tanh sinh cosh asin acos atan atan2 asinh acosh
    atanh logistic erf erfc erf_inv lgamma digamma pow cbrt rsqrt sqrt div integer_pow
    """.split()
)
_SLOW_ONES = frozenset(
    """
    sort top_k cumsum cumprod cummax cummin cumlogsumexp fft scatter scatter-add scatter-mul
    scatter-min scatter-max reduce_window select_and_scatter_add cholesky lu qr eigh svd eig
    triangular_solve rng_bit_generator random_bits threefry2x32 random_gamma
    """.split()
)


def seconds_of(eqn: jaxpr_lib.JaxprEqn) -> float:
    """About how long an equation takes."""
    return _nanoseconds(eqn) * 1e-9


def _nanoseconds(eqn):
    name = eqn.primitive.name
    special = _SPECIAL.get(name)
    if special is not None:
        return _EQUATION + special(eqn)
    elements = sum(_size(v) for v in eqn.outvars)
    if name.startswith("reduce_") or name in ("argmax", "argmin"):
        elements = sum(_size(v) for v in eqn.invars)
    inner = sum(
        sum(_nanoseconds(e) for e in jaxpr.eqns)
        for jaxpr in jaxpr_lib.jaxprs_in_params(eqn.params)
    )
    if inner:
        return _EQUATION + inner * eqn.params.get("length", 10)
    if name in _SLOW_ONES:
        return _EQUATION + _SLOW * elements
    return _EQUATION + (_FUNCTION if name in _FUNCTIONS else _ELEMENT) * elements


def _size(var):
    return int(getattr(var.aval, "size", 0))


def _of_dot(eqn):
    (contracted, _), _ = eqn.params["dimension_numbers"]
    shape = eqn.invars[0].aval.shape
    return _PRODUCT * _size(eqn.outvars[0]) * math.prod(shape[i] for i in contracted)


def _of_convolution(eqn):
    kernel = eqn.invars[1].aval.shape
    out = eqn.params["dimension_numbers"].rhs_spec[0]
    return _PRODUCT * _size(eqn.outvars[0]) * math.prod(kernel) / max(kernel[out], 1)


_SPECIAL: Mapping[str, Callable[[Any], float]] = {
    "dot_general": _of_dot,
    "conv_general_dilated": _of_convolution,
}


def is_worth_keeping(eqn: jaxpr_lib.JaxprEqn) -> bool:
    """Whether an equation may not be evaluated twice: it has effects, or is no function of its operands."""
    if eqn.effects or not eqn.invars:
        return True
    return planning.nbytes(eqn.outvars[0].aval) == 0 if eqn.outvars else True
