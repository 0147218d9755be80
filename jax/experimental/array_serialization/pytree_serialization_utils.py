"""Structures of trees as JSON."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.checkpoints.treedefs import (
    deserialize_pytreedef as deserialize_pytreedef,
    serialize_pytreedef as serialize_pytreedef,
)
from jax._src.export.trees import (
    register_pytree_node_serialization as register_pytree_node_serialization,
)

_doc_examples.attach(__name__)
