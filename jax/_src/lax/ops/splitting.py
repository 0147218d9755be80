"""Sharding rules that families of operations share: over which mesh axes results are split.

A rule takes the types of the operands and the parameters, and `out`, the type of the
result, where it names it; it answers with the entries of a `PartitionSpec`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from jax._src.base import errors
from jax._src.base.errors import ShardingTypeError
from jax._src.core import (
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    sharding_rules,
    shardings as shardings_lib,
)
from jax._src.core.avals import ShapedArray
from jax._src.core.unreduced import Operand, Sums

entries = sharding_rules.entries


def refuse(name: str, avals: Sequence[Any], rule: str, *ways: str) -> NoReturn:
    """Raises the error for operands whose shardings leave that of the result open."""
    facts = [(f"operand {i}", aval.str_short()) for i, aval in enumerate(avals)]
    raise ShardingTypeError(
        errors.explain(
            f"{name}: the operands are sharded in a way that it cannot follow.",
            facts,
            rule,
            *(ways or ("Move an operand first: jax.reshard(x, P(…)).",)),
        )
    )


def names_in(entry: Any) -> tuple:
    """Returns the mesh axes of one entry."""
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


def parts(aval: ShapedArray, entry: Any) -> int:
    """Returns into how many parts an entry splits an axis."""
    sizes = aval.sharding.mesh.shape
    return math.prod(sizes[name] for name in names_in(entry))


def like_first(x, *others, **params) -> tuple:
    """The result is sharded as the first operand."""
    return entries(x)


def replicated(*avals, out, **params) -> tuple:
    """The result is whole on every device."""
    return (None,) * out.ndim


def elementwise(name: str) -> Callable:
    """Corresponding axes are split alike, or in one operand alone."""

    def sharding(*avals, **params):
        ranked = [aval for aval in avals if aval.shape]
        if not ranked:
            return ()
        return [
            _join(name, avals, [(entries(a)[i], a.shape[i]) for a in ranked], i)
            for i in range(ranked[0].ndim)
        ]

    return sharding


def _join(name, avals, pairs, axis):
    """The entry of one axis, from those of the operands with their sizes."""
    seen = {entry for entry, size in pairs if entry is not None or size != 1}
    if len(seen) > 1:
        seen.discard(None)
    if len(seen) > 1:
        refuse(
            name,
            avals,
            f"Axis {axis} is split over {' and '.join(map(repr, seen))}: an axis is "
            "split alike in all operands, or in one alone.",
        )
    return seen.pop() if seen else None


def dropping(axes: Sequence[int], x: ShapedArray) -> tuple:
    """The entries of `x` without some axes."""
    return tuple(entry for i, entry in enumerate(entries(x)) if i not in axes)


def whole_along(name: str, x: ShapedArray, axes: Sequence[int]) -> None:
    """Refuses an operand that is split along axes on which elements meet."""
    for axis in axes:
        if entries(x)[axis] is not None:
            refuse(
                name,
                [x],
                f"Axis {axis}, along which {name} works, must not be sharded.",
                "Move the operand first: jax.reshard(x, P(…)).",
            )


def resized(name: str, x: ShapedArray, shape: Sequence[int]) -> tuple:
    """The entries of `x` for a result whose sizes differ, where these divide."""
    for axis, (entry, old, new) in enumerate(
        zip(entries(x), x.shape, shape, strict=True)
    ):
        if entry is not None and old != new and new % parts(x, entry):
            refuse(
                name,
                [x],
                f"Axis {axis} is split into {parts(x, entry)}, which does not divide "
                f"its new size {new}.",
                "Move the operand first: jax.reshard(x, P(…)), or let the compiler "
                "decide: jax.sharding.auto_axes.",
            )
    return entries(x)


def all_alike(name: str, avals: Sequence[Any]) -> tuple:
    """Returns the spec that all operands have, pending sums included.

    Operands on no mesh are whole on every device: they are split as the operands on it.
    """
    on_mesh = [aval for aval in avals if not aval.sharding.mesh.empty] or avals
    shardings = {aval.sharding.spec for aval in on_mesh}
    if len(shardings) > 1:
        refuse(name, avals, f"{name} takes operands that are split alike.")
    return entries(on_mesh[0])


def batch_only(name: str, core: int | Sequence[int] = 2) -> Callable:
    """Operations on the last axes of each operand, for each index of the leading ones.

    Args:
        name: the name of the operation.
        core: the number of last axes, of all operands or of each.
    """

    def sharding(*avals, out, **params):
        several = isinstance(out, list)
        lengths = [core] * len(avals) if isinstance(core, int) else core
        batches = set()
        for aval, length in zip(avals, lengths, strict=True):
            split = aval.ndim - length
            batches.add(entries(aval)[:split])
            whole_along(name, aval, range(split, aval.ndim))
        if len(batches) > 1:
            refuse(name, avals, "The leading axes of all operands are split alike.")
        batch = batches.pop()
        outs = out if several else [out]
        specs = [(*batch, *(None,) * (one.ndim - len(batch))) for one in outs]
        return specs if several else specs[0]

    return sharding


def or_given(rule: Callable) -> Callable:
    """Returns a rule that takes the parameter `sharding` or `out_sharding` where it is given, else `rule`."""

    def sharding(*avals, out, **params):
        given = params.get("out_sharding", params.get("sharding"))
        if given is not None:
            return given
        return rule(*avals, out=out, **params)

    return sharding


def keeps_sums(x: Operand, *others, **params) -> Sums:
    """A rule for sums: results have those that are pending in the first operand."""
    return x.sums


def is_explicit(sharding: Any) -> bool:
    """Whether a sharding is over a mesh with Explicit axes, which types keep."""
    return isinstance(sharding, shardings_lib.NamedSharding) and bool(
        sharding.mesh.explicit_axes
    )


def given_sharding(name: str, sharding: Any, ndim: int | None = None) -> Any:
    """Converts the argument `out_sharding` of a function to the form that types have; None stays None.

    Raises:
        TypeError: it is neither a `PartitionSpec` nor a `NamedSharding`.
        ValueError: no mesh is set for a `PartitionSpec`, the mesh is not the current
            one, or an axis is not Explicit.
    """
    if sharding is None:
        return None
    context = mesh_context.get_abstract_mesh()
    if isinstance(sharding, shardings_lib.NamedSharding):
        mesh, spec = sharding.mesh.abstract_mesh, sharding.spec
        fits = context.empty or mesh is context
        if not fits and not (mesh.are_all_axes_auto and context.are_all_axes_auto):
            raise errors.value_error(
                f"{name}: out_sharding is over another mesh than the current one.",
                [("out_sharding", repr(mesh)), ("current", repr(context))],
                "Both have the same axes, of the same types.",
            )
    elif isinstance(sharding, partition_spec.PartitionSpec):
        mesh, spec = context, sharding
        if mesh.empty:
            raise errors.value_error(
                f"{name}: out_sharding is a PartitionSpec where no mesh is set.",
                [("out_sharding", repr(sharding))],
                "A PartitionSpec names axes of the current mesh.",
                "Set one with jax.set_mesh(mesh), or pass a NamedSharding.",
            )
    else:
        raise TypeError(
            f"{name}: out_sharding must be a PartitionSpec or a NamedSharding, got "
            f"{sharding!r}."
        )
    # Raises for axes that are unknown or used twice.
    shardings_lib.NamedSharding(mesh, spec)
    _check_explicit(name, mesh, spec)
    spec = spec if ndim is None else spec.padded(ndim)
    if ndim is not None and len(spec) > ndim:
        raise errors.value_error(
            f"{name}: out_sharding has more entries than the result has axes.",
            [("out_sharding", repr(spec)), ("axes", str(ndim))],
        )
    return shardings_lib.NamedSharding(mesh, spec)


def _check_explicit(name, mesh, spec):
    used = {*spec.names, *spec.unreduced, *spec.reduced}
    wrong = [n for n in mesh.axis_names if n in used and n not in mesh.explicit_axes]
    unknown = [n for n in used if n not in mesh.axis_names]
    if wrong or unknown or partition_spec.UNCONSTRAINED in spec.partitions:
        raise errors.value_error(
            f"{name}: out_sharding may name only Explicit axes of the mesh.",
            [("out_sharding", repr(spec)), ("mesh", repr(mesh))],
            "Types say nothing of Auto axes, and Manual ones belong to the program.",
            "For Auto axes: jax.lax.with_sharding_constraint(x, …).",
        )


def with_batch_axis(sharding: Any, axis: Any, dim: int) -> Any:
    """Returns the sharding of a batch along the axis `dim`, from that of one value of it."""
    if sharding is None:
        return None
    spec = sharding.spec
    entry = getattr(axis, "mesh_axis", None)
    partitions = (*spec.partitions[:dim], entry, *spec.partitions[dim:])
    return sharding.update(spec=spec.update(partitions=partitions))


def cotangent_sharding(aval: ShapedArray) -> Any:
    """The sharding of cotangents of values of a type, if the type has it; else None."""
    if not aval.is_placed or not aval.sharding.mesh.explicit_axes:
        return None
    return aval.to_cotangent_aval().sharding


def explicit_mesh(*avals) -> mesh_lib.AbstractMesh | None:
    """The mesh with Explicit axes of the operands, or the current one; else None."""
    for aval in avals:
        mesh = getattr(aval, "sharding", None)
        if mesh is not None and mesh.mesh.explicit_axes:
            return mesh.mesh
    context = mesh_context.get_abstract_mesh()
    return context if context.explicit_axes else None
