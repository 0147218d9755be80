"""The Faddeeva function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_of_floats
from jax._src.scipy.elementwise import with_slopes

Array = Any
ArrayLike = Any

_TERMS = 48
_WIDTH = math.sqrt(_TERMS / math.sqrt(2))


def _coefficients() -> list[float]:
    """Returns the coefficients of Weideman's rational series, by a Fourier transform of the weight."""
    count = 4 * _TERMS
    angles = np.arange(-count + 1, count) * math.pi / count
    t = _WIDTH * np.tan(angles / 2)
    weights = np.exp(-t * t) * (_WIDTH**2 + t * t)
    values = np.fft.fft(np.fft.fftshift(np.concatenate([[0.0], weights])))
    return [float(v) for v in np.real(values)[1 : _TERMS + 1] / (2 * count)]


_SERIES = _coefficients()


def _above(z):
    """The function on the upper half plane, the real axis included."""
    over = 1 / (_WIDTH - 1j * z)
    quotient = (_WIDTH + 1j * z) * over
    total = jnp.zeros_like(z)
    for c in _SERIES[::-1]:
        total = total * quotient + c
    return 2 * total * over * over + over / math.sqrt(math.pi)


def _wofz(z):
    is_below = lax.imag(z) < 0
    found = _above(jnp.where(is_below, -z, z))
    return jnp.where(is_below, 2 * jnp.exp(-z * z) - found, found)


def _slope(z, out):
    return -2 * z * out + 2j / math.sqrt(math.pi)


_function = with_slopes(_wofz, [_slope])


@jit_of_floats
def wofz(z: ArrayLike) -> Array:
    """The Faddeeva function exp(-z²) erfc(-i z).

    Args:
        z: array; real numbers become complex ones.

    Returns:
        Complex array of the same shape.

    Raises:
        TypeError: `z` is no array or number.

    Reference: Weideman, Computation of the complex error function, 1994.
    """
    z = operands.ensure_arraylike("jax.scipy.special.wofz", z)
    return _function(*(operands.strong(x) for x in operands.promote_dtypes_complex(z)))


traceback_filter.hide_frames(globals())
