"""Looking for NaNs and infinities in results, where the user asks for it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import config, errors, options, scalars, source
from jax._src.lib import client


@config.of_options
def is_requested() -> bool:
    """Whether `jax_debug_nans` or `jax_debug_infs` is on."""
    return options.debug_nans.value or options.debug_infs.value


def suspended() -> config.Setting:
    """A context manager under which no result is checked."""
    return config.Setting({"jax_debug_nans": False, "jax_debug_infs": False})


def find_bad_value(outs: Sequence[Any]) -> str | None:
    """``"nan"`` or ``"inf"`` if a result has one and the option is on, else None.

    Of an array whose devices belong to several processes, the parts here are examined.
    """
    for out in outs:
        if not isinstance(out, client.Array) or not scalars.is_inexact(out.dtype):
            continue
        for values in _parts(out):
            if options.debug_nans.value and np.isnan(values).any():
                return "nan"
            if options.debug_infs.value and np.isinf(values).any():
                return "inf"
    return None


def _parts(array):
    if array.is_fully_addressable:
        return [np.asarray(array)]
    return [np.asarray(shard.data) for shard in array.addressable_shards]


def check(
    name: str, outs: Sequence[Any], location: source.Location | None = None
) -> None:
    """Checks the results of one operation.

    Raises:
        FloatingPointError: a result has a NaN or an infinity that the user wants to see.
    """
    bad = find_bad_value(outs)
    if bad is None:
        return
    where = source.capture(2) if location is None else location
    raise FloatingPointError(
        errors.explain(
            f"invalid value ({bad}) encountered in {name}.",
            [("operation", name), ("at", str(where))],
            ways=f"To go on in spite of it, turn off jax_debug_{bad}s.",
        )
    )
