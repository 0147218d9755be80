"""The allowed distance of two floating-point results."""

import ml_dtypes
import numpy as np

# Units in the last place where a primitive promises nothing: one rounding.
DEFAULT_ULP = 1

# Relative error of a derivative by central differences in float64.
FINITE_DIFFERENCE = 2e-5


def ulp_distance(a, b) -> float:
    """The largest distance of two arrays of one floating dtype, in units in the last place.

    Two NaNs agree; zeros of either sign agree; values below the smallest normal number
    are measured in units of the smallest normal's last place.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "c":
        return max(ulp_distance(a.real, b.real), ulp_distance(a.imag, b.imag))
    info = _finfo(a.dtype)
    x, y = a.astype(np.float64), b.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if np.any(~same & ~(np.isfinite(x) & np.isfinite(y))):
        return float("inf")
    x, y = np.where(same, 0.0, x), np.where(same, 0.0, y)
    scale = np.maximum(np.maximum(np.abs(x), np.abs(y)), float(info.tiny))
    unit = 2.0 ** np.floor(np.log2(scale)) * float(info.eps)
    distance = np.abs(x - y) / unit
    return float(distance.max()) if distance.size else 0.0


def _finfo(dtype):
    return ml_dtypes.finfo(dtype)
