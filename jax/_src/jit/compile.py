"""From a StableHLO module to an executable that takes the leaves of a call."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
)
from jax._src.interpreters import mlir
from jax._src.jit import lower, shardings as jit_shardings, trace as jit_trace
from jax._src.lib import client
from jax._src.runtime import (
    assignment as asg,
    extended,
    loading,
    non_addressable_executable,
    relayout,
    tokens,
    transfer_guard,
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
    lowered: lower.LoweredProgram,
    program: jit_trace.Program,
    assignment: asg.Assignment,
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
        or lower.program_shardings(
            jit_shardings.resolve_shardings(program), assignment
        ),
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
