"""A lowered program on its devices: compiled, with all that a call of it needs.

Where the compiler had the choice, its answer is read here, and said in the names
of a mesh that the user knows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options as options_lib, records
from jax._src.core import (
    avals as avals_lib,
    hlo_sharding as hlo,
    jaxpr,
    memory_kinds,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.interpreters import mlir
from jax._src.lib import fastpath
from jax._src.runtime import tokens
from jax._src.runtime.arrays import extended, relayout
from jax._src.runtime.compilation import (
    assignment as asg,
    compile,
    dumps,
    executable_shardings,
    gather_warnings,
    non_addressable_executable,
    sharding_callbacks,
)
from jax._src.runtime.transfers import device_put_get, traced_device_put

# The type of a token as the runtime has it.
TOKEN_ARRAY = avals_lib.ShapedArray((0,), np.dtype(np.bool_))


@records.identity_record
class Loaded:
    """An executable on its devices, ready to be called."""

    executable: Any
    lowered: mlir.LoweringResult
    # With the shardings of all inputs and results, the compiler's choices included.
    assignment: asg.Assignment
    # What the native call path needs; None: there are no devices.
    data: Any = None
    # Arrays that it takes before the inputs.
    constants: tuple[Any, ...] = ()

    def run(self, leaves: Sequence[Any], *, waits: bool = False) -> list[Any]:
        """Runs it; returns the results as arrays.

        Args:
            leaves: the leaves of the call, arrays instead of values of extended dtypes.
            waits: whether its effects have happened when this returns.
        """
        whole = self.assignment.whole
        return tokens.run(self.data, leaves, self.lowered, whole, waits=waits)

    @property
    def native_data(self) -> Any:
        """What the native call path may remember, or None."""
        if self.lowered.has_token:
            return None
        return non_addressable_executable.native_of(self.data)


def _is_open(sharding):
    """Whether the compiler has a choice."""
    return sharding is None or (
        isinstance(sharding, shardings_lib.NamedSharding)
        and any(
            entry is partition_spec.UNCONSTRAINED for entry in sharding.spec.partitions
        )
    )


def shardings_of_types(
    avals: Sequence[Any], assignment: asg.Assignment
) -> tuple[shardings_lib.Sharding | None, ...]:
    """Returns the shardings of results by their types, over `Explicit` axes; else None.

    Such a mesh has devices if it is the current one or that of an argument.
    """
    if not any(aval.is_placed for aval in avals):
        return (None,) * len(avals)
    meshes = {mesh_context.concrete_mesh()}
    for sharding in assignment.inputs:
        has_mesh = isinstance(sharding, shardings_lib.NamedSharding)
        if has_mesh and (sharding.is_concrete or assignment.is_abstract):
            meshes.add(sharding.mesh)
    by_axes = {mesh.abstract_mesh: mesh for mesh in meshes if mesh is not None}
    devices = assignment.devices
    return tuple(_sharding_of_type(aval, by_axes, devices) for aval in avals)


def _sharding_of_type(aval, by_axes, devices):
    sharding = getattr(aval, "sharding", None)
    if not aval.is_placed or sharding.mesh.empty:
        return None
    mesh = by_axes.get(sharding.mesh) or _current_mesh_as(sharding.mesh)
    if mesh is None and sharding.mesh.size == len(devices):
        mesh = sharding.mesh  # The same devices, along axes of a block inside.
    if mesh is None:
        return None
    spec = sharding.spec
    if not mesh.explicit_axes and not any(m.explicit_axes for m in by_axes.values()):
        return None  # The compiler decides, and all meshes say so.
    if mesh.auto_axes:
        entries = [
            partition_spec.UNCONSTRAINED if e is None else e for e in spec.partitions
        ]
        spec = spec.update(partitions=entries)
    return shardings_lib.NamedSharding(mesh, spec)


def _current_mesh_as(axes):
    """The current mesh of devices, where `use_abstract_mesh` changed its axes' types."""
    mesh = mesh_context.concrete_mesh()
    if mesh is None or mesh.shape_tuple != axes.shape_tuple:
        return None
    return mesh.update(axis_types=axes.axis_types)


