"""The stages of a jitted call: traced, lowered, compiled."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    mutable_types,
    reference_links,
    trace,
)
from jax._src.interpreters import hijax, hlo, mlir
from jax._src.jit import (
    compile as jit_compile,
    devices as jit_devices,
    executable_view,
    lower,
    options as jit_options,
    plans,
    primitive as jit_primitive,
    shardings as jit_shardings,
    trace as jit_trace,
)
from jax._src.runtime import assignment as asg, checks, layouts
from jax._src.transforms import (
    shape_dtype_struct,
)

CompilerOptions = dict[str, str | bool]


@runtime_checkable
class Wrapped(Protocol):
    """What `jax.jit` returns: a function that can be traced, lowered and compiled."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the compiled function."""

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """Traces a call: a `Traced`."""

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """Traces and lowers a call: a `Lowered`."""


Wrapped.__module__ = "jax.stages"


@records.record
class ArgInfo:
    """The type of an argument, and whether it is donated."""

    _aval: Any
    donated: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._aval.dtype


class _Stage:
    """What all stages know: the types of arguments and results."""

    def __init__(self, program: jit_trace.Program):
        self._program = program

    @property
    def in_tree(self) -> Any:
        """The tree of ``(args, kwargs)``, static ones left out."""
        return self._program.arguments_tree

    @property
    def out_tree(self) -> Any:
        """The tree of the results."""
        return self._program.out_tree

    @property
    def in_avals(self) -> Any:
        """The types of the arguments."""
        program = self._program
        avals = program.per_leaf(program.argument_avals, lambda aval: aval)
        return tree.tree_unflatten(self.in_tree, avals)

    @property
    def args_info(self) -> Any:
        """Types of the arguments, and whether they are donated."""
        program = self._program
        # Behind the arguments are the arrays of references from outside.
        pairs = zip(program.argument_avals, program.donated, strict=False)
        infos = program.per_leaf(
            [ArgInfo(a, d) for a, d in pairs], lambda aval: ArgInfo(aval, False)
        )
        return tree.tree_unflatten(self.in_tree, infos)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The numbers of the donated leaves."""
        return tuple(i for i, d in enumerate(self._program.donated) if d)

    @property
    def out_info(self) -> Any:
        """A tree like the results, of `jax.ShapeDtypeStruct`."""
        program = self._program
        avals = program.result_avals
        shardings = [None] * len(avals)
        if program.options.out_shardings is not jit_primitive.UNSPECIFIED:
            shardings = jit_shardings.result_shardings(program)
        pairs = zip(avals, shardings, strict=True)
        return tree.tree_unflatten(
            program.out_tree,
            [shape_dtype_struct.struct_of(a, assignment) for a, assignment in pairs],
        )

    def _checked_leaves(self, args, kwargs, stage):
        """The leaves of arguments that are of the types of this stage."""
        leaves, in_tree = tree.tree_flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise TypeError(
                errors.explain(
                    f"Function {stage} with input pytree does not match the input pytree "
                    "it was called with.",
                    [(stage, str(self.in_tree)), ("called", str(in_tree))],
                )
            )
        leaves, held = reference_links.hold_objects(leaves)
        self._check_objects([x for _, x in held], stage)
        for leaf, aval in zip(leaves, self._program.argument_avals, strict=True):
            given = avals_lib.get_aval(leaf)
            if not avals_lib.same_form(given, aval):
                raise TypeError(
                    errors.explain(
                        "Argument types differ from the types for which this computation "
                        f"was {stage}.",
                        [(stage, aval.str_short()), ("called", given.str_short())],
                    )
                )
        return leaves

    def _check_objects(self, objects, stage):
        """Values that change are the very ones that it was made for, in that state."""
        links = self._program.links
        known = mutable_types.objects_of(links.captured)
        if not objects and not known:
            return
        if not links.are_current or any(
            all(x is not k for k in known) for x in objects
        ):
            raise TypeError(
                errors.explain(
                    f"Another value that changes, or another type of state, than that for "
                    f"which this computation was {stage}.",
                    [
                        (
                            "values",
                            ", ".join(
                                avals_lib.get_aval(x).str_short() for x in objects
                            ),
                        )
                    ],
                    "A computation made ahead changes the objects that it was made for.",
                    "Call the jitted function itself.",
                )
            )


def _layout(aval, said):
    """A layout that leaves nothing open: row-major where nothing else is said."""
    order = None if said is None else layouts.order_of(said)
    return layouts.of_array(order, len(aval.shape))


class Traced(_Stage):
    """A call that was traced: its program."""

    def __init__(self, program: jit_trace.Program, leaves: Sequence[Any]):
        super().__init__(program)
        # The inputs whose layouts matter.
        self._leaves = leaves

    @property
    def jaxpr(self) -> Any:
        """The program."""
        return self._program.closed

    @property
    def fun_name(self) -> str:
        """The name of the function."""
        return self._program.name

    @property
    def out_avals(self) -> Any:
        """The types of the results."""
        return tree.tree_unflatten(self.out_tree, self._program.result_avals)

    @property
    def lojax(self) -> "LoJax":
        """The program for the arrays that values above arrays consist of."""
        return LoJax(
            self._program, jit_trace.low_program(self._program, self._leaves)[0]
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Evaluates the program; inside of a trace, its operations are traced.

        Raises:
            TypeError: the arguments are not of the types it was traced for.
        """
        leaves = self._checked_leaves(args, kwargs, "traced")
        program = self._program
        if program.links:
            raise TypeError(
                errors.explain(
                    "A traced program that updates references cannot be called.",
                    [("function", program.name)],
                    "It works on copies of the arrays that they refer to.",
                    "Call the jitted function itself.",
                )
            )
        consts = self._leaves[: program.lifted]
        outs = evaluate.eval_closed(program.closed, *consts, *leaves)
        return tree.tree_unflatten(self.out_tree, outs)

    def lower(
        self,
        *,
        lowering_platforms: tuple[str, ...] | None = None,
        _private_parameters: Any = None,
    ) -> "Lowered":
        """Makes the StableHLO module, by default for the platform of the arguments.

        Args:
            lowering_platforms: the platforms to lower for. Where arguments are over a mesh
                without devices, the default is the platform of the default backend.
            _private_parameters: accepted for compatibility.

        Raises:
            ValueError: the arguments or shardings are on different devices.
        """
        program, leaves = jit_trace.low_program(self._program, self._leaves)
        assignment = jit_devices.assignment_of_types(
            program, leaves, lowering_platforms
        )
        platforms = lowering_platforms or (assignment.platform,)
        lowered = lower.lower_program(program, platforms, assignment)
        in_layouts = jit_devices.layouts_for(program, leaves)
        return Lowered(self._program, lowered, assignment, in_layouts)


