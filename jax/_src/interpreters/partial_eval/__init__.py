"""Tracing to programs, splitting and shortening them."""

from jax._src.interpreters.partial_eval.dce import dce_call as dce_call
from jax._src.interpreters.partial_eval.dce import dce_closed as dce_closed
from jax._src.interpreters.partial_eval.dce import dce_jaxpr as dce_jaxpr
from jax._src.interpreters.partial_eval.dce import (
    used_with_carries as used_with_carries,
)
from jax._src.interpreters.partial_eval.dce import (
    forwarded_outputs as forwarded_outputs,
)
from jax._src.interpreters.partial_eval.partial_trace import (
    PartialTrace as PartialTrace,
)
from jax._src.interpreters.partial_eval.partial_trace import (
    keep_used_consts as keep_used_consts,
)
from jax._src.interpreters.partial_eval.partial_trace import (
    partial_eval_jaxpr as partial_eval_jaxpr,
)
from jax._src.interpreters.partial_eval.partial_trace import (
    split_linear as split_linear,
)
from jax._src.interpreters.partial_eval.staging import HeldObject as HeldObject
from jax._src.interpreters.partial_eval.staging import StagingTrace as StagingTrace
from jax._src.interpreters.partial_eval.staging import (
    DynamicJaxprTracer as DynamicJaxprTracer,
)
from jax._src.interpreters.partial_eval.staging import (
    consts_to_inputs as consts_to_inputs,
)
from jax._src.interpreters.partial_eval.staging import (
    split_traced_consts as split_traced_consts,
)
from jax._src.interpreters.partial_eval.staging import (
    trace_to_closed as trace_to_closed,
)
from jax._src.interpreters.partial_eval.staging import trace_to_jaxpr as trace_to_jaxpr
from jax._src.interpreters.partial_eval.staging import (
    trace_with_references as trace_with_references,
)
