"""The primitives, for libraries that read or transform programs."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.compat.call_primitives import (
    create_call_primitive as create_call_primitive,
    eval_jaxpr_transpose as eval_jaxpr_transpose,
    register_call_primitive_rules as register_call_primitive_rules,
)
from jax._src.compat.trace_state import call_p as call_p, closed_call_p as closed_call_p
from jax._src.jit.primitive import (
    jit_p as jit_p,
)
from jax._src.lax.collectives.axis_index import (
    axis_index_p as axis_index_p,
)
from jax._src.lax.collectives.exchanging import (
    all_to_all_p as all_to_all_p,
    ppermute_p as ppermute_p,
)
from jax._src.lax.collectives.gather_scatter import (
    all_gather_p as all_gather_p,
)
from jax._src.lax.collectives.ragged import ragged_all_to_all_p as ragged_all_to_all_p
from jax._src.lax.collectives.reductions import (
    pmax_p as pmax_p,
    pmin_p as pmin_p,
    psum_p as psum_p,
)
from jax._src.lax.control_flow.conditionals import (
    cond_p as cond_p,
)
from jax._src.lax.control_flow.scan_primitive import (
    scan_p as scan_p,
)
from jax._src.lax.control_flow.solves import (
    linear_solve_p as linear_solve_p,
)
from jax._src.lax.control_flow.while_loops import (
    while_p as while_p,
)
from jax._src.lax.linalg.cholesky import (
    cholesky_p as cholesky_p,
)
from jax._src.lax.linalg.eig import (
    eig_p as eig_p,
)
from jax._src.lax.linalg.eigh import (
    eigh_p as eigh_p,
)
from jax._src.lax.linalg.lu import (
    lu_p as lu_p,
)
from jax._src.lax.linalg.qr import (
    householder_product_p as householder_product_p,
    qr_p as qr_p,
)
from jax._src.lax.linalg.schur_hessenberg import (
    hessenberg_p as hessenberg_p,
    schur_p as schur_p,
)
from jax._src.lax.linalg.svd import (
    svd_p as svd_p,
)
from jax._src.lax.linalg.triangular import (
    triangular_solve_p as triangular_solve_p,
)
from jax._src.lax.linalg.tridiagonal import (
    tridiagonal_p as tridiagonal_p,
    tridiagonal_solve_p as tridiagonal_solve_p,
)
from jax._src.lax.ops.approximate import approx_top_k_p as approx_top_k_p
from jax._src.lax.ops.arithmetic import (
    add_any_p as add_jaxvals_p,  # noqa: F401
    add_p as add_p,
    div_p as div_p,
    integer_pow_p as integer_pow_p,
    max_p as max_p,
    min_p as min_p,
    mul_p as mul_p,
    neg_p as neg_p,
    one_minus_square_p as one_minus_square_p,
    square_p as square_p,
    sub_p as sub_p,
)
from jax._src.lax.ops.barriers import (
    copy_p as copy_p,
    stop_gradient_p as stop_gradient_p,
)
from jax._src.lax.ops.bessel import (
    bessel_i0e_p as bessel_i0e_p,
    bessel_i1e_p as bessel_i1e_p,
)
from jax._src.lax.ops.bitwise import (
    and_p as and_p,
    clz_p as clz_p,
    not_p as not_p,
    or_p as or_p,
    population_count_p as population_count_p,
    shift_left_p as shift_left_p,
    shift_right_arithmetic_p as shift_right_arithmetic_p,
    shift_right_logical_p as shift_right_logical_p,
    xor_p as xor_p,
)
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    broadcast_in_dim_p as broadcast_in_dim_p,
    reduce_sum_p as reduce_sum_p,
)
from jax._src.lax.ops.comparison import (
    eq_p as eq_p,
    eq_to_p as eq_to_p,
    ge_p as ge_p,
    gt_p as gt_p,
    le_p as le_p,
    le_to_p as le_to_p,
    lt_p as lt_p,
    lt_to_p as lt_to_p,
    ne_p as ne_p,
)
from jax._src.lax.ops.complex_parts import (
    complex_p as complex_p,
    conj_p as conj_p,
    imag_p as imag_p,
    real_p as real_p,
)
from jax._src.lax.ops.conversion import (
    bitcast_convert_type_p as bitcast_convert_type_p,
    convert_element_type_p as convert_element_type_p,
    reduce_precision_p as reduce_precision_p,
)
from jax._src.lax.ops.convolution_primitive import (
    conv_general_dilated_p as conv_general_dilated_p,
)
from jax._src.lax.ops.creation import (
    iota_p as iota_p,
)
from jax._src.lax.ops.cumulative import (
    cumlogsumexp_p as cumlogsumexp_p,
    cummax_p as cummax_p,
    cummin_p as cummin_p,
    cumprod_p as cumprod_p,
    cumsum_p as cumsum_p,
)
from jax._src.lax.ops.dot import (
    dot_general_p as dot_general_p,
)
from jax._src.lax.ops.dynamic_slicing import (
    dynamic_slice_p as dynamic_slice_p,
    dynamic_update_slice_p as dynamic_update_slice_p,
)
from jax._src.lax.ops.exponential import (
    cbrt_p as cbrt_p,
    exp2_p as exp2_p,
    exp_p as exp_p,
    expm1_p as expm1_p,
    log1p_p as log1p_p,
    log2_p as log2_p,
    log_p as log_p,
    logistic_p as logistic_p,
    pow_p as pow_p,
    rsqrt_p as rsqrt_p,
    sqrt_p as sqrt_p,
)
from jax._src.lax.ops.fourier import (
    fft_p as fft_p,
)
from jax._src.lax.ops.gather import (
    gather_p as gather_p,
)
from jax._src.lax.ops.incomplete import (
    igamma_grad_a_p as igamma_grad_a_p,
    igamma_p as igamma_p,
    igammac_p as igammac_p,
)
from jax._src.lax.ops.incomplete_beta import (
    regularized_incomplete_beta_p as regularized_incomplete_beta_p,
)
from jax._src.lax.ops.joining_splitting import concatenate_p as concatenate_p
from jax._src.lax.ops.polynomial import (
    polynomial_p as polynomial_p,
)
from jax._src.lax.ops.random_bits import (
    rng_bit_generator_p as rng_bit_generator_p,
    rng_uniform_p as rng_uniform_p,
)
from jax._src.lax.ops.reduce import (
    reduce_p as reduce_p,
)
from jax._src.lax.ops.reductions import (
    argmax_p as argmax_p,
    argmin_p as argmin_p,
    reduce_and_p as reduce_and_p,
    reduce_max_p as reduce_max_p,
    reduce_min_p as reduce_min_p,
    reduce_or_p as reduce_or_p,
    reduce_prod_p as reduce_prod_p,
    reduce_xor_p as reduce_xor_p,
)
from jax._src.lax.ops.reshaping import (
    reshape_p as reshape_p,
    rev_p as rev_p,
    squeeze_p as squeeze_p,
    transpose_p as transpose_p,
)
from jax._src.lax.ops.rounding import (
    abs_p as abs_p,
    ceil_p as ceil_p,
    floor_p as floor_p,
    is_finite_p as is_finite_p,
    rem_p as rem_p,
    round_p as round_p,
    sign_p as sign_p,
)
from jax._src.lax.ops.scatter import (
    scatter_add_p as scatter_add_p,
    scatter_max_p as scatter_max_p,
    scatter_min_p as scatter_min_p,
    scatter_mul_p as scatter_mul_p,
    scatter_p as scatter_p,
)
from jax._src.lax.ops.scattering_windows import (
    select_and_scatter_p as select_and_scatter_p,
)
from jax._src.lax.ops.selection import (
    clamp_p as clamp_p,
    select_n_p as select_n_p,
)
from jax._src.lax.ops.slicing_padding import pad_p as pad_p, slice_p as slice_p
from jax._src.lax.ops.sorting import (
    sort_p as sort_p,
    top_k_p as top_k_p,
)
from jax._src.lax.ops.special import (
    digamma_p as digamma_p,
    erf_inv_p as erf_inv_p,
    erf_p as erf_p,
    erfc_p as erfc_p,
    lgamma_p as lgamma_p,
    nextafter_p as nextafter_p,
    polygamma_p as polygamma_p,
    zeta_p as zeta_p,
)
from jax._src.lax.ops.tokens import (
    after_all_p as after_all_p,
    create_token_p as create_token_p,
)
from jax._src.lax.ops.trigonometric import (
    acos_p as acos_p,
    acosh_p as acosh_p,
    asin_p as asin_p,
    asinh_p as asinh_p,
    atan2_p as atan2_p,
    atan_p as atan_p,
    atanh_p as atanh_p,
    cos_p as cos_p,
    cosh_p as cosh_p,
    sin_p as sin_p,
    sinh_p as sinh_p,
    tan_p as tan_p,
    tanh_p as tanh_p,
)
from jax._src.lax.ops.windows import (
    reduce_window_max_p as reduce_window_max_p,
    reduce_window_min_p as reduce_window_min_p,
    reduce_window_p as reduce_window_p,
    reduce_window_sum_p as reduce_window_sum_p,
    select_and_gather_add_p as select_and_gather_add_p,
    select_and_scatter_add_p as select_and_scatter_add_p,
)
from jax._src.random.extension import threefry2x32_p as threefry2x32_p
from jax._src.random.gamma import (
    random_gamma_p as random_gamma_p,
)
from jax._src.runtime.transfers.traced_device_put import device_put_p as device_put_p
from jax._src.transforms.checkpoint import (
    name_p as name_p,
    remat_p as remat_p,
)
from jax._src.transforms.custom_jvp import (
    custom_jvp_call_p as custom_jvp_call_p,
)
from jax._src.transforms.custom_vjp import (
    custom_lin_p as custom_lin_p,
    custom_vjp_call_p as custom_vjp_call_p,
)
from jax._src.transforms.sharding_constraint import (
    sharding_constraint_p as sharding_constraint_p,
)

_doc_examples.attach(__name__)
