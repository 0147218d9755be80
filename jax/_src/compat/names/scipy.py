"""Rows of SciPy's functions: see `table`."""

TABLE = {
    "jax._src.scipy": "",
    "jax._src.scipy.cluster": "",
    "jax._src.scipy.cluster.vq": """
        jax: Array
        jax.scipy.cluster.vq: vq
        modules: jax._src.api jnp=jax._src.numpy jnp_linalg=jax._src.numpy.linalg
    """,
    "jax._src.scipy.fft": """
        jax: Array
        jax.scipy.fft: dct dctn idct idctn
        modules: jax._src.dtypes jnp=jax._src.numpy jnp_fft=jax._src.numpy.fft jax._src.lax
    """,
    "jax._src.scipy.integrate": """
        modules: jax._src.numpy.lax_numpy
    """,
    "jax._src.scipy.linalg": """
        jax: Array jit jvp vmap
        jax.scipy.linalg: block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix det dft eigh
        jax.scipy.linalg: eigh_tridiagonal expm expm_frechet fiedler fiedler_companion hadamard hankel helmert hessenberg
        jax.scipy.linalg: hilbert inv invhilbert invpascal leslie lu lu_factor lu_solve pascal polar qr qr_multiply rsf2csf
        jax.scipy.linalg: schur solve solve_sylvester solve_triangular sqrtm svd toeplitz
        jax.scipy.special: comb
        modules: jax._src.config jax._src.dtypes jnp=jax._src.numpy jnp_linalg=jax._src.numpy.linalg
        modules: jnp_vectorize=jax._src.numpy.vectorize jax._src.lax lax_linalg=jax._src.lax.linalg jax._src.random
    """,
    "jax._src.scipy.ndimage": """
        jax: Array
        jax.scipy.ndimage: map_coordinates
        modules: jax._src.api jax._src.dtypes jnp=jax._src.numpy jax._src.lax.lax jax._src.util
    """,
    "jax._src.scipy.optimize": "",
    "jax._src.scipy.optimize._lbfgs": """
        jax: Array
        modules: jax._src.api jax._src.dtypes jnp=jax._src.numpy jnp_linalg=jax._src.numpy.linalg jax._src.lax
    """,
    "jax._src.scipy.optimize.bfgs": """
        jax: Array
        modules: jax._src.api jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum jnp_linalg=jax._src.numpy.linalg
        modules: jax._src.lax
    """,
    "jax._src.scipy.optimize.line_search": """
        modules: jax._src.api jax._src.dtypes jax._src.lax
    """,
    "jax._src.scipy.optimize.minimize": """
        modules: jnp=jax._src.numpy
    """,
    "jax._src.scipy.signal": """
        jax: Array
        jax.scipy.signal: convolve convolve2d correlate correlate2d csd detrend fftconvolve istft stft welch
        modules: jax._src.api jax._src.core jax._src.dtypes jnp=jax._src.numpy jnp_fft=jax._src.numpy.fft
        modules: jax._src.lax jax._src.numpy.linalg
    """,
    "jax._src.scipy.sparse": "",
    "jax._src.scipy.sparse.linalg": """
        jax._src.compat.krylov: _bicgstab_solve=bicgstab_solve _cg_solve=cg_solve _gmres_batched=gmres_restart
        jax._src.compat.krylov: _gmres_incremental=gmres_restart _gmres_solve=gmres_solve _identity=identity _mul=mul _norm=norm
        jax._src.compat.krylov: _normalize_matvec=normalize_matvec _safe_normalize=safe_normalize _vdot_real_part=vdot_real_part
        jax._src.compat.krylov: _vdot_real_tree=vdot_real_tree _vdot_tree=vdot_tree
        jax.tree_util: Partial tree_leaves tree_map tree_reduce tree_structure
        modules: jax._src.api jnp_einsum=jax._src.numpy.einsum jsp_linalg=jax._src.scipy.linalg jax._src.lax
        modules: lax_internal=jax._src.lax.lax
    """,
    "jax._src.scipy.spatial": "",
    "jax._src.scipy.spatial.transform": """
        jax: Array
        jax.scipy.spatial.transform: Rotation Slerp
        modules: jax._src.config jnp=jax._src.numpy jnp_linalg=jax._src.numpy.linalg
        modules: jnp_vectorize=jax._src.numpy.vectorize
    """,
    "jax._src.scipy.special": """
        jax: Array jit jvp vmap
        jax.nn: logsumexp nn_log_softmax=log_softmax nn_softmax=softmax
        jax.numpy: arctan isneginf isposinf sinc
        jax.scipy.special: bernoulli bessel_jn beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx
        jax.scipy.special: erfinv exp1 expi expit expn factorial gamma gammainc gammaincc gammaln gammasgn hyp1f1 hyp2f1 i0 i0e
        jax.scipy.special: i1 i1e kl_div log_ndtr log_softmax loggamma logit multigammaln ndtr ndtri owens_t poch polygamma
        jax.scipy.special: rel_entr sici softmax spence sph_harm_y wofz xlog1py xlogy zeta
        modules: jax._src.api_util jax._src.config jax._src.core jax._src.custom_derivatives jax._src.dispatch
        modules: jax._src.dtypes jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum
        modules: jnp_vectorize=jax._src.numpy.vectorize jax._src.lax ops_special=jax._src.ops.special
    """,
    "jax._src.scipy.stats": "",
    "jax._src.scipy.stats._core": """
        jax: Array
        jax.scipy.stats: mode rankdata sem
        modules: jax._src.api jax._src.dtypes jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.bernoulli": """
        jax: Array
        jax.scipy.special: xlog1py xlogy
        jax.scipy.stats.bernoulli: cdf logpmf pmf ppf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.beta": """
        jax: Array
        jax.scipy.special: betainc betaln xlog1py xlogy
        jax.scipy.stats.beta: cdf logcdf logpdf logsf pdf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.betabinom": """
        jax: Array
        jax.scipy.special: betaln
        jax.scipy.stats.betabinom: logpmf pmf
        modules: jax._src.api jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.binom": """
        jax: Array
        jax.scipy.special: gammaln xlog1py xlogy
        jax.scipy.stats.binom: logpmf pmf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.cauchy": """
        jax: Array
        jax.numpy: arctan
        jax.scipy.stats.cauchy: cdf isf logcdf logpdf logsf pdf ppf sf
        modules: jax._src.lax
    """,
    "jax._src.scipy.stats.chi2": """
        jax: Array
        jax.scipy.special: gammainc gammaincc
        jax.scipy.stats.chi2: cdf logcdf logpdf logsf pdf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.dirichlet": """
        jax: Array
        jax.scipy.special: gammaln xlogy
        jax.scipy.stats.dirichlet: logpdf pdf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.expon": """
        jax: Array
        jax.scipy.stats.expon: cdf logcdf logpdf logsf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.gamma": """
        jax: Array
        jax.scipy.special: gammainc gammaincc gammaln xlogy
        jax.scipy.stats.gamma: cdf logcdf logpdf logsf pdf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.gennorm": """
        jax: Array
        jax.scipy.stats.gennorm: cdf logpdf pdf
        modules: jax._src.lax
    """,
    "jax._src.scipy.stats.geom": """
        jax: Array
        jax.scipy.special: xlog1py
        jax.scipy.stats.geom: logpmf pmf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.gumbel_l": """
        jax: Array
        jax.scipy.special: xlog1py xlogy
        jax.scipy.stats.gumbel_l: cdf logcdf logpdf logsf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.gumbel_r": """
        jax: Array
        jax.nn: log1mexp
        jax.scipy.special: xlogy
        jax.scipy.stats.gumbel_r: cdf logcdf logpdf logsf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.kde": """
        jax: Array
        jax.scipy.stats: gaussian_kde
        jax.tree_util: register_pytree_node_class
        modules: jax._src.api jax._src.dtypes jnp=jax._src.numpy jax._src.lax jax._src.scipy.linalg jax._src.random
        modules: jax._src.scipy.special
    """,
    "jax._src.scipy.stats.laplace": """
        jax: Array
        jax.scipy.stats.laplace: cdf logpdf pdf
        modules: jax._src.lax
    """,
    "jax._src.scipy.stats.logistic": """
        jax: Array
        jax.scipy.special: expit logit
        jax.scipy.stats.logistic: cdf isf logpdf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.multinomial": """
        jax: Array
        jax.scipy.special: gammaln xlogy
        jax.scipy.stats.multinomial: logpmf pmf
        modules: jax._src.dtypes jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.multivariate_normal": """
        jax: Array
        jax.scipy.stats.multivariate_normal: logpdf pdf
        modules: jnp=jax._src.numpy jnp_einsum=jax._src.numpy.einsum jnp_vectorize=jax._src.numpy.vectorize
        modules: jax._src.lax
    """,
    "jax._src.scipy.stats.nbinom": """
        jax: Array
        jax.scipy.special: gammaln xlogy
        jax.scipy.stats.nbinom: logpmf pmf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.norm": """
        jax: Array
        jax.scipy.stats.norm: cdf isf logcdf logpdf logsf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax jax._src.scipy.special
    """,
    "jax._src.scipy.stats.pareto": """
        jax: Array
        jax.scipy.stats.pareto: cdf logcdf logpdf logsf pdf ppf sf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.poisson": """
        jax: Array
        jax.scipy.special: entr gammaincc gammaln xlogy
        jax.scipy.stats.poisson: cdf entropy logpmf pmf
        modules: jax._src.api jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.t": """
        jax: Array
        jax.scipy.stats.t: logpdf pdf
        modules: jax._src.lax
    """,
    "jax._src.scipy.stats.truncnorm": """
        jax.nn: logsumexp
        jax.scipy.special: log_ndtr ndtr
        jax.scipy.stats.truncnorm: cdf logcdf logpdf logsf pdf sf
        modules: jax._src.api jnp=jax._src.numpy jax._src.lax jax._src.scipy.stats.norm
    """,
    "jax._src.scipy.stats.uniform": """
        jax: Array
        jax.scipy.stats.uniform: cdf logpdf pdf ppf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.vonmises": """
        jax: Array
        jax.scipy.stats.vonmises: logpdf pdf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
    "jax._src.scipy.stats.wrapcauchy": """
        jax: Array
        jax.scipy.stats.wrapcauchy: logpdf pdf
        modules: jnp=jax._src.numpy jax._src.lax
    """,
}
