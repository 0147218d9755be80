"""The functions of `jax.numpy` under one name, for packages that are written on them.

A table of contents, not a layer: every line names where a function lives.
"""

from jax._src.dtypes import (
    finfo as finfo,
    issubdtype as issubdtype,
    promote_types as promote_types,
    result_type as result_type,
)
from jax._src.numpy import methods as _methods  # noqa: F401  (installs the operators)
from jax._src.numpy.arithmetic import (
    arctan2 as arctan2,
    copysign as copysign,
    divide as divide,
    floor_divide as floor_divide,
    hypot as hypot,
    mod as mod,
    power as power,
    remainder as remainder,
    true_divide as true_divide,
)
from jax._src.numpy.creation import (
    array as array,
    asarray as asarray,
    eye as eye,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from jax._src.numpy.cumulative import cumprod as cumprod, cumsum as cumsum
from jax._src.numpy.differences import (
    diff as diff,
    trapezoid as trapezoid,
)
from jax._src.numpy.einsums import einsum as einsum
from jax._src.numpy.elementwise import (
    abs as abs,
    absolute as absolute,
    angle as angle,
    arccos as arccos,
    arccosh as arccosh,
    arcsin as arcsin,
    arctan as arctan,
    cbrt as cbrt,
    ceil as ceil,
    conj as conj,
    cos as cos,
    cosh as cosh,
    deg2rad as deg2rad,
    degrees as degrees,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    floor as floor,
    imag as imag,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
    logical_not as logical_not,
    nan_to_num as nan_to_num,
    rad2deg as rad2deg,
    radians as radians,
    real as real,
    reciprocal as reciprocal,
    round as round,
    sign as sign,
    signbit as signbit,
    sin as sin,
    sinc as sinc,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    tan as tan,
    tanh as tanh,
    trunc as trunc,
)
from jax._src.numpy.index_grids import (
    meshgrid as meshgrid,
    unravel_index as unravel_index,
)
from jax._src.numpy.inspection import (
    iscomplexobj as iscomplexobj,
    isscalar as isscalar,
    ndim as ndim,
    shape as shape,
    size as size,
)
from jax._src.numpy.joining_splitting import (
    concatenate as concatenate,
    split as split,
    stack as stack,
    vstack as vstack,
)
from jax._src.numpy.logic import (
    equal as equal,
)
from jax._src.numpy.matrices import diag as diag, tri as tri, tril as tril, triu as triu
from jax._src.numpy.matrix_products import (
    dot as dot,
    inner as inner,
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
)
from jax._src.numpy.means_and_variances import mean as mean, std as std, var as var
from jax._src.numpy.polynomials import (
    polyval as polyval,
)
from jax._src.numpy.ranges import (
    arange as arange,
    linspace as linspace,
)
from jax._src.numpy.reductions import (
    all as all,
    any as any,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    prod as prod,
    sum as sum,
)
from jax._src.numpy.reshaping import (
    atleast_1d as atleast_1d,
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to,
    expand_dims as expand_dims,
    flip as flip,
    moveaxis as moveaxis,
    ravel as ravel,
    reshape as reshape,
    roll as roll,
    squeeze as squeeze,
    swapaxes as swapaxes,
    transpose as transpose,
)
from jax._src.numpy.selection import (
    clip as clip,
    select as select,
    where as where,
)
from jax._src.numpy.sets import unique as unique
from jax._src.numpy.sorting import (
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
)
from jax._src.numpy.statistics import (
    cov as cov,
    median as median,
)
from jax._src.numpy.taking import (
    take as take,
    take_along_axis as take_along_axis,
)
from jax._src.numpy.tiling import repeat as repeat, tile as tile
from jax._src.numpy.ufuncs import (
    add as add,
    logaddexp as logaddexp,
    logical_and as logical_and,
    logical_or as logical_or,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    subtract as subtract,
)
