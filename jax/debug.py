"""Looking into programs while they run."""

from jax._src.debugging.breakpoints import breakpoint as breakpoint
from jax._src.debugging.callback import (
    DebugEffect as DebugEffect,
    OrderedDebugEffect as OrderedDebugEffect,
    callback as callback,
)
from jax._src.debugging.printing import log as log, print as print
from jax._src.debugging.progress import progress as progress
from jax._src.debugging.shardings import (
    inspect_array_sharding as inspect_array_sharding,
    visualize_array_sharding as visualize_array_sharding,
    visualize_sharding as visualize_sharding,
)
