"""Rows of packages as a whole and of public modules: see `table`."""

TABLE = {
    "jax._src": """
        modules: jax._src.effects jax._src.pallas jax._src.public_test_util jax._src.test_util
    """,
    "jax.cloud_tpu_init": "",
    "jax.example_libraries.stax": """
        jax.nn: elu gelu leaky_relu log_softmax relu selu sigmoid softmax softplus standardize
        jax.nn.initializers: glorot_normal normal
        modules: jnp=jax.numpy jax.lax jax.random
    """,
    "jax.experimental.ode": """
        jax: lax
        jax._src: api_util core custom_derivatives
        jax.flatten_util: ravel_pytree
        modules: jnp=jax.numpy lu=jax._src.linear_util
    """,
    "jax.experimental.sparse.coo": """
        jax._src.compat.sparse_products: _coo_fromdense=coo_fromdense _coo_matmat=coo_matmat _coo_matvec=coo_matvec
        jax._src.compat.sparse_products: _coo_todense=coo_todense
    """,
    "jax.experimental.sparse.csr": """
        jax._src.compat.sparse_products: _csr_matmat=csr_matmat _csr_matvec=csr_matvec _csr_todense=csr_todense
    """,
    "jax.experimental.sparse.linalg": """
        jax._src.compat.subspaces: _check_inputs=check_inputs _eigh_ascending=eigh_ascending _extend_basis=extend_basis _mm=mm
        jax._src.compat.subspaces: _orthonormalize=orthonormalize _project_out=project_out _rayleigh_ritz_orth=rayleigh_ritz_orth
        jax._src.compat.subspaces: _lobpcg_standard_callable=lobpcg_standard _lobpcg_standard_matrix=lobpcg_standard _svqb=svqb
        modules: jax._src.interpreters.ad jax._src.core jax._src.dispatch jax._src.ffi jnp=jax.numpy
        modules: jax.interpreters.mlir jax.experimental.sparse
    """,
    "jaxlib._jax": """
        modules: mlir=jax._src.compat.hlo_programs
    """,
    "jaxlib.cpu_feature_guard": """
        jax._src.compat.library: check_cpu_features
    """,
    "jaxlib.gpu_triton": """
        jax._src.compat.library: _cuda_triton=cuda_plugin _hip_triton=rocm_plugin
    """,
    "jaxlib.xla_client": """
        modules: _xla=jaxlib._jax
    """,
}
