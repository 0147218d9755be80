"""Layer 1: types of values, programs, primitives and traces. Knows no operation.

This door is for outsiders; inside, import the modules.
"""

from jax._src.core import printing as printing
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
from jax._src.core.jaxpr import new_jaxpr_eqn as new_jaxpr_eqn
from jax._src.core.jaxpr import subjaxprs as subjaxprs
from jax._src.core.primitive import Primitive as Primitive
from jax._src.core.trace import Trace as Trace
from jax._src.core.trace import Tracer as Tracer
from jax._src.core.trace import trace_state_clean as trace_state_clean
