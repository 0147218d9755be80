"""Rows of the interpreters of programs: see `table`."""

TABLE = {
    "jax._src.interpreters": """
        modules: jax._src.traceback_util
    """,
    "jax._src.interpreters.ad": """
        jax: float0 typeof
        jax._src.compat.registration: defbilinear defjvp defjvp2 deflinear deflinear2 get_primitive_transpose
        jax._src.compat.registration: primitive_jvps primitive_linearizations primitive_transposes
        jax.api_util: debug_info safe_map
        jax.core: Trace Tracer
        jax.extend.core: Literal Primitive
        jax.extend.core.primitives: add_jaxvals_p call_p custom_lin_p
        jax.lax: dtype
        jax.ref: AbstractRef
        jax.tree_util: PyTreeDef register_pytree_node tree_flatten tree_unflatten
        modules: jax._src.config jax._src.core lu=jax._src.linear_util mesh_lib=jax._src.mesh
        modules: pe=jax._src.interpreters.partial_eval jax._src.source_info_util
    """,
    "jax._src.interpreters.batching": """
        jax: Array typeof
        jax._src.compat.mapping: AxisSize broadcast_batcher Elt expand_dims_batcher is_vmappable make_iota MapSpec moveaxis to_elt
        jax._src.compat.mapping: vectorized_batcher Vmappable
        jax._src.compat.registration: axis_primitive_batchers broadcast defbroadcasting defreducer defvectorized
        jax._src.compat.registration: fancy_primitive_batchers primitive_batchers
        jax._src.interpreters.batching: AxisData=Axis
        jax.api_util: safe_map
        jax.core: Trace Tracer
        jax.custom_derivatives: SymbolicZero
        jax.extend.core: TraceTag
        jax.extend.core.primitives: add_jaxvals_p
        jax.interpreters.ad: add_jaxvals Zero
        jax.tree_util: PyTreeDef tree_flatten tree_unflatten
        modules: jax._src.config jax._src.core lu=jax._src.linear_util mesh_lib=jax._src.mesh
        modules: pe=jax._src.interpreters.partial_eval jax._src.source_info_util
    """,
    "jax._src.interpreters.mlir": """
        jax: NamedSharding PartitionSpec=P
        jax._src.compat.emitting: broadcast_in_dim compare_hlo full_like_aval
        jax._src.compat.registration: register_lowering
        jax.experimental.layout: Layout
        jax.extend.lowering: JaxIrContext upstream_dialects
        jax.interpreters.mlir: call_lowering=_call_lowering ConstantHandler core_call_lowering flatten_ir_types flatten_ir_values
        jax.interpreters.mlir: ir_constants ir_tree_registry jaxpr_subcomp lower_jaxpr_to_fun lower_jaxpr_to_module
        jax.interpreters.mlir: LoweringParameters merge_mlir_modules shape_tensor ShapePolyLoweringState token_type TokenSet
        jax.interpreters.mlir: unflatten_ir_values_like_types
        jax.ref: AbstractRef
        jax.sharding: AxisType JSharding=Sharding
        modules: jax._src.ad_util jax._src.api_util jax._src.config jax._src.core jax._src.lib.mlir.dialects
        modules: jax._src.dtypes effects_lib=jax._src.effects jax._src.hashable_array jax._src.jaxpr_util
        modules: jax._src.literals lu=jax._src.linear_util jax._src.path pe=jax._src.interpreters.partial_eval
        modules: jax._src.sharding_impls jax._src.source_info_util jax._src.util xb=jax._src.xla_bridge
    """,
    "jax._src.interpreters.partial_eval": """
        jax: typeof
        jax.ad_checkpoint: Offloadable Recompute Saveable
        jax.api_util: safe_map
        jax.core: AbstractValue Trace Tracer
        jax.extend.core: ClosedJaxpr DropVar Jaxpr JaxprEqn Literal new_jaxpr_eqn Primitive TraceTag Var
        jax.extend.source_info_util: SourceInfo
        jax.interpreters.partial_eval: abstract_eval_fun close_jaxpr convert_constvars_jaxpr move_binders_to_back
        jax.interpreters.partial_eval: partial_eval_jaxpr_nounits prune_closed_jaxpr_outputs
        jax.interpreters.partial_eval: custom_partial_eval_rules dce_jaxpr_call_rule dce_jaxpr_closed_call_rule dce_jaxpr_consts dce_rules
        jax.interpreters.partial_eval: DynamicJaxprTracer JaxprTracer PartialVal trace_to_jaxpr_dynamic trace_to_jaxpr_nounits
        jax.ref: AbstractRef
        jax.tree_util: PyTreeDef
        modules: jax._src.ad_util jax._src.config jax._src.core jax._src.dtypes jax._src.effects
        modules: lu=jax._src.linear_util jax._src.profiler jax._src.source_info_util jax._src.tree_util
    """,
    "jax._src.interpreters.pxla": """
        jax: NamedSharding PartitionSpec=P
        jax._src.compat.results: global_aval_to_result_handler global_avals_to_results_handler global_result_handlers
        jax._src.compat.results: ResultsHandler
        jax.api_util: safe_map
        jax.core: ShapedArray
        jax.experimental.layout: Format Layout
        jax.extend.backend: clear_in_memory_compilation_cache get_default_device
        jax.extend.core: array_types
        jax.extend.sharding: GSPMDSharding
        jax.interpreters.mlir: Mesh
        jax.ref: AbstractRef
        jax.sharding: AbstractMesh get_abstract_mesh JSharding=Sharding make_single_device_sharding SingleDeviceSharding
        jax.tree_util: PyTreeDef
        modules: jax._src.api jax._src.array jax._src.compiler jax._src.config jax._src.core jax._src.dispatch
        modules: jax._src.dtypes jax._src.effects jax._src.jaxpr_util jax._src.literals jax._src.interpreters.mlir
        modules: jax._src.op_shardings pe=jax._src.interpreters.partial_eval jax._src.pjit jax._src.profiler
        modules: jax._src.sharding_impls jax._src.stages jax._src.tree_util jax._src.typing jax._src.util
        modules: xb=jax._src.xla_bridge
    """,
    "jax._src.interpreters.remat": """
        jax: typeof
        jax.api_util: safe_map
        jax.tree_util: Partial tree_unflatten
        modules: jax._src.api_util jax._src.core pe=jax._src.interpreters.partial_eval jax._src.source_info_util
    """,
}
