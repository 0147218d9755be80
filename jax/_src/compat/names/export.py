"""Rows of exported programs: see `table`."""

TABLE = {
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
