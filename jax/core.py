"""Types of values, programs, tracers."""

from jax._src.core.avals import (
    AbstractValue as AbstractValue,
    ShapedArray as ShapedArray,
)
from jax._src.core.evaluate import eval_jaxpr as eval_jaxpr
from jax._src.core.jaxpr import Atom as Atom
from jax._src.core.trace import Trace as Trace, Tracer as Tracer
from jax._src.transforms.contexts import (
    ensure_compile_time_eval as ensure_compile_time_eval,
)
