"""The device assignment of a call, and the layouts of its arguments."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import (
    avals as avals_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.jit.shardings import ResolvedShardings
from jax._src.jit.stages import Stage
from jax._src.lib import client
from jax._src.runtime.arrays import extended, layouts
from jax._src.runtime.compilation import assignment as asg
from jax._src.runtime.devices import backends


def assignment_of(
    program: Stage, resolved: ResolvedShardings, leaves: Sequence[Any]
) -> asg.Assignment:
    """Where a call runs with these leaves, which may be types with shardings.

    Raises:
        ValueError: committed arrays are on different devices, or an argument has
            another sharding or layout than the program requires.
    """
    _check_layouts(program, resolved, leaves)
    values = _physical(leaves)
    if resolved.is_plain:
        found = asg.on_one_device(values)
        if found is not None:
            return found
    return _assigned(program, resolved, values)


def _check_layouts(program, resolved, leaves):
    """Refuses arrays with another requested layout than in_shardings states."""
    if not any(resolved.in_layouts):
        return
    for number, wanted in enumerate(resolved.in_layouts):
        found = layout_of(leaves[number])
        if wanted is None or found is None:
            continue
        if wanted is layouts.AUTO or not layouts.is_same(found, wanted):
            names = program.jaxpr.debug_info.arg_names or ()
            raise errors.value_error(
                "Layout passed to jit does not match the layout on the respective "
                "argument.",
                [
                    ("function", program.fun_name),
                    ("argument", names[number] if names else str(number)),
                    ("in_shardings", repr(wanted)),
                    ("layout", repr(found)),
                ],
                "An array that was put somewhere on purpose is not laid out anew, and "
                "leaves the compiler no choice.",
                "Lay it out: jax.device_put(x, Format(layout, x.sharding)), or leave "
                "its layout out of in_shardings.",
            )


def layouts_for(
    resolved: ResolvedShardings, leaves: Sequence[Any]
) -> tuple[layouts.Layout | None, ...]:
    """Per input: the layout that it shall have, or a call with these leaves has."""
    return tuple(
        wanted if isinstance(wanted, layouts.Layout) else layout_of(leaf)
        for wanted, leaf in zip(resolved.in_layouts, leaves, strict=True)
    )


def layout_of(value: Any) -> layouts.Layout | None:
    """Returns the layout of a committed array or of a described one; else None."""
    if isinstance(value, client.Array):
        is_put = value.committed
        return layouts.of_array(value._order, value.ndim) if is_put else None
    return getattr(value, "_layout", None)


def _physical(leaves):
    return [extended.physical_value(x) if avals_lib.is_value(x) else x for x in leaves]


def _assigned(program, resolved, values):
    """Returns the assignment of a call, whatever the shardings of its arguments."""
    default = None
    if program.options.backend is not None:
        default = (backends.local_devices(backend=program.options.backend)[0],)
    assignment = asg.assign(
        values,
        program.jaxpr.in_avals,
        wanted=resolved.inputs,
        kept=resolved.kept,
        constraints=resolved.constraints,
        names=program.jaxpr.debug_info.arg_names,
        what=program.fun_name,
        default=default,
    )
    return (
        records.replace(assignment, committed=True)
        if resolved.moves_memory
        else assignment
    )


def assignment_of_types(
    program: Stage,
    resolved: ResolvedShardings,
    leaves: Sequence[Any],
    platforms: Sequence[str] | None,
) -> asg.Assignment:
    """Returns the assignment of a call that is lowered, also over meshes without devices.

    These stand for devices of the first of `platforms`, or of the default backend.
    """
    _check_layouts(program, resolved, leaves)
    shardings = [s for s in resolved.inputs if s] + [
        w.sharding for w in resolved.constraints
    ]
    values = _physical(leaves)
    given = [asg.sharding_of_value(x)[0] for x in values]
    for sharding, aval in zip(given, program.jaxpr.in_avals, strict=True):
        if sharding is not None:
            shardings.append(sharding)
            if isinstance(sharding, shardings_lib.NamedSharding) and aval.ndim >= len(
                sharding.spec
            ):
                sharding.shard_shape(aval.shape)
    abstract = [s for s in shardings if not s.is_concrete]
    context = mesh_context.get_abstract_mesh()
    if mesh_context.concrete_mesh() is None and context.explicit_axes:
        abstract.append(
            shardings_lib.NamedSharding(context, partition_spec.PartitionSpec())
        )
    has_devices = len(abstract) < len(shardings) or mesh_context.concrete_mesh()
    if not abstract or (has_devices and any(s.is_concrete for s in shardings)):
        # Types with a sharding stand for arrays that were put there.
        if any(given):
            return _assigned(program, resolved, values)
        return assignment_of(program, resolved, leaves)
    if mesh_context.concrete_mesh() is not None:
        return assignment_of(program, resolved, leaves)
    inputs = [given[i] or resolved.inputs[i] for i in range(len(given))]
    return asg.on_absent_devices(
        abstract[0].num_devices,
        platforms[0] if platforms else backends.get_backend().platform,
        inputs,
        program.jaxpr.in_avals,
        resolved.kept,
    )


def on_devices(
    assignment: asg.Assignment, devices: tuple[Any, ...], name: str
) -> asg.Assignment:
    """Returns the assignment of a lowered program, moved to other devices.

    Raises:
        ValueError: it was lowered for another number of devices.
    """
    if len(devices) != len(assignment.devices):
        raise errors.value_error(
            "The device assignment does not fit the lowered program.",
            [
                ("function", name),
                ("lowered for", f"{len(assignment.devices)} devices"),
                ("device_assignment", f"{len(devices)} devices"),
            ],
            "Shardings divide the program among so many devices.",
        )
    moved = {
        kind: tuple(asg.on_devices(s, devices) for s in getattr(assignment, kind))
        for kind in ("inputs", "results", "constants")
    }
    return records.replace(
        assignment, devices=devices, committed=True, is_abstract=False, **moved
    )
