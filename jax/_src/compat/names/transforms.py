"""Rows of transformations: see `table`."""

TABLE = {
    "jax._src.ad_checkpoint": """
        jax: checkpoint_policies typeof
        jax._src.transforms.checkpoint: checkpoint checkpoint_name remat_p
        jax._src.transforms.checkpoint: remat=checkpoint
        jax._src.transforms.saved_residuals: print_saved_residuals
        jax.api_util: safe_map
        jax.experimental.hijax: VJPHiPrimitive
        jax.extend.core.primitives: name_p
        jax.ref: AbstractRef
        jax.tree_util: Partial PyTreeDef tree_flatten tree_leaves tree_map tree_structure tree_unflatten
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api jax._src.api_util
        modules: jax._src.interpreters.batching jax._src.config jax._src.core jax._src.custom_derivatives
        modules: jax._src.state.discharge jax._src.dtypes jax._src.effects lax_convolution=jax._src.lax.convolution
        modules: lax_internal=jax._src.lax.lax jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.source_info_util jax._src.traceback_util
    """,
    "jax._src.api": """
        jax: block_until_ready clear_caches copy_to_host_async Device device_get device_put disable_jit
        jax: effects_barrier eval_shape float0 fwd_and_bwd grad hessian jacfwd jacobian jacrev jit jvp
        jax: linear_transpose linearize live_arrays make_jaxpr named_call named_scope NamedSharding
        jax: ShapeDtypeStruct typeof value_and_grad vjp vmap
        jax._src.base.traceback_filter: api_boundary
        jax._src.compat.jacobians: _check_input_dtype_grad=check_input_dtype_grad _check_input_dtype_jacfwd=check_input_dtype_jacfwd
        jax._src.compat.jacobians: _check_input_dtype_jacrev=check_input_dtype_jacrev _check_input_dtype_revderiv=check_input_dtype
        jax._src.compat.jacobians: _check_output_dtype_grad=check_output_dtype_grad
        jax._src.compat.jacobians: _check_output_dtype_jacfwd=check_output_dtype_jacfwd
        jax._src.compat.jacobians: _check_output_dtype_jacrev=check_output_dtype_jacrev _check_output_dtype_revderiv=check_output_dtype
        jax._src.compat.jacobians: _check_scalar=check_scalar _jacfwd_unravel=jacfwd_unravel _jacrev_unravel=jacrev_unravel _jvp=jvp
        jax._src.compat.jacobians: _std_basis=std_basis _unravel_array_into_pytree=unravel_array_into_pytree
        jax._src.runtime.transfers.device_put_get: device_put_replicated
        jax._src.transforms.vjp_function: VJP
        jax._src.transforms.vjp_residuals: NotNeeded
        jax._src.transforms.vjp_residuals: DidntWant DontWant GradRef GradValue
        jax.api_util: debug_info flatten_axes safe_map shaped_abstractify
        jax.core: eval_jaxpr ShapedArray
        jax.experimental.layout: Format
        jax.extend.backend: clear_backends
        jax.interpreters.mlir: Mesh
        jax.lax: _dtype=dtype
        jax.sharding: get_abstract_mesh Sharding
        jax.tree_util: generate_key_paths=tree_leaves_with_path keystr Partial PyTreeDef register_dataclass
        jax.tree_util: register_pytree_node tree_flatten tree_flatten_with_path tree_leaves tree_map tree_structure
        jax.tree_util: tree_transpose tree_unflatten
        modules: jax._src.interpreters.ad jax._src.api_util jax._src.array jax._src.basearray
        modules: jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch jax._src.distributed
        modules: jax._src.dtypes lu=jax._src.linear_util pe=jax._src.interpreters.partial_eval jax._src.pjit
        modules: jax._src.interpreters.pxla jax._src.sharding_impls jax._src.source_info_util jax._src.traceback_util
        modules: jax._src.tree_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.checkify": """
        jax: Array
        jax.api_util: safe_map
        jax.custom_derivatives: SymbolicZero
        jax.lax: _prim=tanh_p
        jax.tree_util: PyTreeDef tree_flatten tree_map tree_unflatten
        modules: _=jax.experimental.shard_map jax._src.interpreters.ad jax._src.ad_checkpoint jax._src.api
        modules: jax._src.api_util jax._src.interpreters.batching jax._src.callback jax._src.config jax._src.core
        modules: jax._src.custom_derivatives jax._src.dtypes jax._src.effects jnp=jax._src.numpy
        modules: jshmap=jax._src.shard_map jtu=jax._src.tree_util jax._src.lax lu=jax._src.linear_util
        modules: mesh_lib=jax._src.mesh jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.pjit jax._src.sharding_impls jax._src.source_info_util jax._src.traceback_util
    """,
    "jax._src.compute_on": """
        jax.api_util: debug_info flatten_axes safe_map
        jax.experimental.compute_on: compute_on compute_on2
        jax.tree_util: tree_flatten tree_unflatten
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.dispatch effects_lib=jax._src.effects lu=jax._src.linear_util jax._src.interpreters.mlir
        modules: pe=jax._src.interpreters.partial_eval jax._src.source_info_util
    """,
    "jax._src.custom_api_util": """
        jax._src.compat.sequences: register_custom_decorator_type
    """,
    "jax._src.custom_batching": """
        jax.custom_batching: custom_vmap sequential_vmap
        jax.tree_util: tree_flatten tree_map tree_structure tree_unflatten treedef_tuple
        modules: jax._src.interpreters.ad jax._src.api jax._src.api_util jax._src.interpreters.batching jax._src.core
        modules: jax._src.custom_api_util lu=jax._src.linear_util jax._src.interpreters.mlir
        modules: pe=jax._src.interpreters.partial_eval jax._src.source_info_util jax._src.traceback_util
        modules: jax._src.tree_util jax._src.util
    """,
    "jax._src.custom_derivatives": """
        jax: closure_convert custom_gradient custom_jvp custom_vjp
        jax._src.compat.derivatives: custom_jvp_call_jaxpr_p
        jax._src.transforms.custom_jvp: custom_jvp_call_p
        jax._src.transforms.custom_vjp: custom_vjp_call_p
        jax.api_util: argnums_partial debug_info safe_map
        jax.custom_derivatives: custom_vjp_primal_tree_values CustomVJPPrimal linear_call SymbolicZero
        jax.errors: UnexpectedTracerError
        jax.interpreters.ad: Zero zeros_like_aval
        jax.lax: stop_gradient_p
        jax.ref: AbstractRef
        jax.tree_util: keystr PyTreeDef register_pytree_node_class tree_flatten tree_flatten_with_path tree_leaves
        jax.tree_util: tree_leaves_with_path tree_map tree_structure tree_unflatten treedef_children treedef_is_leaf
        jax.tree_util: treedef_tuple
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.custom_api_util jax._src.dtypes jax._src.effects lu=jax._src.linear_util
        modules: jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval jax._src.traceback_util
    """,
    "jax._src.custom_partitioning": """
        jax.experimental.custom_partitioning: custom_partitioning custom_partitioning_p SdyShardingRule
        jax.sharding: Sharding
        modules: jax._src.api jax._src.api_util jax._src.config jax._src.core jax._src.custom_api_util
        modules: jax._src.dispatch jax._src.errors lu=jax._src.linear_util mesh_lib=jax._src.mesh
        modules: jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval jax._src.sharding_impls
        modules: jax._src.tree_util xb=jax._src.xla_bridge
    """,
    "jax._src.hijax": """
        jax: PartitionSpec=P typeof
        jax._src.compat.hijax: HiPrimitive HiType MutableHiType register_hitype
        jax._src.compat.vjp_primitive: VJPHiPrimitive
        jax._src.core.abstract_value: MappingSpec
        jax._src.core.avals: ShapedArray
        jax._src.core.partition_spec: HiPspec
        jax.api_util: safe_map
        jax.core: LoType=AbstractValue Ty=AbstractValue
        jax.custom_derivatives: CustomVJPPrimal
        jax.errors: UnexpectedTracerError
        jax.ref: AbstractRef
        jax.tree_util: keystr register_static tree_flatten tree_leaves tree_map tree_map_with_path tree_unflatten
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api jax._src.interpreters.batching
        modules: jax._src.config jax._src.core jax._src.dtypes jax._src.effects pe=jax._src.interpreters.partial_eval
        modules: jax._src.interpreters.remat jax._src.traceback_util
    """,
    "jax._src.pjit": """
        jax: Array NamedSharding PartitionSpec=P typeof
        jax._src.jit.pjit: pjit
        jax._src.jit.primitive: jit_p UNSPECIFIED UnspecifiedValue=Unspecified
        jax._src.lax.mesh_modes: auto_axes explicit_axes reshard
        jax._src.lax.ops.resharding: reshard_p
        jax._src.transforms.layout_constraint: with_layout_constraint
        jax._src.transforms.sharding_constraint: sharding_constraint_p with_sharding_constraint
        jax.api_util: debug_info donation_vector flatten_axes safe_map
        jax.experimental: cur_qdd
        jax.experimental.layout: Format Layout
        jax.extend.sharding: GSPMDSharding
        jax.sharding: AbstractMesh make_single_device_sharding Sharding
        jax.tree_util: PyTreeDef tree_flatten tree_map tree_structure tree_unflatten treedef_children
        modules: jax._src.interpreters.ad jax._src.api jax._src.api_util jax._src.interpreters.batching
        modules: jax._src.config jax._src.core jax._src.dispatch jax._src.dtypes effects_lib=jax._src.effects
        modules: lu=jax._src.linear_util mesh_lib=jax._src.mesh jax._src.interpreters.mlir jax._src.op_shardings
        modules: pe=jax._src.interpreters.partial_eval jax._src.profiler jax._src.interpreters.pxla
        modules: jax._src.interpreters.remat jax._src.sharding_impls jax._src.source_info_util jax._src.stages
        modules: jax._src.traceback_util jax._src.tree_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.pmap": """
        jax: pmap shard_map
        jax.api_util: argnums_partial donation_vector rebase_donate_argnums
        jax.interpreters.mlir: Mesh
        jax.tree_util: tree_flatten tree_leaves tree_map tree_unflatten
        modules: jax._src.api jax._src.array jax._src.config jax._src.core jax._src.dtypes jax._src.lax.lax
        modules: lu=jax._src.linear_util pjit_lib=jax._src.pjit jax._src.random.prng jax._src.interpreters.pxla
        modules: jax._src.sharding_impls jax._src.stages jax._src.traceback_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.shard_alike": """
        jax.experimental.shard_alike: shard_alike
        jax.interpreters.xla: apply_primitive
        jax.tree_util: tree_flatten tree_unflatten
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.lib.mlir.dialects jax._src.interpreters.mlir
    """,
    "jax._src.shard_map": """
        jax: NamedSharding PartitionSpec=P shard_map smap typeof
        jax.core: Tracer
        jax.interpreters.mlir: Mesh
        jax.ref: AbstractRef
        jax.sharding: AbstractMesh AxisType get_abstract_mesh use_abstract_mesh
        jax.tree_util: generate_key_paths=tree_leaves_with_path keystr PyTreeDef tree_flatten tree_leaves tree_map
        jax.tree_util: tree_structure tree_unflatten
        modules: jax._src.interpreters.ad jax._src.api_util jax._src.interpreters.batching jax._src.config
        modules: jax._src.core jax._src.state.discharge jax._src.dispatch jax._src.dtypes jax._src.lax.lax
        modules: lax_parallel=jax._src.lax.parallel jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.interpreters.pxla jax._src.sharding_impls jax._src.source_info_util jax._src.traceback_util
        modules: jax._src.util
    """,
    "jax._src.stages": """
        jax: typeof
        jax.experimental.layout: Format Layout
        jax.sharding: AbstractMesh
        jax.stages: ArgInfo Compiled Lowered Traced Wrapped
        jax.tree_util: tree_unflatten
        modules: jax._src.config jax._src.core jax._src.interpreters.mlir sharding_lib=jax._src.sharding
        modules: jax._src.source_info_util jax._src.traceback_util jax._src.tree_util jax._src.util
    """,
}
