"""From a StableHLO module to an executable that takes the leaves of a call."""

import weakref
from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import collecting, errors, records
from jax._src.core import avals as avals_lib, jaxpr as jaxpr_lib, slots, trace
from jax._src.interpreters import hijax, hlo, mlir
from jax._src.jit import (
    devices,
    executable_view,
    memory_plans,
    plans,
    requests,
    shardings as jit_shardings,
)
from jax._src.jit.stages import Stage
from jax._src.lib import client, fastpath
from jax._src.runtime import checks
from jax._src.runtime.arrays import extended, layouts, relayout
from jax._src.runtime.compilation import assignment as asg, compilations, loading
from jax._src.runtime.transfers import device_put_get, transfer_guard
from jax._src.transforms import shape_dtype_struct


class _NativelyCalled(Stage):
    """A stage with the function of the native call path, made at its first call."""

    __slots__ = ("_function",)


@records.identity_record
class Compiled(_NativelyCalled):
    """A call that was compiled: an executable that takes arguments of these types."""

    loaded: loading.Loaded
    # The program of arrays that runs, without what does not matter.
    pruned: jaxpr_lib.ClosedJaxpr
    # The inputs that it takes, and those of them whose memory a call takes.
    kept: tuple[int, ...]
    taken: tuple[int, ...]
    # The layout of each input; empty: row-major.
    in_layouts: Sequence[Any]
    # Whether leaves or results have dtypes that stand for other arrays.
    in_extended: bool
    out_extended: bool

    __repr__ = object.__repr__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it.

        Raises:
            TypeError: the arguments are not of the types it was compiled for.
            RuntimeError: it was compiled for devices that do not exist.
        """
        try:
            function = self._function
        except AttributeError:
            function = self._native_function()
        return function(*args, **kwargs)

    call = __call__

    def _native_function(self):
        """The function of the native call path, which knows the calls that were checked."""
        # It must not keep what it is part of.
        this = weakref.ref(self)

        def call(*args, **kwargs):
            return this()._checked_call(args, kwargs)

        function = fastpath.Function(call, call)
        object.__setattr__(self, "_function", function)
        return function

    def _checked_call(self, args, kwargs):
        """The result of a call, and what the native path may remember, or None."""
        if not self.loaded.assignment.can_run:
            raise self._no_devices()
        leaves = self.checked_leaves(args, kwargs, "compiled")
        if self.lifted:
            raise errors.type_error(
                "A compiled function that closes over traced values cannot be called.",
                [("function", self.fun_name), ("values", str(self.lifted))],
                "What was traced has no value where the compiled function runs.",
                "Make these values arguments of the function.",
            )
        for leaf in leaves:
            if isinstance(leaf, trace.Tracer):
                raise errors.type_error(
                    "Cannot apply JAX transformations to a function lowered and compiled "
                    "for a particular signature. Detected argument of Tracer type "
                    f"{type(leaf)}.",
                    [
                        ("function", self.fun_name),
                        ("argument", leaf.aval.str_short()),
                    ],
                    "A compiled function runs on arrays.",
                    "Transform the function first, then lower and compile it.",
                )
        self._check_shardings(leaves)
        self._check_layouts(leaves)
        operands = leaves
        if self.links:
            operands = self.operands(leaves, lambda: self.fun_name)
        closed = self.jaxpr
        is_high = hijax.is_high_program(closed)
        if is_high:
            operands = hijax.lower_values(closed.in_avals, operands)
        is_checked = checks.is_requested()
        outs = self._run_checked(operands) if is_checked else self.run(operands)
        if is_high:
            outs = hijax.raise_values(closed.out_avals, outs)
        if self.links:
            outs = self.links.take(outs, leaves)
        # The native path checks neither values nor the layouts of arguments.
        is_shown = is_high or is_checked or any(self.in_layouts)
        data = None if is_shown else self.native_data(leaves)
        return tree.tree_unflatten(self.out_tree, outs), data

    def native_data(self, leaves: Sequence[Any]) -> Any:
        """What the native path may remember of a call with these leaves, or None.

        It does not show its calls to anybody any more.
        """
        if self.links or self.held or self.is_watched(leaves):
            return None
        # The array of a layout is deleted here, not there.
        if any(order_of(leaves[number]) is not None for number in self.taken):
            return None
        return self.loaded.native_data

    def _run_checked(self, operands):
        """Runs it and looks for NaNs and infinities; donated arguments are kept for that."""
        given = list(operands)
        for number in self.taken:
            if isinstance(given[number], client.Array):
                given[number] = device_put_get.copy(given[number])
        outs = self.run(given)
        bad = checks.find_bad_value(outs)
        if bad is not None:
            closed = self.jaxpr
            if hijax.is_high_program(closed):
                closed = hijax.lowered(closed)
            slots.explain_bad_value(closed, operands, outs, self.fun_name, bad)
        return outs

    def _no_devices(self):
        count = len(self.loaded.assignment.devices)
        return errors.runtime_error(
            "A program that was compiled without devices was called.",
            [("function", self.fun_name), ("devices", str(count))],
            "Its arguments are over a mesh without devices, or on a machine that was described.",
            "To see what it needs: compiled.plan().\n"
            "To run it: lowered.compile(device_assignment=tuple(jax.devices())).",
        )

    def _check_shardings(self, leaves):
        """Refuses committed arrays with another sharding than the compiled one."""
        inputs = self._input_shardings()
        for number, (leaf, wanted) in enumerate(zip(leaves, inputs, strict=True)):
            if wanted is None:
                continue
            assignment, is_committed = asg.sharding_of_value(leaf)
            if not is_committed or assignment is wanted:
                continue
            if not assignment.is_equivalent_to(wanted, len(leaf.shape)):
                names = self.pruned.debug_info.arg_names or ()
                name = names[number] if number < len(names) else None
                raise errors.value_error(
                    "Computation was compiled for input shardings that disagree "
                    "with the shardings of arguments passed to it.",
                    [
                        ("function", self.fun_name),
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

    def _input_shardings(self):
        """Returns the required sharding of each leaf of the arguments; None if it is not used."""
        whole = self.loaded.assignment.whole
        kept = zip(self.kept, self.loaded.assignment.inputs, strict=True)
        by_number = {number: assignment or whole for number, assignment in kept}
        first, count = self.lifted, len(self.argument_avals)
        return [by_number.get(first + i) for i in range(count)]

    def _input_layouts(self):
        """Returns the required layout of each leaf of the arguments; None: row-major."""
        first, count = self.lifted, len(self.argument_avals)
        known = self.in_layouts[first : first + count]
        return known if len(known) == count else [None] * count

    def _check_layouts(self, leaves):
        """Refuses arrays with another requested layout."""
        names = self.pruned.debug_info.arg_names or ()
        for number, (leaf, wanted) in enumerate(
            zip(leaves, self._input_layouts(), strict=True)
        ):
            found = devices.layout_of(leaf)
            if found is None:
                continue
            needed = _layout(leaf, wanted)
            if not layouts.is_same(found, needed):
                raise errors.value_error(
                    "Computation was compiled for input layouts that disagree with "
                    "the layouts of arguments passed to it.",
                    [
                        ("function", self.fun_name),
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

    def _result_shardings(self):
        return self.loaded.assignment.results[: len(self.result_avals)]

    @collecting.paused()
    def as_text(self) -> str | None:
        """The compiled program as HLO text; None where the compiler hands out no program.

        A program without a form in HLO is given in the compiler's own text.
        """
        try:
            found = hlo.programs.of_executable(self.loaded.executable)
        except NotImplementedError:
            _, text = self.loaded.executable.optimized_program()
            return text.decode(errors="replace")
        return None if found is None else found.to_string()

    def cost_analysis(self) -> dict[str, float] | None:
        """What one call computes, by the names of `Lowered.cost_analysis`.

        The compiler has dropped what nobody needs, and joined operations: the bytes are
        those that its steps read and write.
        """
        return self.loaded.executable.cost_analysis()

    def memory_analysis(self) -> plans.CompiledMemoryStats | None:
        """Bytes that the program needs on each device; None where that is not known."""
        return plans.memory_stats(self.loaded.executable)

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
        return plans.read(
            self.loaded.executable.report(),
            name=self.fun_name,
            memory=self.memory_analysis(),
            totals=self.cost_analysis(),
            machine=machine or plans.Machine(),
        )

    def memory_plan(self) -> memory_plans.MemoryPlan:
        """What one call holds on each device, and when, by source line: print it.

        The compiler has laid all of it out before the program runs: the totals are those of
        `memory_analysis`, and what a run allocates.

        Raises:
            NotImplementedError: the compiler of this platform reports no memory. Where it
                knows the totals alone, the plan has no buffers.

        Examples:
            >>> plan = jax.jit(lambda x: x.T @ x).lower(jnp.zeros((8, 4))).compile().memory_plan()
            >>> plan.peak_bytes
            192
        """
        return memory_plans.read(
            self.loaded.executable.report(),
            name=self.fun_name,
            memory=self.memory_analysis(),
            constants=len(self.loaded.lowered.constants),
        )

    def runtime_executable(self) -> Any:
        """The executable itself: its devices, layouts, shardings, memory and HLO."""
        return executable_view.RuntimeExecutable(
            self.loaded, self.pruned, self._run_kept
        )

    @property
    def has_keys(self) -> bool:
        """Whether arguments, results or constants may be random keys."""
        consts = map(extended.is_extended, map(avals_lib.get_aval, self.pruned.consts))
        return self.in_extended or self.out_extended or any(consts)

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """The leaves of the results of a call with these inputs, of which none is checked."""
        arrays = leaves
        if self.in_extended:
            arrays = [extended.physical_value(x) for x in leaves]
        outs = self.loaded.run(arrays)
        for number in self.taken:
            if order_of(arrays[number]) is not None:
                arrays[number].delete()  # The program took the memory of a copy.
        out_layouts = self.loaded.assignment.layouts
        if any(out_layouts):
            pairs = zip(outs, out_layouts, strict=True)
            outs = [o if w is None else relayout.lay_out(o, w) for o, w in pairs]
        if self.out_extended:
            outs = [
                extended.logical_value(o, aval)
                for o, aval in zip(outs, self.pruned.out_avals, strict=True)
            ]
        return outs

    def _run_kept(self, arguments):
        # Leaves of the call that the program does not read may be anything.
        leaves: list[Any] = [0] * (max(self.kept, default=-1) + 1)
        for number, value in zip(self.kept, arguments, strict=True):
            leaves[number] = value
        return self.run(leaves)

    def is_watched(self, leaves: Sequence[Any]) -> bool:
        """Whether such a call needs transfers that must be checked each time."""
        if self.in_extended:
            leaves = [extended.physical_value(x) for x in leaves]
        return transfer_guard.is_watched(leaves, self.loaded.assignment.whole)

    @property
    def input_shardings(self) -> Any:
        """The required shardings of the arguments; None for arguments that are not used."""
        shardings = self.per_leaf(self._input_shardings())
        return tree.tree_unflatten(self.in_tree, shardings)

    @property
    def input_formats(self) -> Any:
        """The required formats of the arguments; None for arguments that are not used."""
        pairs = zip(self._input_shardings(), self.argument_avals, strict=True)
        known = self._input_layouts()
        found = [
            None if s is None else layouts.Format(_layout(a, said), s)
            for said, (s, a) in zip(known, pairs, strict=True)
        ]
        return tree.tree_unflatten(self.in_tree, self.per_leaf(found))

    @property
    def out_info(self) -> Any:
        """A tree like the results, of `jax.ShapeDtypeStruct` with sharding and layout."""
        formats = tree.tree_leaves(self.output_formats)
        structs = [
            shape_dtype_struct.struct_of(aval)
            if aval.is_high
            else shape_dtype_struct.ShapeDtypeStruct(
                aval.shape, aval.dtype, sharding=found
            )
            for aval, found in zip(self.result_avals, formats, strict=True)
        ]
        return tree.tree_unflatten(self.out_tree, structs)

    @property
    def output_formats(self) -> Any:
        """The formats of the results."""
        avals = self.result_avals
        said = self.loaded.assignment.layouts[: len(avals)] or [None] * len(avals)
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


def _layout(aval, said):
    """A layout that leaves nothing open: row-major where nothing else is said."""
    order = None if said is None else layouts.order_of(said)
    return layouts.of_array(order, len(aval.shape))


def order_of(value: Any) -> tuple[int, ...] | None:
    """Returns the layout of an array; None: row-major, or it is no array."""
    return value._order if isinstance(value, client.Array) else None


def _refuse_tokens(program):
    closed = program.jaxpr
    for what, avals in (("argument", closed.in_avals), ("result", closed.out_avals)):
        if any(isinstance(aval, avals_lib.AbstractToken) for aval in avals):
            raise errors.not_implemented(
                f"A token is {what} of a compiled function.",
                [("function", program.fun_name)],
                "Tokens order operations inside of one program.",
                "Make and use the token in the same function.",
            )


def compile_lowered(
    call: Stage,
    low: Stage,
    resolved: jit_shardings.ResolvedShardings,
    lowered: mlir.LoweringResult,
    assignment: asg.Assignment,
    in_layouts: Sequence[Any],
    *,
    lower_seconds: float = 0.0,
    tier: str = "best",
    is_ahead: bool = True,
) -> Compiled:
    """Compiles a lowered program and prepares its calls.

    Args:
        call: the call.
        low: its program of arrays.
        resolved: what this program requires.
        lowered: its module.
        assignment: the devices, and the shardings of the module's inputs and results.
        in_layouts: the layout of each input.
        lower_seconds: how long lowering took.
        tier: how hard our compiler works, as `jax_compile_tier` says it.
        is_ahead: whether it is compiled ahead of time, and not for calls.
    """
    _refuse_tokens(low)
    taken = tuple(i for i in resolved.kept if low.donated_inputs[i])
    kept = list(resolved.kept)
    if lowered.is_ordered:
        kept = [0, *(i + 1 for i in kept)]
    out_avals = resolved.closed.out_avals
    with compilations.recorded(
        lambda: requests.request_of(call, assignment, in_layouts, is_ahead=is_ahead),
        trace_seconds=requests.take_trace_seconds(call.jaxpr),
        lower_seconds=lower_seconds,
    ) as made:
        loaded = loading.load(
            lowered,
            resolved.closed,
            assignment,
            f"jit({low.fun_name})",
            # A program with a token is never called natively.
            out_tree=native_tree(
                None if lowered.has_token or low.links else low.out_tree,
                len(out_avals) + int(lowered.has_token),
            ),
            kept=None if len(resolved.kept) == len(low.jaxpr.jaxpr.invars) else kept,
            donates=bool(taken),
            options=dict(call.options.compiler_options),
            tier=tier,
        )
        made.append(loaded.executable)
    return make_compiled(
        call, low, loaded, resolved.closed, resolved.kept, taken, in_layouts
    )


def make_compiled(
    call: Stage,
    low: Stage,
    loaded: loading.Loaded,
    pruned: jaxpr_lib.ClosedJaxpr,
    kept: tuple[int, ...],
    taken: tuple[int, ...],
    in_layouts: Sequence[Any],
) -> Compiled:
    """A compiled call of a loaded executable."""
    return Compiled(
        **records.as_dict(call, Stage),
        loaded=loaded,
        pruned=pruned,
        kept=kept,
        taken=taken,
        in_layouts=in_layouts,
        in_extended=any(map(extended.is_extended, low.jaxpr.in_avals)),
        out_extended=any(map(extended.is_extended, pruned.out_avals)),
    )


def native_tree(out_tree: Any, count: int) -> Any:
    """The tree of the results as the native path has it: None for a single leaf."""
    if out_tree is None:
        return tree.tree_structure([0] * count)
    return None if tree.treedef_is_strict_leaf(out_tree) else out_tree
