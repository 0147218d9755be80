"""Programs of which no device belongs to this process: it calls them with the others, and has nothing to do."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import avals as avals_lib, shardings as shardings_lib
from jax._src.lib import client
from jax._src.runtime.devices import backends


@records.record
class NonAddressableExecutable:
    """Stands where programs that run here have a `FastpathData`."""

    avals: tuple[avals_lib.ShapedArray, ...]
    shardings: tuple[shardings_lib.Sharding, ...]
    committed: bool

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """Results of which this process has no part."""
        return [
            client.array_from_shards(
                shape=aval.shape,
                dtype=aval.dtype,
                weak_type=aval.weak_type,
                sharding=sharding,
                committed=self.committed,
                shards=[],
            )
            for aval, sharding in zip(self.avals, self.shardings, strict=True)
        ]


def native_of(data: Any) -> Any:
    """What the native call path may remember of a program: nothing of one that runs on devices of other processes.

    Nor does it move arrays of clients that were dropped: as long as there are such, nothing is remembered.
    """
    if isinstance(data, NonAddressableExecutable) or backends.has_arrays_left():
        return None
    return data
