"""`shard_map` at its first path."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.shard_map.experimental import shard_map as shard_map

_doc_examples.attach(__name__)
