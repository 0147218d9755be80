"""Layer 1: types of values, programs, primitives and traces. Knows no operation.

These re-exports are for other packages; inside `jax._src`, import the modules.
"""

from jax._src.base import lazy as _lazy
from jax._src.base.errors import ConcretizationTypeError as ConcretizationTypeError
from jax._src.base.errors import (
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
)
from jax._src.base.errors import JaxprTypeError as JaxprTypeError
from jax._src.base.errors import (
    TracerArrayConversionError as TracerArrayConversionError,
)
from jax._src.base.errors import TracerBoolConversionError as TracerBoolConversionError
from jax._src.base.errors import (
    TracerIntegerConversionError as TracerIntegerConversionError,
)
from jax._src.base.errors import UnexpectedTracerError as UnexpectedTracerError
from jax._src.base.util import safe_map as safe_map
from jax._src.base.util import safe_zip as safe_zip
from jax._src.core import printing as printing
from jax._src.core.aval_members import aval_method as aval_method
from jax._src.core.aval_members import aval_property as aval_property
from jax._src.core.avals import AbstractToken as AbstractToken
from jax._src.core.avals import AbstractValue as AbstractValue
from jax._src.core.avals import ShapedArray as ShapedArray
from jax._src.core.avals import abstract_token as abstract_token
from jax._src.core.avals import canonical_shape as canonicalize_shape
from jax._src.core.avals import get_aval as get_aval
from jax._src.core.avals import physical_aval as physical_aval
from jax._src.core.avals import typeof as typeof
from jax._src.core.avals import valid_jaxtype as valid_jaxtype
from jax._src.core.concrete import concrete_or_error as concrete_or_error
from jax._src.core.effects import Effect as Effect
from jax._src.core.effects import Effects as Effects
from jax._src.core.effects import no_effects as no_effects
from jax._src.core.evaluate import check_jaxpr as check_jaxpr
from jax._src.core.evaluate import eval_jaxpr as eval_jaxpr
from jax._src.core.evaluate import jaxpr_as_fun as jaxpr_as_fun
from jax._src.core.jaxpr import Atom as Atom
from jax._src.core.jaxpr import ClosedJaxpr as ClosedJaxpr
from jax._src.core.jaxpr import DebugInfo as DebugInfo
from jax._src.core.jaxpr import DropVar as DropVar
from jax._src.core.jaxpr import Jaxpr as Jaxpr
from jax._src.core.jaxpr import JaxprEqn as JaxprEqn
from jax._src.core.jaxpr import Literal as Literal
from jax._src.core.jaxpr import Var as Var
from jax._src.core.jaxpr import jaxprs_in_params as jaxprs_in_params
from jax._src.core.jaxpr import join_effects as join_effects
from jax._src.core.jaxpr import new_jaxpr_eqn as new_jaxpr_eqn
from jax._src.core.jaxpr import subjaxprs as subjaxprs
from jax._src.core.primitive import Primitive as Primitive
from jax._src.core.printing import JaxprPpContext as JaxprPpContext
from jax._src.core.references import Ref as Ref
from jax._src.core.symbols.expressions import is_dimension as is_symbolic_dim
from jax._src.core.symbols.expressions import is_size as is_dim
from jax._src.core.symbols.expressions import max_dim as max_dim
from jax._src.core.symbols.expressions import min_dim as min_dim
from jax._src.core.trace import EvalTrace as EvalTrace
from jax._src.core.trace import Trace as Trace
from jax._src.core.trace import Tracer as Tracer
from jax._src.core.trace import evaluation as eval_trace
from jax._src.core.trace import trace_state_clean as trace_state_clean

# What libraries look for here and higher layers define.
_LAZY_NAMES = {
    "AvalQDD": "jax._src.compat.hijax",
    "axis_frame": "jax._src.compat.traces",
    "AxisEnv": "jax._src.compat.traces",
    "call": "jax._src.compat.trace_state",
    "call_impl": "jax._src.compat.trace_state",
    "call_p": "jax._src.compat.trace_state",
    "CallPrimitive": "jax._src.compat.trace_state",
    "closed_call_p": "jax._src.compat.trace_state",
    "ClosedCallPrimitive": "jax._src.compat.trace_state",
    "concretization_function_error": "jax._src.compat.trace_state",
    "cur_qdd": "jax._src.compat.hijax",
    "empty_ref": "jax._src.state.refs",
    "ensure_compile_time_eval": "jax._src.transforms.disable_jit",
    "ensure_no_leaks": "jax._src.compat.traces",
    "escaped_tracer_error": "jax._src.compat.traces",
    "eval_context": "jax._src.compat.traces",
    "extend_axis_env_nd": "jax._src.compat.traces",
    "find_top_trace": "jax._src.compat.traces",
    "free_ref": "jax._src.state.refs",
    "freeze": "jax._src.state.refs",
    "full_lower": "jax._src.compat.traces",
    "gensym": "jax._src.compat.trace_state",
    "get_axis_env": "jax._src.compat.traces",
    "get_opaque_trace_state": "jax._src.compat.trace_state",
    "get_referent": "jax._src.compat.traces",
    "is_concrete": "jax._src.compat.traces",
    "is_constant_dim": "jax._src.compat.trace_state",
    "is_constant_shape": "jax._src.compat.trace_state",
    "mapped_aval": "jax._src.compat.trace_state",
    "new_ref": "jax._src.state.refs",
    "no_axis_name": "jax._src.compat.trace_state",
    "nonempty_axis_env": "jax._src.compat.trace_state",
    "OpaqueTraceState": "jax._src.compat.trace_state",
    "OutputType": "jax._src.compat.trace_state",
    "ParamDict": "jax._src.compat.trace_state",
    "primal_dtype_to_tangent_dtype": "jax._src.compat.trace_state",
    "pytype_aval_mappings": "jax._src.compat.trace_state",
    "same_referent": "jax._src.compat.traces",
    "set_current_trace": "jax._src.compat.traces",
    "take_current_trace": "jax._src.compat.traces",
    "to_concrete_value": "jax._src.compat.traces",
    "Token": "jax._src.lax.ops.tokens",
    "trace_ctx": "jax._src.compat.traces",
    "TraceTag": "jax._src.compat.traces",
    "TracingContext": "jax._src.compat.traces",
    "unmapped_aval": "jax._src.compat.trace_state",
    "unsafe_am_i_under_a_jit": "jax._src.compat.trace_state",
    "unsafe_am_i_under_a_vmap": "jax._src.compat.trace_state",
    "unsafe_get_axis_names": "jax._src.compat.trace_state",
    "unsafe_get_current_trace": "jax._src.compat.traces",
    "unsafe_get_trace_stack": "jax._src.compat.traces",
    "Value": "jax._src.compat.trace_state",
}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
