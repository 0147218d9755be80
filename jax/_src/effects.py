"""What programs do besides computing: re-exports for third-party libraries, which import this path."""

from jax._src.core.effects import (
    Effect as Effect,
    EffectKinds as EffectTypeSet,  # noqa: F401
    Effects as Effects,
    control_flow_allowed_effects as control_flow_allowed_effects,
    custom_derivatives_allowed_effects as custom_derivatives_allowed_effects,
    lowerable_effects as lowerable_effects,
    no_effects as no_effects,
    ordered_effects as ordered_effects,
    partial_eval_kept_effects as partial_eval_kept_effects,
    remat_allowed_effects as remat_allowed_effects,
    shardable_ordered_effects as shardable_ordered_effects,
)
