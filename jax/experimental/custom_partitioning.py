"""Functions whose division among devices is said by their users."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.shard_map.custom_partitioning import (
    custom_partitioning as custom_partitioning,
    custom_partitioning_p as custom_partitioning_p,
)
from jax._src.shard_map.user_rules import (
    BATCHING as BATCHING,
    ArrayMapping as ArrayMapping,
    CompoundFactor as CompoundFactor,
    SdyShardingRule as SdyShardingRule,
)

_doc_examples.attach(__name__)
