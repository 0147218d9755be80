"""What `device_put` means for traced values.

Under a program that is divided, where a value lies is the compiler's choice: a sharding
only counts among those that say on which devices the program runs. (`placement` says
what the primitive means for values that are evaluated.)
"""

from typing import Any

from jax._src.core import primitive as pr, shardings as sh


@pr.declare("device_put", traits=pr.Trait.LINEAR)
class device_put_p:
    """The same values; `sharding` tells for which devices the program is."""

    def types(x, *, sharding):
        return x

    def transpose(ct, x, *, sharding):
        return [device_put_p.bind(ct, sharding=sharding)]

    def batch(axis, args, dims, *, sharding):
        return device_put_p.bind(*args, sharding=sharding), dims[0]

    def lower(ctx, x, *, sharding):
        return x

    def reference(x, *, sharding):
        return x

    samples = ()


def put(value: Any, place: Any) -> Any:
    """A traced value, where a user asks for it with `device_put`."""
    if isinstance(place, sh.NamedSharding | sh.GSPMDSharding):
        return device_put_p.bind(value, sharding=place)
    return value
