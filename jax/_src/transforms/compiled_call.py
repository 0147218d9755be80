"""From a program to an executable that takes the leaves of a call."""

import collections
import warnings
from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, monitoring, options, records
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.interpreters import hijax, mlir
from jax._src.lib import client
from jax._src.runtime import (
    assignment as asg,
    backends,
    checks,
    extended,
    layouts,
    loading,
    non_addressable_executable,
    relayout,
    tokens,
    transfer_guard,
)
from jax._src.transforms import (
    jit_call,
    jit_primitive,
    jit_shardings,
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
    program: jit_call.Program,
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
        _program_shardings(resolved, assignment) if assignment is not None else None
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


def _program_shardings(resolved, assignment):
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
    """Tells of constants that make the program larger than the user wants."""
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
    """Tells which donated arguments fit no result, so that their memory is not reused."""
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


@records.record
class CompiledProgram:
    """An executable, and how to call it with the leaves of a call."""

    loaded: loading.Loaded
    kept: tuple[int, ...]
    closed: jaxpr_lib.ClosedJaxpr
    assignment: asg.Assignment
    lowered: mlir.LoweringResult
    # Whether leaves or results have dtypes that stand for other arrays.
    in_extended: bool
    out_extended: bool
    # The leaves of a call whose memory it may take.
    donated: tuple[int, ...] = ()
    # Per result, what is said of its order in memory.
    out_layouts: tuple[Any, ...] = ()

    @property
    def executable(self) -> Any:
        """The native executable."""
        return self.loaded.executable

    @property
    def native_data(self) -> Any:
        """What the native call path may remember, or None."""
        if self.lowered.has_token:
            return None
        return non_addressable_executable.native_of(self.loaded.data)

    @property
    def has_keys(self) -> bool:
        """Whether arguments, results or constants may be random keys."""
        consts = map(extended.is_extended, map(avals_lib.get_aval, self.closed.consts))
        return self.in_extended or self.out_extended or any(consts)

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """The leaves of the results."""
        if self.in_extended:
            leaves = [extended.physical_value(x) for x in leaves]
        outs = tokens.run(self.loaded.data, leaves, self.lowered, self.assignment.whole)
        for number in self.donated:
            if order_of(leaves[number]) is not None:
                leaves[number].delete()  # The program took the memory of a copy.
        if any(self.out_layouts):
            pairs = zip(outs, self.out_layouts, strict=True)
            outs = [o if w is None else relayout.lay_out(o, w) for o, w in pairs]
        if self.out_extended:
            outs = [
                extended.logical_value(o, aval)
                for o, aval in zip(outs, self.closed.out_avals, strict=True)
            ]
        return outs

    def is_watched(self, leaves: Sequence[Any]) -> bool:
        """Whether such a call needs transfers that must be checked each time."""
        if self.in_extended:
            leaves = [extended.physical_value(x) for x in leaves]
        return transfer_guard.is_watched(leaves, self.assignment.whole)


def order_of(value: Any) -> tuple[int, ...] | None:
    """Returns the layout of an array; None: row-major, or it is no array."""
    return value._order if isinstance(value, client.Array) else None


def _refuse_tokens(program):
    closed = program.closed
    for what, avals in (("argument", closed.in_avals), ("result", closed.out_avals)):
        if any(isinstance(aval, avals_lib.AbstractToken) for aval in avals):
            raise NotImplementedError(
                errors.explain(
                    f"A token is {what} of a compiled function.",
                    [("function", program.name)],
                    "Tokens order operations inside of one program.",
                    "Make and use the token in the same function.",
                )
            )


def compile_lowered(
    lowered: LoweredProgram, program: jit_call.Program, assignment: asg.Assignment
) -> CompiledProgram:
    """Compiles a lowered program for a device assignment and prepares its calls."""
    _refuse_tokens(program)
    result, closed = lowered.result, lowered.closed
    kept = list(lowered.kept)
    if result.is_ordered:
        kept = [0, *(i + 1 for i in kept)]
    all_kept = len(lowered.kept) == len(program.closed.jaxpr.invars)
    loaded = loading.load(
        result,
        closed,
        lowered.shardings
        or _program_shardings(jit_shardings.resolve_shardings(program), assignment),
        f"jit({program.name})",
        # A program with a token is never called natively.
        out_tree=native_tree(
            None if result.has_token or program.links else program.out_tree,
            len(closed.out_avals) + int(result.has_token),
        ),
        kept=None if all_kept else kept,
        donates=lowered.donates,
        options=dict(program.options.compiler_options),
    )
    return CompiledProgram(
        loaded,
        lowered.kept,
        closed,
        assignment,
        result,
        any(extended.is_extended(a) for a in program.closed.in_avals),
        any(extended.is_extended(a) for a in closed.out_avals),
        tuple(i for i in lowered.kept if program.donated_inputs[i]),
        jit_shardings.resolve_shardings(program).out_layouts,
    )


def native_tree(out_tree: Any, count: int) -> Any:
    """The tree of the results as the native path has it: None for a single leaf."""
    if out_tree is None:
        return tree.tree_structure([0] * count)
    return None if tree.treedef_is_strict_leaf(out_tree) else out_tree


def assignment_of(program: jit_call.Program, leaves: Sequence[Any]) -> asg.Assignment:
    """Where a call runs with these leaves, which may be types with shardings.

    Raises:
        ValueError: committed arrays are on different devices, or an argument has
            another sharding or layout than the program requires.
    """
    resolved = jit_shardings.resolve_shardings(program)
    _check_layouts(program, resolved, leaves)
    values = _physical(leaves)
    if resolved.is_plain:
        found = asg.on_one_device(values)
        if found is not None:
            return found
    return _assigned(program, values)


def _check_layouts(program, resolved, leaves):
    """Refuses arrays with another requested layout than in_shardings states."""
    if not any(resolved.in_layouts):
        return
    for number, wanted in enumerate(resolved.in_layouts):
        found = layout_of(leaves[number])
        if wanted is None or found is None:
            continue
        if wanted is layouts.AUTO or not layouts.is_same(found, wanted):
            names = program.closed.debug_info.arg_names or ()
            raise ValueError(
                errors.explain(
                    "Layout passed to jit does not match the layout on the respective "
                    "argument.",
                    [
                        ("function", program.name),
                        ("argument", names[number] if names else str(number)),
                        ("in_shardings", repr(wanted)),
                        ("lies", repr(found)),
                    ],
                    "An array that was put somewhere on purpose is not laid out anew, and "
                    "leaves the compiler no choice.",
                    "Lay it out: jax.device_put(x, Format(layout, x.sharding)), or leave "
                    "its layout out of in_shardings.",
                )
            )


def layouts_for(
    program: jit_call.Program, leaves: Sequence[Any]
) -> tuple[layouts.Layout | None, ...]:
    """Per input: the layout that it shall have, or a call with these leaves has."""
    resolved = jit_shardings.resolve_shardings(program).in_layouts
    return tuple(
        wanted if isinstance(wanted, layouts.Layout) else layout_of(leaf)
        for wanted, leaf in zip(resolved, leaves, strict=True)
    )


def layout_of(value: Any) -> layouts.Layout | None:
    """Returns the layout of a committed array or of a described one; else None."""
    if isinstance(value, client.Array):
        is_put = value.committed
        return layouts.of_array(value._order, value.ndim) if is_put else None
    return getattr(value, "_layout", None)


def _physical(leaves):
    return [extended.physical_value(x) if avals_lib.is_value(x) else x for x in leaves]


def _assigned(program, values):
    """Returns the assignment of a call, whatever the shardings of its arguments."""
    resolved = jit_shardings.resolve_shardings(program)
    default = None
    if program.options.backend is not None:
        default = (backends.local_devices(backend=program.options.backend)[0],)
    assignment = asg.assign(
        values,
        program.closed.in_avals,
        wanted=resolved.inputs,
        kept=resolved.kept,
        constraints=resolved.constraints,
        names=program.closed.debug_info.arg_names,
        what=program.name,
        default=default,
    )
    return (
        records.replace(assignment, committed=True)
        if resolved.moves_memory
        else assignment
    )


def assignment_of_types(
    program: jit_call.Program,
    leaves: Sequence[Any],
    platforms: Sequence[str] | None,
) -> asg.Assignment:
    """Returns the assignment of a call that is lowered, also over meshes without devices.

    These stand for devices of the first of `platforms`, or of the default backend.
    """
    resolved = jit_shardings.resolve_shardings(program)
    _check_layouts(program, resolved, leaves)
    shardings = [s for s in resolved.inputs if s] + [
        w.sharding for w in resolved.constraints
    ]
    values = _physical(leaves)
    given = [asg.sharding_of_value(x)[0] for x in values]
    for sharding, aval in zip(given, program.closed.in_avals, strict=True):
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
        return (
            _assigned(program, values) if any(given) else assignment_of(program, leaves)
        )
    if mesh_context.concrete_mesh() is not None:
        return assignment_of(program, leaves)
    inputs = [given[i] or resolved.inputs[i] for i in range(len(given))]
    return asg.on_absent_devices(
        abstract[0].num_devices,
        platforms[0] if platforms else backends.get_backend().platform,
        inputs,
        program.closed.in_avals,
        resolved.kept,
    )


def on_devices(
    lowered: LoweredProgram, assignment: asg.Assignment, devices: tuple[Any, ...]
) -> tuple[asg.Assignment, LoweredProgram]:
    """Returns a lowered program for other devices, with their assignment.

    Raises:
        ValueError: it was lowered for another number of devices.
    """
    if len(devices) != len(assignment.devices):
        raise ValueError(
            errors.explain(
                "The device assignment does not fit the lowered program.",
                [
                    ("function", lowered.name),
                    ("lowered for", f"{len(assignment.devices)} devices"),
                    ("device_assignment", f"{len(devices)} devices"),
                ],
                "Shardings divide the program among so many devices.",
            )
        )
    here = records.replace(
        assignment,
        devices=devices,
        committed=True,
        inputs=tuple(asg.on_devices(s, devices) for s in assignment.inputs),
        is_abstract=False,
    )
    shardings = lowered.shardings
    if shardings is not None:
        shardings = records.replace(
            shardings,
            assignment=here,
            inputs=tuple(asg.on_devices(s, devices) for s in shardings.inputs),
            results=tuple(asg.on_devices(s, devices) for s in shardings.results),
            constants=tuple(asg.on_devices(s, devices) for s in shardings.constants),
        )
    return here, records.replace(lowered, shardings=shardings)


def compiled_for(program: jit_call.Program, leaves: Sequence[Any]) -> CompiledProgram:
    """The executable of a program for a call with these leaves; made once per assignment."""
    assignment = assignment_of(program, leaves)
    found = program.executables.get(assignment)
    if found is None:
        if not assignment.can_run:
            raise RuntimeError(
                errors.explain(
                    "A function was called on devices that do not exist.",
                    [
                        ("function", program.name),
                        ("devices", str(len(assignment.devices))),
                    ],
                    "Its shardings are over devices of a described machine.",
                    "To see what a call would need: "
                    "jit(f).lower(types).compile().plan().",
                )
            )
        lowered = lower_program(program, (assignment.platform,), assignment)
        found = compile_lowered(lowered, program, assignment)
        program.executables[assignment] = found
    return found


def evaluate_jit(*args: Any, jaxpr: jaxpr_lib.ClosedJaxpr, **params: Any) -> list[Any]:
    """Evaluates the primitive `jit` outside every trace."""
    name = params["name"]
    if options.disable_jit.value:
        return evaluate.eval_closed(jaxpr, *args)
    if hijax.is_high_program(jaxpr):
        return hijax.evaluate_high(
            jit_primitive.jit_p, args, {"jaxpr": jaxpr, **params}
        )
    key = ("program", name, params["keep_unused"], params["compiler_options_kvs"])

    def make():
        opts = jit_call.JitOptions(
            keep_unused=params["keep_unused"],
            compiler_options=params["compiler_options_kvs"],
        )
        return jit_call.Program(jaxpr, name, None, None, (False,) * len(args), opts)

    program = jaxpr.derived(key, make)
    outs = run_program(program, args)
    if checks.is_requested() and checks.find_bad_value(outs):
        # Operation by operation, to see which one it was.
        with options.disable_jit(True):
            evaluate.eval_closed(jaxpr, *args)
        checks.check(f"jit({name})", outs)
    return outs


def run_program(program: jit_call.Program, leaves: Sequence[Any]) -> list[Any]:
    """Runs a program outside every trace; returns values of its own types."""
    compiled = compiled_for(program, leaves)
    return compiled.run(leaves)


jit_primitive.jit_p.set_rule("impl", evaluate_jit)
