"""Whole arrays of parts on devices, for libraries that run programs themselves."""

import types
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, records, scalars
from jax._src.core import avals
from jax._src.lib import client
from jax._src.runtime.arrays import array


def _parts_in_order(aval, sharding, parts):
    """The parts, checked, in the order of the sharding's devices."""
    if isinstance(parts, client.Array):
        parts = [shard.data for shard in parts.addressable_shards]
    whole = array.make_array_from_single_device_arrays(
        aval.shape, sharding, list(parts), dtype=aval.dtype
    )
    return [shard.data for shard in whole.addressable_shards]


def _array_handler(aval, sharding, committed):
    def handle(parts):
        return client.array_from_shards(
            shape=aval.shape,
            dtype=aval.dtype,
            weak_type=aval.weak_type,
            sharding=sharding,
            committed=committed,
            shards=_parts_in_order(aval, sharding, parts),
        )

    if not isinstance(aval.dtype, scalars.ExtendedDType):
        return handle
    # The words of random keys are contiguous, as the last axes.
    behind = _array_handler(avals.physical_aval(aval), sharding, committed)
    return lambda parts: aval.dtype.wrap(behind(parts))


# From the class of a type to a function of a type, a sharding and whether that was requested
# for, which returns a function from parts, one per device of this process, to an array.
global_result_handlers = types.MappingProxyType({avals.ShapedArray: _array_handler})


def global_aval_to_result_handler(
    aval: avals.AbstractValue, out_sharding: Any, committed: bool
) -> Callable[[Any], Any]:
    """A function from the parts of a result, a list of arrays of one device each, to the result.

    Args:
        aval: the type of the whole.
        out_sharding: the sharding of the parts.
        committed: whether the user chose the devices.

    Raises:
        TypeError: values of this type have no parts.
    """
    maker = global_result_handlers.get(type(aval))
    if maker is None:
        raise errors.type_error(
            "Results of this type are not made of parts.",
            [("type", str(aval))],
            "Parts are arrays, and so is what they make.",
        )
    return maker(aval, out_sharding, committed)


@records.record
class ResultsHandler:
    """Makes the results of a program from their parts."""

    handlers: Sequence[Callable[[Any], Any]]
    out_shardings: Sequence[Any]
    out_avals: Sequence[Any]

    def __call__(self, out_bufs: Sequence[Any]) -> list[Any]:
        """The results, from the parts of each."""
        pairs = zip(self.handlers, out_bufs, strict=True)
        return [handler(parts) for handler, parts in pairs]


def global_avals_to_results_handler(
    global_out_avals: Sequence[Any], shardings: Sequence[Any], committed: bool
) -> ResultsHandler:
    """What makes several results from their parts.

    Args:
        global_out_avals: the types of the results.
        shardings: the sharding of the parts of each.
        committed: whether the user chose the devices.
    """
    handlers = [
        global_aval_to_result_handler(aval, sharding, committed)
        for aval, sharding in zip(global_out_avals, shardings, strict=True)
    ]
    return ResultsHandler(handlers, shardings, global_out_avals)
