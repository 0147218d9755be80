"""How third-party libraries register rules: tables of functions by primitive, and `defjvp`, `register_lowering` and so on.

JAX's users write ``ad.primitive_jvps[p] = f``. A `RuleView` translates such functions to and from the signatures
in the primitives' own tables.
"""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from jax._src.core import primitive as primitive_lib
from jax._src.interpreters.ad import forward, zeros
from jax._src.interpreters.batching import trace as batch_trace


class RuleView(MutableMapping):
    """All rules of one kind, by primitive, in the form that third-party libraries write."""

    def __init__(
        self,
        kind: str,
        to_rule: Callable[[Callable], Any] = lambda f: f,
        from_rule: Callable[[primitive_lib.Primitive, Any], Any] = lambda p, rule: rule,
    ):
        self._kind = kind
        self._to_rule = to_rule
        self._from_rule = from_rule
        self._undeclared: list[primitive_lib.Primitive] = []

    def __getitem__(self, primitive: primitive_lib.Primitive) -> Any:
        found = self._from_rule(primitive, primitive.rules.get(self._kind))
        if found is None or isinstance(found, primitive_lib.Unsupported):
            raise KeyError(primitive)
        return found

    def __setitem__(
        self, primitive: primitive_lib.Primitive, function: Callable
    ) -> None:
        if primitive not in self._undeclared:
            self._undeclared.append(primitive)
        primitive.set_rule(self._kind, self._to_rule(function))

    def __delitem__(self, primitive: primitive_lib.Primitive) -> None:
        del primitive.rules[self._kind]
        primitive.resolved.clear()

    def __iter__(self) -> Iterator[primitive_lib.Primitive]:
        seen = set()
        for primitive in (
            *primitive_lib.declared_primitives().values(),
            *self._undeclared,
        ):
            if primitive not in seen and primitive in self:
                seen.add(primitive)
                yield primitive

    def __contains__(self, primitive: object) -> bool:
        try:
            self[primitive]  # type: ignore[index]
        except (KeyError, NotImplementedError):
            return False
        return True

    def __len__(self) -> int:
        return sum(1 for _ in self)


# Derivatives.


def _jvp_of(primitive, rule):
    try:
        return primitive.resolved.get("jvp") or forward.resolve_jvp(primitive)
    except NotImplementedError:
        return None


# primitive -> f(primals, tangents, **params) -> (out, tangent)
primitive_jvps = RuleView("jvp_all", from_rule=_jvp_of)
# primitive -> f(ct, *operands, **params) -> cotangents
primitive_transposes = RuleView("transpose")
# primitive -> f(nonzero, *primals, **params)
primitive_linearizations = RuleView("linearize")


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


# Batching.


def _to_batch(function):
    def batch(axis, args, dims, **params):
        return function(args, dims, **params)

    batch.of_third_party = function
    return batch


def _batch_from_rule(primitive, rule):
    original = getattr(rule, "of_third_party", None)
    if original is not None:
        return original
    try:
        resolved = primitive.resolved.get("batch") or batch_trace.resolve_batch(
            primitive
        )
    except NotImplementedError:
        return None

    def batch(args: Any, dims: Any, **params: Any) -> Any:
        sizes = {x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None}
        return resolved(batch_trace.Axis(sizes.pop()), args, dims, **params)

    return batch


def _fancy_from_rule(primitive, rule):
    return rule if callable(rule) else None


def _of_axis(function):
    def batch(axis, args, dims, **params):
        return function(axis.size, axis.name, None, args, dims, **params)

    return batch


def _axis_from_rule(primitive, rule):
    if not callable(rule):
        return None

    def batch(
        size: int, name: Any, trace_type: Any, args: Any, dims: Any, **params: Any
    ) -> Any:
        return rule(batch_trace.Axis(size, name), args, dims, **params)

    return batch


# primitive -> f(args, dims, **params) -> (out, dim)
primitive_batchers = RuleView("batch", _to_batch, _batch_from_rule)
# primitive -> f(axis, args, dims, **params) -> (out, dim)
fancy_primitive_batchers = RuleView("batch", from_rule=_fancy_from_rule)
# primitive -> f(axis_size, axis_name, trace_type, args, dims, **params) -> (out, dim)
axis_primitive_batchers = RuleView("batch", _of_axis, _axis_from_rule)


def broadcast(x: Any, sz: int, axis: int, mesh_axis: Any) -> Any:
    """`sz` copies of an array along a new axis `axis`."""
    return batch_trace.move_to(x, None, axis, sz)


def defvectorized(prim: primitive_lib.Primitive) -> None:
    """Declares a primitive of equal shapes that works element by element."""
    prim.traits |= primitive_lib.Trait.ELEMENTWISE
    prim.resolved.clear()


def defbroadcasting(prim: primitive_lib.Primitive) -> None:
    """Registers the batching rule of a primitive that works elementwise on several operands."""
    defvectorized(prim)


def defreducer(prim: primitive_lib.Primitive, identity: Callable | None = None) -> None:
    """Declares a reduction over the parameter `axes`."""

    def batch(axis, args, dims, *, axes, **params):
        (x,), (d,) = args, dims
        moved = tuple(a + (a >= d) for a in axes)
        out = prim.bind(x, axes=moved, **params)
        return out, d - sum(a < d for a in moved)

    prim.set_rule("batch", batch)


# Lowering.


def register_lowering(
    prim: primitive_lib.Primitive,
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
