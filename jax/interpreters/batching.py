"""Rules of vectorisation."""

from jax._src.compat.registration import (
    axis_primitive_batchers as axis_primitive_batchers,
    broadcast as broadcast,
    defbroadcasting as defbroadcasting,
    defreducer as defreducer,
    defvectorized as defvectorized,
    fancy_primitive_batchers as fancy_primitive_batchers,
    primitive_batchers as primitive_batchers,
)
from jax._src.interpreters.batching import (
    bdim_at_front as bdim_at_front,
    not_mapped as not_mapped,
    register_vmappable as register_vmappable,
    unregister_vmappable as unregister_vmappable,
)
