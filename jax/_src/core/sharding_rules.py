"""The shardings of an operation's results, by its operands' types.

A primitive's types know nothing of meshes. Where a mesh is current, or an operand is
on one, `infer` asks further rules of the declaration: `sharding` for the Explicit axes
over which results are split, `sums` (`core.sums`) for those along which values are
parts of a sum.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.base.errors import ShardingTypeError
from jax._src.core import (
    avals as avals_lib,
    mesh as mesh_lib,
    mesh_context,
    no_collectives,
    partition_spec,
    primitive as primitive_lib,
    shardings,
    unreduced,
)
from jax._src.core.unreduced import Sums


def sums_of(aval: avals_lib.AbstractValue) -> Sums:
    """Returns the unreduced and reduced Explicit mesh axes of a type; `core.vma` knows Manual ones."""
    if not isinstance(aval, avals_lib.ShapedArray) or not aval.is_placed:
        return unreduced.NO_SUMS
    spec = aval.sharding.spec
    spec.refuse_other_kinds()
    return unreduced.along(spec.unreduced, spec.reduced)


def entries(aval: Any) -> tuple:
    """Over which mesh axes each axis of a type is split."""
    return aval.sharding.spec.partitions


def infer(
    primitive: primitive_lib.Primitive, avals: Sequence[Any], params: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The types of the results (one, or a list) and the effects.

    Raises:
        ShardingTypeError: the operands have shardings that the operation cannot combine.
        ValueError: operands are on different meshes.
        ForbiddenCollectiveError: see `no_collectives`.
    """
    outs, effects = _infer(primitive, avals, params)
    if no_collectives.forbidden.value:
        listed = outs if primitive.multiple_results else [outs]
        no_collectives.check(primitive, avals, params, listed)
    return outs, effects


def _infer(primitive, avals, params):
    if primitive.rules.get("sharding") is primitive_lib.BY_TYPES:
        return primitive.infer(avals, params)
    is_placed = any(aval.is_placed for aval in avals)
    mesh = common_mesh(primitive, avals)
    if mesh.empty:
        mesh = _named_mesh(params, mesh)
    if mesh.empty and not is_placed:
        return primitive.infer(avals, params)
    bare = [
        a.without_sharding() if isinstance(a, avals_lib.ShapedArray) else a
        for a in avals
    ]
    outs, effects = primitive.infer(bare, params)
    many = primitive.multiple_results
    listed = list(outs) if many else [outs]
    specs = _specs(primitive, mesh, avals, params, listed)
    due = _sums(primitive, avals, params)
    space = _memory_space(primitive, avals)
    placed = []
    for out, spec in zip(listed, specs, strict=True):
        if not isinstance(out, avals_lib.ShapedArray):
            placed.append(out)
            continue
        if due is not unreduced.NO_SUMS and not (spec.unreduced or spec.reduced):
            spec = spec.with_sums(due.unreduced, due.reduced)
        sharding = None if mesh.empty else shardings.NamedSharding(mesh, spec)
        placed.append(out.update(sharding=sharding, memory_space=space))
    return (placed if many else placed[0]), effects


def seen_inside(aval: Any) -> Any:
    """The type of a value from outside of a `shard_map`, as its body sees it."""
    context = mesh_context.get_abstract_mesh()
    mesh = aval.sharding.mesh
    if mesh is context or not context.manual_axes or mesh.empty:
        return aval
    if mesh.shape_tuple != context.shape_tuple:
        return aval
    # The whole of it is there, along the axes that are Manual now.
    explicit = set(context.explicit_axes)
    spec = aval.sharding.spec
    kept = partition_spec.PartitionSpec(
        *(
            tuple(name for name in spec.names_of(axis) if name in explicit)
            for axis in range(len(spec))
        ),
        unreduced=spec.unreduced & explicit,
        reduced=spec.reduced & explicit,
    )
    return aval.update(sharding=shardings.NamedSharding(context, kept))


def common_mesh(
    primitive: primitive_lib.Primitive, avals: Sequence[Any]
) -> mesh_lib.AbstractMesh:
    """The mesh on which an operation takes place: of the operands and the context.

    Raises:
        ValueError: these differ.
    """
    context = mesh_context.get_abstract_mesh()
    mesh, first = context, None
    for aval in avals:
        if not isinstance(aval, avals_lib.ShapedArray) or aval.sharding.mesh.empty:
            continue
        other = aval.sharding.mesh
        if mesh.empty:
            mesh, first = other, aval
        elif not aval.shape and other.shape_tuple == mesh.shape_tuple:
            continue  # A scalar is replicated, whatever the types of axes.
        elif (
            first is None
            and other.are_all_axes_auto
            and other.shape_tuple == mesh.shape_tuple
        ):
            continue  # Of outside, where the compiler decides: inside, each has all of it.
        elif other is not mesh and not (
            other.are_all_axes_auto and mesh.are_all_axes_auto
        ):
            raise _differing_meshes(primitive, mesh, first, other, aval)
    return mesh


