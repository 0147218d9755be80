"""Rules of differentiation."""

from jax._src.interpreters.ad import JVPTrace as JVPTrace
from jax._src.interpreters.ad import JVPTracer as JVPTracer
from jax._src.interpreters.ad import UndefinedPrimal as UndefinedPrimal
from jax._src.interpreters.ad import Zero as Zero
from jax._src.interpreters.ad import add_jaxvals as add_jaxvals
from jax._src.interpreters.ad import add_tangents as add_tangents
from jax._src.interpreters.ad import backward_pass as backward_pass
from jax._src.interpreters.ad import defbilinear as defbilinear
from jax._src.interpreters.ad import defjvp as defjvp
from jax._src.interpreters.ad import defjvp2 as defjvp2
from jax._src.interpreters.ad import deflinear as deflinear
from jax._src.interpreters.ad import deflinear2 as deflinear2
from jax._src.interpreters.ad import get_primitive_transpose as get_primitive_transpose
from jax._src.interpreters.ad import instantiate_zeros as instantiate_zeros
from jax._src.interpreters.ad import is_undefined_primal as is_undefined_primal
from jax._src.interpreters.ad import jvp as jvp
from jax._src.interpreters.ad import linearize as linearize
from jax._src.interpreters.ad import primitive_jvps as primitive_jvps
from jax._src.interpreters.ad import primitive_transposes as primitive_transposes
from jax._src.interpreters.ad import zeros_like_aval as zeros_like_aval
