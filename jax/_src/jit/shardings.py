"""The shardings of the arguments and results of a jitted call."""

import itertools
from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import (
    jaxpr as jaxpr_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.core.symbols import expressions
from jax._src.interpreters import partial_eval as pe
from jax._src.jit import options, primitive as jit_primitive
from jax._src.jit.stages import Stage
from jax._src.lib import client
from jax._src.runtime.arrays import extended, layouts
from jax._src.runtime.compilation import assignment as asg
from jax._src.runtime.transfers import traced_device_put
from jax._src.transforms import layout_constraint, shape_dtype_struct


@records.identity_record
class ResolvedShardings:
    """The shardings and layouts that a program requires, whatever its arguments are."""

    # The program without what does not matter, and the inputs that it keeps.
    closed: jaxpr_lib.ClosedJaxpr
    kept: tuple[int, ...]
    # Per input and result; None: nothing.
    inputs: tuple[shardings_lib.Sharding | None, ...]
    results: tuple[shardings_lib.Sharding | None, ...]
    # Per input and result: what a `Format` says of the order in memory, or None.
    in_layouts: tuple[Any, ...]
    out_layouts: tuple[layouts.Layout | None, ...]
    # Per closed-over value; None: it is not committed.
    constants: tuple[shardings_lib.Sharding | None, ...]
    # All shardings but those of inputs.
    constraints: tuple[asg.DeviceConstraint, ...]
    # Whether the program requires no sharding, layout or device at all.
    is_plain: bool
    # Whether values move to another memory, which binds results to their devices.
    moves_memory: bool = False


def resolve(program: Stage) -> ResolvedShardings:
    """The shardings and layouts that a program requires, resolved once before it is lowered."""
    given = program.options, program.donated, program.in_tree, program.out_tree
    return program.jaxpr.derived(("shardings", *given), lambda: _resolve_all(program))


def _resolve_all(program):
    closed, kept = _pruned(program)
    opts = program.options
    count = len(program.jaxpr.in_avals)
    inputs: list[Any] = [None] * count
    in_layouts: list[Any] = [None] * count
    if opts.in_shardings is not jit_primitive.UNSPECIFIED:
        found = input_shardings(program)
        here = slice(program.lifted, program.lifted + len(found))
        inputs[here] = found
        in_layouts[here] = _layouts_in(_inputs_given(program))
    results: list[Any] = [None] * len(closed.out_avals)
    constrained = _constrained_layouts(closed)
    said: list[Any] = []
    if opts.out_shardings is not jit_primitive.UNSPECIFIED:
        found = result_shardings(program)
        results[: len(found)] = found
        said = _layouts_in(_results_given(program))
    if any(program.donated) and layouts.AUTO in (*in_layouts, *said):
        _check_donated_layouts(program, in_layouts, said)
    constants = tuple(_sharding_of_constant(c) for c in closed.consts)
    constraints = [
        asg.DeviceConstraint("a sharding in out_shardings", s) for s in results if s
    ]
    constraints += [
        asg.DeviceConstraint("an array that it closes over", s, yields=True)
        for s in constants
        if s
    ]
    constraints += [
        asg.DeviceConstraint("a sharding inside of the function", s)
        for s in asg.placements_in(closed)
    ]
    if opts.device is not None:
        constraints.append(
            asg.DeviceConstraint(
                "the argument `device`", shardings_lib.of_device(opts.device)
            )
        )
    constraints = list(dict.fromkeys(constraints))
    is_plain = not constraints and not any(inputs) and opts.backend is None
    moves = _moves_memory(closed)
    return ResolvedShardings(
        closed,
        kept,
        tuple(inputs),
        tuple(results),
        tuple(in_layouts),
        tuple(map(_layout_of_result, closed.out_avals, constrained, _filled(said))),
        constants,
        tuple(constraints),
        is_plain and not moves and not any(a.is_placed for a in closed.out_avals),
        moves,
    )


def _memory_key(aval):
    return getattr(aval, "shape", None), getattr(aval, "dtype", None)


def _check_donated_layouts(program, in_layouts, said):
    """Refuses a donated argument and its result of which one has the compiler's layout.

    Raises:
        ValueError: there is such a pair.
    """
    closed = program.jaxpr
    free: dict[tuple, list[Any]] = {}
    for aval, layout in zip(closed.out_avals, _filled(said), strict=False):
        free.setdefault(_memory_key(aval), []).append(layout)
    inputs = zip(closed.in_avals, in_layouts, program.donated_inputs, strict=True)
    for aval, layout, is_donated in inputs:
        fitting = free.get(_memory_key(aval)) if is_donated else None
        if not fitting:
            continue
        other = fitting.pop(0)
        if (layout is layouts.AUTO) is not (other is layouts.AUTO):
            side = "output" if layout is layouts.AUTO else "input"
            raise errors.value_error(
                f"Input layout being donated was {layout} while output layout was "
                f"{other}. Did you mean to set the **{side} layout** to "
                "**Layout.AUTO**?",
                [("function", program.fun_name), ("argument", aval.str_short())],
                "A result takes the memory of a donated argument only where both are "
                "laid out alike.",
                "Leave both layouts to the compiler, or neither.",
            )


def _moves_memory(closed):
    seen: set[int] = set()
    waiting = [closed.jaxpr]
    while waiting:
        jaxpr = waiting.pop()
        if id(jaxpr) in seen:
            continue
        seen.add(id(jaxpr))
        for eqn in jaxpr.eqns:
            if eqn.primitive is traced_device_put.device_put_p:
                if not isinstance(eqn.params["target"].of, shardings_lib.Sharding):
                    return True
        waiting += jaxpr_lib.subjaxprs(jaxpr)
    return False


def _pruned(program):
    closed = program.jaxpr
    n_in = len(closed.jaxpr.invars)
    if program.options.keep_unused or _has_symbols(closed):
        return closed, tuple(range(n_in))
    smaller, used = pe.dce_closed(closed, (True,) * len(closed.jaxpr.outvars))
    return smaller, tuple(i for i, u in enumerate(used) if u)


def _has_symbols(closed):
    """Whether sizes of arguments, also of unused ones, are to be found in calls."""
    return any(
        not expressions.is_static(getattr(aval, "shape", ()))
        for aval in closed.in_avals
    )


def _sharding_of_constant(value):
    """Returns the sharding of an array that a function closes over, if it is committed."""
    if not isinstance(value, client.Array):
        value = getattr(value, "_base_array", None)
        if not isinstance(value, client.Array):
            return None
    sharding, is_committed = asg.sharding_of_value(value)
    return sharding if is_committed else None


# What users give.


def input_shardings(program: Stage) -> list[shardings_lib.Sharding | None]:
    """Per leaf of the arguments: what `in_shardings` says.

    Raises:
        ValueError: it is no tree prefix of the arguments, there are keyword arguments,
            or a sharding does not fit its argument.
    """
    leaves = _inputs_given(program)
    found = resolve_all("in_shardings", leaves, program.fun_name)
    _check_fit("in_shardings", found, leaves, program.argument_avals, program)
    return found


def _inputs_given(program):
    """Per leaf of the arguments: what stands in `in_shardings`."""
    structure = program.in_tree
    given = options.as_given(program.options.in_shardings)
    if given is None:
        return [None] * len(program.argument_avals)
    args, kwargs = structure.children()
    if kwargs.num_leaves:
        names = kwargs.node_data()[1]
        raise errors.value_error(
            "jit: pjit does not support kwargs when in_shardings is specified.",
            [("function", program.fun_name), ("keywords", ", ".join(names))],
            "in_shardings speaks of arguments by position.",
            "Pass them by position.",
        )
    if isinstance(given, list):
        given = tuple(given)
    _check_count(given, args, program.fun_name)
    leaves = spread("pjit in_shardings", given, args, program.fun_name, "arguments")
    return _without_held(leaves, program)


def _check_count(given, args, name):
    """Refuses a tuple of shardings for another number of arguments."""
    wanted = len(args.children())
    if type(given) is tuple and len(given) != wanted:
        raise errors.value_error(
            "pjit in_shardings specification must be a tree prefix of the positional "
            "arguments tuple. In particular, pjit in_shardings must either be a "
            "Sharding, a PartitionSpec, or a tuple of length equal to the number of "
            "positional arguments. But pjit in_shardings is the wrong length: got a "
            f"tuple or list of length {len(given)} for an args tuple of length "
            f"{wanted}.",
            [("function", name)],
            ways="Give one sharding for all, or a tuple with an entry for each.",
        )


def _without_held(leaves, program):
    """Returns the entries of inputs, without those of objects that the function gets as they are."""
    held = dict(program.held)
    for number, aval in held.items():
        if leaves[number] is not None:
            raise errors.not_implemented(
                "jit: a sharding is given for a value that changes.",
                [
                    ("function", program.fun_name),
                    ("value", aval.str_short()),
                    ("sharding", repr(leaves[number])),
                ],
                "A sharding is that of one array.",
                "Give None for the value, and put its arrays on their devices.",
            )
    return [leaf for number, leaf in enumerate(leaves) if number not in held]


def result_shardings(program: Stage) -> list[shardings_lib.Sharding | None]:
    """Per leaf of the results: what `out_shardings` says.

    Raises:
        ValueError: it is no tree prefix of the results, or a sharding does not fit its
            result.
    """
    leaves = _results_given(program)
    found = resolve_all("out_shardings", leaves, program.fun_name)
    _check_fit("out_shardings", found, leaves, program.result_avals, program)
    return found


def _results_given(program):
    """Per leaf of the results: what stands in `out_shardings`."""
    structure = program.out_tree
    given = options.as_given(program.options.out_shardings)
    if options.is_sharding_leaf(given):
        return [given] * structure.num_leaves
    return spread("pjit out_shardings", given, structure, program.fun_name, "results")


def _layouts_in(given):
    return [x.layout if isinstance(x, layouts.Format) else None for x in given]


def _filled(said):
    """Extends layouts of the first results by None for all further results."""
    return itertools.chain(said, itertools.repeat(None))


def _layout_of_result(aval, constrained, said):
    """Returns the layout of a result; None: row-major."""
    if said is layouts.AUTO or extended.is_extended(aval):
        return None  # The compiler's choice; and random keys do not show theirs.
    return constrained if said is None else said


def _constrained_layouts(closed):
    """Per result: the layout if `with_layout_constraint` made it, else None."""
    constraints = {
        eqn.outvars[0]: eqn.params["layout"]
        for eqn in closed.jaxpr.eqns
        if eqn.primitive is layout_constraint.layout_constraint_p
    }
    outs = closed.jaxpr.outvars
    return [constraints.get(v) if isinstance(v, jaxpr_lib.Var) else None for v in outs]


def spread(what: str, given: Any, full: Any, name: str, noun: str) -> list[Any]:
    """The leaves of a tree of shardings, one for each leaf of another tree.

    Args:
        what: what the user calls the shardings.
        given: a tree prefix of the other tree.
        full: the structure of the other tree.
        name: the name of the function.
        noun: what the other tree is.

    Raises:
        ValueError: `given` is no prefix.
    """
    if options.is_sharding_leaf(given):
        return [given] * full.num_leaves
    try:
        return tree.spread_over(what, given, full, options.is_sharding_leaf)
    except ValueError as error:
        raise errors.value_error(
            f"{what} is no tree prefix of the {noun}.",
            [("function", name)],
            str(error),
            "Give one sharding for all, or a tuple with an entry for each.",
        ) from None


def resolve_all(
    what: str, leaves: Sequence[Any], name: str
) -> list[shardings_lib.Sharding | None]:
    """Shardings of what users write: specs on the current mesh, None for open.

    Raises:
        RuntimeError: a `PartitionSpec` is given where no mesh is set.
        ValueError: a spec leaves an axis open, or a mesh has no devices at all.
    """
    return [_resolve(what, leaf, name) for leaf in leaves]


def _resolve(what, leaf, name):
    if isinstance(leaf, layouts.Format):
        leaf = leaf.sharding
    if leaf is None or isinstance(leaf, jit_primitive.Unspecified):
        return None
    if isinstance(leaf, partition_spec.PartitionSpec):
        mesh = mesh_context.mesh_for_specs()
        if mesh is None:
            raise errors.runtime_error(
                "jit requires a non-empty mesh in context if you are passing "
                f"`PartitionSpec`s to {what}: each needs a mesh.",
                [
                    ("function", name),
                    ("spec", repr(leaf)),
                    ("mesh", "none is set here"),
                ],
                ways="Set one with jax.set_mesh(mesh), or pass a NamedSharding.",
            )
        leaf = shardings_lib.NamedSharding(mesh, leaf)
    if isinstance(leaf, shardings_lib.NamedSharding):
        _check_named(what, leaf, name)
    return leaf


def _check_named(what, sharding, name):
    facts = [("function", name), ("sharding", repr(sharding))]
    if any(entry is partition_spec.UNCONSTRAINED for entry in sharding.spec.partitions):
        raise errors.value_error(
            f"jit: {what} leaves an axis to the compiler.",
            facts,
            "P.UNCONSTRAINED is for lax.with_sharding_constraint.",
            "Give None for a whole argument or result that the compiler may shard.",
        )
    if sharding.mesh.empty:
        raise errors.value_error(
            f"jit: {what} has a sharding over a mesh without devices.",
            facts,
            "A program runs on the devices of its mesh.",
        )


def _check_fit(what, shardings, given, avals, program):
    found = zip(shardings, _layouts_in(given), avals, strict=True)
    for number, (sharding, layout, aval) in enumerate(found):
        if sharding is None or not hasattr(aval, "shape"):
            continue
        try:
            sharding.check_compatible_aval(aval.shape)
            sharding.shard_shape(aval.shape)
            if isinstance(layout, layouts.Layout):
                layout.check_compatible_aval(aval.shape)
        except ValueError as error:
            noun = "argument" if what == "in_shardings" else "result"
            side = "arguments" if what == "in_shardings" else "outputs"
            message = errors.explain(
                f"One of pjit {side} is incompatible with its sharding annotation: {what} "
                f"does not fit {noun} {number}, {aval.str_short()}, of "
                f"`{program.fun_name}`.\n{error}"
            )
            raise type(error)(message) from None


def lowered_out_info(program: Stage) -> Any:
    """A tree like the results of a lowered program: modules do not have weak types."""
    return tree.tree_map(_strong, out_info(program))


def _strong(struct):
    is_weak = getattr(struct, "weak_type", False)
    return struct.update(weak_type=False) if is_weak else struct


def out_info(program: Stage) -> Any:
    """A tree like the results, of `jax.ShapeDtypeStruct`."""
    avals = program.result_avals
    shardings = [None] * len(avals)
    if program.options.out_shardings is not jit_primitive.UNSPECIFIED:
        shardings = result_shardings(program)
    pairs = zip(avals, shardings, strict=True)
    return tree.tree_unflatten(
        program.out_tree, [shape_dtype_struct.struct_of(a, s) for a, s in pairs]
    )
