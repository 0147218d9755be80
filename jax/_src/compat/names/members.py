"""Members of our classes that only third-party libraries use: by module and class, the names.

`jax._src.compat.members` has them, in `NameMembers` for the class `Name`. `finder.install_members` gives them to our classes
when the module is loaded, as descriptors that look a member up when it is first used.
"""

TABLE = {
    "jax._src.core.abstract_value": {
        "AbstractValue": "at_least_vspace lower_val2 raise_val2 to_ct_aval update_weak_type",
    },
    "jax._src.core.avals": {"ShapedArray": "update_weak_type"},
    "jax._src.core.jaxpr": {
        "ClosedJaxpr": "all_invars final_aval_qdds in_aval_qdds map_jaxpr",
        "DebugInfo": "assert_arg_names assert_result_paths filter_arg_names filter_result_paths func_filename "
        "func_lineno replace_func_name resolve_result_paths safe_arg_names safe_result_paths",
        "Jaxpr": "final_aval_qdds in_aval_qdds",
    },
    "jax._src.core.manual_axes": {"ManualAxisType": "invarying to_ct_mat"},
    "jax._src.core.partition_spec": {"PartitionSpec": "to_tangent_spec"},
    "jax._src.core.primitive": {
        "Primitive": "call_primitive def_effectful_abstract_eval2 get_bind_params is_effectful map_primitive "
        "ref_allocating ref_primitive skip_canonicalization",
    },
    "jax._src.core.printing": {"JaxprPpContext": "suggest_same_var_names"},
    "jax._src.core.reference_views": {"TransformedRef": "is_dynamic_size multiref"},
    "jax._src.core.shardings": {
        "GSPMDSharding": "get_replicated",
        "NamedSharding": "replicated_axes",
        "Sharding": "_addressable_device_assignment _device_assignment _to_xla_hlo_sharding",
    },
    "jax._src.core.trace": {
        "Trace": "full_raise invalidate is_valid main process process_call process_custom_jvp_call "
        "process_custom_vjp_call process_primitive requires_low stage_value",
        "Tracer": "full_lower get_referent to_concrete_value",
    },
    "jax._src.interpreters.ad.forward": {
        "JVPTrace": "requires_low to_primal_tangent_pair"
    },
    "jax._src.interpreters.ad.zeros": {
        "SymbolicZero": "from_primal_value",
        "Zero": "from_primal_value",
    },
    "jax._src.interpreters.batching.trace": {"BatchTrace": "requires_low"},
    "jax._src.interpreters.mlir.contexts": {
        "ModuleContext": "add_keepalive",
        "RuleContext": "is_forward_compat set_tokens_out",
    },
    "jax._src.interpreters.partial_eval.staging": {
        "DynamicJaxprTracer": "get_const",
        "StagingTrace": "new_arg stage_value",
    },
    "jax._src.jet.trace": {"JetTrace": "requires_low"},
}
