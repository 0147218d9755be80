"""Putting values on devices; the one place where `jax.numpy` sees the runtime."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals, trace
from jax._src.numpy import lax_api as lax


def is_device_array(x: Any) -> bool:
    """Whether `x` is an array of ours or a traced value."""
    return avals.is_value(x) and not isinstance(
        x, (np.ndarray, np.generic, bool, int, float, complex)
    )


def as_array(x: Any, dtype: Any, weak: bool, copy: bool) -> Any:
    """`x` as an array of ours, of `dtype`; a new one where `copy` is asked for."""
    if isinstance(x, (bool, int, float, complex)) and not dtypes.is_extended(dtype):
        x = np.asarray(x, dtype) if isinstance(x, int) else np.asarray(x).astype(dtype)
    result = lax.convert(x, dtype, weak)
    return fresh(result) if copy and result is x else result


def fresh(x: Any) -> Any:
    """A copy of an array; a traced value stands for itself, since nothing changes it."""
    return x if isinstance(x, trace.Tracer) else lax.copy_p.bind(x)


def put(x: Any, device: Any) -> Any:
    """`x` on `device`, or where it is for None."""
    if device is None:
        return x
    return lax.device_put(x, device)
