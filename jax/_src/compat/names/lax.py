"""Rows of operations: see `table`."""

TABLE = {
    "jax._src.lax": """
        jax.lax: abs abs_p acos_p acosh_p add add_p after_all_p all_gather_p all_to_all_p and_p approx_top_k_p
        jax.lax: argmax_p argmin_p asin_p asinh_p atan2_p atan_p atanh_p axis_index axis_index_p axis_size bessel_i0e
        jax.lax: bessel_i0e_p bessel_i1e bessel_i1e_p betainc bitcast_convert_type_p bitwise_and bitwise_not
        jax.lax: bitwise_or bitwise_xor broadcast_in_dim broadcast_in_dim_p broadcasted_iota cbrt cbrt_p ceil ceil_p
        jax.lax: clamp clamp_p clz_p complex complex_p concatenate concatenate_p cond cond_p conj conj_p
        jax.lax: conv_general_dilated conv_general_dilated_p conv_general_dilated_patches convert_element_type
        jax.lax: convert_element_type_p copy_p cos cos_p cosh cosh_p create_token_p cumlogsumexp_p cummax_p cummin_p
        jax.lax: cumprod_p cumsum_p custom_linear_solve dce_sink dce_sink_p digamma digamma_p div div_p dot
        jax.lax: dot_general dot_general_p DotAlgorithmPreset dtype dynamic_index_in_dim dynamic_slice
        jax.lax: dynamic_slice_in_dim dynamic_slice_p dynamic_update_index_in_dim dynamic_update_slice
        jax.lax: dynamic_update_slice_in_dim dynamic_update_slice_p empty eq eq_p eq_to_p erf erf_inv erf_inv_p erf_p
        jax.lax: erfc erfc_p exp exp2 exp2_p exp_p expand_dims expm1 expm1_p fft_p FftType floor floor_p fori_loop
        jax.lax: full full_like gather gather_p GatherDimensionNumbers GatherScatterMode ge ge_p gt gt_p igamma
        jax.lax: igamma_grad_a_p igamma_p igammac igammac_p imag imag_p index_in_dim integer_pow integer_pow_p iota
        jax.lax: iota_p is_finite_p le le_p le_to_p lgamma lgamma_p linear_solve_p log log1p log1p_p log_p logistic
        jax.lax: logistic_p lt lt_p lt_to_p max max_p min min_p mul mul_p ne ne_p neg neg_p nextafter_p not_p
        jax.lax: optimization_barrier_p or_p pad pad_p padtype_to_pads pmax_p pmin_p polygamma polygamma_p
        jax.lax: population_count population_count_p pow pow_p ppermute_p Precision psum_p ragged_all_to_all_p
        jax.lax: RandomAlgorithm real real_p reduce reduce_and reduce_and_p reduce_max reduce_max_p reduce_min
        jax.lax: reduce_min_p reduce_or reduce_or_p reduce_p reduce_precision reduce_precision_p reduce_prod
        jax.lax: reduce_prod_p reduce_sum reduce_sum_p reduce_window reduce_window_max_p reduce_window_min_p
        jax.lax: reduce_window_p reduce_window_sum_p reduce_xor reduce_xor_p regularized_incomplete_beta_p rem rem_p
        jax.lax: reshape reshape_p rev rev_p rng_bit_generator rng_bit_generator_p rng_uniform_p round round_p
        jax.lax: RoundingMethod rsqrt rsqrt_p scaled_dot scan scan_p scatter scatter_add scatter_add_p scatter_max
        jax.lax: scatter_max_p scatter_min scatter_min_p scatter_mul scatter_mul_p scatter_p scatter_sub
        jax.lax: scatter_sub_p ScatterDimensionNumbers select select_and_gather_add_p select_and_scatter_add_p
        jax.lax: select_and_scatter_p select_n select_n_p shift_left_p shift_right_arithmetic_p shift_right_logical
        jax.lax: shift_right_logical_p sign sign_p sin sin_p sinh sinh_p slice slice_in_dim slice_p sort_key_val
        jax.lax: sort_p split split_p sqrt sqrt_p square square_p squeeze squeeze_p stop_gradient sub sub_p switch
        jax.lax: tan tan_p tanh tanh_p top_k top_k_p transpose transpose_p while_loop while_p xor_p zeta zeta_p
    """,
    "jax._src.lax.ann": """
        jax: Array
        jax.lax: approx_max_k approx_min_k approx_top_k_p
        jax.numpy: take_along_axis
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.interpreters.batching jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jax._src.interpreters.mlir
    """,
    "jax._src.lax.control_flow": """
        jax.lax: cumlogsumexp cumlogsumexp_p cummax cummax_p cummin cummin_p cumprod cumprod_p cumsum cumsum_p
        jax.lax: custom_linear_solve custom_root linear_solve_p optimization_barrier_p platform_dependent
    """,
    "jax._src.lax.control_flow.common": """
        jax.api_util: safe_map
        jax.tree_util: keystr tree_map tree_unflatten
        modules: jax._src.ad_util jax._src.config jax._src.core pe=jax._src.interpreters.partial_eval
    """,
    "jax._src.lax.control_flow.conditionals": """
        jax: typeof
        jax.api_util: safe_map
        jax.experimental: cur_qdd
        jax.lax: platform_dependent
        jax.ref: AbstractRef
        jax.tree_util: keystr tree_flatten tree_flatten_with_path tree_unflatten
        modules: jax._src.ad_util jax._src.api_util jax._src.config jax._src.core jax._src.dispatch jax._src.effects
        modules: jax._src.lax.lax jax._src.interpreters.remat jax._src.source_info_util jax._src.util
    """,
    "jax._src.lax.control_flow.loops": """
        jax: Array reshard typeof
        jax._src.compat.sequences: _batch_and_remainder=batch_and_remainder
        jax.api_util: _map=safe_map safe_map
        jax.core: AbstractValue ShapedArray
        jax.experimental: cur_qdd
        jax.extend.core: ClosedJaxpr
        jax.lax: cumlogsumexp cumlogsumexp_p cummax cummax_p cummin cummin_p cumprod cumprod_p cumsum cumsum_p
        jax.lax: fori_loop map scan scan_p while_loop while_p
        jax.ref: AbstractRef
        jax.sharding: auto_axes use_abstract_mesh
        jax.tree_util: keystr tree_flatten tree_map tree_unflatten treedef_is_leaf
        modules: jax._src.interpreters.ad jax._src.ad_checkpoint jax._src.ad_util jax._src.api jax._src.api_util
        modules: jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch jax._src.dtypes
        modules: jax._src.effects jax._src.hijax jax._src.lax.lax lax_utils=jax._src.lax.utils
        modules: lu=jax._src.linear_util jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.interpreters.pxla jax._src.interpreters.remat sharding=jax._src.sharding_impls
        modules: jax._src.lax.slicing jax._src.source_info_util jax._src.state
        modules: state_discharge=jax._src.state.discharge jax._src.util jax._src.lax.windowed_reductions
        modules: xb=jax._src.xla_bridge
    """,
    "jax._src.lax.control_flow.solves": """
        jax.api_util: _map=safe_map safe_map
        jax.tree_util: tree_leaves
        modules: jax._src.ad_util jax._src.api jax._src.api_util jax._src.core jax._src.custom_derivatives
        modules: jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
    """,
    "jax._src.lax.convolution": """
        jax: Array NamedSharding
        jax._src.compat.rules: _conv_general_dilated_batch_rule=conv_batch_rule _conv_general_dilated_dtype_rule=conv_dtype_rule
        jax._src.compat.rules: _conv_general_dilated_lower=conv_lower _conv_general_dilated_shape_rule=conv_shape_rule
        jax._src.compat.rules: _conv_general_dilated_transpose_lhs=conv_transpose_lhs
        jax._src.compat.rules: _conv_general_dilated_transpose_rhs=conv_transpose_rhs
        jax._src.lax.ops.convolution_primitive: conv_general_dilated_p
        jax.lax: conv conv_dimension_numbers conv_general_dilated conv_general_permutations conv_general_shape_tuple
        jax.lax: conv_shape_tuple conv_transpose conv_transpose_shape_tuple conv_with_general_padding
        jax.lax: ConvDimensionNumbers
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.core jax._src.dtypes
        modules: jax._src.lax.lax jax._src.interpreters.mlir jax._src.util
    """,
    "jax._src.lax.eval_jaxpr": """
        jax.api_util: _map=safe_map safe_map
        jax.extend.core: ClosedJaxpr
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.interpreters.batching jax._src.core
        modules: pe=jax._src.interpreters.partial_eval
    """,
    "jax._src.lax.fft": """
        jax: jit
        jax.extend.core: Primitive
        jax.lax: fft fft_p FftType
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.dispatch jax._src.dtypes
        modules: jax._src.lax.lax jax._src.interpreters.mlir jax._src.lax.slicing
    """,
    "jax._src.lax.lax": """
        jax: Array NamedSharding typeof
        jax._src.compat.rules: _complex_basetype=complex_basetype _const=const _dot_general_batch_rule=dot_batch_rule
        jax._src.compat.rules: _dot_general_dtype_rule=dot_dtype_rule _dot_general_lower=dot_lower
        jax._src.compat.rules: _dot_general_shape_rule=dot_shape_rule _dot_general_transpose_lhs=dot_transpose_lhs
        jax._src.compat.rules: _dot_general_transpose_rhs=dot_transpose_rhs remaining standard_primitive
        jax._src.lax.control_flow.fori_loop_and_map: map
        jax._src.lax.ops.accuracy: AccuracyMode Tolerance
        jax._src.lax.ops.arithmetic: add add_p div div_p integer_pow integer_pow_p max max_p min min_p mul mul_p mulhi mulhi_p neg neg_p
        jax._src.lax.ops.arithmetic: reciprocal square square_p sub sub_p
        jax._src.lax.ops.bitwise: and_p bitwise_and bitwise_not bitwise_or bitwise_xor clz clz_p not_p or_p population_count
        jax._src.lax.ops.bitwise: population_count_p shift_left shift_left_p shift_right_arithmetic shift_right_arithmetic_p
        jax._src.lax.ops.bitwise: shift_right_logical shift_right_logical_p xor_p
        jax._src.lax.ops.broadcast_and_reduce_sum: broadcast broadcast_in_dim broadcast_in_dim_p broadcast_like broadcast_to_rank expand_dims
        jax._src.lax.ops.broadcast_and_reduce_sum: reduce_sum reduce_sum_p
        jax._src.lax.ops.checks: broadcast_shapes
        jax._src.lax.ops.comparison: eq eq_p eq_to_p ge ge_p gt gt_p le le_p le_to_p lt lt_p lt_to_p ne ne_p
        jax._src.lax.ops.complex_parts: complex complex_p conj conj_p imag imag_p real real_p
        jax._src.lax.ops.conversion: bitcast_convert_type bitcast_convert_type_p convert_element_type convert_element_type_p dtype
        jax._src.lax.ops.conversion: reduce_precision reduce_precision_p
        jax._src.lax.ops.creation: broadcasted_iota empty full full_like iota iota_p
        jax._src.lax.ops.sizes: shape_as_value
        jax._src.lax.ops.dot: batch_matmul dot dot_general dot_general_p DotDimensionNumbers
        jax._src.lax.ops.exponential: cbrt cbrt_p exp exp2 exp2_p exp_p expm1 expm1_p log log1p log1p_p log_p logistic logistic_p pow
        jax._src.lax.ops.exponential: pow_p rsqrt rsqrt_p sqrt sqrt_p
        jax._src.lax.ops.reduce: reduce reduce_p
        jax._src.lax.ops.joining_splitting: concatenate concatenate_p split split_p stack stack_p tile tile_p unstack unstack_p
        jax._src.lax.ops.slicing_padding: pad pad_p
        jax._src.lax.ops.barriers: copy_p optimization_barrier optimization_barrier_p stop_gradient
        jax._src.lax.ops.precision: DotAlgorithm DotAlgorithmPreset Precision PrecisionLike
        jax._src.lax.ops.random_bits: RandomAlgorithm rng_bit_generator rng_bit_generator_p rng_uniform rng_uniform_p
        jax._src.lax.ops.reductions: argmax argmax_p argmin argmin_p reduce_and reduce_and_p reduce_max reduce_max_p reduce_min
        jax._src.lax.ops.reductions: reduce_min_p reduce_or reduce_or_p reduce_prod reduce_prod_p reduce_xor reduce_xor_p
        jax._src.lax.ops.reshaping: collapse reshape reshape_p rev rev_p squeeze squeeze_p transpose transpose_p
        jax._src.lax.ops.rounding: abs abs_p ceil ceil_p floor floor_p is_finite is_finite_p rem rem_p round round_p RoundingMethod
        jax._src.lax.ops.rounding: sign sign_p
        jax._src.lax.ops.selection: clamp clamp_p select select_n select_n_p
        jax._src.lax.ops.sorting: sort sort_key_val sort_p top_k top_k_p
        jax._src.lax.ops.special: nextafter nextafter_p
        jax._src.lax.ops.trigonometric: acos acos_p acosh acosh_p asin asin_p asinh asinh_p atan atan2 atan2_p atan_p atanh atanh_p cos
        jax._src.lax.ops.trigonometric: cos_p cosh cosh_p sin sin_p sinh sinh_p tan tan_p tanh tanh_p
        jax._src.lax.ops.windows: padtype_to_pads
        jax.api_util: safe_map
        jax.core: ShapedArray
        jax.errors: UnexpectedTracerError
        jax.extend.core: array_types Primitive
        jax.lax: _dtype=dtype after_all after_all_p composite create_token create_token_p dce_sink dce_sink_p
        jax.lax: ragged_dot ragged_dot_general RaggedDotDimensionNumbers stage stage_p
        jax.sharding: get_abstract_mesh Sharding use_abstract_mesh
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api jax._src.api_util jax._src.array
        modules: jax._src.interpreters.batching jax._src.config jax._src.core jax._src.dispatch jax._src.dtypes
        modules: jax._src.effects jax._src.ffi lax_utils=jax._src.lax.utils jax._src.literals
        modules: jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval jax._src.pjit
        modules: pp=jax._src.pretty_printer jax._src.interpreters.remat jax._src.lax.slicing
        modules: jax._src.source_info_util jax._src.tree_util jax._src.util
    """,
    "jax._src.lax.linalg": """
        jax: Array
        jax._src.compat.emitting: _broadcasting_select_hlo=broadcasting_select_hlo _nan_like_hlo=nan_like_hlo
        jax._src.lax.linalg.matrices: _H=adjoint _T=turned symmetrize=symmetrized
        jax.core: ShapedArray
        jax.extend.core.primitives: cholesky_p eig_p eigh_p hessenberg_p householder_product_p lu_p qr_p schur_p svd_p
        jax.extend.core.primitives: triangular_solve_p tridiagonal_p tridiagonal_solve_p
        jax.lax.linalg: cholesky_update cholesky_update_p EighImplementation EigImplementation hessenberg
        jax.lax.linalg: householder_product lu_pivots_to_permutation lu_pivots_to_permutation_p ormqr ormqr_p SvdAlgorithm
        jax.lax.linalg: symmetric_product symmetric_product_p triangular_solve tridiagonal_solve
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api jax._src.interpreters.batching
        modules: jax._src.config jax._src.lax.control_flow jax._src.core jax._src.dispatch jax._src.dtypes
        modules: jax._src.ffi jax._src.lax.lax lax_utils=jax._src.lax.utils jax._src.interpreters.mlir
    """,
    "jax._src.lax.other": """
        jax: Array custom_jvp
        jax.lax: conv_general_dilated_local conv_general_dilated_patches
        modules: jax._src.lax.convolution jax._src.dtypes jax._src.lax.lax jax._src.util
    """,
    "jax._src.lax.parallel": """
        jax: Array NamedSharding
        jax.api_util: safe_map
        jax.core: ShapedArray
        jax.interpreters.mlir: ShardingContext SPMDAxisContext
        jax.lax: all_gather all_gather_p all_to_all all_to_all_p axis_index axis_index_p axis_size pbroadcast pcast
        jax.lax: pmax pmax_p pmean pmin pmin_p ppermute ppermute_p precv psend pshuffle psum psum_p psum_scatter
        jax.lax: pswapaxes q=ppermute_p ragged_all_to_all ragged_all_to_all_p
        jax.sharding: get_abstract_mesh
        modules: jax._src.interpreters.ad jax._src.interpreters.batching jax._src.config jax._src.lax.control_flow
        modules: jax._src.core jax._src.dispatch jax._src.dtypes effects_lib=jax._src.effects jax._src.lax.lax
        modules: jax._src.interpreters.mlir jax._src.interpreters.pxla jax._src.lax.slicing jax._src.tree_util
    """,
    "jax._src.lax.scaled_dot": """
        jax: Array
        jax.lax: scaled_dot
        modules: jax._src.interpreters.batching jax._src.core jax._src.dispatch jax._src.dtypes jnp=jax._src.numpy
        modules: jax._src.lax.lax jax._src.interpreters.mlir
    """,
    "jax._src.lax.slicing": """
        jax: Array ds NamedSharding typeof
        jax.api_util: safe_map
        jax.lax: _dtype=dtype dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_slice_p
        jax.lax: dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim dynamic_update_slice_p
        jax.lax: gather gather_p GatherDimensionNumbers GatherScatterMode index_in_dim index_take scatter scatter_add
        jax.lax: scatter_add_p scatter_apply scatter_max scatter_max_p scatter_min scatter_min_p scatter_mul
        jax.lax: scatter_mul_p scatter_p scatter_sub scatter_sub_p ScatterDimensionNumbers slice slice_in_dim slice_p
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api jax._src.interpreters.batching jax._src.core
        modules: jax._src.dispatch jax._src.dtypes jax._src.lax.lax lax_utils=jax._src.lax.utils
        modules: mesh_lib=jax._src.mesh jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval
        modules: jax._src.source_info_util jax._src.util
    """,
    "jax._src.lax.special": """
        jax: Array
        jax.lax: _dtype=dtype add bessel_i0e bessel_i0e_p bessel_i1e bessel_i1e_p betainc bitwise_and bitwise_not
        jax.lax: bitwise_or broadcast_in_dim broadcast_shapes convert_element_type digamma digamma_p div eq erf
        jax.lax: erf_inv erf_inv_p erf_p erfc erfc_p exp full_like ge gt igamma igamma_grad_a igamma_grad_a_p
        jax.lax: igamma_p igammac igammac_p le lgamma lgamma_p log log1p lt mul ne neg polygamma polygamma_p
        jax.lax: random_gamma_grad reciprocal reduce regularized_incomplete_beta_p select sign sqrt square sub
        jax.lax: while_loop zeta zeta_p
        modules: jax._src.interpreters.ad jax._src.core jax._src.dtypes jax._src.interpreters.mlir
    """,
    "jax._src.lax.utils": """
        jax: NamedSharding
        modules: jax._src.core jax._src.dispatch jax._src.dtypes mesh_lib=jax._src.mesh jax._src.state
    """,
    "jax._src.lax.windowed_reductions": """
        jax: Array
        jax.core: ShapedArray
        jax.extend.core: ClosedJaxpr jaxpr_as_fun
        jax.lax: reduce_window reduce_window_max_p reduce_window_min_p reduce_window_p reduce_window_shape_tuple
        jax.lax: reduce_window_sum_p select_and_gather_add_p select_and_scatter_add_p select_and_scatter_p
        modules: jax._src.interpreters.ad jax._src.ad_util jax._src.api_util jax._src.interpreters.batching
        modules: jax._src.lax.convolution jax._src.core jax._src.dispatch jax._src.dtypes jax._src.lax.lax
        modules: jax._src.interpreters.mlir jax._src.lax.slicing jax._src.tree_util jax._src.util
    """,
}
