"""What kernels for TPUs are written with. A door."""

from jax._src.pallas.copies import (
    async_copy as async_copy,
    async_remote_copy as async_remote_copy,
    make_async_copy as make_async_copy,
    make_async_remote_copy as make_async_remote_copy,
    sync_copy as sync_copy,
)
from jax._src.pallas.semaphores import (
    SemaphoreType as SemaphoreType,
    dma_semaphore as dma_semaphore,
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
