"""`shard_map` at its first path."""

from jax._src.shard_map.experimental import shard_map as shard_map
