"""Kernels over blocks of arrays."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.numpy.dynamic_slices import Slice as Slice, ds as ds, ds as dslice
from jax._src.pallas.block_dims import (
    BlockDim as BlockDim,
    Blocked as Blocked,
    BoundedSlice as BoundedSlice,
    Element as Element,
    Indirect as Indirect,
    Squeezed as Squeezed,
    squeezed as squeezed,
)
from jax._src.pallas.call import pallas_call as pallas_call
from jax._src.pallas.checking_mode import InterpretParams as InterpretParams
from jax._src.pallas.copies import select_ref as select_ref
from jax._src.pallas.core_maps import core_map as core_map, kernel as kernel
from jax._src.pallas.cost import (
    CostEstimate as CostEstimate,
    estimate_cost as estimate_cost,
)
from jax._src.pallas.debugging import (
    debug_check as debug_check,
    debug_checks_enabled as debug_checks_enabled,
    debug_print as debug_print,
    enable_debug_checks as enable_debug_checks,
    enable_poison_buffers as enable_poison_buffers,
)
from jax._src.pallas.drawing import draw as draw
from jax._src.pallas.exporting import (
    lower_as_mlir as lower_as_mlir,
    pallas_export_experimental as pallas_export_experimental,
)
from jax._src.pallas.helpers import (
    align_to as align_to,
    broadcast_to as broadcast_to,
    cdiv as cdiv,
    delay as delay,
    empty as empty,
    empty_like as empty_like,
    get_global as get_global,
    loop as loop,
    multiple_of as multiple_of,
    next_power_of_2 as next_power_of_2,
    reciprocal as reciprocal,
    strides_from_shape as strides_from_shape,
    when as when,
)
from jax._src.pallas.memory import (
    ANY as ANY,
    HOST as HOST,
    MemoryRef as MemoryRef,
    MemorySpace as MemorySpace,
)
from jax._src.pallas.primitive import pallas_call_p as pallas_call_p
from jax._src.pallas.program_ids import (
    num_programs as num_programs,
    program_id as program_id,
)
from jax._src.pallas.remote import semaphore_signal as semaphore_signal
from jax._src.pallas.scoped import (
    empty_ref_like as empty_ref_like,
    run_scoped as run_scoped,
    run_state as run_state,
    with_scoped as with_scoped,
)
from jax._src.pallas.semaphores import (
    DeviceIdType as DeviceIdType,
    semaphore as semaphore,
    semaphore_read as semaphore_read,
    semaphore_wait as semaphore_wait,
)
from jax._src.pallas.specs import (
    BlockSpec as BlockSpec,
    Buffered as Buffered,
    CompilerParams as CompilerParams,
    GridSpec as GridSpec,
    RevisitMode as RevisitMode,
    no_block_spec as no_block_spec,
)
from jax._src.pallas.triton.api import dot as dot

_doc_examples.attach(__name__)
