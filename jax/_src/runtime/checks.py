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
        is_array = isinstance(out, client.Array | np.ndarray)
        if not is_array or not scalars.is_inexact(out.dtype):
            continue
        for values in _parts(out):
            if options.debug_nans.value and np.isnan(values).any():
                return "nan"
            if options.debug_infs.value and np.isinf(values).any():
                return "inf"
    return None


def as_array(value: Any) -> Any:
    """A value as one that `find_bad_value` looks at."""
    return value if isinstance(value, client.Array) else np.asarray(value)


def _parts(array):
    if isinstance(array, np.ndarray) or array.is_fully_addressable:
        return [np.asarray(array)]
    return [np.asarray(shard.data) for shard in array.addressable_shards]


def check(
    name: str,
    outs: Sequence[Any],
    location: source.Location | None = None,
    operands: Sequence[Any] = (),
) -> None:
    """Checks the results of one operation.

    Args:
        name: of the operation.
        outs: its results.
        location: where the user called it; None: the line that is running.
        operands: its operands, of which the message gives the ranges.

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
            [
                ("operation", name),
                ("at", str(where)),
                *_first_bad(outs, bad),
                *_ranges(operands),
            ],
            ways=f"To go on in spite of it, turn off jax_debug_{bad}s.",
        )
    )


def _first_bad(outs, bad):
    """The index of the first bad element."""
    find = np.isnan if bad == "nan" else np.isinf
    for out in outs:
        if isinstance(out, client.Array) and scalars.is_inexact(out.dtype):
            for values in _parts(out):
                found = np.argwhere(find(values))
                if len(found) and values.ndim:
                    kind = f"{values.dtype}{list(values.shape)}"
                    return [("first", f"at {found[0].tolist()} of {kind}")]
    return []


def _ranges(operands):
    """The types of operands, and their least and greatest elements."""
    for number, operand in enumerate(operands[:4]):
        if not isinstance(operand, client.Array | np.ndarray) or not operand.size:
            continue
        values = np.concatenate([np.ravel(part) for part in _parts(operand)])
        kind = f"{operand.dtype}{list(operand.shape)}"
        if np.iscomplexobj(values):
            values = np.abs(values)
        if values.dtype != np.bool_ and np.isnan(values).all():
            yield f"operand {number}", f"{kind}, all nan"
            continue
        least, greatest = np.nanmin(values), np.nanmax(values)
        yield f"operand {number}", f"{kind}, from {least:.6g} to {greatest:.6g}"
