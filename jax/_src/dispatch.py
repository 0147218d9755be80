"""Waiting for effects: re-exports for third-party libraries, which import this path."""

from jax._src.runtime.tokens import effects_barrier as effects_barrier

wait_for_tokens = effects_barrier
