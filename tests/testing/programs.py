"""How many programs a call compiles."""

from collections.abc import Callable

import jax

_COMPILED = "/jax/core/compile/backend_compile_duration"


def count_compiled(call: Callable) -> int:
    """Calls without arguments, all caches empty, and counts what was compiled."""
    events = []

    def listen(event, seconds, **kwargs):
        events.append(event)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        jax.block_until_ready(call())
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    return events.count(_COMPILED)
