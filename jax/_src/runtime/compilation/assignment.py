"""The device assignment of a program, and the shardings of its arguments.

A program runs on the devices of everything that was put somewhere on purpose: committed
arguments, shardings that were requested, those that stand in the program, the current
mesh. All of them must name the same devices in the same order. Where nothing does, it
runs on the default device.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import caches, errors, records
from jax._src.core import (
    hlo_sharding as hlo,
    jaxpr as jaxpr_lib,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.lib import client
from jax._src.runtime.devices import backends


@records.record
class Assignment:
    """Where a program runs, and how its inputs and results are sharded.

    That of a call, with the sharding of each argument, is the key of what is compiled. That
    of a lowered program has its inputs alone, and also the fields from `results` on.
    """

    # In the order of partitions.
    devices: tuple[Any, ...]
    # Whether results are bound to these devices.
    committed: bool
    # The sharding of each argument; None: the compiler chooses.
    inputs: tuple[shardings_lib.Sharding | None, ...]
    # Whether the devices only stand for some: the program can be lowered, not run.
    is_abstract: bool = False
    # The sharding of each result; None: the compiler chooses.
    results: tuple[shardings_lib.Sharding | None, ...] = ()
    # Per closed-over array; None: replicated.
    constants: tuple[shardings_lib.Sharding | None, ...] = ()
    # Their meshes name the shardings of results if no input has a mesh.
    constraints: tuple["DeviceConstraint", ...] = ()
    # The layout of each result; None: row-major.
    layouts: tuple[Any, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether there is one device."""
        return len(self.devices) == 1

    @property
    def can_run(self) -> bool:
        """Whether the devices are there."""
        return not (self.is_abstract or self.devices[0].client.is_absent)

    @property
    def platform(self) -> str:
        """The platform that programs are made for: of GPUs, whose they are."""
        first = self.devices[0]
        return first.platform if self.is_abstract else first.client.platform

    @property
    def whole(self) -> shardings_lib.Sharding:
        """The sharding with everything on each of the devices."""
        return replicated_on(self.devices)


@records.record
class AbsentDevice:
    """Stands for a device of a platform."""

    id: int
    platform: str

    process_index = 0
    # No process can reach it.
    is_addressable = False

    @property
    def device_kind(self) -> str:
        """The name of its platform."""
        return self.platform

    def default_memory(self) -> None:
        """None: which memories such a device has is not known."""
        return None


def on_devices(
    sharding: shardings_lib.Sharding | None, devices: tuple[Any, ...]
) -> shardings_lib.Sharding | None:
    """Returns a sharding moved to other devices."""
    if isinstance(sharding, shardings_lib.NamedSharding):
        mesh = sharding.mesh
        grid = np.array(devices, object).reshape(mesh.axis_sizes)
        there = mesh_lib.Mesh(grid, mesh.axis_names, mesh.axis_types)
        return shardings_lib.NamedSharding(there, sharding.spec)
    if sharding is None:
        return None
    if len(devices) == 1:
        return shardings_lib.of_device(devices[0])
    return shardings_lib.GSPMDSharding(devices, sharding.hlo_sharding(0))


@caches.memoize(4096)
def replicated_on(devices: tuple[Any, ...]) -> shardings_lib.Sharding:
    """The sharding with the whole of an array on each device."""
    if len(devices) == 1:
        return shardings_lib.of_device(devices[0])
    return shardings_lib.GSPMDSharding(devices, hlo.REPLICATED)


@records.record
class DeviceConstraint:
    """A sharding that a program must respect, and what it is called in messages.

    One that yields is that of a constant, which is moved where the program runs.
    """

    what: str
    sharding: Any
    yields: bool = False


