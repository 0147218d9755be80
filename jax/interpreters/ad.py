"""Rules of differentiation."""

from jax._src.compat.registration import (
    defbilinear as defbilinear,
    defjvp as defjvp,
    defjvp2 as defjvp2,
    deflinear as deflinear,
    deflinear2 as deflinear2,
    get_primitive_transpose as get_primitive_transpose,
    primitive_jvps as primitive_jvps,
    primitive_transposes as primitive_transposes,
)
from jax._src.interpreters.ad import (
    JVPTrace as JVPTrace,
    JVPTracer as JVPTracer,
    UndefinedPrimal as UndefinedPrimal,
    Zero as Zero,
    add_jaxvals as add_jaxvals,
    add_tangents as add_tangents,
    backward_pass as backward_pass,
    instantiate_zeros as instantiate_zeros,
    is_undefined_primal as is_undefined_primal,
    jvp as jvp,
    linearize as linearize,
    zeros_like_aval as zeros_like_aval,
)
from jax._src.jit.primitive import jvp_jaxpr as jvp_jaxpr
from jax._src.lax.ops.arithmetic import add_any_p as add_jaxvals_p  # noqa: F401
