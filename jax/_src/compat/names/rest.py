"""Rows of everything else: see `table`."""

TABLE = {
    "jax._src.blocked_sampler": """
        jax: Array
        modules: jnp=jax._src.numpy jax._src.random
    """,
    "jax._src.buffer_callback": """
        jax.experimental.buffer_callback: Buffer buffer_callback ExecutionContext ExecutionStage
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.core jax._src.dispatch
        modules: jax._src.effects jax._src.ffi jax._src.interpreters.mlir jax._src.tree_util jax._src.util
    """,
    "jax._src.cache_key": """
        modules: jax._src.config
    """,
    "jax._src.callback": """
        jax: Array pure_callback
        jax.experimental: io_callback
        jax.interpreters.mlir: emit_python_callback
        jax.sharding: Sharding SingleDeviceSharding
        modules: jax._src.interpreters.ad jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jax._src.effects jax._src.ffi jax._src.interpreters.mlir
        modules: jax._src.sharding_impls jax._src.tree_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.clusters": """
        jax._src.distributed.clusters.third_party_clusters: ClusterEnv GceTpuCluster GkeTpuCluster K8sCluster Mpi4pyCluster
        jax._src.distributed.clusters.third_party_clusters: OmpiCluster SlurmCluster
    """,
    "jax._src.clusters.cluster": "",
    "jax._src.clusters.k8s_cluster": """
        modules: jax._src.clusters
    """,
    "jax._src.clusters.mpi4py_cluster": """
        modules: jax._src.clusters
    """,
    "jax._src.clusters.ompi_cluster": """
        modules: jax._src.clusters
    """,
    "jax._src.clusters.slurm_cluster": """
        modules: jax._src.clusters
    """,
    "jax._src.compilation_cache": """
        jax.experimental.compilation_cache.compilation_cache: reset_cache set_cache_dir
        modules: jax._src.cache_key jax._src.config jax._src.monitoring
    """,
    "jax._src.compilation_cache_interface": """
        modules: jax._src.util
    """,
    "jax._src.compiler": """
        jax._src.runtime.compilation.compile: backend_compile_and_load=compile_module
        jax.extend.backend: get_compile_options
        modules: cache_key_type=jax._src.cache_key jax._src.compilation_cache jax._src.config jax._src.distributed
        modules: jax._src.lib jax._src.interpreters.mlir jax._src.monitoring pathlib=jax._src.path jax._src.profiler
        modules: jax._src.traceback_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.cudnn": "",
    "jax._src.cudnn.fused_attention_stablehlo": """
        jax: Array NamedSharding PartitionSpec=P
        jax._src.nn.fused_attention: _normalize_layout=normalize_layout AttentionLayout check_compute_capability
        jax._src.nn.fused_attention: check_cudnn_version check_is_flash_attention check_layout
        jax.experimental.custom_partitioning: ArrayMapping CompoundFactor custom_partitioning SdyShardingRule
        modules: jax._src.interpreters.batching jax._src.core jax._src.custom_derivatives jax._src.dispatch
        modules: jax._src.dtypes jnp=jax._src.numpy lax_parallel=jax._src.lax.parallel jax._src.interpreters.mlir
        modules: jax._src.xla_bridge
    """,
    "jax._src.cudnn.fusion": """
        modules: jax._src.api jax_core=jax._src.core jax._src.interpreters.mlir jax._src.tree_util
    """,
    "jax._src.cudnn.scaled_matmul_stablehlo": """
        jax: Array custom_vjp NamedSharding
        jax.experimental.custom_partitioning: custom_partitioning
        modules: jax._src.api jax._src.interpreters.batching jax._src.core jax._src.dispatch jax._src.dtypes
        modules: jnp=jax._src.numpy jax._src.lax.lax lax_internal=jax._src.lax lax_parallel=jax._src.lax.parallel
        modules: jax._src.interpreters.mlir jax._src.tree_util
    """,
    "jax._src.custom_partitioning_sharding_rule": """
        jax.experimental.custom_partitioning: ArrayMapping CompoundFactor SdyShardingRule
    """,
    "jax._src.debugging": """
        jax: NamedSharding
        jax._src.debugging.callback: debug_callback_p debug_effect ordered_debug_effect
        jax.debug: debug_callback=callback debug_print=print DebugEffect inspect_array_sharding OrderedDebugEffect
        jax.debug: visualize_array_sharding visualize_sharding
        jax.sharding: Sharding
        modules: jax._src.interpreters.ad jax._src.api jax._src.interpreters.batching cb=jax._src.callback
        modules: jax._src.config jax._src.core jax._src.dispatch jax._src.effects jnp=jax._src.numpy.lax_numpy
        modules: jax._src.lax mesh_lib=jax._src.mesh jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.shard_map jax._src.sharding_impls jax._src.source_info_util
        modules: state_discharge=jax._src.state.discharge jax._src.tree_util jax._src.util jax._src.xla_bridge
    """,
    "jax._src.dispatch": """
        jax: Device NamedSharding PartitionSpec=P
        jax._src.compat.evaluation: apply_primitive BACKEND_COMPILE_EVENT check_special jaxpr_has_primitive JAXPR_TO_MLIR_MODULE_EVENT
        jax._src.compat.evaluation: JAXPR_TRACE_EVENT log_elapsed_time needs_check_special prim_requires_devices_during_lowering
        jax._src.compat.evaluation: runtime_tokens simple_impl xla_primitive_callable
        jax._src.runtime.tokens: effects_barrier
        jax._src.runtime.tokens: wait_for_tokens=effects_barrier
        jax.experimental.layout: Format Layout
        jax.extend.core: array_types
        jax.extend.core.primitives: device_put_p
        jax.extend.sharding: GSPMDSharding
        jax.interpreters.mlir: Mesh
        jax.interpreters.xla: Backend
        jax.monitoring: record_event_duration_secs record_event_time_span record_scalar
        jax.sharding: AbstractMesh make_single_device_sharding Sharding
        modules: jax._src.interpreters.ad jax._src.api jax._src.array jax._src.basearray
        modules: jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dtypes jax._src.literals
        modules: jax._src.interpreters.mlir jax._src.interpreters.partial_eval jax._src.pjit
        modules: jax._src.interpreters.pxla jax._src.traceback_util jax._src.util jax._src.xla_bridge
    """,
    "jax._src.distributed": """
        modules: jax._src.config jax._src.xla_bridge
    """,
    "jax._src.dlpack": """
        jax: Array device_put
        jax.dlpack: from_dlpack is_supported_dtype
        jax.sharding: Sharding
        modules: jax._src.array jax._src.dtypes jnp=jax._src.numpy.lax_numpy jnp_types=jax._src.numpy.scalar_types
        modules: jax._src.xla_bridge
    """,
    "jax._src.earray": """
        jax._src.runtime.arrays.extended_arrays: EArray
        jax.api_util: safe_map
        modules: jax._src.basearray jax._src.core jax._src.dtypes jax._src.interpreters.pxla jax._src.sharding_impls
        modules: jax._src.tree_util
    """,
    "jax._src.environment_info": """
        jax: print_environment_info
        modules: jax._src.lib xb=jax._src.xla_bridge
    """,
    "jax._src.error_check": """
        jax: Array NamedSharding
        modules: jax._src.export._export jax._src.core jax._src.lax.lax mesh_lib=jax._src.mesh jax._src.shard_map
        modules: jax._src.source_info_util jax._src.traceback_util jax._src.tree_util
    """,
    "jax._src.ffi": """
        jax: Array
        jax.experimental.layout: Layout
        jax.ffi: build_ffi_lowering_function ffi_call ffi_lowering include_dir pycapsule register_ffi_target
        jax.ffi: register_ffi_target_as_batch_partitionable register_ffi_type register_ffi_type_id
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.core jax._src.dispatch
        modules: jax._src.effects jax._src.interpreters.mlir jax._src.util jax._src.xla_bridge
    """,
    "jax._src.flatten_util": """
        jax.tree_util: PyTreeDef tree_flatten tree_unflatten
        modules: jax._src.lax.lax
    """,
    "jax._src.hashable_array": "",
    "jax._src.image": "",
    "jax._src.image.scale": """
        jax._src.compat.resizing: _kernels=kernels _resize=resize area_kernel compute_weight_mat ResizeMethod
        jax._src.image.resizing: _fill_triangle_kernel=triangle _resize_nearest=_nearest
        jax.image: resize scale_and_translate
        modules: jax._src.api jax._src.core jax._src.dtypes jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum
        modules: jax._src.lax.lax
    """,
    "jax._src.indexing": """
        jax: Array ds dslice=ds
        modules: jax._src.core jax._src.tree_util
    """,
    "jax._src.jaxpr_util": """
        modules: jax._src.config jax._src.core jax._src.path pp=jax._src.pretty_printer jax._src.source_info_util
        modules: jax._src.util
    """,
    "jax._src.lib": """
        jax: Device
        jax._src.compat.library: cuda_path ifrt_version jaxlib_extension_version version version_str
    """,
    "jax._src.lib._jax": """
        jaxlib._jax: PjitFunction
    """,
    "jax._src.lib.gpu_triton": """
        jax._src.compat.library: _cuda_triton=cuda_plugin _hip_triton=rocm_plugin
    """,
    "jax._src.lib.mlir": """
        jaxlib.mlir.passmanager: PassManager
    """,
    "jax._src.lib.mlir.dialects": """
        jaxlib.mlir.dialects: register
        modules: jaxlib.mlir.dialects.arith jaxlib.mlir.dialects.builtin jaxlib.mlir.dialects.chlo
        modules: jaxlib.mlir.dialects.func jaxlib.mlir.dialects.gpu hlo=jaxlib.mlir.dialects.stablehlo jax._src.lib
        modules: jaxlib.mlir.dialects.llvm jaxlib.mlir.dialects.math jaxlib.mlir.dialects.memref
        modules: jaxlib.mlir.dialects.nvvm jaxlib.mlir.dialects.scf jaxlib.mlir.dialects.sdy
        modules: jaxlib.mlir.dialects.sparse_tensor jaxlib.mlir.dialects.stablehlo jaxlib.mlir.dialects.vector
    """,
    "jax._src.lib.xla_client": """
        jaxlib.xla_client: ArrayImpl Client CompileOptions Device Memory XlaRuntimeError
        modules: _xla=jaxlib._jax
    """,
    "jax._src.logging_config": "",
    "jax._src.lru_cache": """
        modules: pathlib=jax._src.path
    """,
    "jax._src.mesh_utils": """
        jax.experimental.mesh_utils: create_device_mesh create_hybrid_device_mesh device_kind_handler_dict
        modules: xb=jax._src.xla_bridge
    """,
    "jax._src.monitoring": """
        jax.monitoring: clear_event_listeners record_event record_event_duration_secs record_event_time_span record_scalar
        jax.monitoring: register_event_duration_secs_listener register_event_listener register_event_time_span_listener
        jax.monitoring: register_scalar_listener unregister_event_duration_listener unregister_event_listener
        jax.monitoring: unregister_event_time_span_listener unregister_scalar_listener
    """,
    "jax._src.nn": "",
    "jax._src.nn.functions": """
        jax: Array NamedSharding
        jax.nn: _logsumexp=logsumexp celu dot_product_attention elu gelu get_scaled_dot_general_config glu
        jax.nn: hard_sigmoid hard_silu hard_swish=hard_silu hard_tanh identity leaky_relu log1mexp log_sigmoid
        jax.nn: log_softmax logmeanexp logsumexp mish one_hot relu relu6 scaled_dot_general scaled_matmul selu
        jax.nn: sigmoid silu soft_sign softmax softplus sparse_plus sparse_sigmoid squareplus standardize swish=silu
        modules: jax._src.api jax._src.config jax._src.core jax._src.custom_derivatives jax._src.deprecations
        modules: jax._src.dtypes jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum jax._src.lax
        modules: numpy_util=jax._src.numpy.util jax._src.util
    """,
    "jax._src.nn.initializers": """
        jax: NamedSharding PartitionSpec=P
        modules: jax._src.core jnp=jax._src.numpy jax._src.random
    """,
    "jax._src.op_shardings": "",
    "jax._src.ops": "",
    "jax._src.ops.scatter": """
        jax: Array NamedSharding
        jax.ops: segment_max segment_min segment_prod segment_sum
        jax.sharding: auto_axes
        modules: jax._src.config jax._src.core jax._src.dtypes jax._src.numpy.indexing jnp=jax._src.numpy
        modules: jax._src.lax.lax jax._src.numpy.reductions jax._src.lax.slicing jax._src.tree_util jax._src.util
    """,
    "jax._src.ops.special": """
        jax: Array
        jax.nn: logsumexp
        modules: jax._src.config jnp=jax._src.numpy.lax_numpy jax._src.lax.lax jax._src.numpy.reductions
        modules: jax._src.numpy.ufuncs
    """,
    "jax._src.path": "",
    "jax._src.pretty_printer": """
        jax._src.compat.printer: brk color concat Doc group join nest nil text
        modules: jax._src.config
    """,
    "jax._src.profiler": """
        jax.profiler: annotate_function start_trace StepTraceAnnotation stop_trace trace TraceAnnotation
        modules: jax_version_module=jax.version jax._src.traceback_util jax._src.xla_bridge
    """,
    "jax._src.ref": """
        jax: new_ref
        modules: jax._src.core
    """,
    "jax._src.sourcemap": """
        jax.experimental.source_mapper: MappingsGenerator SourceMap
    """,
    "jax._src.xla_bridge": """
        jax: host_count host_id host_ids
        jax._src.compat.backend: backends_are_initialized
        jax._src.runtime.devices.backends: _started backends default_backend device_count devices get_backend local_device_count
        jax._src.runtime.devices.backends: local_devices process_count process_index process_indices
        jax._src.runtime.devices.backends: _backends=_started
        jax._src.runtime.devices.plugins: register_backend_factory register_plugin
        jax.extend.backend: backend_xla_version
        modules: jax._src.config jax._src.distributed jax._src.traceback_util jax._src.util
    """,
    "jax._src.xla_metadata": """
        jax.experimental.xla_metadata: set_xla_metadata
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.dispatch jax._src.interpreters.mlir jax._src.tree_util jax._src.xla_metadata_lib
    """,
    "jax._src.xla_metadata_lib": """
        modules: jax._src.config
    """,
    "jax._src.effects": """
        jax._src.core.effects: control_flow_allowed_effects custom_derivatives_allowed_effects Effect Effects
        jax._src.core.effects: EffectTypeSet=EffectKinds lowerable_effects no_effects ordered_effects
        jax._src.core.effects: partial_eval_kept_effects remat_allowed_effects shardable_ordered_effects
    """,
    "jax._src.export": "",
    "jax._src.export._export": """
        jax: NamedSharding
        jax.export: default_export_platform default_lowering_platform=default_export_platform deserialize
        jax.export: DisabledSafetyCheck export Exported register_namedtuple_serialization
        jax.export: register_pytree_node_serialization
        modules: jax._src.ad_util jax._src.api jax._src.config jax._src.core jax._src.custom_derivatives
        modules: jax._src.dispatch jax._src.dtypes jax._src.effects jax._src.lax.linalg mesh_lib=jax._src.mesh
        modules: jax._src.interpreters.mlir jax._src.pjit jax._src.interpreters.pxla jax._src.export.shape_poly
        modules: jax._src.sharding jax._src.sharding_impls jax._src.source_info_util jax._src.stages
        modules: jax._src.traceback_util jax._src.tree_util jax._src.typing jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.export.serialization": """
        modules: jax._src.export._export jax._src.core jax._src.dtypes jax._src.effects jax._src.mesh
        modules: jax._src.named_sharding jax._src.partition_spec jax._src.export.shape_poly jax._src.tree_util
    """,
    "jax._src.export.shape_poly": """
        jax.export: is_symbolic_dim symbolic_args_specs symbolic_shape SymbolicScope
        modules: jax._src.api jax._src.config jax._src.core jax._src.dtypes jax._src.effects
        modules: jax._src.interpreters.mlir jax._src.source_info_util jax._src.tree_util jax._src.typing
        modules: jax._src.util
    """,
    "jax._src.export.shape_poly_decision": """
        jax.export: SymbolicScope
        modules: jax._src.core jax._src.export.shape_poly
    """,
}
