"""Looking into programs while they run."""

from jax._src.debugging.breakpoints import breakpoint as breakpoint
from jax._src.debugging.callback import (
    DebugEffect as DebugEffect,
    OrderedDebugEffect as OrderedDebugEffect,
    callback as callback,
)
from jax._src.debugging.printing import log as log, print as print
