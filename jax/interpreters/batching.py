"""Rules of vectorisation."""

from jax._src.interpreters.batching import bdim_at_front as bdim_at_front
from jax._src.interpreters.batching import defbroadcasting as defbroadcasting
from jax._src.interpreters.batching import defreducer as defreducer
from jax._src.interpreters.batching import defvectorized as defvectorized
from jax._src.interpreters.batching import (
    fancy_primitive_batchers as fancy_primitive_batchers,
)
from jax._src.interpreters.batching import not_mapped as not_mapped
from jax._src.interpreters.batching import primitive_batchers as primitive_batchers
