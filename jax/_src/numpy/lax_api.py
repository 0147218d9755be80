"""The operations of `jax.lax` on which this package is written, under one name.

A table of contents, not a layer: every line names where an operation lives.
"""

from jax._src.lax.control_flow.fori_loop_and_map import fori_loop as fori_loop
from jax._src.lax.control_flow.scans import scan as scan
from jax._src.lax.control_flow.while_loops import (
    while_loop as while_loop,
)
from jax._src.lax.ops.arithmetic import (
    add as add,
    div as div,
    integer_pow as integer_pow,
    max as max,
    min as min,
    mul as mul,
    mulhi as mulhi,
    neg as neg,
    square as square,
    sub as sub,
)
from jax._src.lax.ops.barriers import (
    copy_p as copy_p,
    stop_gradient as stop_gradient,
)
from jax._src.lax.ops.bessel import (
    bessel_i0e as bessel_i0e,
    bessel_i1e as bessel_i1e,
)
from jax._src.lax.ops.bitwise import (
    bitwise_and as bitwise_and,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    clz as clz,
    population_count as population_count,
    shift_left as shift_left,
    shift_right_arithmetic as shift_right_arithmetic,
    shift_right_logical as shift_right_logical,
)
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    broadcast_in_dim as broadcast_in_dim,
    expand_dims as expand_dims,
    reduce_sum as reduce_sum,
)
from jax._src.lax.ops.checks import is_array as is_array
from jax._src.lax.ops.comparison import (
    eq as eq,
    ge as ge,
    gt as gt,
    le as le,
    lt as lt,
    ne as ne,
)
from jax._src.lax.ops.complex_parts import (
    complex as complex,
    conj as conj,
    imag as imag,
    real as real,
)
from jax._src.lax.ops.conversion import (
    bitcast_convert_type as bitcast_convert_type,
    convert as convert,
    convert_element_type as convert_element_type,
)
from jax._src.lax.ops.creation import (
    broadcasted_iota as broadcasted_iota,
    committed_sharding as committed_sharding,
    empty as empty,
    full as full,
    full_like as full_like,
    iota as iota,
)
from jax._src.lax.ops.cumulative import (
    cumprod as cumprod,
    cumsum as cumsum,
)
from jax._src.lax.ops.dot import (
    dot_general as dot_general,
)
from jax._src.lax.ops.dynamic_slicing import (
    dynamic_slice as dynamic_slice,
    dynamic_slice_in_dim as dynamic_slice_in_dim,
    dynamic_update_slice as dynamic_update_slice,
)
from jax._src.lax.ops.exponential import (
    cbrt as cbrt,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log2 as log2,
    log_of_sum as log_of_sum,
    logistic as logistic,
    pow as pow,
    rsqrt as rsqrt,
    sqrt as sqrt,
)
from jax._src.lax.ops.gather import (
    GatherDimensionNumbers as GatherDimensionNumbers,
    GatherScatterMode as GatherScatterMode,
    gather as gather,
)
from jax._src.lax.ops.joining_splitting import (
    concatenate as concatenate,
    unstack as unstack,
)
from jax._src.lax.ops.polynomial import (
    polynomial as polynomial,
)
from jax._src.lax.ops.random_bits import (
    rng_bit_generator as rng_bit_generator,
)
from jax._src.lax.ops.reductions import (
    argmax as argmax,
    argmin as argmin,
    reduce_and as reduce_and,
    reduce_max as reduce_max,
    reduce_min as reduce_min,
    reduce_or as reduce_or,
    reduce_prod as reduce_prod,
    reduce_xor as reduce_xor,
)
from jax._src.lax.ops.reshaping import (
    reshape as reshape,
    rev as rev,
    squeeze as squeeze,
    transpose as transpose,
)
from jax._src.lax.ops.resharding import (
    alike as alike,
    windows_alike as windows_alike,
)
from jax._src.lax.ops.rounding import (
    RoundingMethod as RoundingMethod,
    abs as abs,
    ceil as ceil,
    floor as floor,
    is_finite as is_finite,
    rem as rem,
    round as round,
    sign as sign,
)
from jax._src.lax.ops.scatter import (
    ScatterDimensionNumbers as ScatterDimensionNumbers,
    scatter as scatter,
    scatter_add as scatter_add,
    scatter_apply as scatter_apply,
    scatter_max as scatter_max,
    scatter_min as scatter_min,
    scatter_mul as scatter_mul,
    scatter_sub as scatter_sub,
)
from jax._src.lax.ops.selection import (
    clamp as clamp,
    select as select,
    select_n as select_n,
)
from jax._src.lax.ops.sizes import (
    dimension_as_value as dimension_as_value,
)
from jax._src.lax.ops.slicing_padding import (
    index_in_dim as index_in_dim,
    pad as pad,
    slice as slice,
    slice_in_dim as slice_in_dim,
)
from jax._src.lax.ops.sorting import (
    sort as sort,
    take_along as take_along,
    top_k as top_k,
)
from jax._src.lax.ops.special import (
    erf as erf,
    erf_inv as erf_inv,
    erfc as erfc,
    nextafter as nextafter,
)
from jax._src.lax.ops.splitting import (
    given_sharding as given_sharding,
)
from jax._src.lax.ops.trigonometric import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
    tanh as tanh,
)
