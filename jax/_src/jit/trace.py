"""From a call to its program."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import (
    caches,
    compile_log,
    config,
    errors,
    monitoring,
    options,
    records,
    util,
)
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    reference_links,
    state,
    trace as trace_lib,
)
from jax._src.interpreters import hijax, partial_eval as pe
from jax._src.jit import (
    cache_misses,
    devices,
    lower,
    primitive as jit_primitive,
    requests,
    shardings as jit_shardings,
)
from jax._src.jit.arguments import Arguments
from jax._src.jit.options import JitOptions
from jax._src.jit.stages import Stage
from jax._src.transforms import calls

_log = logging.getLogger("jax._src.interpreters.partial_eval")


@records.identity_record
class Traced(Stage):
    """A call that was traced: its program."""

    # By device assignment, what was compiled from it for calls of the jitted function.
    executables: dict[Any, Any]
    # Traced values that it closes over and the leaves of a call, where it is that of one.
    inputs: Sequence[Any]

    out_info = property(jit_shardings.out_info)
    __repr__ = object.__repr__

    @property
    def out_avals(self) -> Any:
        """The types of the results."""
        return tree.tree_unflatten(self.out_tree, self.result_avals)

    @property
    def lojax(self) -> "Traced":
        """The program for the arrays that values above arrays consist of."""
        return low_program(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Evaluates the program; inside of a trace, its operations are traced.

        Raises:
            TypeError: the arguments are not of the types it was traced for.
        """
        leaves = self.checked_leaves(args, kwargs, "traced")
        if self.links:
            raise errors.type_error(
                "A traced program that updates references cannot be called.",
                [("function", self.fun_name)],
                "It works on copies of the arrays that they refer to.",
                "Call the jitted function itself.",
            )
        consts = self.inputs[: self.lifted]
        outs = evaluate.eval_closed(self.jaxpr, *consts, *leaves)
        return tree.tree_unflatten(self.out_tree, outs)

    @property
    def effects(self) -> Any:
        """The effects of the program's operations."""
        return self.jaxpr.effects

    def closure_convert(self) -> tuple[list[Any], Callable]:
        """The constants of the program, and a function that takes a list of them before the arguments.

        Raises:
            NotImplementedError: it updates references, or closes over traced values.
        """
        is_plain = not (self.links or self.lifted or self.held)
        self._refuse_unless(is_plain, "closure_convert")
        inner = self.jaxpr.jaxpr

        def converted(consts, *args, **kwargs):
            leaves = self.checked_leaves(args, kwargs, "traced")
            outs = evaluate.eval_jaxpr(inner, _of_types(inner, consts), *leaves)
            return tree.tree_unflatten(self.out_tree, outs)

        return list(self.jaxpr.consts), converted

    def _refuse_unless(self, is_plain, what):
        if not is_plain:
            raise errors.not_implemented(
                f"{what}: only programs of arrays without shardings of "
                "their own are supported.",
                [("function", self.fun_name)],
                ways="Pass what the function closes over as an argument.",
            )

    def with_consts_as_arg(self) -> "tuple[list[Any], Traced]":
        """The constants of the program, and the program that takes a list of them as its first argument.

        Raises:
            NotImplementedError: it updates references, closes over traced values, or has
                shardings of its arguments.
        """
        given = (self.options.in_shardings, self.options.out_shardings)
        is_plain = not (self.links or self.lifted or self.held)
        is_plain = is_plain and all(one is jit_primitive.UNSPECIFIED for one in given)
        self._refuse_unless(is_plain, "with_consts_as_arg")
        consts = list(self.jaxpr.consts)
        inner = self.jaxpr.jaxpr
        moved = inner.replace(constvars=[], invars=[*inner.constvars, *inner.invars])
        args, kwargs = tree.tree_unflatten(self.in_tree, self.inputs)
        changed = records.replace(
            self,
            jaxpr=jaxpr_lib.ClosedJaxpr(moved, []),
            in_tree=tree.tree_structure(((consts, *args), kwargs)),
            donated=(False,) * len(consts) + self.donated,
            executables={},
            inputs=[*consts, *self.inputs],
        )
        return consts, changed

    def lower(
        self,
        *,
        lowering_platforms: tuple[str, ...] | None = None,
        _private_parameters: Any = None,
    ) -> lower.Lowered:
        """Makes the StableHLO module, by default for the platform of the arguments.

        Args:
            lowering_platforms: the platforms to lower for. Where arguments are over a mesh
                without devices, the default is the platform of the default backend.
            _private_parameters: accepted for compatibility.

        Raises:
            ValueError: the arguments or shardings are on different devices.
        """
        low = low_program(self)
        resolved = jit_shardings.resolve(low)
        return lower.lower(
            self,
            low,
            resolved,
            devices.assignment_of_types(low, resolved, low.inputs, lowering_platforms),
            platforms=lowering_platforms or (),
            in_layouts=devices.layouts_for(resolved, low.inputs),
        )

    def params(self) -> dict[str, Any]:
        """The parameters of the primitive `jit`."""
        n_in, n_out = len(self.jaxpr.jaxpr.invars), len(self.jaxpr.jaxpr.outvars)
        params = jit_primitive.default_params(self.jaxpr, self.fun_name, n_in, n_out)
        params["donated_invars"] = self.donated_inputs
        params["keep_unused"] = self.options.keep_unused
        params["inline"] = self.options.inline
        params["compiler_options_kvs"] = self.options.compiler_options
        return params


