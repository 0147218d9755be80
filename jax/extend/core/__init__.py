"""Primitives and programs, for libraries that add their own."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.base.errors import (
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
    JaxprTypeError as JaxprTypeError,
)
from jax._src.core.avals import (
    AbstractToken as AbstractToken,
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
    jaxpr_as_fun as jaxpr_as_fun,
)
from jax._src.core.jaxpr import (
    ClosedJaxpr as ClosedJaxpr,
    DebugInfo as DebugInfo,
    DropVar as DropVar,
    Jaxpr as Jaxpr,
    JaxprEqn as JaxprEqn,
    Literal as Literal,
    Var as Var,
    jaxprs_in_params as jaxprs_in_params,
    new_jaxpr_eqn as new_jaxpr_eqn,
    subjaxprs as subjaxprs,
)
from jax._src.core.primitive import Primitive as Primitive
from jax._src.compat.call_primitives import (
    create_call_primitive as create_call_primitive,
    eval_jaxpr_transpose as eval_jaxpr_transpose,
    register_call_primitive_rules as register_call_primitive_rules,
)
from jax._src.compat.trace_state import (
    CallPrimitive as CallPrimitive,
    array_types as array_types,
    call_impl as call_impl,
    gensym as gensym,
    get_opaque_trace_state as get_opaque_trace_state,
    mapped_aval as mapped_aval,
    nonempty_axis_env_DO_NOT_USE as nonempty_axis_env_DO_NOT_USE,
    primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype,
    unmapped_aval as unmapped_aval,
    unsafe_am_i_under_a_jit_DO_NOT_USE as unsafe_am_i_under_a_jit_DO_NOT_USE,
    unsafe_am_i_under_a_vmap_DO_NOT_USE as unsafe_am_i_under_a_vmap_DO_NOT_USE,
    unsafe_get_axis_names_DO_NOT_USE as unsafe_get_axis_names_DO_NOT_USE,
)
from jax._src.compat.traces import (
    TraceTag as TraceTag,
    find_top_trace as find_top_trace,
    set_current_trace as set_current_trace,
    take_current_trace as take_current_trace,
)
from jax._src.lax.ops.tokens import Token as Token
from jax.extend.core import primitives as primitives

_doc_examples.attach(__name__)
