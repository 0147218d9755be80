"""Waiting for effects, where other libraries look for it. A door."""

from jax._src.runtime.tokens import effects_barrier as effects_barrier

wait_for_tokens = effects_barrier