def load(
    lowered: mlir.LoweringResult,
    closed: jaxpr.ClosedJaxpr,
    assignment: asg.Assignment,
    name: str,
    *,
    out_tree: Any,
    kept: Sequence[int] | None = None,
    donates: bool = False,
    options: Mapping[str, Any] | None = None,
    tier: str = "best",
) -> Loaded:
    """Compiles a lowered program for its devices and prepares its calls.

    Args:
        lowered: the module.
        closed: the program from which it was made.
        assignment: the devices, and the requested shardings of inputs and results.
        name: what is compiled, for the log and for messages.
        out_tree: the tree of the results, as the native path has it.
        kept: the leaves of a call that are inputs; None: all.
        donates: whether inputs are donated.
        options: options that only the compiler knows.
        tier: how hard our compiler works, as `jax_compile_tier` says it.

    Raises:
        JaxRuntimeError: the plugin cannot compile it.
        AssertionError: the compiler gave a result another sharding than was requested.
    """
    naming = asg.mesh_for(assignment)

    def name_sharding(found, aval):
        return _named(found, aval, naming, assignment)

    def compile_module(lowered):
        return _compile(lowered, closed, assignment, name, options, tier)

    lowered = sharding_callbacks.decide(lowered, compile_module, name_sharding)
    executable = compile_module(lowered)
    sharding_callbacks.answer(lowered, executable, name_sharding)
    inputs, results = _resolve_shardings(executable, lowered, closed, assignment, name)
    if not assignment.is_single:
        gather_warnings.warn(executable, name)
    constants = (
        _put_constants(lowered, closed, assignment) if assignment.can_run else ()
    )
    assignment = records.replace(assignment, inputs=inputs, results=results)
    if not assignment.can_run:
        return Loaded(executable, lowered, assignment)
    return attach(
        executable,
        lowered,
        closed.out_avals,
        assignment,
        constants,
        out_tree=out_tree,
        kept=kept,
        donates=donates,
    )


def attach(
    executable: Any,
    lowered: mlir.LoweringResult,
    out_avals: Sequence[Any],
    assignment: asg.Assignment,
    constants: Sequence[Any],
    *,
    out_tree: Any,
    kept: Sequence[int] | None,
    donates: bool,
) -> Loaded:
    """Prepares the calls of an executable.

    Args:
        executable: it.
        lowered: says whether it takes and returns tokens, and what it keeps alive.
        out_avals: the types of the results.
        assignment: its devices and the shardings of its inputs and results.
        constants: the arrays that it takes before its inputs.
        out_tree: the tree of the results, as the native path has it.
        kept: the leaves of a call that are inputs; None: all.
        donates: whether inputs are donated.
    """
    inputs, results = assignment.inputs, assignment.results
    avals: list[Any] = [mlir.physical_aval(a) for a in out_avals]
    ahead = int(lowered.has_token)
    whole = assignment.whole
    if not any(device.is_addressable for device in assignment.devices):
        data = non_addressable_executable.NonAddressableExecutable(
            (*[TOKEN_ARRAY] * ahead, *avals),
            (*[whole] * ahead, *results),
            assignment.committed,
        )
        return Loaded(executable, lowered, assignment, data, tuple(constants))
    wanted = [whole] * int(lowered.is_ordered) + list(inputs)
    # A single device leaves no choice but that of its memory.
    has_choice = not assignment.is_single or any(map(_is_special, inputs))
    data = fastpath.FastpathData(
        executable=executable,
        out_tree=out_tree,
        out_types=[
            (a.shape, a.dtype, a.weak_type) for a in [TOKEN_ARRAY] * ahead + avals
        ],
        out_shardings=[whole] * ahead + list(results),
        out_committed=assignment.committed,
        kept=kept,
        in_shardings=[w or whole for w in wanted] if has_choice else None,
        constants=constants,
        donates=donates,
        out_wrappers=_wrappers(out_avals, assignment.layouts, ahead),
        keepalive=lowered.keepalives,
    )
    return Loaded(executable, lowered, assignment, data, tuple(constants))


def _wrappers(avals, layouts, ahead):
    """What makes the values that users get of arrays, per result; None: nothing does."""
    if not any(layouts):
        return extended.wrappers(avals)
    makers = extended.wrappers(avals) or [None] * len(avals)
    return [None] * ahead + [
        made if layout is None else lambda x, w=layout: relayout.lay_out(x, w)
        for made, layout in zip(makers, layouts, strict=True)
    ]


