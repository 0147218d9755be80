"""Names that modules once had: what to use instead, for the error of whoever still uses one."""

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

MODULES = frozenset(_INSTEAD)


def message(module: str, name: str) -> str:
    """The text of the AttributeError for a name that a module does not have."""
    instead = _INSTEAD.get(module, {}).get(name)
    if instead is None:
        return f"module {module!r} has no attribute {name!r}"
    rest = f"use {instead} instead" if instead else "nothing needs it any more"
    return f"{module}.{name} was deprecated and is removed; {rest}."
