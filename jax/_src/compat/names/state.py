"""Rows of references: see `table`."""

TABLE = {
    "jax._src.state": """
        jax.experimental.hijax: TransformedRef
        jax.ref: AbstractRef
    """,
    "jax._src.state.discharge": """
        jax: Array
        jax.api_util: safe_map
        jax.ref: AbstractRef
        jax.tree_util: PyTreeDef
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api_util jax._src.config jax._src.core
        modules: jax._src.custom_derivatives jax._src.state.indexing jax._src.lax.lax
        modules: lax_slicing=jax._src.lax.slicing lu=jax._src.linear_util jax._src.interpreters.mlir
        modules: pe=jax._src.interpreters.partial_eval jax._src.pjit jax._src.sharding_impls
        modules: jax._src.source_info_util jax._src.tree_util
    """,
    "jax._src.state.indexing": """
        jax: Array ds dslice=ds
        modules: jax._src.core pp=jax._src.pretty_printer state_types=jax._src.state.types jax._src.tree_util
    """,
    "jax._src.state.primitives": """
        jax: Array
        jax.api_util: safe_map
        jax.experimental.hijax: TransformedRef
        jax.ref: AbstractRef ref_addupdate=addupdate ref_get=get ref_set=set ref_swap=swap
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.interpreters.batching jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jax._src.state.indexing jax._src.lax.lax
        modules: jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval pp=jax._src.pretty_printer
        modules: jax._src.source_info_util jax._src.traceback_util jax._src.tree_util
    """,
    "jax._src.state.types": """
        jax: Array
        jax._src.core.references: AbstractRef
        jax.api_util: safe_map
        jax.experimental.hijax: TransformedRef
        modules: jax._src.ad_util jax._src.core jax._src.dtypes jax._src.effects pp=jax._src.pretty_printer
        modules: jax._src.traceback_util jax._src.tree_util
    """,
    "jax._src.state.utils": """
        jax.api_util: safe_map
        jax.ref: AbstractRef ref_get=get
        modules: jax._src.api jax._src.core jax._src.dtypes jax._src.lax.lax lu=jax._src.linear_util
        modules: pe=jax._src.interpreters.partial_eval
    """,
}
