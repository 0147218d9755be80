"""Compiled functions as bytes."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.export.executables import (
    deserialize_and_load as deserialize_and_load,
    serialize as serialize,
)

_doc_examples.attach(__name__)