Traced.__module__ = "jax.stages"


class LoJax(_Stage):
    """A call that was traced, as a program of arrays alone."""

    def __init__(self, program: jit_trace.Program, low: jit_trace.Program):
        super().__init__(program)
        self._low = low

    @property
    def jaxpr(self) -> Any:
        """The program."""
        return self._low.closed

    @property
    def fun_name(self) -> str:
        """The name of the function."""
        return self._program.name


class Lowered(_Stage):
    """A call that was lowered: its StableHLO module."""

    def __init__(
        self,
        program: jit_trace.Program,
        lowered: lower.LoweredProgram,
        assignment: asg.Assignment,
        in_layouts: Sequence[Any] = (),
    ):
        super().__init__(program)
        self._lowered = lowered
        self._assignment = assignment
        # The layout of each input; empty: row-major.
        self._in_layouts = in_layouts

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
            return hlo.programs.of_stablehlo(self._lowered.result.module)
        if dialect not in (None, "stablehlo"):
            raise ValueError(
                errors.explain(
                    f"unknown dialect: {dialect}.",
                    [("offered", "stablehlo, hlo")],
                    ways="Leave the dialect out.",
                )
            )
        return self._lowered.result.module

    def cost_analysis(self) -> dict[str, float]:
        """What one call computes, counted in the module.

        A loop counts as often as it runs, where that stands in the program, and else
        once; of branches the dearest counts. What custom calls compute is not counted.

        Returns:
            ``"flops"``, operations on elements of every type, such as sums, comparisons,
            choices and conversions; ``"transcendentals"``, functions such as exp;
            ``"bytes accessed"``, as if each operation read and wrote memory.
        """
        return mlir.module_costs(self._lowered.result.module)

    def compile(
        self,
        compiler_options: dict[str, Any] | None = None,
        *,
        device_assignment: tuple[Any, ...] | None = None,
    ) -> "Compiled":
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
        program = self._program
        if compiler_options:
            items = jit_options.compiler_items(
                dict(program.options.compiler_options) | compiler_options
            )
            opts = records.replace(program.options, compiler_options=items)
            program = jit_trace.Program(
                program.closed,
                program.name,
                program.arguments_tree,
                program.out_tree,
                program.donated,
                opts,
                program.links,
                program.lifted,
                program.held,
            )
        assignment, lowered = self._assignment, self._lowered
        if device_assignment is not None:
            assignment, lowered = jit_devices.on_devices(
                lowered, assignment, tuple(device_assignment)
            )
        low, _ = jit_trace.low_program(program)
        compiled = jit_compile.compile_lowered(lowered, low, assignment)
        return Compiled(program, compiled, self._in_layouts)


