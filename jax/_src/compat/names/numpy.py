"""Rows of NumPy's functions: see `table`."""

TABLE = {
    "jax._src.numpy": """
        jax.nn: tanh
        jax.numpy: abs all amax amin any apply_along_axis arange arctan2 argmax argmin argsort array asarray astype
        jax.numpy: atleast_1d atleast_2d bfloat16 bitwise_and block bool bool_=bool broadcast_arrays broadcast_shapes
        jax.numpy: broadcast_to cbrt cdouble ceil clip complex128=cdouble complex64=csingle complex_=cdouble
        jax.numpy: concatenate conj conjugate cos cov cross csingle cumprod cumsum deg2rad diag diag_indices diff
        jax.numpy: digitize divide dot double empty empty_like equal exp expand_dims expm1 eye flip float16 float32
        jax.numpy: float4_e2m1fn float64=double float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz
        jax.numpy: float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float_=double floor
        jax.numpy: floor_divide fmod full full_like greater greater_equal hstack hypot imag int16 int2 int32 int4 int64
        jax.numpy: int8 int_=int64 iscomplexobj isfinite isinf isnan isscalar issubdtype less less_equal linspace log
        jax.numpy: log1p log2 logaddexp logical_and logical_not logical_or matmul max maximum mean median meshgrid
        jax.numpy: minimum mod moveaxis multiply nanstd nonzero not_equal ogrid ones ones_like pad permute_dims
        jax.numpy: piecewise polyval power prod promote_types rad2deg ravel real reciprocal repeat reshape result_type
        jax.numpy: roll round searchsorted select sign signbit sin single=float32 split sqrt square squeeze stack
        jax.numpy: subtract sum take trace transpose tril triu triu_indices uint uint16 uint2 uint32 uint4 uint64=uint
        jax.numpy: uint8 unique unravel_index vdot vstack where zeros zeros_like
        modules: jax._src.dtypes
    """,
    "jax._src.numpy.array_api_metadata": """
        jax.sharding: Sharding
        modules: _dtypes=jax._src.dtypes jax._src.config xb=jax._src.xla_bridge
    """,
    "jax._src.numpy.array_constructors": """
        jax: Array NamedSharding
        jax.numpy: array asarray
        jax.sharding: Sharding
        modules: jax._src.api jax._src.config jax._src.core jax._src.deprecations jax._src.dtypes jax._src.lax.lax
        modules: jax._src.literals jax._src.tree_util jax._src.numpy.util jax._src.xla_bridge
    """,
    "jax._src.numpy.array_creation": """
        jax: Array NamedSharding
        jax.numpy: asarray empty empty_like full full_like geomspace linspace logspace ones ones_like zeros zeros_like
        jax.sharding: Sharding SingleDeviceSharding
        modules: jax._src.api jax._src.core jax._src.dtypes jax._src.lax.lax jax._src.numpy.ufuncs
        modules: jax._src.numpy.util
    """,
    "jax._src.numpy.array_methods": """
        jax: Array NamedSharding PartitionSpec=P
        jax._src.numpy.at: _IndexUpdateHelper=IndexUpdateHelper _IndexUpdateRef=IndexUpdateRef
        jax.api_util: safe_map
        jax.sharding: Sharding
        modules: jax._src.api jax._src.numpy.array_api_metadata jax._src.numpy.array_creation jax._src.core
        modules: jax._src.dtypes jax._src.numpy.indexing jax._src.lax.lax jax._src.numpy.lax_numpy
        modules: lax_slicing=jax._src.lax.slicing jax._src.literals jax._src.numpy.reductions jax._src.ops.scatter
        modules: jax._src.numpy.sorting jax._src.numpy.tensor_contractions jax._src.numpy.ufuncs jax._src.numpy.util
    """,
    "jax._src.numpy.einsum": """
        jax: Array NamedSharding
        jax.numpy: einsum einsum_path
        jax.sharding: auto_axes
        modules: jax._src.api jax._src.core jax._src.dtypes jax._src.lax.lax jax._src.export.shape_poly
        modules: jax._src.numpy.util
    """,
    "jax._src.numpy.error": """
        jax: Array
        modules: jax._src.numpy.array_constructors jax._src.numpy.array_creation jax._src.config jax._src.dtypes
        modules: error_check_lib=jax._src.error_check jax._src.numpy.reductions jax._src.numpy.ufuncs
    """,
    "jax._src.numpy.fft": """
        jax: Array
        jax.numpy.fft: fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2
        jax.numpy.fft: rfftfreq rfftn
        jax.sharding: Sharding
        modules: jax._src.dtypes jnp=jax._src.numpy.lax_numpy lax_fft=jax._src.lax.fft jax._src.numpy.reductions
        modules: jax._src.numpy.ufuncs
    """,
    "jax._src.numpy.hijax": """
        jax: Array
        jax.experimental.hijax: VJPHiPrimitive
        modules: jax._src.ad_util jax._src.api jax._src.lax.control_flow jax._src.core jax._src.dtypes
        modules: jnp=jax._src.numpy jax._src.lax.lax jax._src.tree_util jax._src.numpy.util
    """,
    "jax._src.numpy.index_tricks": """
        jax: Array
        jax._src.compat.joining: _AxisConcat CClass RClass
        jax.numpy: arange array c_ concatenate expand_dims linspace meshgrid mgrid ogrid r_ stack transpose
        modules: jax._src.config jax._src.core
    """,
    "jax._src.numpy.indexing": """
        jax: NamedSharding PartitionSpec=P
        jax.numpy: place put put_along_axis take take_along_axis
        jax.sharding: auto_axes
        jax.tree_util: register_pytree_node_class tree_flatten tree_unflatten
        modules: jax._src.api jax._src.array jax._src.numpy.array_constructors jax._src.config jax._src.core
        modules: jax._src.numpy.einsum jax._src.indexing jnp_error=jax._src.numpy.error jax._src.numpy.lax_numpy
        modules: lax_utils=jax._src.lax.utils jax._src.lax.slicing jax._src.numpy.ufuncs jax._src.numpy.util
    """,
    "jax._src.numpy.lax_numpy": """
        jax: Array custom_jvp NamedSharding
        jax.lax: _dtype=dtype
        jax.numpy: allclose angle append apply_along_axis apply_over_axes arange argmax argmin argsort argwhere around
        jax.numpy: array array_equal array_equiv array_split asarray astype atleast_1d atleast_2d atleast_3d bincount
        jax.numpy: block broadcast_arrays broadcast_shapes broadcast_to choose clip column_stack compress concat
        jax.numpy: concatenate convolve copy corrcoef correlate cov cross delete diag diag_indices diag_indices_from
        jax.numpy: diagflat diagonal diff digitize dsplit dstack ediff1d expand_dims extract eye fill_diagonal
        jax.numpy: flatnonzero flip fliplr flipud fmax fmin from_dlpack frombuffer fromfile fromfunction fromiter
        jax.numpy: fromstring gcd get_printoptions gradient histogram histogram2d histogram_bin_edges histogramdd
        jax.numpy: hsplit hstack i0 identity indices insert interp isclose iscomplex iscomplexobj isreal isrealobj
        jax.numpy: isscalar issubdtype ix_ kron lcm load mask_indices matrix_transpose meshgrid moveaxis nan_to_num
        jax.numpy: nanargmax nanargmin nonzero packbits pad permute_dims piecewise printoptions promote_types ravel
        jax.numpy: ravel_multi_index repeat reshape resize result_type roll rollaxis rot90 round searchsorted select
        jax.numpy: set_printoptions sort split squeeze stack swapaxes tile trace transpose trapezoid tri tril
        jax.numpy: tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from trunc unpackbits
        jax.numpy: unravel_index unstack unwrap vander vectorize vsplit vstack where
        jax.sharding: auto_axes get_abstract_mesh Sharding
        jax.tree_util: tree_map
        modules: jax._src.api jax._src.numpy.array_creation jax._src.lax.control_flow jax._src.core
        modules: jax._src.deprecations jax._src.dtypes jax._src.numpy.hijax jax._src.numpy.indexing jax._src.lax.lax
        modules: lax_conv=jax._src.lax.convolution lax_slicing=jax._src.lax.slicing lax_special=jax._src.lax.special
        modules: lax_utils=jax._src.lax.utils jax._src.numpy.reductions jax._src.numpy.tensor_contractions
        modules: jax._src.numpy.ufuncs jax._src.numpy.util
    """,
    "jax._src.numpy.linalg": """
        jax: Array custom_jvp NamedSharding
        jax.numpy.linalg: cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power
        jax.numpy.linalg: matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot
        jax.numpy.linalg: tensorinv tensorsolve trace vecdot vector_norm
        modules: jax._src.api jax._src.numpy.array_creation jax._src.config jax._src.core jax._src.numpy.einsum
        modules: jax._src.numpy.indexing jnp=jax._src.numpy.lax_numpy jax._src.lax.lax lax_linalg=jax._src.lax.linalg
        modules: lax_utils=jax._src.lax.utils jax._src.numpy.reductions jax._src.numpy.tensor_contractions
        modules: jax._src.numpy.ufuncs
    """,
    "jax._src.numpy.polynomial": """
        jax: Array
        jax.numpy: all arange argmin array atleast_1d concatenate convolve diag dot full maximum ones outer poly
        jax.numpy: polyadd polyder polydiv polyfit polyint polymul polysub polyval roll roots sqrt trim_zeros
        jax.numpy: true_divide vander zeros
        modules: jax._src.api jax._src.lax.control_flow jax._src.core jax._src.dtypes jax._src.lax.lax
        modules: jax._src.numpy.linalg
    """,
    "jax._src.numpy.reductions": """
        jax: NamedSharding
        jax._src.compat.arguments: _reduction_dims=reduction_dims
        jax.numpy: cumprod cumsum cumulative_prod cumulative_sum median nancumprod nancumsum nanmax nanmean nanmedian
        jax.numpy: nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile quantile
        jax.sharding: auto_axes
        modules: jax._src.api jax._src.config jax._src.lax.control_flow jax._src.core jax._src.numpy.indexing
        modules: lax_other=jax._src.lax.other lax_parallel=jax._src.lax.parallel lax_slicing=jax._src.lax.slicing
    """,
    "jax._src.numpy.scalar_types": """
        jax: Array
        jax.numpy: asarray
        modules: jax._src.core
    """,
    "jax._src.numpy.setops": """
        jax: Array
        jax.numpy: any append arange concatenate cumsum diff empty full full_like intersect1d isin isnan lexsort
        jax.numpy: moveaxis nonzero ones ravel setdiff1d setxor1d sort union1d unique unique_all unique_counts
        jax.numpy: unique_inverse unique_values where zeros
        modules: jax._src.api jax._src.core jax._src.dtypes jax._src.lax.lax lax_slicing=jax._src.lax.slicing
        modules: lax_utils=jax._src.lax.utils
    """,
    "jax._src.numpy.sorting": """
        modules: jax._src.api jax._src.core lax_utils=jax._src.lax.utils jax._src.numpy.util
    """,
    "jax._src.numpy.tensor_contractions": """
        jax: Array NamedSharding
        jax.numpy: dot inner matmul matvec outer tensordot vdot vecdot vecmat vectorize
        modules: jax._src.api jax._src.core jax._src.dtypes jax._src.lax.lax jax._src.numpy.ufuncs
        modules: jax._src.numpy.util
    """,
    "jax._src.numpy.ufunc_api": """
        jax: Array
        jax.numpy: frompyfunc ufunc vectorize
        modules: jax._src.api jax._src.lax.control_flow jax._src.numpy.indexing jnp=jax._src.numpy.lax_numpy
        modules: jax._src.lax.lax jax._src.lax.slicing
    """,
    "jax._src.numpy.ufuncs": """
        jax: custom_jvp jit
        jax.nn: tanh
        jax.numpy: abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
        jax.numpy: atanh bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_right_shift cbrt ceil conj
        jax.numpy: conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs float_power
        jax.numpy: floor floor_divide fmod frexp greater greater_equal heaviside hypot imag invert isfinite isinf isnan
        jax.numpy: isneginf isposinf ldexp left_shift less less_equal log log10 log1p log2 logical_not mod modf
        jax.numpy: nextafter not_equal positive pow power rad2deg radians real reciprocal remainder right_shift rint
        jax.numpy: sign signbit sin sinc sinh spacing sqrt square tan true_divide
        modules: jax._src.numpy.array_constructors jax._src.core jax._src.dtypes jnp_error=jax._src.numpy.error
        modules: lax_other=jax._src.lax.other
    """,
    "jax._src.numpy.util": """
        jax: Array NamedSharding
        jax._src.numpy.operands: ensure_arraylike promote_args promote_args_inexact promote_args_numeric promote_shapes
        jax._src.numpy.operands: check_arraylike promote_dtypes promote_dtypes_complex promote_dtypes_inexact
        jax._src.numpy.operands: promote_dtypes_numeric
        jax.api_util: safe_map
        jax.lax: _dtype=dtype
        jax.numpy: ndim shape size
        jax.sharding: make_single_device_sharding Sharding
        modules: jax._src.api jax._src.config jax._src.core jax._src.dtypes jax._src.lax.lax
    """,
    "jax._src.numpy.vectorize": """
        jax._src.compat.mapping: _apply_excluded=apply_excluded _check_output_dims=check_output_dims
        jax._src.compat.mapping: _parse_gufunc_signature=parse_gufunc_signature _parse_input_dimensions=parse_input_dimensions
        jax._src.compat.mapping: _update_dim_sizes=update_dim_sizes
        jax.numpy: vectorize
        modules: jax._src.api jax._src.config jnp=jax._src.numpy.lax_numpy jax._src.lax.lax
    """,
    "jax._src.numpy.window_functions": """
        jax: Array
        jax.numpy: bartlett blackman hamming hanning kaiser
        modules: jax._src.core jax._src.dtypes jax._src.lax.lax jax._src.numpy.lax_numpy jax._src.numpy.ufuncs
    """,
}
