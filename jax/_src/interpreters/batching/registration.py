"""How third-party libraries register batching rules."""

from collections.abc import Callable
from typing import Any

from jax._src.core import primitive as primitive_lib, registry
from jax._src.interpreters.batching import trace


def _to_rule(function):
    def batch(axis, args, dims, **params):
        return function(args, dims, **params)

    batch.of_third_party = function
    return batch


def _from_rule(primitive, rule):
    original = getattr(rule, "of_third_party", None)
    if original is not None:
        return original
    try:
        resolved = primitive.resolved.get("batch") or trace.resolve_batch(primitive)
    except NotImplementedError:
        return None

    def batch(args: Any, dims: Any, **params: Any) -> Any:
        sizes = {x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None}
        return resolved(trace.Axis(sizes.pop()), args, dims, **params)

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
        return rule(trace.Axis(size, name), args, dims, **params)

    return batch


# primitive -> f(args, dims, **params) -> (out, dim)
primitive_batchers = registry.RuleView("batch", _to_rule, _from_rule)
# primitive -> f(axis, args, dims, **params) -> (out, dim)
fancy_primitive_batchers = registry.RuleView("batch", from_rule=_fancy_from_rule)
# primitive -> f(axis_size, axis_name, trace_type, args, dims, **params) -> (out, dim)
axis_primitive_batchers = registry.RuleView("batch", _of_axis, _axis_from_rule)


def broadcast(x: Any, sz: int, axis: int, mesh_axis: Any) -> Any:
    """`sz` copies of an array along a new axis `axis`."""
    return trace.move_to(x, None, axis, sz)


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