Traced.__module__ = "jax.stages"


def _of_types(jaxpr, consts):
    """The values among constants, which are of the types of the program's own."""
    leaves = tree.tree_leaves(consts)
    given = [avals_lib.get_aval(leaf) for leaf in leaves]
    wanted = [v.aval for v in jaxpr.constvars]
    same = len(given) == len(wanted) and all(
        avals_lib.same_form(one, other)
        for one, other in zip(given, wanted, strict=True)
    )
    if not same:
        raise errors.type_error(
            "The constants given are not of the types of those that the program has.",
            [
                ("given", [aval.str_short() for aval in given]),
                ("program", [aval.str_short() for aval in wanted]),
            ],
            "A converted function takes as many constants as its program has.",
            "Pass the first result of closure_convert, or values of the same types.",
        )
    return leaves


def of_program(
    jaxpr: jaxpr_lib.ClosedJaxpr,
    name: str,
    in_tree: Any,
    out_tree: Any,
    donated: tuple[bool, ...],
    opts: JitOptions = JitOptions(),
) -> Traced:
    """A program that was made otherwise, as if a call had been traced."""
    links = reference_links.Links()
    return Traced(jaxpr, name, in_tree, out_tree, donated, opts, links, 0, (), {}, ())


def low_program(program: Traced) -> Traced:
    """The program of arrays that is compiled of another one, with the inputs that it takes.

    They are the same where all values are arrays. Inputs may be types. In the trees of
    arguments and results lists of arrays are where values above them were.
    """
    closed, inputs = program.jaxpr, program.inputs
    if not hijax.is_high_program(closed):
        return program
    numbers = hijax.counts(closed.in_avals)
    lows: list[Any] = []
    for aval, value in zip(closed.in_avals, inputs, strict=bool(inputs)):
        is_type = isinstance(value, avals_lib.AbstractValue)
        lows += (
            hijax.lo_avals([value]) if is_type else hijax.lower_values([aval], [value])
        )
    arguments = program.per_leaf(_lists(program.argument_avals), lambda aval: 0)
    return records.replace(
        program,
        jaxpr=hijax.lowered(closed),
        in_tree=_low_tree(program.in_tree, arguments),
        out_tree=_low_tree(program.out_tree, _lists(program.result_avals)),
        donated=hijax.repeated(program.donated, numbers[program.lifted :]),
        lifted=sum(numbers[: program.lifted]),
        held=_low_held(program, numbers[program.lifted :]),
        executables={},
        inputs=lows,
    )


def _lists(avals):
    return [[0] * len(a.lo_ty()) if a.is_high else 0 for a in avals]


def _low_tree(structure, leaves):
    """Returns the tree with each hi-type value replaced by the list of its arrays."""
    return tree.with_leaves(structure, iter(map(tree.tree_structure, leaves)))


def _low_held(program, numbers):
    count = len(program.argument_avals)
    sizes = program.per_leaf(numbers[:count], lambda aval: 1)
    return tuple((sum(sizes[:number]), aval) for number, aval in program.held)


# By what a trace depends on: its programs by the options of `jit` and the donated leaves.
_programs = caches.FunctionCache("jit.programs")