def sharding_of_value(value: Any) -> tuple[shardings_lib.Sharding | None, bool]:
    """The sharding of an argument, and whether it was put there on purpose.

    A mere type with a sharding stands for an array that was.
    """
    if isinstance(value, client.Array):
        sharding = value.sharding
        # An array over several devices is committed.
        return sharding, value.committed or sharding.num_devices > 1
    if isinstance(value, np.ndarray | np.generic | int | float | complex):
        return None, False
    sharding = getattr(value, "sharding", None)
    if not isinstance(sharding, shardings_lib.Sharding):
        return None, False
    base = getattr(value, "_base_array", None)
    if isinstance(base, client.Array):  # of random keys
        return sharding, base.committed or sharding.num_devices > 1
    # Types of no mesh have a sharding that says nothing.
    says_nothing = (
        isinstance(sharding, shardings_lib.NamedSharding) and sharding.mesh.empty
    )
    return (None, False) if says_nothing else (sharding, True)


@caches.memoize(4096)
def _on_one(device, committed, count):
    return Assignment((device,), committed, (None,) * count)


def on_one_device(values: Sequence[Any]) -> Assignment | None:
    """Returns the assignment of a call whose arguments are all on one device; None: call `assign`.

    This is the fast path of the common case, in which nothing else counts.
    """
    if mesh_context.concrete_mesh() is not None:
        return None
    chosen = None
    for value in values:
        if not isinstance(value, client.Array):
            if getattr(value, "sharding", None) is not None:
                return None  # a type that stands for an array somewhere
            continue
        sharding = value.sharding
        if type(sharding) is not shardings_lib.SingleDeviceSharding:
            return None
        if value.committed:
            if chosen is not None and chosen is not sharding:
                return None
            chosen = sharding
    if chosen is None:
        return _on_one(backends.default_device(), False, len(values))
    device = chosen.ordered_devices[0]
    if chosen is not shardings_lib.of_device(
        device
    ) and chosen != shardings_lib.of_device(device):
        return None
    return _on_one(device, True, len(values))


def assign(
    values: Sequence[Any],
    avals: Sequence[Any],
    *,
    wanted: Sequence[shardings_lib.Sharding | None] | None = None,
    kept: Sequence[int] | None = None,
    constraints: Sequence[DeviceConstraint] = (),
    names: Sequence[str | None] | None = None,
    what: str = "",
    default: tuple[Any, ...] | None = None,
) -> Assignment:
    """Decides where a call runs.

    Args:
        values: the arguments: arrays, values of the host, or types with shardings.
        avals: their types.
        wanted: per argument, where the program wants it; None: wherever it is.
        kept: the arguments that the program uses; None: all.
        constraints: all other shardings that count: of results, constants, inside.
        names: what the user calls the arguments.
        what: what the user calls the program.
        default: where to run if nothing says where; None: on the default device.

    Raises:
        ValueError: committed arrays are on different devices, or an argument has
            another sharding than the program requires.
    """
    used = set(range(len(values)) if kept is None else kept)
    inputs: list[shardings_lib.Sharding | None] = []
    found: list[tuple[Any, shardings_lib.Sharding]] = []
    for number, (value, aval) in enumerate(zip(values, avals, strict=True)):
        requested = wanted[number] if wanted is not None else None
        sharding, is_committed = sharding_of_value(value)
        if requested is not None:
            if is_committed:
                _check_requested(requested, sharding, aval, number, names, what)
            sharding = requested
        elif not is_committed:
            sharding = None
        if number not in used:
            sharding = None
        elif sharding is not None:
            found.append((number, sharding))
        inputs.append(sharding)
    concrete = [f for f in found if f[1].is_concrete]
    said = [w for w in constraints if w.sharding.is_concrete]
    concrete += [(w.what, w.sharding) for w in said if not w.yields]
    if not concrete and mesh_context.concrete_mesh() is None:
        concrete = [(w.what, w.sharding) for w in said][:1]
    devices = _common_devices(concrete, avals, names, what)
    mesh = mesh_context.concrete_mesh()
    committed = bool(concrete) or mesh is not None
    if devices is None:
        if mesh is not None:
            devices = mesh.flat_devices
        elif default is not None:
            devices = default
        else:
            devices = (backends.default_device(),)
    _check_abstract(found, constraints, devices, what)
    if len(devices) > 1:
        inputs = _replicate_scalars(inputs, avals, used, devices)
    return Assignment(
        tuple(devices),
        committed or len(devices) > 1,
        tuple(inputs),
        is_abstract=isinstance(devices[0], AbsentDevice),
    )


