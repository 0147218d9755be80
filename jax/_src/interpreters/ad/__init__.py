"""Differentiation, forward and reverse."""

from jax._src.interpreters.ad.backward import TRANSPOSE as TRANSPOSE
from jax._src.interpreters.ad.backward import Linearized as Linearized
from jax._src.interpreters.ad.backward import as_weak as as_weak
from jax._src.interpreters.ad.backward import backward_pass as backward_pass
from jax._src.interpreters.ad.backward import linearize as linearize
from jax._src.interpreters.ad.backward import trace_linear as trace_linear
from jax._src.interpreters.ad.backward import vjp as vjp
from jax._src.interpreters.ad.forward import JVPTrace as JVPTrace
from jax._src.interpreters.ad.forward import JVPTracer as JVPTracer
from jax._src.interpreters.ad.forward import jvp as jvp
from jax._src.interpreters.ad.forward import with_primal as with_primal
from jax._src.interpreters.ad.forward import zero_tangent as zero_tangent
from jax._src.interpreters.ad.zeros import SymbolicZero as SymbolicZero
from jax._src.interpreters.ad.zeros import UndefinedPrimal as UndefinedPrimal
from jax._src.interpreters.ad.zeros import Zero as Zero
from jax._src.interpreters.ad.zeros import add_jaxvals as add_jaxvals
from jax._src.interpreters.ad.zeros import add_tangents as add_tangents
from jax._src.interpreters.ad.zeros import instantiate_zeros as instantiate_zeros
from jax._src.interpreters.ad.zeros import is_undefined_primal as is_undefined_primal
from jax._src.interpreters.ad.zeros import zeros_like_aval as zeros_like_aval
