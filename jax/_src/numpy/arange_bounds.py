"""The bounds of numbers at equal steps, which may be symbolic dimensions."""

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core.symbols import expressions
from jax._src.numpy import lax_api as lax, operands


def symbolic_arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    """`jax.numpy.arange` where a bound is a symbolic dimension; all are whole then.

    None where no bound is one.
    """
    if not any(map(expressions.is_dimension, (start, stop, step))):
        return None
    first, last = (0, start) if stop is None else (start, stop)
    bounds = [
        expressions.size_index(n) for n in (first, last, 1 if step is None else step)
    ]
    first, last, by = bounds
    count = expressions.max_dim(0, -((first - last) // by))
    wanted = np.dtype(int) if dtype is None else operands.user_dtype("arange", dtype)
    wanted = dtypes.canonicalize_dtype(wanted)
    counted = lax.iota(wanted, count)
    if not (type(by) is int and by == 1):
        counted = lax.mul(counted, lax.full_like(counted, by))
    if not (type(first) is int and first == 0):
        counted = lax.add(counted, lax.full_like(counted, first))
    return counted


def known_bound(name: str, value: Any) -> Any:
    """A bound of `jax.numpy.arange` as a number of Python; refused where it is none."""
    # The number of elements does not vary with the bound, whose derivative counts as zero.
    scalar = operands.concrete("arange", name, value)
    if scalar.shape:
        raise (ValueError if operands.is_arraylike(value) else TypeError)(
            operands.explain(
                "arange",
                f"{name} is not a scalar.",
                [(name, operands.type_name(value))],
            )
        )
    if scalar.dtype.kind == "c":
        raise ValueError(
            operands.explain(
                "arange",
                f"{name} is a complex number.",
                [(name, operands.type_name(value))],
            )
        )
    return scalar.item()
