"""Rows of names that upstream dropped before 0.10; see `table`. They count where `JAX_COMPAT` reaches back."""

TABLE = {
    "jax.core": """
        jax._src.compat.older.calls: call_p
    """,
    "jax.experimental.shard_map": """
        jax._src.compat.older.programs: register_check register_rewrite
    """,
    "jax.extend.core.primitives": """
        jax._src.compat.older.calls: call_p
    """,
    "jax.interpreters.ad": """
        jax._src.compat.older.calls: call_transpose jvp
    """,
    "jax.interpreters.batching": """
        jax._src.compat.older.programs: batch_subtrace
    """,
    "jax.interpreters.mlir": """
        jax._src.compat.older.calls: _call_lowering=call_lowering
    """,
    "jax.interpreters.partial_eval": """
        jax.extend.core: Jaxpr
    """,
    "jax.interpreters.pxla": """
        jax._src.compat.older.maps: xla_pmap_p
    """,
    "jax.lax": """
        jax.numpy: zeros_like_array=zeros_like
    """,
    "jax.util": """
        jax._src.compat.older.util: as_hashable_function cache HashableFunction safe_map safe_zip split_list
        jax._src.compat.older.util: split_list_checked subvals unzip2 unzip3 wrap_name wraps
    """,
    "jax._src.core": """
        jax._src.compat.older.calls: call_p CallPrimitive
        jax._src.compat.older.programs: raise_to_shaped
    """,
    "jax._src.lax.control_flow": """
        jax._src.compat.older.programs: _initial_style_jaxpr=initial_style_jaxpr
        jax._src.compat.older.programs: _initial_style_jaxprs_with_common_consts=initial_style_jaxprs
    """,
    "jax._src.pjit": """
        jax.extend.core.primitives: pjit_p=jit_p
    """,
    "jax._src.tree_util": """
        jax._src.compat.older.programs: _replace_nones=replace_nones
    """,
}

# Module -> its own names of which the table has older forms.
REPLACED = {"jax.extend.core.primitives": "call_p", "jax.interpreters.ad": "jvp"}
