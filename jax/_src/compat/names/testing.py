"""Rows of what test files import: see `table`."""

_PUBLIC = """
        jax._src.compat.testing.tolerances: _assert_numpy_allclose=assert_numpy_allclose
        jax._src.compat.testing.tolerances: _check_dtypes_match=check_dtypes_match _default_tolerance=values _dtype=dtype_of
        jax._src.compat.testing.tolerances: default_gradient_tolerance=gradients default_tolerance rand_like tolerance
        jax._src.compat.testing.tolerances: ToleranceDict
"""
_LOADING = """
        jax._src.compat.testing.loading: JaxTestLoader TEST_NUM_THREADS thread_unsafe_test thread_unsafe_test_class
"""

TABLE = {
    "jax._src.public_test_util": f"""{_PUBLIC}
        jax._src.compat.testing.tolerances: _assert_numpy_close=assert_numpy_close add conj EPS inner_prod is_python_scalar
        jax._src.compat.testing.tolerances: numerical_jvp safe_sub scalar_mul sub
        jax._src.test_util: check_close check_grads check_jvp check_vjp
        modules: jax._src.api jax._src.config _dtypes=jax._src.dtypes
    """,
    "jax._src.test_loader": f"""{_LOADING}
        jax._src.compat.testing.loading: JaxTestSuite ThreadSafeTestResult
        modules: jax._src.config jax._src.test_warning_util jax._src.util
    """,
    "jax._src.test_util": f"""{_PUBLIC}{_LOADING}
        jax: Array
        jax._src.compat.testing.blocks: _capture_output=capture_output assert_global_configs_unchanged capture_stderr capture_stdout
        jax._src.compat.testing.blocks: check_raises check_raises_regexp create_mesh global_config_context is_sequence MeshSpec
        jax._src.compat.testing.blocks: NotPresent promote_like_jnp set_env thread_local_config_context to_default_dtype with_config
        jax._src.compat.testing.blocks: with_explicit_mesh with_global_config with_jax_dtype_defaults with_mesh with_mesh_from_kwargs
        jax._src.compat.testing.cases: _choice=_chosen _MAX_CASES_SAMPLING_RETRIES=MAX_CASES_SAMPLING_RETRIES cases_from_gens
        jax._src.compat.testing.cases: named_cases_from_sampler NUM_GENERATED_CASES parameterized_filterable sample_product
        jax._src.compat.testing.cases: sample_product_testcases sanitize_test_name SKIP_SLOW_TESTS
        jax._src.compat.testing.counting: assert_num_jit_and_pmap_compilations collect_lowered_jaxprs count_events
        jax._src.compat.testing.counting: count_aot_jit_cpp_cache_miss count_compilation_after_persistent_cache_miss
        jax._src.compat.testing.counting: count_device_put count_device_put_fast_path_hit count_internal_device_puts
        jax._src.compat.testing.counting: count_jax_array_shard_arg_calls count_jit_and_pmap_lowerings
        jax._src.compat.testing.counting: count_jit_compilation_cache_miss count_jit_tracing_cache_miss
        jax._src.compat.testing.counting: count_pjit_cpp_cache_miss count_primitive_compiles count_subjaxpr_to_hlo_conversion
        jax._src.compat.testing.counting: register_event_duration_listener
        jax._src.compat.testing.devices: _device_filter=device_filter _get_device_tags=get_device_tags _LazyDtypes=LazyDtypes
        jax._src.compat.testing.devices: _SMEM_SIZE_BOUND_FOR_TESTS=SMEM_SIZE_BOUND_FOR_TESTS _TEST_DUT=device_flag
        jax._src.compat.testing.devices: CudaArchSpecificTest device_kind_match device_supports_buffer_donation device_under_test
        jax._src.compat.testing.devices: dtypes get_cuda_nonportable_max_cluster_size get_tpu_version is_asan is_cloud_tpu
        jax._src.compat.testing.devices: is_cloud_tpu_at_least is_cuda_compute_capability_at_least is_cuda_compute_capability_equal
        jax._src.compat.testing.devices: is_cuda_version_at_least is_device_cuda is_device_rocm is_device_tpu is_device_tpu_at_least
        jax._src.compat.testing.devices: is_gil_disabled is_msan is_optimized_build is_running_under_pytest is_sanitized
        jax._src.compat.testing.devices: is_test_rbe is_tsan jaxlib_version numpy_version parse_version pattern_search
        jax._src.compat.testing.devices: pjrt_c_api_version_at_least pytest_mark_if_available request_cpu_devices run_on_devices
        jax._src.compat.testing.devices: runtime_environment skip_on_devices skip_on_flag skip_under_pytest
        jax._src.compat.testing.devices: stablehlo_version_at_least strict_promotion_if_dtypes_match supported_dtypes
        jax._src.compat.testing.devices: test_device_matches
        jax._src.compat.testing.exact_numbers: complex_plane_sample numpy_with_mpmath vectorize_with_mpmath
        jax._src.compat.testing.program_checks: assert_dot_precision assert_dot_preferred_element_type fwd_bwd_jaxprs iter_eqns
        jax._src.compat.testing.samplers: _cast_to_shape=cast_to_shape _dims_of_shape=dims_of_shape _NumpyScalar=NumpyScalar
        jax._src.compat.testing.samplers: _PythonScalar=PythonScalar _rand_dtype=rand_dtype dtype_str format_shape_dtype_string
        jax._src.compat.testing.samplers: is_valid_shape NUMPY_SCALAR_SHAPE PYTHON_SCALAR_SHAPE rand_bool rand_default
        jax._src.compat.testing.samplers: rand_fullrange rand_indices_unique_along_axis rand_int rand_nonzero rand_not_small
        jax._src.compat.testing.samplers: rand_positive rand_small rand_small_positive rand_some_equal rand_some_inf
        jax._src.compat.testing.samplers: rand_some_inf_and_nan rand_some_nan rand_some_zero rand_uniform rand_unique_int ScalarShape
        jax._src.compat.testing.test_case: BufferDonationTestCase JaxTestCase JIT_IMPLEMENTATION
        jax._src.compat.testing.tolerances: check_eq join_tolerance _normalize_tolerance=by_dtype num_float_bits
        jax._src.compat.testing.warning_blocks: ignore_warning
        jax._src.compat.testing.test_case: _NOOP_JIT_IMPLEMENTATION=without_jit _PJIT_IMPLEMENTATION=with_jit
        jax._src.compat.testing.test_case: TEST_WITH_PERSISTENT_COMPILATION_CACHE
        jax._src.lib.cuda: cuda_versions
        jax._src.numpy.operands: promote_dtypes promote_dtypes_inexact
        jax.tree_util: tree_all tree_flatten tree_map tree_unflatten
        jax.typing: ArrayLike DTypeLike
        modules: collections contextlib datetime functools inspect math os platform re sys tempfile textwrap threading
        modules: unittest zlib np=numpy npr=numpy.random hlo=jaxlib.mlir.dialects.stablehlo
        modules: jax._src.api jax._src.compilation_cache jax._src.config jax._src.core jax._src.deprecations jax._src.dispatch
        modules: _dtypes=jax._src.dtypes _jaxlib=jax._src.lib jax._src.lax.lax mesh_lib=jax._src.mesh jax._src.interpreters.mlir
        modules: jax._src.monitoring jax._src.sharding_impls jax._src.test_warning_util jax._src.util jax._src.xla_bridge
    """,
    "jax._src.test_warning_util": """
        jax._src.compat.testing.warning_blocks: ignore_warning install_threadsafe_warning_handlers raise_on_warnings
        jax._src.compat.testing.warning_blocks: record_warnings
    """,
    "jax._src.cloud_tpu_init": """
        jax._src.compat.hardware: cloud_tpu_init get_tpu_library_path is_cloud_tpu_older_than jax_force_tpu_init
        jax._src.compat.hardware: maybe_import_libtpu running_in_cloud_tpu_vm
        modules: jax._src.config jax._src.hardware_utils
    """,
    "jax._src.debugger": """
        jax.debug: breakpoint
    """,
    "jax._src.debugger.core": """
        jax._src.debugging.prompts: DebuggerFrame=Frame get_debugger=prompt_of
        jax.debug: breakpoint
    """,
    "jax._src.deprecations": """
        jax._src.compat.deprecations: accelerate accelerate_getattr_deprecation deprecation_getattr is_accelerated
        jax._src.compat.deprecations: is_accelerated_attribute register unregister warn
    """,
    "jax._src.extend": "",
    "jax._src.extend.random": """
        jax.extend.random: define_prng_impl
        modules: jax._src.random
    """,
    "jax._src.frozen_dict": """
        jax._src.compat.containers: FrozenDict
    """,
    "jax._src.hardware_utils": """
        jax._src.compat.hardware: get_shm_size_in_mb has_visible_nvidia_gpu num_available_amd_gpus
        jax._src.compat.hardware: num_available_tpu_chips_and_device_id TpuVersion transparent_hugepages_enabled
    """,
    "jax._src.internal_test_util": "",
    "jax._src.internal_test_util.deprecation_module": """
        jax._src.compat.testing.deprecation_example: _deprecations deprecated_y x y
    """,
    "jax._src.internal_test_util.lax_test_util": """
        jax._src.compat.testing.operation_lists: OpRecord ReducerOpRecord NamedReducerOpRecord add_bdim all_bdims
        jax._src.compat.testing.operation_lists: all_dtypes args_slicer bool_dtypes compatible_shapes complex_dtypes
        jax._src.compat.testing.operation_lists: complex_elem_dtypes default_dtypes float_dtypes inexact_dtypes
        jax._src.compat.testing.operation_lists: int_dtypes lax_named_reduce_ops lax_ops lax_out_dtype_ops
        jax._src.compat.testing.operation_lists: lax_reduce_ops number_dtypes op_record python_scalar_types slicer
        jax._src.compat.testing.operation_lists: uint_dtypes
        modules: jax._src.config jax._src.dtypes jax._src.lax jax._src.test_util
    """,
    "jax._src.internal_test_util.lazy_loader_module": """
        jax._src.compat.testing.lazy_example: __all__=submodules
    """,
    "jax._src.internal_test_util.lazy_loader_module.lazy_test_submodule": """
        jax._src.compat.testing.lazy_example: a_function
    """,
    "jax._src.lax_reference": """
        jax._src.compat.testing.reference_functions: abs acos acosh add asin asinh atan atan2 atanh bessel_i0e
        jax._src.compat.testing.reference_functions: bessel_i1e betainc bitcast_convert_type bitwise_and bitwise_not
        jax._src.compat.testing.reference_functions: bitwise_or bitwise_xor broadcast broadcast_in_dim cbrt ceil clamp
        jax._src.compat.testing.reference_functions: clz complex concatenate conj conv conv_general_dilated
        jax._src.compat.testing.reference_functions: conv_with_general_padding convert_element_type cos cosh digamma
        jax._src.compat.testing.reference_functions: div dot dot_general dynamic_slice dynamic_update_slice eq erf
        jax._src.compat.testing.reference_functions: erf_inv erfc exp exp2 expm1 floor ge gt igamma igammac imag
        jax._src.compat.testing.reference_functions: is_finite le lgamma log log1p logistic lt max min mul mulhi ne
        jax._src.compat.testing.reference_functions: neg nextafter pad padtype_to_pads population_count pow ragged_dot
        jax._src.compat.testing.reference_functions: real reciprocal reduce reduce_window rem reshape rev round rsqrt
        jax._src.compat.testing.reference_functions: select shift_left shift_right_arithmetic sign sin sinh slice sort
        jax._src.compat.testing.reference_functions: sort_key_val sqrt square squeeze sub sum tan tanh top_k transpose
    """,
    "jax._src.lazy_loader": """
        jax._src.compat.lazy_modules: attach
    """,
    "jax._src.pickle_util": """
        jax._src.compat.sending: dumps loads
    """,
    "jax.experimental.roofline.rooflines": """
        modules: jax.experimental.roofline
    """,
    "jax.experimental.sparse._base": """
        jax.experimental.sparse: JAXSparse
    """,
}
