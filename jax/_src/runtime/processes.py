"""The processes that compute together: this one alone."""

from typing import Any

from jax._src.base import records


@records.record
class State:
    """Which process this is, of how many."""

    process_id: int = 0
    num_processes: int = 1
    # Where processes meet, and what talks to it: nothing, for one of them.
    coordinator_address: str | None = None
    service: Any = None
    client: Any = None
    preemption_sync_manager: Any = None


global_state = State()
