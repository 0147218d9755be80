"""Values that shall be sharded alike."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.transforms.shard_alike import shard_alike as shard_alike

_doc_examples.attach(__name__)
