"""Types of values, programs, tracers."""

from jax._src.base import lazy as _lazy
from jax._src.base.errors import (
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
    JaxprTypeError as JaxprTypeError,
)
from jax._src.compat.trace_state import (
    CallPrimitive as CallPrimitive,
    OutputType as OutputType,
    ParamDict as ParamDict,
    Value as Value,
    abstract_token as abstract_token,
    call as call,
    concretization_function_error as concretization_function_error,
    gensym as gensym,
    get_opaque_trace_state as get_opaque_trace_state,
    is_constant_dim as is_constant_dim,
    is_constant_shape as is_constant_shape,
    mapped_aval as mapped_aval,
    no_axis_name as no_axis_name,
    nonempty_axis_env_DO_NOT_USE as nonempty_axis_env_DO_NOT_USE,
    primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype,
    pytype_aval_mappings as pytype_aval_mappings,
    unmapped_aval as unmapped_aval,
    unsafe_am_i_under_a_jit_DO_NOT_USE as unsafe_am_i_under_a_jit_DO_NOT_USE,
    unsafe_am_i_under_a_vmap_DO_NOT_USE as unsafe_am_i_under_a_vmap_DO_NOT_USE,
    unsafe_get_axis_names_DO_NOT_USE as unsafe_get_axis_names_DO_NOT_USE,
)
from jax._src.compat.traces import (
    eval_context as eval_context,
    find_top_trace as find_top_trace,
    is_concrete as is_concrete,
    trace_ctx as trace_ctx,
)
from jax._src.core.avals import (
    AbstractValue as AbstractValue,
    ShapedArray as ShapedArray,
    get_aval as get_aval,
    valid_jaxtype as valid_jaxtype,
)
from jax._src.core.concrete import concrete_or_error as concrete_or_error
from jax._src.core.effects import (
    Effect as Effect,
    Effects as Effects,
    no_effects as no_effects,
)
from jax._src.core.evaluate import (
    check_jaxpr as check_jaxpr,
    eval_jaxpr as eval_jaxpr,
    jaxpr_as_fun as jaxpr_as_fun,
)
from jax._src.core.jaxpr import (
    Atom as Atom,
    DebugInfo as DebugInfo,
    DropVar as DropVar,
    jaxprs_in_params as jaxprs_in_params,
    new_jaxpr_eqn as new_jaxpr_eqn,
    subjaxprs as subjaxprs,
)
from jax._src.core.printing import JaxprPpContext as JaxprPpContext
from jax._src.core.symbols.expressions import (
    max_dim as max_dim,
    min_dim as min_dim,
)
from jax._src.core.trace import (
    Trace as Trace,
    Tracer as Tracer,
    trace_state_clean as trace_state_clean,
)
from jax._src.transforms.disable_jit import (
    ensure_compile_time_eval as ensure_compile_time_eval,
)

# What few libraries ask for is loaded when they do.
_LAZY_NAMES = {"literalable_types": "jax._src.compat.jaxprs"}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
