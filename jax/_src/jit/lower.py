"""From a program to its StableHLO module."""

import collections
import time
import warnings
from collections.abc import Sequence
from typing import Any

from jax._src.base import compile_log, errors, options, records
from jax._src.core import (
    jaxpr as jaxpr_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
    slots,
)
from jax._src.interpreters import hlo, mlir
from jax._src.jit import (
    compile,
    devices,
    options as jit_options,
    shardings as jit_shardings,
)
from jax._src.jit.stages import Stage
from jax._src.runtime.compilation import assignment as asg, loading


@records.identity_record
class Lowered(Stage):
    """A call that was lowered: its StableHLO module."""

    # Its program of arrays, and what that requires.
    low: Stage
    resolved: jit_shardings.ResolvedShardings
    lowered: mlir.LoweringResult
    # The devices, and the shardings of the module's inputs and results.
    assignment: asg.Assignment
    # The layout of each input; empty: row-major.
    in_layouts: Sequence[Any]
    # How long lowering took.
    seconds: float = 0.0

    out_info = property(jit_shardings.lowered_out_info)
    __repr__ = object.__repr__

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """The module as text.

        Args:
            dialect: ``"stablehlo"`` or None, which is the same; ``"hlo"`` for HLO's text.
            debug_info: whether to print source locations.

        Raises:
            NotImplementedError: ``"hlo"`` has no form of one of the operations.
            ValueError: there is no such dialect.
        """
        if dialect == "hlo":
            options = hlo.printing.PrintOptions(
                has_metadata=debug_info, has_whole_constants=True
            )
            return self.compiler_ir(dialect).text(options)
        return mlir.module_to_string(self.compiler_ir(dialect), debug_info)

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """The module, with the arguments and errors of `as_text`."""
        if dialect == "hlo":
            return hlo.programs.of_stablehlo(self.lowered.module)
        if dialect not in (None, "stablehlo"):
            raise errors.value_error(
                f"unknown dialect: {dialect}.",
                [("offered", "stablehlo, hlo")],
                ways="Leave the dialect out.",
            )
        return self.lowered.module

    def cost_analysis(self) -> dict[str, float]:
        """What one call computes, counted in the module.

        A loop counts as often as it runs, where that stands in the program, and else
        once; of branches the dearest counts. What custom calls compute is not counted.

        Returns:
            ``"flops"``, operations on elements of every type, such as sums, comparisons,
            choices and conversions; ``"transcendentals"``, functions such as exp;
            ``"bytes accessed"``, as if each operation read and wrote memory.
        """
        return mlir.module_costs(self.lowered.module)

    def compile(
        self,
        compiler_options: dict[str, Any] | None = None,
        *,
        device_assignment: tuple[Any, ...] | None = None,
    ) -> compile.Compiled:
        """Compiles the module.

        Where only meshes without devices are known, the result reports what it would need
        (`Compiled.plan`, `Compiled.memory_analysis`, …) and cannot be called.

        Args:
            compiler_options: options for the compiler, by name, besides those of `jit`.
            device_assignment: the devices to compile for, in the order of partitions,
                where only meshes without devices are known.

        Raises:
            JaxRuntimeError: the compiler knows no such option, or no such value of it.
        """
        call = self
        if compiler_options:
            items = jit_options.compiler_items(
                dict(self.options.compiler_options) | compiler_options
            )
            call = records.replace(
                self, options=records.replace(self.options, compiler_options=items)
            )
        assignment = self.assignment
        if device_assignment is not None:
            assignment = devices.on_devices(
                assignment, tuple(device_assignment), self.fun_name
            )
        fitting = within_budget(records.replace(self, assignment=assignment))
        return compile.compile_lowered(
            call,
            self.low,
            fitting.resolved,
            fitting.lowered,
            fitting.assignment,
            self.in_layouts,
            lower_seconds=self.seconds,
        )


Lowered.__module__ = "jax.stages"


def within_budget(lowered: Lowered) -> Lowered:
    """A lowered call with the same results that needs no more than `jax_memory_budget`.

    Raises:
        JaxRuntimeError: no such program was found.
    """
    budget = options.memory_budget.value
    return slots.fit_memory(lowered, budget) if budget else lowered


def compile_for_calls(lowered: Lowered) -> compile.Compiled:
    """Compiles a module that is run now, as `jax_compile_tier` says."""
    lowered = within_budget(lowered)
    return compile.compile_lowered(
        lowered,
        lowered.low,
        lowered.resolved,
        lowered.lowered,
        lowered.assignment,
        lowered.in_layouts,
        lower_seconds=lowered.seconds,
        tier=options.compile_tier.value,
        is_ahead=False,
    )


