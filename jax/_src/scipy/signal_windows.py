"""Windows for spectra, by their names, as tables of NumPy.

Source: F. J. Harris, "On the use of windows for harmonic analysis with the discrete
Fourier transform", Proc. IEEE 66 (1978); the flat top is that of G. Heinzel et al. (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors

# The windows are sums of cosines: the weight of each multiple of the period.
_COSINES = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}


def _cosine_sum(u: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    return sum(w * np.cos(k * np.pi * u) for k, w in enumerate(weights)) + 0 * u


def _triangle(u: np.ndarray, steps: int) -> np.ndarray:
    """A triangle that reaches zero just outside of the window."""
    return 1 - np.abs(u) * steps / (steps + 2 - steps % 2)


def _parzen(u: np.ndarray, steps: int) -> np.ndarray:
    v = np.abs(u) * steps / (steps + 1)
    return np.where(np.abs(u) <= 0.5, 1 - 6 * v**2 + 6 * v**3, 2 * (1 - v) ** 3)


def _bohman(u: np.ndarray, steps: int) -> np.ndarray:
    v = np.abs(u)
    inside = (1 - v) * np.cos(np.pi * v) + np.sin(np.pi * v) / np.pi
    return np.where(v < 1, inside, 0.0)


def _tukey(u: np.ndarray, steps: int, alpha: float = 0.5) -> np.ndarray:
    if alpha <= 0:
        return np.ones_like(u)
    edge = np.clip((np.abs(u) - 1) / min(alpha, 1.0) + 1, 0, None)
    return (1 + np.cos(np.pi * edge)) / 2


def _general_gaussian(
    u: np.ndarray, steps: int, p: float, deviation: float
) -> np.ndarray:
    return np.exp(-0.5 * np.abs(u * steps / 2 / deviation) ** (2 * p))


# Each is given points from -1 to 1, the number of steps between them, and parameters.
_OTHERS: dict[str, Callable] = {
    "bartlett": lambda u, steps: 1 - np.abs(u),
    "bohman": _bohman,
    "cosine": lambda u, steps: np.cos(np.pi / 2 * u * steps / (steps + 1)),
    "triang": _triangle,
    "parzen": _parzen,
    "tukey": _tukey,
    "kaiser": lambda u, steps, beta: np.i0(beta * np.sqrt(1 - u * u)) / np.i0(beta),
    "gaussian": lambda u, steps, deviation: _general_gaussian(u, steps, 1, deviation),
    "general_gaussian": _general_gaussian,
    "general_hamming": lambda u, steps, alpha: _cosine_sum(u, (alpha, 1 - alpha)),
    "general_cosine": lambda u, steps, weights: _cosine_sum(u, weights),
}


def periodic_window(name: str, window: Any, size: int) -> np.ndarray:
    """The window of `size` points whose continuation has that period.

    Args:
        name: the function to name in messages.
        window: a name; a tuple of a name and parameters; or the number `beta` of a
            Kaiser window.
        size: a positive number.

    Returns:
        Array of float64, shape ``(size,)``.

    Raises:
        ValueError: no window has that name, or its parameters do not fit.
    """
    given = ("kaiser", float(window)) if isinstance(window, (int, float)) else window
    kind, *parameters = (given,) if isinstance(given, str) else tuple(given)
    points = 2 * np.arange(size) / size - 1
    if kind in _COSINES and not parameters:
        return np.ones(1) if size == 1 else _cosine_sum(points, _COSINES[kind])
    if kind not in _OTHERS:
        known = ", ".join(sorted([*_COSINES, *_OTHERS]))
        raise errors.value_error(
            f"{name}: there is no such window.",
            [("window", repr(window)[:60])],
            f"Windows: {known}.",
            "Any other can be passed as an array of nperseg values.",
        )
    try:
        return np.ones(1) if size == 1 else _OTHERS[kind](points, size, *parameters)
    except TypeError:
        raise errors.value_error(
            f"{name}: the parameters of the window do not fit.",
            [("window", repr(window)[:60])],
            "A window with parameters is a tuple: ('kaiser', 8.0).",
        ) from None
