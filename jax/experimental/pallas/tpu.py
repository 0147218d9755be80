"""What kernels for TPUs are written with."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.copies import (
    async_copy as async_copy,
    make_async_copy as make_async_copy,
    sync_copy as sync_copy,
)
from jax._src.pallas.helpers import reciprocal as reciprocal
from jax._src.pallas.memory import HOST as HOST
from jax._src.pallas.remote import (
    async_remote_copy as async_remote_copy,
    get_barrier_semaphore as get_barrier_semaphore,
    make_async_remote_copy as make_async_remote_copy,
    semaphore_signal as semaphore_signal,
)
from jax._src.pallas.semaphores import (
    DeviceIdType as DeviceIdType,
    SemaphoreType as SemaphoreType,
    dma_semaphore as dma_semaphore,
    semaphore as semaphore,
    semaphore_read as semaphore_read,
    semaphore_wait as semaphore_wait,
)
from jax._src.pallas.tpu.buffers import (
    BufferedRef as BufferedRef,
    BufferedRefBase as BufferedRefBase,
    BufferType as BufferType,
)
from jax._src.pallas.tpu.chips import (
    ChipVersion as ChipVersion,
    Tiling as Tiling,
    TpuInfo as TpuInfo,
    get_tpu_info as get_tpu_info,
    get_tpu_info_for_chip as get_tpu_info_for_chip,
    is_tpu_device as is_tpu_device,
)
from jax._src.pallas.tpu.loads import (
    load as load,
    store as store,
)
from jax._src.pallas.tpu.memory import (
    CMEM as CMEM,
    HBM as HBM,
    SEMAPHORE as SEMAPHORE,
    SMEM as SMEM,
    VMEM as VMEM,
    VMEM_SHARED as VMEM_SHARED,
    MemorySpace as MemorySpace,
    with_memory_space_constraint as with_memory_space_constraint,
)
from jax._src.pallas.tpu.meshes import (
    core_barrier as core_barrier,
    create_tensorcore_mesh as create_tensorcore_mesh,
    run_on_first_core as run_on_first_core,
)
from jax._src.pallas.tpu.moving import (
    bitcast as bitcast,
    einshape as einshape,
    roll as roll,
)
from jax._src.pallas.tpu.only import (
    LoweringException as LoweringException,
    matmul_acc_lhs as matmul_acc_lhs,
    matmul_pop as matmul_pop,
    matmul_push_rhs as matmul_push_rhs,
    pack_elementwise as pack_elementwise,
    prng_random_bits as prng_random_bits,
    prng_seed as prng_seed,
    stateful_bernoulli as stateful_bernoulli,
    stateful_bits as stateful_bits,
    stateful_normal as stateful_normal,
    stateful_uniform as stateful_uniform,
    stochastic_round as stochastic_round,
    to_pallas_key as to_pallas_key,
    touch as touch,
    trace_value as trace_value,
    unpack_elementwise as unpack_elementwise,
)
from jax._src.pallas.tpu.params import (
    ARBITRARY as ARBITRARY,
    CORE_PARALLEL as CORE_PARALLEL,
    PARALLEL as PARALLEL,
    SUBCORE_PARALLEL as SUBCORE_PARALLEL,
    CompilerParams as CompilerParams,
    CoreType as CoreType,
    GridDimensionSemantics as GridDimensionSemantics,
    InterpretParams as InterpretParams,
    PrefetchScalarGridSpec as PrefetchScalarGridSpec,
    SideEffectType as SideEffectType,
    force_tpu_interpret_mode as force_tpu_interpret_mode,
    reset_tpu_interpret_mode_state as reset_tpu_interpret_mode_state,
    set_tpu_interpret_mode as set_tpu_interpret_mode,
)
from jax._src.pallas.tpu.pipelines import (
    emit_pipeline as emit_pipeline,
    emit_pipeline_with_allocations as emit_pipeline_with_allocations,
)
from jax._src.pallas.tpu.sampling import sample_block as sample_block

_doc_examples.attach(__name__)
