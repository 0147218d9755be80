"""Rows of random numbers: see `table`."""

TABLE = {
    "jax.experimental.key_reuse": "",
    "jax.experimental.key_reuse._core": """
        jax._src.random.key_signatures: Forward KeyReuseSignature Sink Source assert_consumed assert_consumed_value_p
        jax._src.random.key_signatures: assert_unconsumed check_key_reuse check_key_reuse_jaxpr consume
        jax._src.random.key_signatures: function_type_signature jaxpr_type_signature
        jax.errors: KeyReuseError
    """,
    "jax._src.random": """
        jax._src.compat.jaxprs: Shape
        jax.random: ball bernoulli beta binomial bits categorical cauchy chisquare choice clone dirichlet
        jax.random: double_sided_maxwell exponential f fold_in generalized_normal geometric gumbel key key_data
        jax.random: key_dtype key_impl laplace loggamma logistic lognormal maxwell multinomial multivariate_normal
        jax.random: normal orthogonal pareto permutation poisson PRNGKey rademacher randint random_gamma_p rayleigh
        jax.random: split t triangular truncated_normal uniform wald weibull_min wrap_key_data
    """,
    "jax._src.random.core": """
        jax: Array jit NamedSharding vmap
        jax._src.compat.jaxprs: Shape
        jax.random: ball bernoulli beta binomial bits categorical cauchy chisquare choice clone dirichlet
        jax.random: double_sided_maxwell exponential f fold_in gamma generalized_normal geometric gumbel key key_data
        jax.random: key_dtype key_impl laplace loggamma logistic lognormal maxwell multinomial multivariate_normal
        jax.random: normal orthogonal pareto permutation poisson PRNGKey rademacher randint random_gamma_p rayleigh
        jax.random: split t triangular truncated_normal uniform wald weibull_min wrap_key_data
        jax.sharding: auto_axes get_abstract_mesh
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum
        modules: jnp_linalg=jax._src.numpy.linalg jax._src.lax.lax lax_control_flow=jax._src.lax.control_flow
        modules: lax_special=jax._src.lax.special jax._src.interpreters.mlir jax._src.random.prng
        modules: jax._src.random.threefry2x32 jax._src.xla_bridge
    """,
    "jax._src.random.philox2x32": """
        modules: jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch
        modules: jnp=jax._src.numpy jax._src.lax.lax jax._src.interpreters.mlir jax._src.random.prng jax._src.typing
    """,
    "jax._src.random.philox4x32": """
        modules: jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch
        modules: jnp=jax._src.numpy jax._src.lax.lax jax._src.interpreters.mlir jax._src.random.prng jax._src.typing
    """,
    "jax._src.random.prng": """
        jax: Array Device float0
        jax.api_util: safe_map
        jax._src.random.extension: PRNGImpl=prng_impl register_prng
        jax.extend.random: random_seed seed_with_impl
        jax.sharding: make_single_device_sharding Sharding
        modules: jax._src.interpreters.ad jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jax._src.ffi jnp=jax._src.numpy jax._src.lax.lax
        modules: jax._src.interpreters.mlir pp=jax._src.pretty_printer jax._src.interpreters.pxla
        modules: jax._src.source_info_util jax._src.tree_util jax._src.typing
    """,
    "jax._src.random.rbg": """
        modules: jax._src.api jax._src.config jnp=jax._src.numpy jax._src.lax.lax lax_slicing=jax._src.lax.slicing
        modules: jax._src.random.prng jax._src.export.serialization jax._src.random.threefry2x32 jax._src.typing
    """,
    "jax._src.random.stateful_rng": """
        jax: Array
        jax.experimental.random: stateful_rng StatefulPRNG
        modules: jax._src.api_util jax._src.core jax._src.dtypes jnp=jax._src.numpy jax._src.random jax._src.ref
        modules: ref_primitives=jax._src.state.primitives state_types=jax._src.state.types jax._src.tree_util
        modules: jax._src.typing
    """,
    "jax._src.random.threefry2x32": """
        jax._src.random.extension: threefry2x32_p threefry_2x32 threefry_fold_in threefry_prng_impl threefry_random_bits
        jax._src.random.extension: threefry_seed threefry_split
        modules: jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch
        modules: jax._src.dtypes jax._src.ffi jnp=jax._src.numpy jax._src.lax.lax
        modules: lax_control_flow=jax._src.lax.control_flow lax_slicing=jax._src.lax.slicing
        modules: jax._src.interpreters.mlir jax._src.random.prng jax._src.export.serialization jax._src.typing
    """,
    "jax._src.random.threefry4x32": """
        modules: jax._src.api jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch
        modules: jnp=jax._src.numpy jax._src.lax.lax jax._src.interpreters.mlir jax._src.random.prng jax._src.typing
    """,
}