def program_of(
    fun: Callable,
    opts: JitOptions,
    arguments: Arguments,
    avals: tuple[Any, ...] | None = None,
    flat: calls.FlatFunction | None = None,
) -> tuple[Traced, list[Any]]:
    """The program of a call, and the traced values that it closes over.

    Programs are kept per function, unless they close over traced values. All wrappers of
    one function share its traces: what it makes at each trace, such as functions in the
    metadata of a tree, is then equal between them.

    Args:
        fun: the function.
        opts: the options of `jit`.
        arguments: the arguments of the call.
        avals: their types, where the arguments may be types themselves.
        flat: the function of leaves, where mistakes are another's than those of `jit`.

    Raises:
        TypeError: a leaf of the arguments is no value.
    """
    if avals is None:
        avals = arguments.avals()
    key = (
        arguments.in_tree,
        avals,
        arguments.key,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _programs.entries(fun)
    programs = entries.get(key)
    variant = opts, arguments.donated
    if programs is not None:
        found = programs.get(variant)
        if found is None:
            other = next(iter(programs.values()))
            found = programs[variant] = records.replace(
                other,
                options=opts,
                donated=_donated(arguments, other.links),
                executables={},
            )
        if found.links.are_current:
            return found, []
    if flat is None:
        flat = calls.FlatFunction(
            arguments.fun, arguments.in_tree, "jit", arguments.held
        )
    if options.explain_cache_misses.value and cache_misses.is_of_user(fun):
        names = arguments.leaf_names()
        _log.warning("%s", cache_misses.explain(fun, names, key, entries))
    start = time.perf_counter()
    traced, consts = _trace(fun, opts, flat, arguments, avals)
    requests.remember_trace(traced.jaxpr, fun, key, time.perf_counter() - start)
    is_free = all(r.home is trace_lib.evaluation for r in traced.links.captured)
    if flat.is_program and not consts and is_free:
        entries[key] = {variant: traced}
    return traced, consts


def _donated(arguments, links):
    """Which arguments are donated, and arrays of references behind them, which are not."""
    donated = arguments.donated or (False,) * len(arguments.leaves)
    if not links:
        return donated
    # Who has read a reference has its array.
    given = [d and i not in links.arguments for i, d in enumerate(donated)]
    return (*given, *[False] * len(links.captured))


def _trace(fun, opts, flat, arguments, avals):
    names, source = arguments.leaf_names(), util.function_source(fun)
    debug = jaxpr_lib.DebugInfo("jit", source, names, None)
    timed = monitoring.timed("/jax/core/compile/jaxpr_trace_duration")
    if trace_lib.is_evaluating():
        timed = compile_log.tracing(util.function_name(fun))
    with timed:
        jaxpr, consts, links = pe.trace_with_references(flat, avals, debug)
    paths = calls.result_paths(flat.out_tree)
    if links:
        debug = debug.replace(arg_names=(*names, *[None] * len(links.captured)))
        paths = (*paths, *["reference"] * links.result_count)
    jaxpr = jaxpr.replace(debug_info=debug.replace(result_paths=paths))
    closed, consts = pe.split_traced_consts(jaxpr_lib.ClosedJaxpr(jaxpr, consts))
    traced = Traced(
        closed,
        util.function_name(fun),
        arguments.in_tree,
        flat.out_tree,
        _donated(arguments, links),
        opts,
        links,
        len(consts),
        tuple((number, avals_lib.get_aval(x)) for number, x in arguments.held),
        {},
        (),
    )
    return traced, consts


def with_stand_ins(program: Traced, arguments: Arguments) -> list[Any]:
    """The leaves, with zeros in place of mere types, whose values no result needs.

    Raises:
        TypeError: a result needs one.
    """
    is_used = _inputs_read(program.jaxpr.jaxpr)
    leaves = list(arguments.leaves)
    names = arguments.leaf_names()
    for i in arguments.types:
        aval: Any = program.argument_avals[i]
        if is_used[program.lifted + i] or program.options.keep_unused:
            raise errors.type_error(
                f"Argument {names[i]!r} of shape {aval.str_short()} of type "
                f"{type(leaves[i])} is not a valid JAX type.",
                [("function", calls.describe(arguments.fun))],
                "A type has no value, and the result depends on it.",
                "Pass an array, or use the shape and the dtype alone.",
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