def fitting(
    constraints: Sequence[DeviceConstraint], devices: tuple[Any, ...]
) -> tuple[DeviceConstraint, ...]:
    """Returns the constraints that a program on these devices satisfies."""
    return tuple(w for w in constraints if not w.yields or is_on(w.sharding, devices))


def is_on(sharding: shardings_lib.Sharding | None, devices: tuple[Any, ...]) -> bool:
    """Whether a sharding is over these devices, in this order."""
    if sharding is None or not sharding.is_concrete:
        return True
    return sharding.ordered_devices == devices


def on_absent_devices(
    count: int,
    platform: str,
    inputs: Sequence[shardings_lib.Sharding | None],
    avals: Sequence[Any],
    kept: Sequence[int],
) -> Assignment:
    """Where a program would run if there were so many devices."""
    devices = tuple(AbsentDevice(i, platform) for i in range(count))
    if count > 1:
        inputs = _replicate_scalars(inputs, avals, set(kept), devices)
    return Assignment(devices, True, tuple(inputs), is_abstract=True)


def _replicate_scalars(inputs, avals, used, devices):
    """Scalars are replicated, without asking the compiler."""
    return [
        replicated_on(tuple(devices))
        if sharding is None and number in used and getattr(aval, "shape", None) == ()
        else sharding
        for number, (sharding, aval) in enumerate(zip(inputs, avals, strict=True))
    ]


def _check_requested(requested, given, aval, number, names, what):
    ndim = len(aval.shape)
    if requested == given or requested.is_equivalent_to(given, ndim):
        return
    if _are_cut_alike(requested, given, ndim):
        return  # The parts are moved: users did not choose which device has which.
    raise errors.value_error(
        "Sharding passed to jit does not match the sharding on the respective arg.",
        [
            ("function", what or "?"),
            ("argument", f"{_name(number, names)}, {aval.str_short()}"),
            ("requested", repr(requested)),
            ("sharding", repr(given)),
        ],
        "An array that was put somewhere on purpose is not moved by a call.",
        "Move it first: jax.device_put(x, sharding); or leave in_shardings out.",
    )


def _are_cut_alike(requested, given, ndim):
    """Whether two shardings divide alike over other devices or another order of devices."""
    return requested.memory_kind == given.memory_kind and requested.hlo_sharding(
        ndim
    ) == given.hlo_sharding(ndim)


def _name(number, names):
    if names is not None and number < len(names) and names[number]:
        return f"`{names[number]}`"
    return f"number {number}"


def _common_devices(concrete, avals, names, what):
    """The devices that all shardings name; None where there are none."""
    mesh = mesh_context.concrete_mesh()
    first = concrete[0] if concrete else None
    if first is None:
        return None
    devices = first[1].ordered_devices
    for other in concrete[1:]:
        if other[1].ordered_devices != devices:
            rows = [_described(f, avals, names) for f in (first, other)]
            raise _incompatible(rows, what)
    if mesh is not None and mesh.flat_devices != devices:
        rows = [
            _described(first, avals, names),
            ("the current mesh", f"{mesh!s}, devices {_ids(mesh.flat_devices)}"),
        ]
        raise _incompatible(rows, what)
    return devices


def _described(found, avals, names):
    number, sharding = found
    devices = sharding.ordered_devices
    devices_text = (
        f"device ids {_ids(devices)} on platform {devices[0].platform.upper()}"
    )
    if isinstance(number, str):
        return number, devices_text
    facts = f"{avals[number].str_short()}, {devices_text}"
    return f"argument {_name(number, names)}", facts


def _ids(devices):
    return [d.id for d in devices]