def _named_mesh(
    params: Mapping[str, Any], mesh: mesh_lib.AbstractMesh
) -> mesh_lib.AbstractMesh:
    """Returns the mesh of `out_sharding` where operands have none; else `mesh`."""
    for name in ("sharding", "out_sharding"):
        wanted = params.get(name)
        if isinstance(wanted, shardings.NamedSharding):
            return wanted.mesh.abstract_mesh
    return mesh


def _differing_meshes(primitive, mesh, first, other, aval):
    if first is None:
        what = (
            f"For primitive {primitive.name}, context mesh should match the aval mesh"
        )
        facts = [("context mesh", repr(mesh))]
    else:
        what = (
            f"For primitive {primitive.name}, the mesh for all inputs should be equal"
        )
        facts = [(first.str_short(), repr(mesh))]
    return errors.value_error(
        f"{what}.",
        [*facts, (aval.str_short(), repr(other))],
        "All arrays of an operation are on one mesh, with axes of the same types.",
        "Set the mesh with jax.set_mesh(mesh), and move arrays to it with "
        "jax.device_put.",
    )


def _specs(primitive, mesh, avals, params, outs):
    """A spec per result."""
    if not mesh.explicit_axes:
        return [partition_spec.PartitionSpec()] * len(outs)
    rule = primitive.rules.get("sharding")
    if not callable(rule):
        if not any(isinstance(out, avals_lib.ShapedArray) for out in outs):
            return [partition_spec.PartitionSpec()] * len(outs)
        raise _no_rule(primitive, avals, rule)
    if primitive.resolved.setdefault(
        "sharding_wants_out", primitive_lib.wants_out(rule)
    ):
        params = {**params, "out": outs if primitive.multiple_results else outs[0]}
    answer = rule(*avals, **params)
    answers = answer if primitive.multiple_results else [answer]
    return [
        checked_spec(primitive.name, mesh, avals, out, one)
        for out, one in zip(outs, answers, strict=True)
    ]


def _no_rule(primitive, avals, rule):
    facts = [(f"operand {i}", a.str_short()) for i, a in enumerate(avals)]
    if isinstance(rule, primitive_lib.Unsupported):
        facts.append(("reason", rule.reason))
    return ShardingTypeError(
        errors.explain(
            f"The sharding rule for {primitive.name} is not implemented.",
            facts,
            "Over Explicit mesh axes, every operation states the sharding of its result.",
            "Let the compiler decide: jax.sharding.auto_axes(f, out_sharding=P(…)) "
            "around the function that has this operation.",
        )
    )


def checked_spec(
    name: str, mesh: mesh_lib.AbstractMesh, avals: Sequence[Any], out: Any, answer: Any
) -> partition_spec.PartitionSpec:
    """What a rule says of a result, as a spec.

    Args:
        name: what the operation is called in messages.
        mesh: the mesh whose axes are named.
        avals: the types of the operands.
        out: the type of the result, without a sharding.
        answer: a spec, a sharding, or a sequence with an entry for each axis.

    Raises:
        ShardingTypeError: a mesh axis would split two axes of the result.
    """
    if isinstance(answer, shardings.NamedSharding):
        answer = answer.spec
    if not isinstance(answer, partition_spec.PartitionSpec):
        answer = partition_spec.PartitionSpec(*answer)
    names = answer.names
    if len(set(names)) != len(names):
        inputs = ", ".join(a.str_short(short_dtypes=True) for a in avals)
        sizes = ",".join(
            str(size)
            + (f"@{_axes_text(answer.names_of(i))}" if answer.names_of(i) else "")
            for i, size in enumerate(out.shape)
        )
        kind = out.str_short(short_dtypes=True).split("[")[0]
        raise ShardingTypeError(
            errors.explain(
                f"{name} operation with inputs: {inputs} produces an illegally "
                f"sharded result: {kind}[{sizes}]",
                [("mesh", repr(mesh))],
                "Each mesh axis splits at most one axis of an array.",
                "Move an operand first: jax.reshard(x, P(…)), or give the sharding of "
                "the result with out_sharding= where the function has it.",
            )
        )
    return answer


def _axes_text(names):
    return str(names[0]) if len(names) == 1 else f"({','.join(map(str, names))})"


def _sums(primitive, avals, params) -> Sums:
    """Along which Explicit axes the results are parts of sums, or their cotangents are."""
    known = [sums_of(aval) for aval in avals]
    if all(one is unreduced.NO_SUMS for one in known):
        return unreduced.NO_SUMS
    operands = [
        unreduced.Operand(aval, one, frozenset(aval.sharding.spec.names))
        for aval, one in zip(avals, known, strict=True)
    ]
    return unreduced.result_of(primitive, operands, params)


def _operand_facts(avals):
    return [(f"operand {i}", aval.str_short()) for i, aval in enumerate(avals)]


def _memory_space(primitive, avals):
    spaces = {
        aval.memory_space
        for aval in avals
        if isinstance(aval, avals_lib.ShapedArray) and aval.shape
    }
    if len(spaces) > 1:
        raise errors.value_error(
            f"{primitive.name}: memory_space of all inputs must be the same.",
            _operand_facts(avals),
            ways="Move one with jax.device_put(x, jax.memory.Space.Device).",
        )
    return spaces.pop() if spaces else avals_lib.MemorySpace.Device
