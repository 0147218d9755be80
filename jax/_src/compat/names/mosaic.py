"""Rows of kernels for GPUs in Mosaic's language: see `table`."""

_UTILS = """
        jax._src.pallas.mosaic_gpu.layouts: WARPGROUP_SIZE WARPS_IN_WARPGROUP WARP_SIZE
        jax._src.pallas.mosaic_gpu.programs_only: bitcast bitwidth bitwidth_impl block_idx bytewidth c clock
        jax._src.pallas.mosaic_gpu.programs_only: cluster_collective_mask cluster_idx commit_shared debug_print
        jax._src.pallas.mosaic_gpu.programs_only: dtype_to_ir_type dyn_dot elements_to_bytes fence_release_sys fori
        jax._src.pallas.mosaic_gpu.programs_only: get_arch get_cluster_ptr get_cluster_ref
        jax._src.pallas.mosaic_gpu.programs_only: get_memref_llvm_address_space getelementptr globaltimer
        jax._src.pallas.mosaic_gpu.programs_only: gpu_address_space_to_nvptx is_cluster_smem_ref is_known_divisible
        jax._src.pallas.mosaic_gpu.programs_only: is_memref_transposed is_signed is_smem_ref is_tmem_ref memref_fold
        jax._src.pallas.mosaic_gpu.programs_only: memref_ptr memref_reshape memref_slice memref_transpose
        jax._src.pallas.mosaic_gpu.programs_only: memref_unfold memref_unsqueeze multimem_load_reduce multimem_store
        jax._src.pallas.mosaic_gpu.programs_only: nanosleep nvvm_mbarrier_arrive_expect_tx nvvm_shfl_sync pack_array
        jax._src.pallas.mosaic_gpu.programs_only: parse_indices prmt ptr_as_memref query_cluster_cancel redux
        jax._src.pallas.mosaic_gpu.programs_only: shfl_bfly single_thread single_thread_predicate smem smem_cluster
        jax._src.pallas.mosaic_gpu.programs_only: smid thread_idx tmem try_cluster_cancel vector_concat vector_slice
        jax._src.pallas.mosaic_gpu.programs_only: warp_barrier warp_idx warp_tree_reduce warpgroup_barrier
        jax._src.pallas.mosaic_gpu.programs_only: warpgroup_idx when
        jax._src.pallas.mosaic_gpu.structures: DYNAMIC DYNAMIC32 MBARRIER_BYTES WORKGROUP_NVPTX_ADDRESS_SPACE
        jax._src.pallas.mosaic_gpu.structures: Arch BarrierRef CollectiveBarrierRef DialectBarrierRef ForResult
        jax._src.pallas.mosaic_gpu.structures: MultimemRef Partition Partition1D SemaphoreRef ceil_div
        jax._src.pallas.mosaic_gpu.structures: get_contiguous_strides reduce_shape
        jax._src.pallas.mosaic_gpu.transforms: DynamicSlice MultimemReductionOp ThreadSubset ds=DynamicSlice
        jax._src.pallas.mosaic_gpu.transforms: tile_shape
"""