def _in_memory(sharding, aval):
    """A sharding whose kind of memory the type says."""
    if getattr(aval, "memory_space", None) is avals_lib.MemorySpace.Host:
        return traced_device_put.in_memory(sharding, aval.memory_space)
    return sharding


def _is_special(sharding):
    if sharding is None:
        return False
    default = memory_kinds.default_of(sharding.ordered_devices[0])
    return default is not None and sharding.memory_kind != default


def _put_constants(lowered, closed, assignment):
    """The constants that the module takes as arguments, where it wants them."""
    whole = assignment.whole
    by_identity = {
        id(c): sharding
        for c, sharding in zip(closed.consts, assignment.constants, strict=False)
        if sharding is not None
    }
    return [
        relayout.to_row_major(device_put_get.put(c, by_identity.get(id(c), whole)))
        for c in lowered.constants
    ]


def needs_no_process(lowered: mlir.LoweringResult) -> bool:
    """Whether the code refers to nothing that lives in this process."""
    # Of what a module keeps, programs are not referred to by its code.
    kept = (isinstance(kept, jaxpr.ClosedJaxpr) for kept in lowered.keepalives)
    return not lowered.host_callbacks and all(kept)


def _compile(lowered, closed, assignment, name, options, tier):
    dumps.write(lowered.module, closed)
    bytecode = mlir.module_to_bytecode(lowered.module)
    parameters = _open_parameters(lowered, assignment)
    outcomes = _open_results(lowered, assignment)
    if assignment.is_abstract:
        return compile.compile_without_devices(
            bytecode,
            platform=assignment.devices[0].platform,
            count=len(assignment.devices),
            open_parameters=parameters,
            open_results=outcomes,
            options=options,
        )
    executable = compile.compile_module(
        bytecode,
        devices=assignment.devices,
        name=name,
        open_parameters=parameters,
        open_results=outcomes,
        options=options,
        # Lines in source files are not part of what is compiled.
        text=lambda: mlir.module_to_string(
            lowered.module,
            enable_debug_info=options_lib.compilation_cache_include_metadata_in_key.value,
        ),
        cacheable=needs_no_process(lowered),
        tier=tier,
    )
    for registration in lowered.host_callbacks:
        executable.keep_alive(registration)
    return executable


def plan(
    lowered: mlir.LoweringResult,
    assignment: asg.Assignment,
    options: Mapping[str, Any],
) -> Any:
    """An executable that knows its memory and costs, and has no code to run.

    Args:
        lowered: the module.
        assignment: the devices, and the requested shardings of inputs and results.
        options: options that only the compiler knows.
    """
    return compile.plan_module(
        mlir.module_to_bytecode(lowered.module),
        devices=assignment.devices,
        is_abstract=assignment.is_abstract,
        open_parameters=_open_parameters(lowered, assignment),
        open_results=_open_results(lowered, assignment),
        options=options,
    )


def _open_parameters(lowered, assignment):
    ahead = len(lowered.constants) + int(lowered.is_ordered)
    return [False] * ahead + [_is_open(p) for p in assignment.inputs]


def _open_results(lowered, assignment):
    ahead = [False] * int(lowered.has_token)
    return ahead + [_is_open(p) for p in assignment.results]


def _resolve_shardings(executable, lowered, closed, assignment, name):
    """Returns the shardings of all inputs and results, the compiler's choices included."""
    naming = asg.mesh_for(assignment)
    first = _first_named(closed, assignment)

    def naming_of(sharding, aval):
        if sharding is not None:
            return sharding.mesh
        return _mesh_of_block(aval, assignment, naming) or naming

    in_avals, out_avals = closed.in_avals, closed.out_avals
    if assignment.is_single:
        whole = [hlo.REPLICATED] * len(out_avals)
        results = [
            _in_memory(
                _named(found, aval, naming_of(sharding, aval), assignment, first), aval
            )
            if _is_open(sharding)
            else sharding
            for found, aval, sharding in zip(
                whole, out_avals, assignment.results, strict=True
            )
        ]
        return assignment.inputs, _on_devices(results, assignment)
    ahead = int(lowered.has_token)
    parameters, reports = executable_shardings.shardings_of(
        executable, ahead + len(out_avals)
    )
    behind = len(parameters or ()) - len(in_avals)
    answers = parameters[behind:] if parameters and behind >= 0 else None
    inputs = [
        sharding
        if sharding is not None
        else _named(answers[i] if answers else hlo.REPLICATED, aval, naming, assignment)
        for i, (sharding, aval) in enumerate(
            zip(assignment.inputs, in_avals, strict=True)
        )
    ]
    outs = reports[ahead:] if reports else [hlo.REPLICATED] * len(out_avals)
    results = []
    for found, aval, sharding in zip(outs, out_avals, assignment.results, strict=True):
        if _is_open(sharding):
            made = _named(found, aval, naming_of(sharding, aval), assignment, first)
            sharding = _in_memory(made, aval)
        elif reports:
            _check_honoured(sharding, found, aval, assignment, name)
        results.append(sharding)
    return tuple(inputs), _on_devices(results, assignment)


