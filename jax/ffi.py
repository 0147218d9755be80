"""Calls of native functions from compiled programs."""

from jax._src.compat.trace_state import abstract_token as abstract_token
from jax._src.ffi.calls import (
    ffi_call as ffi_call,
    include_dir as include_dir,
    pycapsule as pycapsule,
    register_ffi_type_id as register_ffi_type_id,
)
from jax._src.ffi.lowering import (
    ffi_lowering as ffi_lowering,
    register_ffi_target_as_batch_partitionable as register_ffi_target_as_batch_partitionable,
)
from jax._src.runtime.ffi import (
    register_ffi_target as register_ffi_target,
    register_ffi_type as register_ffi_type,
)

build_ffi_lowering_function = ffi_lowering