TABLE = {
    "jax.experimental.pallas.fuser": """
        jax._src.pallas.fuser.blocks: BlockIndexTransform get_fusion_values get_stateful_input_fusion_values
        jax._src.pallas.fuser.blocks: get_stateful_output_fusion_values make_scalar_prefetch_handler pull_block_spec
        jax._src.pallas.fuser.blocks: push_block_spec
        jax._src.pallas.fuser.custom: custom_fusion evaluate
        jax._src.pallas.fuser.fusion: Fusion fuse fusible
    """,
    "jax.experimental.pallas.ops.gpu": "",
    "jax.experimental.pallas.ops.gpu.attention": """
        jax._src.pallas.ops.attention: BlockSizes DEFAULT_MASK_VALUE mha mha_reference segment_mask
    """,
    "jax.experimental.pallas.ops.gpu.decode_attention": """
        jax._src.pallas.ops.decoding: gqa gqa_reference mha_reference mqa mqa_reference
    """,
    "jax.experimental.pallas.ops.gpu.layer_norm": """
        jax._src.pallas.ops.norms: layer_norm layer_norm_backward layer_norm_forward layer_norm_reference
    """,
    "jax.experimental.pallas.ops.gpu.paged_attention": """
        jax._src.pallas.ops.paging: DEFAULT_MASK_VALUE paged_attention paged_attention_reference
    """,
    "jax.experimental.pallas.ops.gpu.rms_norm": """
        jax._src.pallas.ops.norms: rms_norm rms_norm_backward rms_norm_forward rms_norm_reference
    """,
    "jax.experimental.pallas.ops.gpu.softmax": """
        jax._src.pallas.ops.norms: softmax
    """,
    "jax.experimental.pallas.ops.gpu.all_gather_mgpu": """
        jax._src.pallas.ops.rings: all_gather=all_gather_of_parts
    """,
    "jax.experimental.pallas.ops.gpu.attention_mgpu": """
        jax._src.pallas.ops.hopper_attention: attention attention_reference attention_with_pipeline_emitter
        jax._src.pallas.ops.hopper_attention: PipelineCallback TuningConfig
        jax._src.pallas.ops.gpu_products: main=measure
    """,
    "jax.experimental.pallas.ops.gpu.blackwell_matmul_mgpu": """
        jax._src.pallas.ops.gpu_products: main MatmulDimension matmul_kernel TuningConfig=BlackwellConfig
    """,
    "jax.experimental.pallas.ops.gpu.blackwell_ragged_dot_mgpu": """
        jax._src.pallas.ops.gpu_products: do_matmul main ragged_dot_kernel ragged_dot_reference sample_group_sizes
        jax._src.pallas.ops.gpu_products: TuningConfig=BlackwellRaggedConfig
    """,
    "jax.experimental.pallas.ops.gpu.collective_matmul_mgpu": """
        jax._src.pallas.ops.gpu_products: all_gather_lhs_matmul is_nvshmem_used MatmulDimension TuningConfig=HopperConfig
    """,
    "jax.experimental.pallas.ops.gpu.hopper_matmul_mgpu": """
        jax._src.pallas.ops.gpu_products: get_num_sms kernel main matmul MatmulDimension TuningConfig=HopperConfig
    """,
    "jax.experimental.pallas.ops.gpu.hopper_mixed_type_matmul_mgpu": """
        jax._src.pallas.ops.gpu_products: main MatmulDimension mixed_matmul_kernel reference TuningConfig=HopperConfig
    """,
    "jax.experimental.pallas.ops.gpu.ragged_dot_mgpu": """
        jax._src.pallas.ops.gpu_products: GroupInfo main=measure ragged_dot
    """,
    "jax.experimental.pallas.ops.gpu.reduce_scatter_mgpu": """
        jax._src.pallas.ops.rings: reduce_scatter
    """,
    "jax.experimental.pallas.ops.gpu.transposed_ragged_dot_mgpu": """
        jax._src.pallas.ops.gpu_products: main=measure ref_transposed_ragged_dot transposed_ragged_dot
    """,
    "jax.experimental.pallas.ops.tpu.all_gather": """
        jax._src.pallas.ops.rings: ag_kernel all_gather get_neighbor P
    """,
    "jax.experimental.pallas.ops.tpu.example_kernel": """
        jax._src.pallas.ops.products: double double_kernel
    """,
    "jax.experimental.pallas.ops.tpu.flash_attention": """
        jax._src.pallas.ops.flash: below_or_on_diag BlockSizes DEFAULT_MASK_VALUE flash_attention mha_reference
        jax._src.pallas.ops.flash: mha_reference_bwd mha_reference_no_custom_vjp MIN_BLOCK_SIZE NUM_LANES NUM_SUBLANES
        jax._src.pallas.ops.flash: SegmentIds TRANS_B_DIM_NUMBERS
    """,
    "jax.experimental.pallas.ops.tpu.matmul": """
        jax._src.pallas.ops.products: matmul matmul_kernel
    """,
    "jax.experimental.pallas.ops.tpu.paged_attention": """
        jax._src.pallas.ops.page_lists: paged_attention
    """,
    "jax.experimental.pallas.ops.tpu.paged_attention.paged_attention_kernel": """
        jax._src.pallas.ops.page_lists: DEFAULT_MASK_VALUE paged_attention
    """,
    "jax.experimental.pallas.ops.tpu.paged_attention.quantization_utils": """
        jax._src.pallas.ops.quantized: from_int8 get_quantization_scales MAX_INT8 P QuantizedTensor quantize_to_int8
        jax._src.pallas.ops.quantized: to_int8 unquantize_from_int8
    """,
    "jax.experimental.pallas.ops.tpu.paged_attention.util": """
        jax._src.pallas.ops.page_lists: grouped_query_attention_reference MASK_VALUE
    """,
    "jax.experimental.pallas.ops.tpu.ragged_paged_attention": """
        jax._src.pallas.ops.ragged_pages: dynamic_validate_inputs ragged_paged_attention ref_ragged_paged_attention
        jax._src.pallas.ops.ragged_pages: static_validate_inputs
        jax._src.pallas.ops.tuned_blocks: get_tuned_block_sizes
    """,
    "jax.experimental.pallas.ops.tpu.ragged_paged_attention.kernel": """
        jax._src.pallas.ops.ragged_pages: DEFAULT_MASK_VALUE dynamic_validate_inputs get_dtype_packing
        jax._src.pallas.ops.ragged_pages: get_min_heads_per_blk ragged_paged_attention
        jax._src.pallas.ops.ragged_pages: ref_ragged_paged_attention static_validate_inputs
    """,
    "jax.experimental.pallas.ops.tpu.ragged_paged_attention.tuned_block_sizes": """
        jax._src.pallas.ops.tuned_blocks: get_device_name get_min_page_size get_tpu_version get_tuned_block_sizes
        jax._src.pallas.ops.tuned_blocks: MAX_PAGES_PER_SEQ next_power_of_2 simplify_key TUNED_BLOCK_SIZES
    """,
    "jax.experimental.pallas.ops.tpu.random": "",
    "jax.experimental.pallas.ops.tpu.random.philox": """
        jax._src.pallas.ops.random_bits: BLOCK_SIZE K_HI_32 K_LO_32 mul32_hi_lo MUL_A MUL_B philox_4x32 philox_4x32_count
        jax._src.pallas.ops.random_bits: philox_4x32_kernel philox_fold_in philox_random_bits philox_split
        jax._src.pallas.ops.random_bits: plphilox_prng_impl Shape
    """,
    "jax.experimental.pallas.ops.tpu.random.prng_utils": """
        jax._src.pallas.ops.random_bits: blocked_iota compute_scalar_offset round_up Shape
    """,
    "jax.experimental.pallas.ops.tpu.random.threefry": """
        jax._src.pallas.ops.random_bits: BLOCK_SIZE plthreefry_prng_impl plthreefry_random_bits Shape
        jax._src.pallas.ops.random_bits: threefry_2x32_count
    """,
    "jax.experimental.mosaic": "",
    "jax.experimental.mosaic.gpu": """
        jax: ShapeDtypeStruct
        jax._src.pallas.mosaic_gpu.layouts: FragmentedLayout TCGEN05_COL_LAYOUT TCGEN05_LAYOUT TCGEN05_ROW_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: TCGEN05_TRANSPOSED_LAYOUT TMA_INDICES_4_LAYOUT TMA_INDICES_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: TMEM_NATIVE_LAYOUT TiledLayout WGMMA_COL_LAYOUT WGMMA_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: WGMMA_LAYOUT_8BIT WGMMA_LAYOUT_UPCAST_2X WGMMA_LAYOUT_UPCAST_4X
        jax._src.pallas.mosaic_gpu.layouts: WGMMA_ROW_LAYOUT WGMMA_TRANSPOSED_LAYOUT WGSplatFragLayout
        jax._src.pallas.mosaic_gpu.layouts: WGStridedFragLayout tmem_native_layout
        jax._src.pallas.mosaic_gpu.programs_only: as_gpu_kernel as_torch_gpu_kernel bitwidth bytewidth c commit_shared
        jax._src.pallas.mosaic_gpu.programs_only: copy_tiled debug_print fori get_cluster_ref infer_layout
        jax._src.pallas.mosaic_gpu.programs_only: is_known_divisible lower_mgpu_dialect memref_fold memref_reshape
        jax._src.pallas.mosaic_gpu.programs_only: memref_slice memref_transpose memref_unfold memref_unsqueeze mma
        jax._src.pallas.mosaic_gpu.programs_only: nanosleep optimization_barrier query_cluster_cancel single_thread
        jax._src.pallas.mosaic_gpu.programs_only: single_thread_predicate thread_idx to_layout_attr try_cluster_cancel
        jax._src.pallas.mosaic_gpu.programs_only: warp_idx warpgroup_barrier warpgroup_idx wgmma when
        jax._src.pallas.mosaic_gpu.structures: Barrier BarrierRef ClusterBarrier CollectiveBarrierRef
        jax._src.pallas.mosaic_gpu.structures: DialectBarrierRef FragmentedArray LaunchContext MMALayouts Partition
        jax._src.pallas.mosaic_gpu.structures: Partition1D SemaphoreRef TMABarrier TMEM Union WGMMAAccumulator
        jax._src.pallas.mosaic_gpu.structures: is_nvshmem_available
        jax._src.pallas.mosaic_gpu.transforms: AsyncCopyImplementation CopyPartition DynamicSlice GLOBAL_BROADCAST
        jax._src.pallas.mosaic_gpu.transforms: LoweringSemantics MemRefTransform MultimemReductionOp OOBFillMode
        jax._src.pallas.mosaic_gpu.transforms: Rounding TMAReductionOp ThreadSubset TileTransform TransposeTransform
        jax._src.pallas.mosaic_gpu.transforms: ds=DynamicSlice tile_shape
    """,
    "jax.experimental.mosaic.gpu.core": """
        jax: ShapeDtypeStruct
        jax._src.pallas.mosaic_gpu.programs_only: artificial_shared_memory_limit as_gpu_kernel as_torch_gpu_kernel c
        jax._src.pallas.mosaic_gpu.programs_only: is_single_process_multi_device_topology
        jax._src.pallas.mosaic_gpu.structures: Barrier ClusterBarrier LaunchContext TMABarrier TMEM Union
        jax._src.pallas.mosaic_gpu.structures: is_nvshmem_available
        jax._src.pallas.mosaic_gpu.transforms: LoweringSemantics
    """,
    "jax.experimental.mosaic.gpu.fragmented_array": """
        jax._src.pallas.mosaic_gpu.layouts: FragmentedLayout TCGEN05_COL_LAYOUT TCGEN05_LAYOUT TCGEN05_ROW_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: TCGEN05_TRANSPOSED_LAYOUT TMA_INDICES_4_LAYOUT TMA_INDICES_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: TMEM_NATIVE_LAYOUT TiledLayout WGMMA_COL_LAYOUT WGMMA_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: WGMMA_LAYOUT_8BIT WGMMA_LAYOUT_UPCAST_2X WGMMA_LAYOUT_UPCAST_4X
        jax._src.pallas.mosaic_gpu.layouts: WGMMA_ROW_LAYOUT WGMMA_TRANSPOSED_LAYOUT WGSplatFragLayout
        jax._src.pallas.mosaic_gpu.layouts: WARPS_IN_WARPGROUP WARP_SIZE WGMMA_LAYOUT_ACC_32BIT
        jax._src.pallas.mosaic_gpu.layouts: WGStridedFragLayout tiled_copy_smem_gmem_layout tmem_native_layout WARPGROUP_SIZE
        jax._src.pallas.mosaic_gpu.programs_only: c copy_tiled optimization_barrier
        jax._src.pallas.mosaic_gpu.structures: FragmentedArray
        jax._src.pallas.mosaic_gpu.tilings: Replicated Tiling
        jax._src.pallas.mosaic_gpu.transforms: MultimemReductionOp Rounding
    """,
    "jax.experimental.mosaic.gpu.launch_context": """
        jax._src.pallas.mosaic_gpu.programs_only: c get_collective_metadata_size uses_collective_metadata
        jax._src.pallas.mosaic_gpu.structures: LaunchContext
        jax._src.pallas.mosaic_gpu.transforms: AsyncCopyImplementation CopyPartition GLOBAL_BROADCAST GlobalBroadcast
        jax._src.pallas.mosaic_gpu.transforms: MemRefTransform OOBFillMode Rounding TMAReductionOp TileTransform
        jax._src.pallas.mosaic_gpu.transforms: TransposeTransform
    """,
    "jax.experimental.mosaic.gpu.layouts": """
        jax._src.pallas.mosaic_gpu.programs_only: to_layout_attr
    """,
    "jax.experimental.mosaic.gpu.profiler": _UTILS
    + """        jax._src.pallas.mosaic_gpu.profiler: Cupti OnDeviceProfiler ProfilerSpec measure
    """,
    "jax.experimental.mosaic.gpu.tcgen05": """
        jax._src.pallas.mosaic_gpu.layouts: COL_LAYOUT=TCGEN05_COL_LAYOUT LAYOUT=TCGEN05_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: ROW_LAYOUT=TCGEN05_ROW_LAYOUT TMEMLayout TMEM_NATIVE_LAYOUT
        jax._src.pallas.mosaic_gpu.layouts: TRANSPOSED_LAYOUT=TCGEN05_TRANSPOSED_LAYOUT b_scales_m64_collective_layout
        jax._src.pallas.mosaic_gpu.layouts: fa_m64_collective_layout scales_layout sparse_meta_layout
        jax._src.pallas.mosaic_gpu.layouts: tmem_default_layout tmem_half_lane_layout tmem_m64_collective_layout
        jax._src.pallas.mosaic_gpu.structures: LaunchContext TMEM_MAX_COLS TMEM_ROWS tmem_alloc_exact_ncols
        jax._src.pallas.mosaic_gpu.tensor_memory_only: async_copy_scales_smem_to_tmem async_copy_smem_to_tmem
        jax._src.pallas.mosaic_gpu.tensor_memory_only: async_copy_sparse_metadata_smem_to_tmem commit_arrive
        jax._src.pallas.mosaic_gpu.tensor_memory_only: commit_tmem create_instr_descriptor
        jax._src.pallas.mosaic_gpu.tensor_memory_only: create_scaled_f4_instr_descriptor
        jax._src.pallas.mosaic_gpu.tensor_memory_only: create_scaled_f8f6f4_instr_descriptor mma tmem_alloc
        jax._src.pallas.mosaic_gpu.tensor_memory_only: tmem_dealloc tmem_relinquish_alloc_permit wait_load_tmem
    """,
    "jax.experimental.mosaic.gpu.utils": _UTILS,
    "jax.experimental.pallas.mosaic_gpu": """
        jax._src.pallas.mosaic_gpu.helpers: NDLoopInfo broadcasted_iota find_swizzle kernel layout_cast load nd_loop
        jax._src.pallas.mosaic_gpu.helpers: planar_snake
        jax._src.pallas.mosaic_gpu.kernels_only: as_torch_kernel async_copy_scales_to_tmem async_copy_smem_to_tmem
        jax._src.pallas.mosaic_gpu.kernels_only: async_copy_sparse_metadata_to_tmem async_load_tmem async_prefetch
        jax._src.pallas.mosaic_gpu.kernels_only: async_store_smem async_store_tmem atomic_add atomic_and atomic_max
        jax._src.pallas.mosaic_gpu.kernels_only: atomic_min atomic_or atomic_xor barrier_arrive barrier_test
        jax._src.pallas.mosaic_gpu.kernels_only: barrier_wait cluster_ref commit_smem commit_smem_to_gmem_group
        jax._src.pallas.mosaic_gpu.kernels_only: commit_tmem copy_gmem_to_smem copy_smem_to_gmem
        jax._src.pallas.mosaic_gpu.kernels_only: dynamic_scheduling_loop emit_pipeline emit_pipeline_warp_specialized
        jax._src.pallas.mosaic_gpu.kernels_only: format_tcgen05_sparse_metadata griddepcontrol_launch_dependents
        jax._src.pallas.mosaic_gpu.kernels_only: griddepcontrol_wait inline_mgpu multicast_ref multimem_load_reduce
        jax._src.pallas.mosaic_gpu.kernels_only: multimem_store print_layout query_cluster_cancel remote_ref
        jax._src.pallas.mosaic_gpu.kernels_only: semaphore_signal semaphore_signal_multicast semaphore_signal_parallel
        jax._src.pallas.mosaic_gpu.kernels_only: semaphore_wait set_max_registers tcgen05_commit_arrive tcgen05_mma
        jax._src.pallas.mosaic_gpu.kernels_only: transform_ref transpose_ref try_cluster_cancel wait_load_tmem
        jax._src.pallas.mosaic_gpu.kernels_only: wait_smem_to_gmem warp_map wgmma wgmma_accumulator_load wgmma_wait
        jax._src.pallas.mosaic_gpu.layout_names: Layout RefType ShapeDtypeStruct TMEMLayout
        jax._src.pallas.mosaic_gpu.memory: ACC=WGMMAAccumulatorRef Barrier ClusterBarrier GMEM MemorySpace REGS
        jax._src.pallas.mosaic_gpu.memory: RefUnion SMEM SemaphoreType TMEM TryClusterCancelResult WGMMAAccumulatorRef
        jax._src.pallas.mosaic_gpu.params: BlockSpec CompilerParams Mesh WarpMesh
        jax._src.pallas.mosaic_gpu.tilings: Replicated Tiling
        jax._src.pallas.mosaic_gpu.transforms: CopyPartition LoweringSemantics OOBFillMode PeerMemRef PipelinePipeline
        jax._src.pallas.mosaic_gpu.transforms: SemaphoreSignal SwizzleTransform TilingTransform TraceScope Transform
    """,
}
