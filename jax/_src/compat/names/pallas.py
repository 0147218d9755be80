"""Rows of the modules that Pallas is made of upstream: see `table`."""

TABLE = {
    "jax._src.pallas.mosaic": "",
    "jax._src.pallas.core": """
        jax.experimental.pallas: BlockSpec Blocked BoundedSlice Buffered CompilerParams CostEstimate Element
        jax.experimental.pallas: GridSpec Indirect MemoryRef MemorySpace RevisitMode Squeezed core_map debug_check
        jax.experimental.pallas: debug_checks_enabled enable_debug_checks enable_poison_buffers lower_as_mlir
        jax.experimental.pallas: no_block_spec pallas_export_experimental semaphore squeezed
    """,
    "jax._src.pallas.primitives": """
        jax.experimental.pallas: DeviceIdType Slice debug_print delay dot get_global multiple_of num_programs
        jax.experimental.pallas: program_id reciprocal run_scoped semaphore_read semaphore_signal semaphore_wait
    """,
    "jax._src.pallas.pallas_call": """
        jax.experimental.pallas: CompilerParams CostEstimate no_block_spec pallas_call pallas_call_p
    """,
    "jax._src.pallas.utils": """
        jax.experimental.pallas: align_to cdiv next_power_of_2 strides_from_shape
    """,
    "jax._src.pallas.cost_estimate": """
        jax.experimental.pallas: CostEstimate estimate_cost
    """,
    "jax._src.pallas.mosaic.core": """
        jax.experimental.pallas.tpu: ARBITRARY CORE_PARALLEL CompilerParams CoreType GridDimensionSemantics
        jax.experimental.pallas.tpu: MemorySpace PARALLEL PrefetchScalarGridSpec SUBCORE_PARALLEL SemaphoreType
        jax.experimental.pallas.tpu: SideEffectType create_tensorcore_mesh dma_semaphore
    """,
    "jax._src.pallas.mosaic.primitives": """
        jax.experimental.pallas.tpu: async_copy async_remote_copy bitcast get_barrier_semaphore load make_async_copy
        jax.experimental.pallas.tpu: make_async_remote_copy matmul_acc_lhs matmul_pop matmul_push_rhs
        jax.experimental.pallas.tpu: pack_elementwise prng_random_bits prng_seed roll stochastic_round store touch
        jax.experimental.pallas.tpu: trace_value unpack_elementwise with_memory_space_constraint
    """,
    "jax._src.pallas.mosaic.pipeline": """
        jax.experimental.pallas.tpu: ARBITRARY BufferType BufferedRef BufferedRefBase GridDimensionSemantics HBM
        jax.experimental.pallas.tpu: PARALLEL SMEM SemaphoreType Tiling VMEM emit_pipeline
        jax.experimental.pallas.tpu: emit_pipeline_with_allocations sync_copy
    """,
    "jax._src.pallas.mosaic.helpers": """
        jax.experimental.pallas.tpu: core_barrier run_on_first_core sync_copy
    """,
    "jax._src.pallas.mosaic.random": """
        jax.experimental.pallas.tpu: sample_block stateful_bernoulli stateful_bits stateful_normal stateful_uniform
        jax.experimental.pallas.tpu: to_pallas_key
    """,
}
