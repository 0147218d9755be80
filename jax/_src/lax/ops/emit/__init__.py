"""StableHLO operations, as the lowering rules of this layer build them.

Each function takes and returns `ir.Value`s and computes the types of results, so that
rules only name the operation and what makes it special.
"""

from jax._src.lax.ops.emit.values import (
    attribute as attribute,
    bool_attribute as bool_attribute,
    broadcast_in_dim as broadcast_in_dim,
    broadcast_to as broadcast_to,
    build as build,
    constant as constant,
    element_type as element_type,
    fill_region as fill_region,
    float_constant as float_constant,
    full as full,
    hlo as hlo,
    int32_attribute as int32_attribute,
    int_array as int_array,
    int_attribute as int_attribute,
    int_matrix as int_matrix,
    program as program,
    scalar_type as scalar_type,
    shape_of as shape_of,
    tensor_type as tensor_type,
    zeros as zeros,
)
from jax._src.lax.ops.emit.elementwise import (
    bitcast as bitcast,
    chlo as chlo,
    clamp as clamp,
    compare as compare,
    convert as convert,
    extreme as extreme,
    high_product as high_product,
    integer_pow as integer_pow,
    operation as operation,
    reduce_precision as reduce_precision,
    select as select,
    select_n as select_n,
    sign as sign,
    unary as unary,
)
from jax._src.lax.ops.emit.folding import (
    find_extreme as find_extreme,
    reduce as reduce,
    reduce_window as reduce_window,
    reduce_with as reduce_with,
    select_and_scatter as select_and_scatter,
    select_and_scatter_add as select_and_scatter_add,
    sort as sort,
    top_k as top_k,
)
from jax._src.lax.ops.emit.moving import (
    concatenate as concatenate,
    dynamic_slice as dynamic_slice,
    dynamic_update_slice as dynamic_update_slice,
    iota as iota,
    after_all as after_all,
    optimization_barrier as optimization_barrier,
    pad as pad,
    reshape as reshape,
    reverse as reverse,
    slice as slice,
    transpose as transpose,
)
from jax._src.lax.ops.emit.products import (
    convolution as convolution,
    dot_general as dot_general,
    fft as fft,
    precision_config as precision_config,
    rng_bit_generator as rng_bit_generator,
    rng_uniform as rng_uniform,
)
from jax._src.lax.ops.emit.control import (
    case as case,
    while_loop as while_loop,
)
from jax._src.lax.ops.emit.indexing import (
    gather as gather,
    scatter as scatter,
)
