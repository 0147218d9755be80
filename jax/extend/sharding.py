"""Shardings as compilers write them."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.core.hlo_sharding import (
    get_hlo_sharding_from_serialized_proto as get_hlo_sharding_from_serialized_proto,
    get_op_sharding_from_serialized_proto as get_op_sharding_from_serialized_proto,
    get_serialized_proto_from_hlo_sharding as get_serialized_proto_from_hlo_sharding,
)
from jax._src.core.shardings import GSPMDSharding as GSPMDSharding

_doc_examples.attach(__name__)
