"""Minimisation."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.optimize.minimize import (
    OptimizeResults as OptimizeResults,
    minimize as minimize,
)

_doc_examples.attach(__name__)
