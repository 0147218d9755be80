"""Names that modules once had, and names that are to go: what to use instead, for whoever still uses one."""

from jax._src.base import releases

_MAPPED = "jax.shard_map instead of jax.pmap"
_EXTEND = "jax.extend.core.{}"

# Module -> name -> what to use instead; "": nothing is needed.
_INSTEAD: dict[str, dict[str, str]] = {
    "jax": {
        "device_put_replicated": "jax.device_put with a sharding that is replicated",
        "device_put_sharded": "jax.device_put with a sharding, of the stacked arrays",
    },
    "jax.ad_checkpoint": {"remat": "jax.remat"},
    "jax.cloud_tpu_init": {"cloud_tpu_init": ""},
    "jax.core": {
        **{
            name: _EXTEND.format(name)
            for name in (
                "AbstractToken",
                "TraceTag",
                "call_impl",
                "set_current_trace",
                "take_current_trace",
            )
        },
        "traverse_jaxpr_params": "",
    },
    "jax.interpreters.ad": {"reducing_transposes": ""},
    "jax.interpreters.batching": {"NotMapped": ""},
    "jax.interpreters.pxla": {
        **dict.fromkeys(("MapTracer", "PmapExecutable", "parallel_callable"), ""),
        **dict.fromkeys(
            (
                "Chunked",
                "NoSharding",
                "Replicated",
                "ShardedAxis",
                "ShardingSpec",
                "Unstacked",
                "shard_args",
                "spec_to_indices",
            ),
            _MAPPED,
        ),
    },
    "jax.lax": {"pvary": "jax.lax.pcast(x, axes, to='varying')"},
    "jax.numpy": {"fix": "jax.numpy.trunc"},
    "jax.scipy.special": {"sph_harm": "jax.scipy.special.sph_harm_y"},
}

# Module -> name that is to go -> what to use instead; "": nothing takes its place.
_TO_GO: dict[str, dict[str, str]] = {
    "jax.core": {
        **{
            name: _EXTEND.format(name)
            for name in (
                "CallPrimitive",
                "DebugInfo",
                "DropVar",
                "Effect",
                "Effects",
                "check_jaxpr",
                "concrete_or_error",
                "find_top_trace",
                "gensym",
                "get_opaque_trace_state",
                "jaxprs_in_params",
                "new_jaxpr_eqn",
                "no_effects",
                "primal_dtype_to_tangent_dtype",
                "valid_jaxtype",
            )
        },
        "InconclusiveDimensionOperation": "jax.errors.InconclusiveDimensionOperation",
        "JaxprTypeError": "jax.errors.JaxprTypeError",
        **dict.fromkeys(
            (
                "JaxprPpContext",
                "OutputType",
                "abstract_token",
                "call",
                "concretization_function_error",
                "is_concrete",
                "is_constant_dim",
                "is_constant_shape",
                "literalable_types",
                "no_axis_name",
                "nonempty_axis_env_DO_NOT_USE",
                "pytype_aval_mappings",
                "trace_ctx",
                "unsafe_am_i_under_a_jit_DO_NOT_USE",
                "unsafe_am_i_under_a_vmap_DO_NOT_USE",
                "unsafe_get_axis_names_DO_NOT_USE",
            ),
            "",
        ),
    },
    "jax.experimental.pallas": {
        "debug_checks_enabled": "jax.experimental.pallas.enable_debug_checks.value",
        "dot": "jax.experimental.pallas.triton.dot, or jax.numpy.dot",
    },
    "jax.experimental.pallas.tpu": {
        name: f"jax.experimental.pallas.{name}"
        for name in (
            "DeviceIdType",
            "HOST",
            "semaphore",
            "semaphore_read",
            "semaphore_signal",
            "semaphore_wait",
        )
    },
    "jax.experimental.pjit": {"pjit": "jax.jit"},
    "jax.experimental.shard_map": {
        "shard_map": "jax.shard_map, whose check_vma is check_rep here,"
    },
    "jax.interpreters.pxla": {
        **dict.fromkeys(
            (
                "ArrayMapping",
                "Index",
                "are_hlo_shardings_equal",
                "array_mapping_to_axis_resources",
                "global_aval_to_result_handler",
                "global_avals_to_results_handler",
                "global_result_handlers",
                "is_hlo_sharding_replicated",
                "op_sharding_to_indices",
            ),
            "",
        ),
        "MeshAxisName": "jax.sharding.Mesh.axis_names",
        "thread_resources": "jax.sharding.get_abstract_mesh() under jax.set_mesh",
    },
    "jax.scipy.special": {"lpmn": "", "lpmn_values": ""},
}

MODULES = frozenset(_INSTEAD)
MODULES_TO_WARN_OF = frozenset(_TO_GO)


def message(module: str, name: str) -> str:
    """The text of the AttributeError for a name that a module does not have."""
    instead = _INSTEAD.get(module, {}).get(name)
    if instead is None:
        return f"module {module!r} has no attribute {name!r}"
    rest = f"use {instead} instead" if instead else "nothing needs it any more"
    return f"{module}.{name} was deprecated and is removed; {rest}."


def to_go(module: str) -> list[str]:
    """The names of a module that warn: they are to go, and the chosen release still has them."""
    if releases.REACHES_BACK:
        return []
    dropped = releases.gone(module)
    return [name for name in _TO_GO.get(module, {}) if name not in dropped]


def warning(module: str, name: str) -> str:
    """The text of the warning of whoever uses a name that is to go."""
    instead = _TO_GO[module][name]
    rest = f"use {instead} instead" if instead else "nothing takes its place"
    return f"{module}.{name} is deprecated; {rest}."
