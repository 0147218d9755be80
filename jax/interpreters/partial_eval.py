"""Tracing and splitting programs."""

from jax._src.compat.programs import (
    Val as Val,
    abstract_eval_fun as abstract_eval_fun,
    close_jaxpr as close_jaxpr,
    convert_constvars_jaxpr as convert_constvars_jaxpr,
    custom_partial_eval_rules as custom_partial_eval_rules,
    dce_jaxpr_call_rule as dce_jaxpr_call_rule,
    dce_jaxpr_closed_call_rule as dce_jaxpr_closed_call_rule,
    dce_jaxpr_consts as dce_jaxpr_consts,
    dce_rules as dce_rules,
    move_binders_to_back as move_binders_to_back,
    partial_eval_jaxpr_nounits as partial_eval_jaxpr_nounits,
    prune_closed_jaxpr_outputs as prune_closed_jaxpr_outputs,
    trace_to_jaxpr_dynamic as trace_to_jaxpr_dynamic,
    trace_to_jaxpr_nounits as trace_to_jaxpr_nounits,
)
from jax._src.interpreters.partial_eval import (
    dce_jaxpr as dce_jaxpr,
    partial_eval_jaxpr as partial_eval_jaxpr,
    trace_to_jaxpr as trace_to_jaxpr,
)
from jax._src.interpreters.partial_eval.staging import (
    DynamicJaxprTracer as DynamicJaxprTracer,
)
from jax._src.interpreters.partial_eval.unknown_tracers import (
    JaxprTracer as JaxprTracer,
    PartialVal as PartialVal,
)
