"""Checkpoints of arrays, written beside the computation."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.checkpoints.agreement import BarrierTimeoutError as BarrierTimeoutError
from jax._src.checkpoints.arrays import (
    async_deserialize as async_deserialize,
    async_serialize as async_serialize,
    run_deserialization as run_deserialization,
    run_serialization as run_serialization,
)
from jax._src.checkpoints.manager import (
    AsyncManager as AsyncManager,
    GlobalAsyncCheckpointManager as GlobalAsyncCheckpointManager,
    GlobalAsyncCheckpointManagerBase as GlobalAsyncCheckpointManagerBase,
    get_tensorstore_spec as get_tensorstore_spec,
)
from jax._src.checkpoints.specs import is_remote_storage as is_remote_storage

_doc_examples.attach(__name__)