Lowered.__module__ = "jax.stages"


class Compiled(_Stage):
    """A call that was compiled: an executable that takes arguments of these types."""

    def __init__(
        self,
        program: jit_trace.Program,
        compiled: jit_compile.CompiledProgram,
        in_layouts: Sequence[Any] = (),
    ):
        super().__init__(program)
        self._compiled = compiled
        self._in_layouts = in_layouts

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it.

        Raises:
            TypeError: the arguments are not of the types it was compiled for.
            RuntimeError: it was compiled for devices that do not exist.
        """
        if not self._compiled.assignment.can_run:
            raise self._no_devices()
        leaves = self._checked_leaves(args, kwargs, "compiled")
        program = self._program
        if program.lifted:
            raise TypeError(
                errors.explain(
                    "A compiled function that closes over traced values cannot be called.",
                    [("function", program.name), ("values", str(program.lifted))],
                    "What was traced has no value where the compiled function runs.",
                    "Make these values arguments of the function.",
                )
            )
        for leaf in leaves:
            if isinstance(leaf, trace.Tracer):
                raise TypeError(
                    errors.explain(
                        "Cannot apply JAX transformations to a function lowered and compiled "
                        "for a particular signature. Detected argument of Tracer type "
                        f"{type(leaf)}.",
                        [
                            ("function", program.name),
                            ("argument", leaf.aval.str_short()),
                        ],
                        "A compiled function runs on arrays.",
                        "Transform the function first, then lower and compile it.",
                    )
                )
        self._check_shardings(leaves)
        self._check_layouts(leaves)
        operands = leaves
        if program.links:
            operands = program.operands(leaves, lambda: program.name)
        closed = program.closed
        is_high = hijax.is_high_program(closed)
        if is_high:
            operands = hijax.lower_values(closed.in_avals, operands)
        outs = self._compiled.run(operands)
        if checks.is_requested():
            checks.check(f"jit({program.name})", outs)
        if is_high:
            outs = hijax.raise_values(closed.out_avals, outs)
        if program.links:
            outs = program.links.take(outs, leaves)
        return tree.tree_unflatten(self.out_tree, outs)

    call = __call__

    def _no_devices(self):
        count = len(self._compiled.assignment.devices)
        return RuntimeError(
            errors.explain(
                "A program that was compiled without devices was called.",
                [("function", self._program.name), ("devices", str(count))],
                "Its arguments are over a mesh without devices, or on a machine that was described.",
                "To see what it needs: compiled.plan().\n"
                "To run it: lowered.compile(device_assignment=tuple(jax.devices())).",
            )
        )

    def _check_shardings(self, leaves):
        """Refuses committed arrays with another sharding than the compiled one."""
        compiled = self._compiled
        inputs = self._input_shardings()
        for number, (leaf, wanted) in enumerate(zip(leaves, inputs, strict=True)):
            if wanted is None:
                continue
            assignment, is_committed = asg.sharding_of_value(leaf)
            if not is_committed or assignment is wanted:
                continue
            if not assignment.is_equivalent_to(wanted, len(leaf.shape)):
                names = compiled.closed.debug_info.arg_names or ()
                name = names[number] if number < len(names) else None
                raise ValueError(
                    errors.explain(
                        "Computation was compiled for input shardings that disagree "
                        "with the shardings of arguments passed to it.",
                        [
                            ("function", self._program.name),
                            (
                                "argument",
                                f"{name or number}, {avals_lib.get_aval(leaf)}",
                            ),
                            ("compiled for", repr(wanted)),
                            ("sharding", repr(assignment)),
                        ],
                        "An array that was put somewhere on purpose is not moved.",
                        "Move it: jax.device_put(x, sharding).",
                    )
                )

    def _input_shardings(self):
        """Returns the required sharding of each leaf of the arguments; None if it is not used."""
        compiled, program = self._compiled, self._program
        whole = compiled.assignment.whole
        kept = zip(compiled.kept, compiled.loaded.inputs, strict=True)
        by_number = {number: assignment or whole for number, assignment in kept}
        first, count = program.lifted, len(program.argument_avals)
        return [by_number.get(first + i) for i in range(count)]

    def _input_layouts(self):
        """Returns the required layout of each leaf of the arguments; None: row-major."""
        first, count = self._program.lifted, len(self._program.argument_avals)
        known = self._in_layouts[first : first + count]
        return known if len(known) == count else [None] * count

    def _check_layouts(self, leaves):
        """Refuses arrays with another requested layout."""
        names = self._compiled.closed.debug_info.arg_names or ()
        for number, (leaf, wanted) in enumerate(
            zip(leaves, self._input_layouts(), strict=True)
        ):
            found = jit_devices.layout_of(leaf)
            if found is None:
                continue
            needed = _layout(leaf, wanted)
            if not layouts.is_same(found, needed):
                raise ValueError(
                    errors.explain(
                        "Computation was compiled for input layouts that disagree with "
                        "the layouts of arguments passed to it.",
                        [
                            ("function", self._program.name),
                            (
                                "argument",
                                f"{names[number] if number < len(names) else number}, "
                                f"{avals_lib.get_aval(leaf)}",
                            ),
                            ("compiled for", repr(needed)),
                            ("layout", repr(found)),
                        ],
                        "An array that was put somewhere on purpose is not laid out anew.",
                        "Lay it out: jax.device_put(x, compiled.input_formats...).",
                    )
                )

    def _result_shardings(self):
        return self._compiled.loaded.results[: len(self._program.result_avals)]

    def as_text(self) -> str | None:
        """The compiled program as HLO text; None where the compiler hands out no program.

        A program without a form in HLO is given in the compiler's own text.
        """
        try:
            found = hlo.programs.of_executable(self._compiled.executable)
        except NotImplementedError:
            _, text = self._compiled.executable.optimized_program()
            return text.decode(errors="replace")
        return None if found is None else found.to_string()

    def cost_analysis(self) -> dict[str, float] | None:
        """What one call computes, by the names of `Lowered.cost_analysis`.

        The compiler has dropped what nobody needs, and joined operations: the bytes are
        those that its steps read and write.
        """
        return self._compiled.executable.cost_analysis()

    def memory_analysis(self) -> plans.CompiledMemoryStats | None:
        """Bytes that the program needs on each device; None where that is not known."""
        return plans.memory_stats(self._compiled.executable)

    def plan(self, machine: plans.Machine | None = None) -> plans.Plan:
        """What one call costs each device, by source line: print it.

        Works for programs on devices that are there and on an `AbstractMesh`.

        Args:
            machine: speeds from which the time of a call is estimated; None: those that
                `jax.stages.Machine()` states.

        Raises:
            NotImplementedError: the compiler of this platform does not report it.

        Examples:
            >>> print(jax.jit(step).lower(*types).compile().plan())  # doctest: +SKIP
        """
        compiled = self._compiled
        return plans.read(
            compiled.executable.report(),
            name=self._program.name,
            memory=self.memory_analysis(),
            totals=self.cost_analysis(),
            machine=machine or plans.Machine(),
        )

    def runtime_executable(self) -> Any:
        """The executable itself: its devices, layouts, shardings, memory and HLO."""
        return executable_view.RuntimeExecutable(self._compiled)

    @property
    def input_shardings(self) -> Any:
        """The required shardings of the arguments; None for arguments that are not used."""
        shardings = self._program.per_leaf(self._input_shardings())
        return tree.tree_unflatten(self.in_tree, shardings)

    @property
    def input_formats(self) -> Any:
        """The required formats of the arguments; None for arguments that are not used."""
        pairs = zip(self._input_shardings(), self._program.argument_avals, strict=True)
        known = self._input_layouts()
        found = [
            None if s is None else layouts.Format(_layout(a, said), s)
            for said, (s, a) in zip(known, pairs, strict=True)
        ]
        return tree.tree_unflatten(self.in_tree, self._program.per_leaf(found))

    @property
    def output_formats(self) -> Any:
        """The formats of the results."""
        avals = self._program.result_avals
        said = self._compiled.out_layouts[: len(avals)] or [None] * len(avals)
        formats = [
            layouts.Format(_layout(aval, layout), sharding)
            for aval, layout, sharding in zip(
                avals, said, self._result_shardings(), strict=True
            )
        ]
        return tree.tree_unflatten(self.out_tree, formats)

    @property
    def output_shardings(self) -> Any:
        """The shardings of the results."""
        return tree.tree_unflatten(self.out_tree, list(self._result_shardings()))


Compiled.__module__ = "jax.stages"
