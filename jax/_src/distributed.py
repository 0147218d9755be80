"""Which process this is, where libraries look for it. A door."""

from jax._src.runtime.processes import State as State, global_state as global_state
