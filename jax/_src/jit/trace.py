"""From a call to its program."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, config, errors, monitoring, options, records, util
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    reference_links,
    state,
    trace as trace_lib,
)
from jax._src.interpreters import hijax, partial_eval as pe
from jax._src.jit import (
    arguments as arguments_lib,
    cache_misses,
    primitive as jit_primitive,
)
from jax._src.jit.arguments import Arguments
from jax._src.jit.options import JitOptions
from jax._src.transforms import calls

_log = logging.getLogger("jax.jit")


class Program:
    """The program of a call at certain types, and what was compiled from it."""

    __slots__ = (
        "arguments_tree",
        "closed",
        "donated",
        "executables",
        "held",
        "links",
        "lifted",
        "name",
        "options",
        "out_tree",
        "shardings",
    )

    def __init__(
        self,
        closed,
        name,
        arguments_tree,
        out_tree,
        donated,
        opts,
        links=reference_links.Links(),
        lifted=0,
        held=(),
    ):
        self.closed: jaxpr_lib.ClosedJaxpr = closed
        self.name: str = name
        self.arguments_tree = arguments_tree
        self.out_tree = out_tree
        self.donated: tuple[bool, ...] = donated
        self.options: JitOptions = opts
        self.executables: dict[Any, Any] = {}
        # Its `ResolvedShardings`, once they are computed.
        self.shardings: Any = None
        # How references take part; none of them: false.
        self.links: reference_links.Links = links
        # How many traced values that the function closes over are its first inputs.
        self.lifted: int = lifted
        # Leaves of the arguments that are no inputs, for the function gets them as they
        # are: the number of each and its type.
        self.held: tuple[tuple[int, Any], ...] = held

    def per_leaf(
        self, entries: Iterable[Any], held: Callable = lambda aval: None
    ) -> list:
        """Entries for the arguments, with those of what is held in between.

        Args:
            entries: one for each argument that is an input.
            held: the entry of one that is held, by its type.
        """
        full = list(entries)
        for number, aval in self.held:
            full.insert(number, held(aval))
        return full

    @property
    def result_avals(self) -> list[Any]:
        """The types of the leaves of the results."""
        avals = self.closed.out_avals
        return avals[: len(avals) - self.links.result_count]

    @property
    def argument_avals(self) -> list[Any]:
        """The types of the leaves of the arguments, arrays where they are references."""
        avals = self.closed.in_avals
        return avals[self.lifted : len(avals) - len(self.links.captured)]

    @property
    def donated_inputs(self) -> tuple[bool, ...]:
        """Which inputs are donated."""
        return (False,) * self.lifted + self.donated

    def operands(self, leaves: Sequence[Any], what: Callable[[], str]) -> list[Any]:
        """The inputs of the program for a call with these leaves.

        Args:
            leaves: those of the arguments.
            what: says what is called, if an error must.

        Raises:
            ValueError: a reference would have two names in the function.
        """
        if len(self.links.arguments) + len(self.links.captured) > 1:
            names = self.closed.jaxpr.debug_info.arg_names or ()
            self.links.check_call(leaves, what(), names[self.lifted :])
        arguments = reference_links.arrays(leaves)
        return arguments + self.links.operands()

    def params(self) -> dict[str, Any]:
        """The parameters of the primitive `jit`."""
        n_in, n_out = len(self.closed.jaxpr.invars), len(self.closed.jaxpr.outvars)
        params = jit_primitive.default_params(self.closed, self.name, n_in, n_out)
        params["donated_invars"] = self.donated_inputs
        params["keep_unused"] = self.options.keep_unused
        params["inline"] = self.options.inline
        params["compiler_options_kvs"] = self.options.compiler_options
        return params


def low_program(program: Program, inputs: Sequence[Any] = ()) -> tuple[Program, list]:
    """The program that is compiled of another one, and the inputs that it takes.

    They are the same where all values are arrays. Inputs may be types. In the trees of
    arguments and results lists of arrays are where values above them were.
    """
    closed = program.closed
    if not hijax.is_high_program(closed):
        return program, list(inputs)
    numbers = hijax.counts(closed.in_avals)
    lows: list[Any] = []
    for aval, value in zip(closed.in_avals, inputs, strict=bool(inputs)):
        is_type = isinstance(value, avals_lib.AbstractValue)
        lows += (
            hijax.lo_avals([value]) if is_type else hijax.lower_values([aval], [value])
        )
    made = Program(
        hijax.lowered(closed),
        program.name,
        _low_tree(
            program.arguments_tree,
            program.per_leaf(_lists(program.argument_avals), lambda aval: 0),
        ),
        _low_tree(program.out_tree, _lists(program.result_avals)),
        hijax.repeated(program.donated, numbers[program.lifted :]),
        program.options,
        program.links,
        sum(numbers[: program.lifted]),
        _low_held(program, numbers[program.lifted :]),
    )
    return made, lows


def _lists(avals):
    return [[0] * len(a.lo_ty()) if a.is_high else 0 for a in avals]


def _low_tree(structure, leaves):
    """Returns the tree with each hi-type value replaced by the list of its arrays."""
    return tree.with_leaves(structure, iter(map(tree.tree_structure, leaves)))


def _low_held(program, numbers):
    count = len(program.argument_avals)
    sizes = program.per_leaf(numbers[:count], lambda aval: 1)
    return tuple((sum(sizes[:number]), aval) for number, aval in program.held)


_programs = caches.FunctionCache("jit.programs")


def program_of(
    fun: Callable,
    opts: JitOptions,
    arguments: Arguments,
    avals: tuple[Any, ...] | None = None,
) -> tuple[Program, list[Any]]:
    """The program of a call, and the traced values that it closes over.

    Programs are kept per function, unless they close over traced values.

    Args:
        fun: the function.
        opts: the options of `jit`.
        arguments: the arguments of the call.
        avals: their types, where the arguments may be types themselves.

    Raises:
        TypeError: a leaf of the arguments is no value.
    """
    if avals is None:
        avals = arguments_lib.avals_of(fun, arguments)
    key = (
        opts,
        arguments.in_tree,
        avals,
        arguments.key,
        arguments.donated,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _programs.entries(fun)
    found = entries.get(key)
    if found is not None and found.links.are_current:
        _programs.hits += 1
        return found, []
    _programs.misses += 1
    program, consts = trace_program(fun, opts, arguments, avals)
    if not consts and all(
        r.home is trace_lib.evaluation for r in program.links.captured
    ):
        entries[key] = program
    return program, consts


def with_stand_ins(program: "Program", arguments: Arguments) -> list[Any]:
    """The leaves, with zeros in place of mere types, whose values no result needs.

    Raises:
        TypeError: a result needs one.
    """
    is_used = _inputs_read(program.closed.jaxpr)
    leaves = list(arguments.leaves)
    names = arguments.leaf_names()
    for i in arguments.types:
        aval: Any = program.argument_avals[i]
        if is_used[program.lifted + i] or program.options.keep_unused:
            raise TypeError(
                errors.explain(
                    f"Argument {names[i]!r} of shape {aval.str_short()} of type "
                    f"{type(leaves[i])} is not a valid JAX type.",
                    [("function", calls.describe(arguments.fun))],
                    "A type has no value, and the result depends on it.",
                    "Pass an array, or use the shape and the dtype alone.",
                )
            )
        physical = avals_lib.physical_aval(aval)
        leaves[i] = np.broadcast_to(np.zeros((), physical.dtype), physical.shape)
    return leaves


def _inputs_read(jaxpr):
    """For each input of a program, whether a result or an effect depends on it."""
    live = {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}
    for eqn in reversed(jaxpr.eqns):
        used = [v in live for v in eqn.outvars]
        if not any(used) and not eqn.effects:
            continue
        read = [True] * len(eqn.invars)
        rule = eqn.primitive.rules.get("dce")
        if eqn.primitive is jit_primitive.jit_p:
            read = _inputs_read(eqn.params["jaxpr"].jaxpr)
        elif rule is not None:
            read, _ = rule(used, eqn)
        pairs = zip(eqn.invars, read, strict=True)
        live.update(
            v for v, is_read in pairs if is_read and isinstance(v, jaxpr_lib.Var)
        )
    return [v in live for v in jaxpr.invars]


def trace_program(
    fun: Callable, opts: JitOptions, arguments: Arguments, avals: Sequence[Any]
) -> tuple[Program, list[Any]]:
    """The program of a call, made anew of a trace that may be there."""
    traced, consts = trace_of(fun, arguments, avals)
    links = traced.links
    donated = arguments.donated or (False,) * len(avals)
    if links:
        # Who has read a reference has its array.
        given = [d and i not in links.arguments for i, d in enumerate(donated)]
        donated = (*given, *[False] * len(links.captured))
    program = Program(
        traced.closed,
        util.function_name(fun),
        arguments.in_tree,
        traced.out_tree,
        donated,
        opts,
        links,
        len(consts),
        tuple((number, avals_lib.get_aval(x)) for number, x in arguments.held),
    )
    return program, consts


@records.identity_record
class TracedCall:
    """What a function does at certain types, shared by all calls."""

    closed: jaxpr_lib.ClosedJaxpr
    out_tree: Any
    # How references take part; none of them: false.
    links: reference_links.Links


_traces = caches.FunctionCache("jit.traces")


def trace_of(
    fun: Callable,
    arguments: Arguments,
    avals: Sequence[Any],
    flat: calls.FlatFunction | None = None,
) -> tuple[TracedCall, list[Any]]:
    """The trace of a call, and the traced values that it closes over.

    All wrappers of one function share its traces: what it makes at each trace, such as
    functions in the metadata of a tree, is then equal between them.

    Args:
        fun: the function.
        arguments: the arguments of the call.
        avals: their types.
        flat: the function of leaves, where mistakes are another's than those of `jit`.
    """
    key = (
        arguments.in_tree,
        tuple(avals),
        arguments.key,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _traces.entries(fun)
    found = entries.get(key)
    if found is not None and found.links.are_current:
        return found, []
    if flat is None:
        flat = calls.FlatFunction(
            arguments.fun, arguments.in_tree, "jit", arguments.held
        )
    if options.explain_cache_misses.value and cache_misses.is_of_user(fun):
        names = arguments.leaf_names()
        _log.warning("%s", cache_misses.explain(fun, names, key, entries))
    traced, consts = _trace(fun, flat, arguments, avals)
    is_free = all(r.home is trace_lib.evaluation for r in traced.links.captured)
    if flat.is_program and not consts and is_free:
        entries[key] = traced
    return traced, consts


def _trace(fun, flat, arguments, avals):
    names, source = arguments.leaf_names(), util.function_source(fun)
    debug = jaxpr_lib.DebugInfo("jit", source, names, None)
    if options.log_compiles.value:
        _log.warning(
            "Tracing %s for %s",
            calls.describe(fun),
            ", ".join(a.str_short() for a in avals),
        )
    with monitoring.timed("/jax/core/compile/jaxpr_trace_duration"):
        jaxpr, consts, links = pe.trace_with_references(flat, avals, debug)
    paths = calls.result_paths(flat.out_tree)
    if links:
        debug = debug.replace(arg_names=(*names, *[None] * len(links.captured)))
        paths = (*paths, *["reference"] * links.result_count)
    jaxpr = jaxpr.replace(debug_info=debug.replace(result_paths=paths))
    closed, consts = pe.split_traced_consts(jaxpr_lib.ClosedJaxpr(jaxpr, consts))
    return TracedCall(closed, flat.out_tree, links), consts
