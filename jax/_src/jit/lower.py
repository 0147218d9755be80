"""From a program to its StableHLO module."""

import collections
import warnings
from collections.abc import Sequence

from jax._src.base import errors, monitoring, options, records
from jax._src.core import (
    jaxpr as jaxpr_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.interpreters import mlir
from jax._src.jit import shardings as jit_shardings, trace as jit_trace
from jax._src.runtime import (
    assignment as asg,
    loading,
)


@records.record
class LoweredProgram:
    """A module made from a program for a device assignment, and which of its inputs it takes."""

    result: mlir.LoweringResult
    kept: tuple[int, ...]
    name: str
    closed: jaxpr_lib.ClosedJaxpr
    donates: bool
    # The shardings of the inputs that it takes and of the results; None: for any one device.
    shardings: loading.ProgramShardings | None = None


def lower_program(
    program: jit_trace.Program,
    platforms: Sequence[str],
    assignment: asg.Assignment | None = None,
    *,
    hoist_constants: bool = True,
) -> LoweredProgram:
    """Makes the StableHLO module of a program.

    Args:
        program: the program.
        platforms: the platforms it shall run on.
        assignment: the devices that it shall run on; None: one device.
        hoist_constants: whether large constants become arguments.
    """
    resolved = jit_shardings.resolve_shardings(program)
    closed = program.closed
    n_in = len(closed.jaxpr.invars)
    debug = closed.debug_info
    names = debug.arg_names
    if names is not None and len(names) == n_in:
        names = tuple(names[i] for i in resolved.kept)
    else:
        names = None
    # A program derived from another one may have other results.
    paths = debug.result_paths
    if paths is not None and len(paths) != len(closed.jaxpr.outvars):
        paths = None
    donated = [program.donated_inputs[i] for i in resolved.kept]
    _warn_of_useless_donations(closed, program)
    shardings = (
        program_shardings(resolved, assignment) if assignment is not None else None
    )
    signature = mlir.Signature(
        arg_names=names,
        result_paths=paths,
        donated=donated,
        in_shardings=shardings and shardings.inputs,
        out_shardings=shardings and shardings.results,
        const_shardings=shardings and shardings.constants,
    )
    _warn_of_large_constants(resolved.closed, program.name)
    with monitoring.timed("/jax/core/compile/jaxpr_to_mlir_module_duration"):
        result = mlir.lower_to_module(
            f"jit_{program.name}",
            resolved.closed,
            platforms,
            signature,
            partition_count=len(assignment.devices) if assignment is not None else 1,
            hoist_constants=hoist_constants,
        )
    return LoweredProgram(
        result, resolved.kept, program.name, resolved.closed, any(donated), shardings
    )


def program_shardings(resolved, assignment):
    by_type = loading.shardings_of_types(resolved.closed.out_avals, assignment)
    constraints = asg.fitting(resolved.constraints, assignment.devices)
    mesh = mesh_context.concrete_mesh()
    if mesh is not None:
        # Results are named by it, also where the program is compiled in another context.
        constraints += (
            asg.DeviceConstraint(
                "the current mesh",
                shardings_lib.NamedSharding(mesh, partition_spec.PartitionSpec()),
            ),
        )
    return loading.ProgramShardings(
        assignment,
        tuple(assignment.inputs[i] for i in resolved.kept),
        tuple(a or b for a, b in zip(resolved.results, by_type, strict=True)),
        tuple(
            c if asg.is_on(c, assignment.devices) else None for c in resolved.constants
        )
        if not assignment.is_single
        else (),
        constraints,
        resolved.out_layouts,
    )


def _warn_of_large_constants(closed, name):
    """Warns of constants that make the program larger than the user wants."""
    limit = options.captured_constants_warn_bytes.value
    if not closed.consts or limit < 0:
        return
    total = sum(getattr(c, "nbytes", 0) for c in closed.consts)
    if total >= limit:
        warnings.warn(
            errors.explain(
                "A large amount of constants were captured during lowering.",
                [("bytes", str(total)), ("arrays", str(len(closed.consts)))]
                + [("function", name), *_where_constants_are_used(closed.jaxpr)],
                "jax_captured_constants_warn_bytes says from how many bytes on.",
                "Pass the arrays as arguments instead of closing over them.",
            ),
            UserWarning,
            stacklevel=2,
        )


def _where_constants_are_used(jaxpr):
    """For each constant the user's frames around its first use, as many as are requested."""
    count = options.captured_constants_report_frames.value
    if not count:
        return []
    uses = {
        v: e
        for e in reversed(jaxpr.eqns)
        for v in e.invars
        if isinstance(v, jaxpr_lib.Var)
    }
    facts = []
    for var in jaxpr.constvars:
        frames = uses[var].location.frames if var in uses else ()
        shown = frames if count < 0 else frames[:count]
        locations = [f"{f.file_name}:{f.line} ({f.function})" for f in shown]
        facts.append(
            (
                var.aval.str_short(),
                "used at " + ", ".join(locations or ["no known line"]),
            )
        )
    return facts


def _warn_of_useless_donations(closed, program):
    """Warns of donated arguments that fit no result, whose memory is not reused."""
    if not any(program.donated):
        return
    results = collections.Counter((a.shape, a.dtype) for a in closed.out_avals)
    unused = []
    for aval, is_donated in zip(closed.in_avals, program.donated_inputs, strict=True):
        if not is_donated:
            continue
        if results[aval.shape, aval.dtype]:
            results[aval.shape, aval.dtype] -= 1
        else:
            unused.append(aval.str_short())
    if unused:
        warnings.warn(
            errors.explain(
                "Some donated buffers were not usable: no result has their shape and dtype.",
                [("arguments", ", ".join(unused)), ("function", program.name)],
                "Memory of an argument is reused for a result of the same type.",
            ),
            UserWarning,
            stacklevel=2,
        )
