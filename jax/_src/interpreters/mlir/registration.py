"""How third-party libraries register lowering rules."""

from collections.abc import Callable
from typing import Any

from jax._src.core import primitive


def register_lowering(
    prim: primitive.Primitive,
    rule: Callable[..., Any],
    platform: str | None = None,
    inline: bool = True,
    cacheable: bool = True,
) -> Callable[..., Any]:
    """Says how a primitive becomes StableHLO.

    Args:
        prim: the primitive.
        rule: ``f(ctx, *values, **params)``, which returns a sequence of values.
        platform: the platform for which the rule is; None: all.
        inline: accepted for compatibility; the compiler decides.
        cacheable: accepted for compatibility; rules run for each use.
    """
    if platform is None:
        prim.set_rule("lower", rule)
    else:
        known = dict(prim.rules.get("lower_platforms") or {})
        known[platform] = rule
        prim.set_rule("lower_platforms", known)
    return rule
