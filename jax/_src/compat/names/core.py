"""Rows of types, dtypes, shardings, options and small helpers: see `table`."""

TABLE = {
    "jax._src.abstract_arrays": """
        jax.core: ShapedArray
        jax.extend.core: AbstractToken array_types
        modules: jax._src.config jax._src.core jax._src.dtypes jax._src.literals jax._src.traceback_util
    """,
    "jax._src.ad_util": """
        jax: Array typeof
        jax._src.compat.derivatives: a2tz add_abstract add_impl aval_zeros_likers p2cz p2tz raw_jaxval_adders
        jax._src.compat.derivatives: replace_internal_symbolic_zeros replace_rule_output_symbolic_zeros zeros_like_jaxval
        jax._src.interpreters.ad: add_jaxvals instantiate=instantiate_zeros zeros_like_aval
        jax._src.interpreters.ad: instantiate_zeros SymbolicZero Zero
        jax._src.lax.ops.arithmetic: add_any_p
        jax._src.lax.ops.barriers: stop_gradient_p
        jax.api_util: safe_map
        jax.custom_derivatives: zero_from_primal
        jax.extend.core: Primitive
        jax.extend.core.primitives: add_jaxvals_p
        jax.tree_util: register_pytree_node tree_map
        modules: jax._src.core jax._src.traceback_util
    """,
    "jax._src.api_util": """
        jax._src.compat.api_util: argnums_partial debug_info donation_vector flatten_axes flatten_fun
        jax._src.compat.api_util: flatten_fun_nokwargs infer_argnums_and_argnames rebase_donate_argnums safe_map
        jax._src.compat.api_util: shaped_abstractify
        jax._src.compat.arguments: _ensure_inbounds=ensure_inbounds argnums_partial2
        jax._src.compat.arguments: _ensure_index=ensure_index _ensure_index_tuple=ensure_index_tuple _ensure_str=ensure_str
        jax._src.compat.arguments: _ensure_str_tuple=ensure_str_tuple check_callable fun_signature fun_sourceinfo is_hashable
        jax.ref: AbstractRef
        jax.tree_util: PyTreeDef tree_flatten tree_structure tree_unflatten treedef_children treedef_is_leaf
        modules: jax._src.config jax._src.core jax._src.dtypes lu=jax._src.linear_util jax._src.traceback_util
    """,
    "jax._src.array": """
        jax: Device make_array_from_callback make_array_from_process_local_data
        jax: make_array_from_single_device_arrays NamedSharding Shard
        jax._src.lib.client: ArrayImpl=Array
        jax.experimental.layout: Format Layout
        jax.sharding: make_single_device_sharding Sharding use_abstract_mesh
        jax.tree_util: tree_flatten tree_unflatten
        modules: jax._src.api jax._src.basearray jax._src.config jax._src.core jax._src.dtypes jax._src.errors
        modules: jax._src.literals jax._src.interpreters.mlir jax._src.profiler jax._src.interpreters.pxla
        modules: jax._src.util jax._src.xla_bridge
    """,
    "jax._src.basearray": """
        jax: Array
        modules: jax._src.deprecations
    """,
    "jax._src.config": """
        jax: allow_f16_reductions array_garbage_collection_guard auto_pcast check_tracer_leaks debug_infs
        jax: debug_key_reuse debug_nans default_device default_matmul_precision default_prng_impl enable_checks
        jax: enable_custom_prng enable_x64 explain_cache_misses jax2tf_associative_scan_reductions
        jax: legacy_prng_key log_compiles make_user_context no_execution no_tracing numpy_dtype_promotion
        jax: numpy_rank_promotion remove_size_one_mesh_axis_from_type softmax_custom_jvp thread_guard
        jax: threefry_partitionable transfer_guard transfer_guard_device_to_device transfer_guard_device_to_host
        jax: transfer_guard_host_to_device
        jax._src.base.config: Config config ExplicitX64Mode LegacyPrngKeyState NumpyDtypePromotion RuntimeTracebackMode
        jax._src.base.config: State=Option
        jax._src.base.options: captured_constants_report_frames captured_constants_warn_bytes check_static_indices
        jax._src.base.options: compilation_cache_check_contents compilation_cache_dir
        jax._src.base.options: compilation_cache_include_metadata_in_key compilation_cache_max_size disable_bwd_checks
        jax._src.base.options: disable_jit disable_vmap_shmap_error disallow_mesh_context_manager
        jax._src.base.options: eager_constant_folding enable_compilation_cache explicit_x64_dtypes
        jax._src.base.options: export_ignore_forward_compatibility hlo_source_file_canonicalization_regex
        jax._src.base.options: include_full_tracebacks_in_locations jax_dump_ir_modes=dump_ir_modes
        jax._src.base.options: jax_dump_ir_to=dump_ir_to
        jax._src.base.options: jax_export_calling_convention_version=export_calling_convention_version
        jax._src.base.options: jax_include_debug_info_in_dumps=include_debug_info_in_dumps
        jax._src.base.options: jax_pjrt_client_create_options=pjrt_client_create_options jax_platforms=platforms
        jax._src.base.options: log_checkpoint_residuals mutable_array_checks optimization_level
        jax._src.base.options: persistent_cache_min_compile_time_secs persistent_cache_min_entry_size_bytes
        jax._src.base.options: raise_persistent_cache_errors random_seed_offset share_binary_between_hosts
        jax._src.base.options: share_binary_between_hosts_timeout_ms traceback_filtering traceback_in_locations_limit
        jax._src.base.options: use_high_dynamic_range_gumbel=high_dynamic_range_gumbel use_shardy_partitioner
        jax._src.base.options: xla_runtime_errors=experimental_unsafe_xla_runtime_errors
        jax._src.compat.library: bool_env int_env
        jax._src.compat.options: _read=read bool_state enum_state float_state int_state optional_enum_state=enum_state
        jax._src.compat.options: Flag bool_flag enum_class_state enum_flag float_flag int_flag string_flag
        jax._src.compat.options: optional_string_state=string_state parse_flags_with_absl string_or_object_state
        jax._src.compat.options: string_state trace_context update
        modules: jax._src.logging_config
    """,
    "jax._src.core": """
        jax: Array NamedSharding ShapeDtypeStruct
        jax._src.base.errors: ConcretizationTypeError InconclusiveDimensionOperation JaxprTypeError
        jax._src.base.errors: TracerArrayConversionError TracerBoolConversionError TracerIntegerConversionError
        jax._src.base.errors: UnexpectedTracerError
        jax._src.base.errors: ForbiddenCollectiveError ShardingTypeError
        jax._src.base.util: safe_map safe_zip
        jax._src.compat.hijax: AvalQDD cur_qdd
        jax._src.compat.jaxprs: canonicalize_dim clean_up_dead_vars definitely_equal definitely_equal_one_of_dim
        jax._src.compat.jaxprs: definitely_equal_shape dilate_dim dim_constant dim_value_aval dim_value_dtype DimSize
        jax._src.compat.jaxprs: divide_shape_sizes evaluate_shape identity Index is_empty_shape is_literalable last_used
        jax._src.compat.jaxprs: literalable_types replace_jaxpr_effects Shape stride_dim typecheck typecompat typematch
        jax._src.compat.jaxprs: update_aval_with_sharding
        jax._src.compat.trace_state: call call_impl call_p CallPrimitive closed_call_p ClosedCallPrimitive
        jax._src.compat.trace_state: concretization_function_error gensym get_opaque_trace_state is_constant_dim
        jax._src.compat.trace_state: is_constant_shape mapped_aval no_axis_name nonempty_axis_env OpaqueTraceState
        jax._src.compat.trace_state: OutputType ParamDict primal_dtype_to_tangent_dtype pytype_aval_mappings
        jax._src.compat.trace_state: unmapped_aval unsafe_am_i_under_a_jit unsafe_am_i_under_a_vmap
        jax._src.compat.trace_state: unsafe_get_axis_names Value
        jax._src.compat.traces: axis_frame AxisEnv ensure_no_leaks escaped_tracer_error eval_context extend_axis_env_nd
        jax._src.compat.traces: find_top_trace full_lower get_axis_env get_referent is_concrete same_referent
        jax._src.compat.traces: set_current_trace take_current_trace to_concrete_value trace_ctx TraceTag TracingContext
        jax._src.compat.traces: unsafe_get_current_trace unsafe_get_trace_stack
        jax._src.core.aval_members: aval_method aval_property
        jax._src.core.avals: MemorySpace
        jax._src.core.avals: abstract_token AbstractToken AbstractValue canonicalize_shape=canonical_shape get_aval
        jax._src.core.avals: physical_aval ShapedArray typeof valid_jaxtype
        jax._src.core.concrete: concrete_or_error
        jax._src.core.effects: NamedAxisEffect
        jax._src.core.effects: Effect Effects no_effects
        jax._src.core.evaluate: check_jaxpr eval_jaxpr jaxpr_as_fun
        jax._src.core.jaxpr: JaxprEqnContext=EquationContext
        jax._src.core.jaxpr: Atom ClosedJaxpr DebugInfo DropVar Jaxpr JaxprEqn jaxprs_in_params join_effects Literal
        jax._src.core.jaxpr: new_jaxpr_eqn subjaxprs Var
        jax._src.core.primitive: Primitive
        jax._src.core.printing: JaxprPpContext
        jax._src.core.references: Ref
        jax._src.core.symbols.expressions: is_dim=is_size is_symbolic_dim=is_dimension max_dim min_dim
        jax._src.core.trace: eval_trace=evaluation EvalTrace Trace trace_state_clean Tracer
        jax._src.lax.collectives.casts: pvary_p reduced_vary_cast_p
        jax._src.lax.ops.sizes: dimension_as_value
        jax._src.lax.ops.tokens: Token
        jax._src.state.refs: empty_ref free_ref freeze new_ref
        jax._src.transforms.disable_jit: ensure_compile_time_eval
        jax.api_util: shaped_abstractify
        jax.experimental.hijax: AvalMutableQDD
        jax.experimental.layout: Format
        jax.extend.core: SetCurrentTraceContextManager=set_current_trace TakeCurrentTraceContextManager=take_current_trace
        jax.lax: stage_p
        jax.sharding: AxisType ManualAxisType Sharding
        jax.tree_util: tree_map
        modules: jax._src.config jax._src.dtypes lu=jax._src.linear_util mesh_lib=jax._src.mesh
        modules: ns=jax._src.named_sharding pp=jax._src.pretty_printer jax._src.source_info_util
        modules: jax._src.traceback_util jax._src.xla_metadata_lib
    """,
    "jax._src.dtypes": """
        jax: Array
        jax.experimental: primal_tangent_dtype
        jax.interpreters.xla: canonicalize_value_handlers=canonicalize_dtype_handlers
        jax.numpy: isdtype
        modules: jax._src.config jax._src.traceback_util
    """,
    "jax._src.errors": """
        jax.errors: ConcretizationTypeError JAXIndexError JAXTypeError KeyReuseError NonConcreteBooleanIndexError
        jax.errors: TracerArrayConversionError TracerBoolConversionError TracerIntegerConversionError
        jax.errors: UnexpectedTracerError
        modules: jax._src.core
    """,
    "jax._src.layout": """
        jax.dtypes: issubdtype
        jax.experimental.layout: Format Layout
        jax.sharding: Sharding
    """,
    "jax._src.linear_util": """
        jax._src.compat.linear_util: cache merge_linear_aux Store StoreException transformation transformation2 transformation_with_aux
        jax._src.compat.linear_util: transformation_with_aux2 wrap_init WrappedFun
        jax._src.core.jaxpr: DebugInfo
        jax.extend.backend: register_cache=register_backend_cache
        jax.tree_util: generate_key_paths=tree_leaves_with_path keystr
        modules: jax._src.config jax._src.core jax._src.traceback_util
    """,
    "jax._src.literals": """
        jax._src.transforms.literals: typed_scalar_types TypedComplex TypedFloat TypedInt TypedNdArray
        jax.core: ShapedArray
        modules: jax._src.dtypes
    """,
    "jax._src.mesh": """
        jax._src.compat.meshes: get_concrete_mesh ResourceEnv thread_resources
        jax.interpreters.mlir: Mesh
        jax.sharding: AbstractDevice AbstractMesh AxisType get_abstract_mesh use_abstract_mesh
        modules: jax_config=jax._src.config xb=jax._src.xla_bridge
    """,
    "jax._src.named_sharding": """
        jax: Device NamedSharding PartitionSpec=P
        jax.sharding: AxisType
        modules: jsharding=jax._src.sharding mesh_lib=jax._src.mesh
    """,
    "jax._src.partition_spec": """
        jax: PartitionSpec=P
    """,
    "jax._src.sharding": """
        jax: Device
        jax.sharding: Sharding
        modules: xb=jax._src.xla_bridge
    """,
    "jax._src.sharding_impls": """
        jax: Device
        jax._src.compat.contexts: ShardingContext SPMDAxisContext
        jax._src.compat.meshes: canonicalize_sharding
        jax._src.compat.meshes: are_hlo_shardings_equal array_mapping_to_axis_resources ArrayMapping
        jax._src.compat.meshes: is_hlo_sharding_replicated
        jax._src.core.mesh: AbstractMesh AxisType Mesh
        jax._src.core.mesh_context: get_abstract_mesh get_mesh set_mesh
        jax._src.core.partition_spec: PartitionSpec
        jax._src.core.shardings: GSPMDSharding make_single_device_sharding NamedSharding SingleDeviceSharding
        jax._src.jit.primitive: UNSPECIFIED UnspecifiedValue=Unspecified
        jax._src.runtime.devices.make_mesh: make_mesh
        jax.sharding: XLACompatibleSharding=Sharding
        modules: jax._src.config jax._src.core jsharding=jax._src.sharding jax._src.mesh_utils
        modules: jax._src.source_info_util jax._src.tree_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.source_info_util": """
        jax._src.base.source: _exclude_paths=internal_prefixes register_exclusion register_inclusion
        jax._src.compat.frames: Frame is_user_filename raw_frame_to_frame user_frame user_frames
        jax._src.compat.source_info: current current_name_stack extend_name_stack new_name_stack new_source_info reset_name_stack
        jax._src.compat.source_info: set_name_stack summarize transform_name_stack user_context
        jax._src.core.jaxpr: NameStack SourceInfo
        jax.extend.source_info_util: ExtendNameStackContextManager=extend_name_stack SetNameStackContextManager=set_name_stack
        jax.extend.source_info_util: TransformNameStackContextManager=transform_name_stack UserContextManager=user_context
        modules: jax._src.traceback_util
    """,
    "jax._src.traceback_util": """
        jax._src.base.source: _exclude_paths=internal_prefixes include_frame register_exclusion
        jax._src.base.traceback_filter: api_boundary UnfilteredStackTrace
        jax._src.compat.frames: filter_traceback format_exception_only
        modules: jax._src.config jax._src.util
    """,
    "jax._src.tree": """
        jax.tree: all broadcast flatten flatten_with_path leaves leaves_with_path map_with_path reduce
        jax.tree: reduce_associative structure transpose unflatten
        modules: jax._src.tree_util
    """,
    "jax._src.tree_util": """
        jax._src.tree: _registry=registered_types all_leaves broadcast_flattened_prefix_with_treedef broadcast_prefix
        jax._src.tree: default_registry DictKey equality_errors equality_errors_pytreedef flatten_one_level
        jax._src.tree: flatten_one_level_with_keys FlattenedIndexKey generate_key_paths GetAttrKey is_tree_node KeyEntry
        jax._src.tree: KeyPath keystr none_leaf_registry Partial prefix_errors PyTreeDef PyTreeRegistry
        jax._src.tree: register_dataclass register_pytree_node register_pytree_node_class register_pytree_with_keys
        jax._src.tree: register_pytree_with_keys_class register_static SequenceKey tree_all tree_broadcast tree_flatten
        jax._src.tree: tree_flatten_with_path tree_leaves tree_leaves_checked tree_leaves_with_path tree_map
        jax._src.tree: tree_map_with_path tree_reduce tree_reduce_associative tree_structure tree_transpose
        jax._src.tree: tree_unflatten treedef_children treedef_is_leaf treedef_is_strict_leaf treedef_tuple
        modules: jax._src.traceback_util
    """,
    "jax._src.typing": """
        jax: Array
        jax._src.compat.annotations: DimSize DType DuckTypedArray Shape StaticScalar SupportsDType SupportsNdim SupportsShape
        jax._src.compat.annotations: SupportsSize
        jax._src.runtime.arrays.annotations: ArrayLike DTypeLike
    """,
    "jax._src.util": """
        jax._src.base.util: safe_zip
        jax._src.base.util: merge_lists partition_list safe_map wraps
        jax._src.compat.sequences: HashablePartial
        jax._src.compat.sequences: as_hashable_function cache canonicalize_axis canonicalize_axis_tuple ceil_of_ratio clear_all_caches
        jax._src.compat.sequences: concatenate curry flatten=concatenate fun_name fun_qual_name Hashable=Hashable_ HashableFunction
        jax._src.compat.sequences: HashableWrapper immutable maybe_named_axis memoize OrderedSet pprint_bytes set_module split_list
        jax._src.compat.sequences: split_list_checked stable_unique subs_list subs_list2 subvals tuple_delete tuple_insert tuple_update
        jax._src.compat.sequences: unflatten Unhashable unzip2 unzip3 weakref_lru_cache wrap_name
        jax._src.numpy.reshaping: moveaxis
        jax.extend.backend: register_cache=register_backend_cache
        modules: jax._src.config
    """,
}
