"""Taking away what a `shard_map` computes and nobody needs."""

from collections.abc import Sequence
from typing import Any

from jax._src.core import effects as effects_lib, jaxpr
from jax._src.interpreters import partial_eval as pe


def dce(
    used_outputs: Sequence[bool], eqn: jaxpr.JaxprEqn
) -> tuple[list[bool], jaxpr.JaxprEqn | None]:
    """Which inputs are still needed, and the smaller equation."""
    params: dict[str, Any] = eqn.params
    smaller, used_inputs = pe.dce_closed(params["jaxpr"], used_outputs)
    inner = {effects_lib.NamedAxisEffect(name) for name in params["newly_manual_axes"]}
    changed = {
        **params,
        "jaxpr": smaller,
        "in_specs": _where(used_inputs, params["in_specs"]),
        "out_specs": _where(used_outputs, params["out_specs"]),
    }
    effects = smaller.effects - inner
    return pe.dce_call(eqn, changed, effects, used_inputs, used_outputs)


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)
