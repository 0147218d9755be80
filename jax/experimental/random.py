"""Random numbers from generators that change in place."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.random.stateful import (
    StatefulPRNG as StatefulPRNG,
    stateful_rng as stateful_rng,
)

_doc_examples.attach(__name__)