def _mesh_of_block(aval, assignment, naming):
    """The devices along the axes of a block inside of a program, by a result's type."""
    axes = getattr(getattr(aval, "sharding", None), "mesh", None)
    if axes is None or axes.size != len(assignment.devices) or assignment.is_single:
        return None
    is_other = (
        not isinstance(naming, mesh_lib.MeshAxes)
        or naming.shape_tuple != axes.shape_tuple
    )
    return asg.mesh_of_devices(assignment, axes) if is_other else None


def _on_devices(results, assignment):
    """Returns shardings over a mesh without devices as shardings over the devices of the call."""
    if assignment.is_abstract:
        return tuple(results)
    return tuple(
        sharding
        if sharding.is_concrete
        else shardings_lib.NamedSharding(
            asg.mesh_of_devices(assignment, sharding.mesh),
            sharding.spec,
            memory_kind=sharding.memory_kind,
        )
        for sharding in results
    )


def _first_named(closed, assignment):
    """The first input's sharding, which results share where it says the same."""
    for sharding, aval in zip(assignment.inputs, closed.in_avals, strict=True):
        has_mesh = isinstance(sharding, shardings_lib.NamedSharding)
        if has_mesh and (sharding.is_concrete or assignment.is_abstract):
            return sharding, len(aval.shape)
        if sharding is not None:
            return None
    return None


def _named(found, aval, naming, assignment, first=None):
    """What the compiler says, in the names of a mesh."""
    if isinstance(naming, shardings_lib.SingleDeviceSharding):
        return shardings_lib.of_device(assignment.devices[0])
    ndim = len(aval.shape)
    physical = len(mlir.physical_aval(aval).shape)
    for mesh in _meshes_to_name(naming, assignment):
        try:
            made = shardings_lib.named_on(mesh, found, physical)
        except errors.IndivisibleError:
            continue
        if mesh.explicit_axes:
            return made.update(spec=made.spec.padded(ndim))
        if first is not None and first[1] == ndim and first[0].mesh is mesh:
            if made.is_equivalent_to(first[0], ndim):
                return first[0]
        return made
    if assignment.is_single:
        return shardings_lib.of_device(assignment.devices[0])
    return shardings_lib.GSPMDSharding(assignment.devices, found)


def _meshes_to_name(naming, assignment):
    """Yields the meshes whose axes may name a sharding: the given one, and those of the program."""
    if isinstance(naming, mesh_lib.MeshAxes):
        yield naming
    if assignment.is_single:
        return
    for constraint in assignment.constraints:
        mesh = getattr(constraint.sharding, "mesh", None)
        if mesh is not None and mesh.size == len(assignment.devices):
            is_there = isinstance(mesh, mesh_lib.Mesh) or assignment.is_abstract
            yield mesh if is_there else asg.mesh_of_devices(assignment, mesh)


def _check_honoured(sharding, found, aval, assignment, name):
    ndim = len(mlir.physical_aval(aval).shape)
    if aval.size == 0 or getattr(getattr(sharding, "spec", None), "unreduced", ()):
        return  # Nothing is anywhere; or the message has no word for it.
    requested = sharding.hlo_sharding(ndim)
    if not hlo.placed_alike(requested, found, len(assignment.devices)):
        raise AssertionError(
            errors.explain(
                "Unexpected XLA sharding override: a result has another sharding than requested.",
                [
                    ("program", name),
                    ("result", aval.str_short()),
                    ("requested", f"{sharding!r}, that is {requested}"),
                    ("reported", str(found)),
                ],
                "A compiler must put results where out_shardings says.",
            )
        )
