"""What `device_put` means for traced values.

Under a program that is divided, where a value lies is the compiler's choice: a sharding
only counts among those that say on which devices the program runs. Over Explicit axes
of a mesh it is the type's choice: the value moves.
"""

from typing import Any

from jax._src.core import (
    avals as av,
    primitive as pr,
    sharding_rules,
    shardings as sh,
    slots,
)


@pr.declare("device_put", traits=pr.Trait.LINEAR)
class device_put_p:
    """The same values; `sharding` tells for which devices the program is."""

    def types(x, *, sharding):
        return x

    def sharding(x, *, sharding):
        return sharding_rules.entries(x)

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
    if isinstance(place, sh.NamedSharding) and place.mesh.explicit_axes:
        wanted = av.placed(av.get_aval(value).bare(), place)
        return slots.to_type(value, wanted)
    if isinstance(place, sh.NamedSharding | sh.GSPMDSharding):
        return device_put_p.bind(value, sharding=place)
    return value
