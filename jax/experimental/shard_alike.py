"""Values that shall be sharded alike."""

from jax._src.transforms.shard_alike import shard_alike as shard_alike
