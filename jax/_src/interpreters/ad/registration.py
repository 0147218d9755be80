"""How third-party libraries register derivatives: `primitive_jvps`, `defjvp`, `deflinear2` and so on."""

from collections.abc import Callable
from typing import Any

from jax._src.core import primitive as primitive_lib, registry
from jax._src.interpreters.ad import forward, zeros


def _jvp_of(primitive, rule):
    try:
        return primitive.resolved.get("jvp") or forward.resolve_jvp(primitive)
    except NotImplementedError:
        return None


# primitive -> f(primals, tangents, **params) -> (out, tangent)
primitive_jvps = registry.RuleView("jvp_all", from_rule=_jvp_of)
# primitive -> f(ct, *operands, **params) -> cotangents
primitive_transposes = registry.RuleView("transpose")
# primitive -> f(nonzero, *primals, **params)
primitive_linearizations = registry.RuleView("linearize")


def get_primitive_transpose(p: primitive_lib.Primitive) -> Callable:
    """The transpose rule of a primitive."""
    rule = p.rules.get("transpose")
    if not callable(rule):
        raise primitive_lib.missing_rule(p, "transpose", "Reverse-mode differentiation")
    return rule


def defjvp(primitive: primitive_lib.Primitive, *rules: Callable | None) -> None:
    """Sets one rule per operand: ``f(tangent, *primals, **params)``."""
    primitive.set_rule("jvp", rules)


def defjvp2(primitive: primitive_lib.Primitive, *rules: Callable | None) -> None:
    """Sets one rule per operand: ``f(tangent, out, *primals, **params)``."""

    def reorder(rule):
        def with_out(tangent, *primals, out, **params):
            return rule(tangent, out, *primals, **params)

        return None if rule is None else with_out

    primitive.set_rule("jvp", tuple(reorder(rule) for rule in rules))


def deflinear(primitive: primitive_lib.Primitive, transpose_rule: Callable) -> None:
    """Declares linearity in all operands; ``transpose(ct, **params)`` gives cotangents."""
    deflinear2(primitive, lambda ct, *operands, **params: transpose_rule(ct, **params))


def deflinear2(primitive: primitive_lib.Primitive, transpose_rule: Callable) -> None:
    """Declares linearity; ``transpose(ct, *operands, **params)`` gives cotangents."""
    primitive.traits |= primitive_lib.Trait.LINEAR
    primitive.set_rule("transpose", transpose_rule)


def defbilinear(
    prim: primitive_lib.Primitive, lhs_rule: Callable, rhs_rule: Callable
) -> None:
    """Declares linearity in each of two operands.

    Args:
        prim: the primitive.
        lhs_rule: ``f(ct, x, y, **params)``: the cotangent of the left operand.
        rhs_rule: the same for the right operand.
    """
    prim.traits |= primitive_lib.Trait.MULTILINEAR

    def transpose(ct: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        if zeros.is_undefined_primal(x):
            return [lhs_rule(ct, x, y, **params), None]
        return [None, rhs_rule(ct, x, y, **params)]

    prim.set_rule("transpose", transpose)