def _incompatible(rows, what):
    return errors.value_error(
        "Received incompatible devices for jitted computation.",
        [("function", what or "?"), *rows],
        "Committed arrays must be on the same devices, in the same order.",
        "Move one with jax.device_put(x, sharding).",
    )


def _check_abstract(found, constraints, devices, what):
    """Meshes without devices must have as many as there are."""
    shardings = [s for _, s in found] + [w.sharding for w in constraints]
    for sharding in shardings:
        if sharding.is_concrete or sharding.mesh.empty:
            continue
        if sharding.mesh.size != len(devices):
            raise errors.value_error(
                "A sharding over a mesh without devices does not fit the devices.",
                [
                    ("function", what or "?"),
                    ("sharding", repr(sharding)),
                    ("size", str(sharding.mesh.size)),
                    ("devices", str(_ids(devices))),
                ],
                "The sizes must agree.",
                "Call it under jax.set_mesh(mesh) with a mesh of so many devices, "
                "or put its arguments there: jax.device_put(x, sharding).",
            )


def placements_in(closed: jaxpr_lib.ClosedJaxpr) -> tuple[shardings_lib.Sharding, ...]:
    """The shardings that stand in a program, each once."""
    return closed.derived(
        ("placements",), lambda: tuple(dict.fromkeys(_placements(closed.jaxpr)))
    )


def _placements(jaxpr):
    for eqn in jaxpr.eqns:
        yield from placements_of(eqn.params)


def placements_of(params: Mapping[str, Any]) -> Iterator[shardings_lib.Sharding]:
    """The shardings that stand in the parameters of an equation."""
    for value in params.values():
        if type(value) not in _without_placements:
            yield from _in_parameter(value)


# Types of most parameters, and of the entries of others, in which no sharding is.
_without_placements = frozenset((type(None), bool, int, float, str))


def _in_parameter(value):
    if type(value) is tuple or type(value) is list:
        for part in value:
            if type(part) not in _without_placements:
                yield from _in_parameter(part)
    elif isinstance(value, np.dtype):
        return
    elif isinstance(value, shardings_lib.Sharding):
        if value.is_concrete or not value.mesh.empty:
            yield value
    elif isinstance(value, mesh_lib.MeshAxes):
        if isinstance(value, mesh_lib.Mesh) or not value.empty:
            yield shardings_lib.NamedSharding(value, partition_spec.PartitionSpec())
    elif isinstance(value, jaxpr_lib.ClosedJaxpr):
        yield from placements_in(value)
    elif isinstance(value, jaxpr_lib.Jaxpr):
        yield from _placements(value)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _in_parameter(part)


def named_whole(assignment: Assignment) -> shardings_lib.Sharding:
    """The sharding with everything on each device, on the mesh of the arguments."""
    mesh = mesh_for(assignment)
    if isinstance(mesh, mesh_lib.Mesh):
        return shardings_lib.NamedSharding(mesh, partition_spec.PartitionSpec())
    return assignment.whole


def mesh_for(
    assignment: Assignment,
) -> mesh_lib.MeshAxes | shardings_lib.SingleDeviceSharding | None:
    """On which mesh results are named: that of the first sharding that has one.

    A sharding on a single device stands for itself.
    """
    for sharding in (*assignment.inputs, *(w.sharding for w in assignment.constraints)):
        has_mesh = isinstance(sharding, shardings_lib.NamedSharding)
        if has_mesh and (sharding.is_concrete or assignment.is_abstract):
            return sharding.mesh
        if isinstance(sharding, shardings_lib.SingleDeviceSharding):
            return sharding
    return mesh_context.concrete_mesh()


def mesh_of_devices(
    assignment: Assignment, axes: mesh_lib.AbstractMesh
) -> mesh_lib.Mesh:
    """The devices of a call, along the axes of a mesh that has none."""
    devices = np.array(assignment.devices, object).reshape(axes.axis_sizes)
    return mesh_lib.Mesh(devices, axes.axis_names, axes.axis_types)
