"""The scalar classes of dtypes that NumPy does not know.

`issubdtype` treats them like NumPy's abstract scalar classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src.base import scalars

ExtendedDType = scalars.ExtendedDType


class extended(np.generic):
    """Scalar class of every extended dtype, for `jax.dtypes.issubdtype`."""

    __module__ = "jax.dtypes"


class prng_key(extended):
    """Scalar class of the dtypes of random keys, for `jax.dtypes.issubdtype`."""

    __module__ = "jax.dtypes"


def is_extended(dtype: Any) -> bool:
    """Whether `dtype` is an extended dtype object."""
    return not isinstance(dtype, np.dtype) and isinstance(dtype, ExtendedDType)
