"""Values that the processes of a program exchange, and barriers."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.runtime.processes.host_local import (
    global_array_to_host_local_array as global_array_to_host_local_array,
    global_array_to_host_local_array_impl as global_array_to_host_local_array_impl,
    global_array_to_host_local_array_p as global_array_to_host_local_array_p,
    gtl_abstract_eval as gtl_abstract_eval,
    host_local_array_to_global_array as host_local_array_to_global_array,
    host_local_array_to_global_array_impl as host_local_array_to_global_array_impl,
    host_local_array_to_global_array_p as host_local_array_to_global_array_p,
    ltg_abstract_eval as ltg_abstract_eval,
    ltg_batcher as ltg_batcher,
)
from jax._src.runtime.processes.liveness import (
    ProcessFailureError as ProcessFailureError,
    live_devices as live_devices,
    reached_preemption_sync_point as reached_preemption_sync_point,
)
from jax._src.runtime.processes.multihost import (
    assert_equal as assert_equal,
    broadcast_one_to_all as broadcast_one_to_all,
    process_allgather as process_allgather,
    sync_global_devices as sync_global_devices,
)

_doc_examples.attach(__name__)