def lower(
    call: Stage,
    low: Stage,
    resolved: jit_shardings.ResolvedShardings,
    assignment: asg.Assignment,
    *,
    platforms: Sequence[str] = (),
    in_layouts: Sequence[Any] = (),
) -> Lowered:
    """Makes the StableHLO module of a call.

    Args:
        call: the call.
        low: its program of arrays.
        resolved: what this program requires.
        assignment: where the call runs.
        platforms: the platforms that it shall run on; none: that of its devices.
        in_layouts: the layout of each input; empty: row-major.
    """
    platforms = platforms or (assignment.platform,)
    start = time.perf_counter()
    assignment = assignment_of_module(resolved, assignment)
    lowered = make_module(low, resolved, platforms, assignment)
    return Lowered(
        **records.as_dict(call, Stage),
        low=low,
        resolved=resolved,
        lowered=lowered,
        assignment=assignment,
        in_layouts=in_layouts,
        seconds=time.perf_counter() - start,
    )


def make_module(
    program: Stage,
    resolved: jit_shardings.ResolvedShardings,
    platforms: Sequence[str],
    assignment: asg.Assignment | None,
    *,
    hoist_constants: bool = True,
) -> mlir.LoweringResult:
    """Makes the StableHLO module of a program of arrays.

    Args:
        program: the program.
        resolved: what it requires.
        platforms: the platforms it shall run on.
        assignment: that of the module, from `assignment_of_module`; None: any one device.
        hoist_constants: whether large constants become arguments.
    """
    closed, kept = resolved.closed, resolved.kept
    debug = program.jaxpr.debug_info
    names, paths = debug.arg_names, debug.result_paths
    # A program derived from another one may have other inputs and results.
    if names is not None and len(names) != len(program.jaxpr.jaxpr.invars):
        names = None
    if paths is not None and len(paths) != len(closed.jaxpr.outvars):
        paths = None
    _warn_of_useless_donations(program, kept)
    _warn_of_large_constants(closed, program.fun_name)
    signature = mlir.Signature(
        arg_names=names and tuple(names[i] for i in kept),
        result_paths=paths,
        donated=[program.donated_inputs[i] for i in kept],
        in_shardings=assignment and assignment.inputs,
        out_shardings=assignment and assignment.results,
        const_shardings=assignment and assignment.constants,
    )
    inputs = () if assignment is None else assignment.inputs
    with compile_log.lowering(f"jit({program.fun_name})", closed.in_avals, inputs):
        return mlir.lower_to_module(
            f"jit_{program.fun_name}",
            closed,
            platforms,
            signature,
            partition_count=1 if assignment is None else len(assignment.devices),
            hoist_constants=hoist_constants,
        )


def assignment_of_module(
    resolved: jit_shardings.ResolvedShardings, assignment: asg.Assignment
) -> asg.Assignment:
    """Returns the assignment of a program's module, from that of a call of the program."""
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
    constants = () if assignment.is_single else resolved.constants
    return records.replace(
        assignment,
        inputs=tuple(assignment.inputs[i] for i in resolved.kept),
        results=tuple(a or b for a, b in zip(resolved.results, by_type, strict=True)),
        constants=tuple(
            c if asg.is_on(c, assignment.devices) else None for c in constants
        ),
        constraints=constraints,
        layouts=resolved.out_layouts,
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


def _warn_of_useless_donations(program, kept):
    """Warns of donated arguments that fit no result, whose memory is not reused.

    An argument that the program does not use is not donated.
    """
    if not any(program.donated):
        return
    closed = program.jaxpr
    results = collections.Counter((a.shape, a.dtype) for a in closed.out_avals)
    unused = []
    for i in kept:
        aval = closed.in_avals[i]
        if not program.donated_inputs[i]:
            continue
        if results[aval.shape, aval.dtype]:
            results[aval.shape, aval.dtype] -= 1
        else:
            unused.append(aval.str_short())
    if unused:
        warnings.warn(
            errors.explain(
                "Some donated buffers were not usable: no result has their shape and dtype.",
                [("arguments", ", ".join(unused)), ("function", program.fun_name)],
                "Memory of an argument is reused for a result of the same type.",
            ),
            UserWarning,
            stacklevel=2,
        )
