"""Vectorisation."""

from jax._src.interpreters.batching.containers import (
    register_vmappable as register_vmappable,
)
from jax._src.interpreters.batching.containers import (
    unregister_vmappable as unregister_vmappable,
)
from jax._src.interpreters.batching.trace import Axis as Axis
from jax._src.interpreters.batching.trace import BatchTrace as BatchTrace
from jax._src.interpreters.batching.trace import BatchTracer as BatchTracer
from jax._src.interpreters.batching.trace import align as align
from jax._src.interpreters.batching.trace import all_at_front as all_at_front
from jax._src.interpreters.batching.trace import batch as batch
from jax._src.interpreters.batching.trace import batch_jaxpr as batch_jaxpr
from jax._src.interpreters.batching.trace import batched_aval as batched_aval
from jax._src.interpreters.batching.trace import bdim_at_front as bdim_at_front
from jax._src.interpreters.batching.trace import move_to as move_to
from jax._src.interpreters.batching.trace import named_axes_of as named_axes_of
from jax._src.interpreters.batching.trace import not_mapped as not_mapped
from jax._src.interpreters.batching.trace import resolve_batch as resolve_batch
from jax._src.interpreters.batching.trace import unbatched_aval as unbatched_aval
