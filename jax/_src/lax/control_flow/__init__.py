"""Loops and choices as operations, so that programs can hold them."""

# What other libraries look for here; our own modules import the modules, which have other names.
from jax._src.base import lazy as _lazy

_LAZY_NAMES = {
    "associative_scan": "jax._src.lax.control_flow.associative_scan",
    "cond": "jax._src.lax.control_flow.conditionals",
    "cond_p": "jax._src.lax.control_flow.conditionals",
    "fori_loop": "jax._src.lax.control_flow.fori_loop_and_map",
    "scan": "jax._src.lax.control_flow.scans",
    "scan_p": "jax._src.lax.control_flow.scan_primitive",
    "switch": "jax._src.lax.control_flow.conditionals",
    "while_loop": "jax._src.lax.control_flow.while_loops",
    "while_p": "jax._src.lax.control_flow.while_loops",
}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
