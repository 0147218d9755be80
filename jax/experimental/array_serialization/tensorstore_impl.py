"""Reading and writing single arrays with tensorstore."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.checkpoints.arrays import (
    Future as Future,
    Transaction as Transaction,
    async_deserialize as async_deserialize,
    async_serialize as async_serialize,
    combine_kvstores as combine_kvstores,
    estimate_read_memory_footprint as estimate_read_memory_footprint,
)
from jax._src.checkpoints.specs import (
    get_tensorstore_spec as get_tensorstore_spec,
    is_tensorstore_spec_leaf as is_tensorstore_spec_leaf,
    merge_nested_ts_specs as merge_nested_ts_specs,
    verify_tensorstore_spec as verify_tensorstore_spec,
)

_doc_examples.attach(__name__)
