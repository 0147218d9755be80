"""Random numbers from generators that change in place."""

from jax._src.random.stateful import (
    StatefulPRNG as StatefulPRNG,
    stateful_rng as stateful_rng,
)
