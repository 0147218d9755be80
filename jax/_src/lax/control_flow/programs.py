"""Tracing the functions that control flow is given, and changing their programs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jax._src import tree as trees
from jax._src.base import caches, config, util
from jax._src.core import (
    avals as avals_lib,
    effects as effects_lib,
    jaxpr as jaxpr_lib,
    mutable_types,
    reference_links,
    slots,
    state,
    trace,
    vma,
)
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.lax.ops.checks import Accepts, kind_of
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.messages import not_implemented, type_error
from jax._src.transforms import calls

_traced = caches.FunctionCache("lax.control_flow")


def trace_flat(what: str, fun: Callable, in_tree, in_avals: Sequence):
    """Traces a function of trees.

    Args:
        what: the name of the operation, for messages.
        fun: the function.
        in_tree: the structure of its positional arguments, a tuple.
        in_avals: the types of their leaves.

    Returns:
        The program, whose first inputs are the values that the function captured and the
        arrays of references from outside, and whose last outputs are the new arrays of
        those it writes; these values; the structure of the results; and these references.
    """
    program, consts, tree_out, links = trace_linked(what, fun, in_tree, in_avals)
    if links:
        n_in, n_refs = len(program.jaxpr.invars), len(links.captured)
        inputs = [*range(n_in - n_refs, n_in), *range(n_in - n_refs)]
        program = reordered(program, inputs, range(len(program.jaxpr.outvars)))
    return program, [*links.operands(), *consts], tree_out, links.written


def trace_linked(
    what: str,
    fun: Callable,
    in_tree,
    in_avals: Sequence,
    debug: jaxpr_lib.DebugInfo | None = None,
    held: Sequence = (),
):
    """Traces a function of trees, with its references as inputs and outputs of its own.

    Args:
        what, fun, in_tree, in_avals: as for `trace_flat`; a type may be a reference's.
        debug: what is traced.
        held: references among the leaves that the function gets as they are, each with
            its index; `in_avals` is without them.

    Returns:
        The program, whose first inputs are the values that the function captured; these
        values; the structure of the results; and how references take part.
    """
    refs = tuple((i, util.IdentityKey(ref)) for i, ref in held)
    key = (
        what,
        in_tree,
        tuple(in_avals),
        refs,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _traced.entries(fun)
    found = entries.get(key)
    if found is not None and found[3].are_current:
        return found
    structure = trees.treedef_tuple([in_tree, trees.tree_structure({})])
    flat = calls.FlatFunction(fun, structure, what, held)
    jaxpr, consts, links = pe.trace_with_references(
        flat, in_avals, debug or jaxpr_lib.no_debug_info
    )
    mutable_types.refuse_new_types(links.captured, what)
    closed = jaxpr_lib.ClosedJaxpr(pe.consts_to_inputs(jaxpr), [])
    result = closed, consts, flat.out_tree, links
    # A captured value may be another one at the next call.
    is_traced = any(isinstance(const, trace.Tracer) for const in consts)
    if not is_traced and all(r.home is trace.evaluation for r in links.captured):
        entries[key] = result
    return result


def carrying(
    program: jaxpr_lib.ClosedJaxpr,
    consts: int,
    carry: int,
    links: reference_links.Links,
) -> jaxpr_lib.ClosedJaxpr:
    """The program of a loop's step with its references where the loop has them.

    Those that are only read come behind the values captured, those that are written
    behind the carry.

    Args:
        program: a step: captured values, carry, slices, then references.
        consts: how many values are captured.
        carry: how many are carried.
        links: how references take part.
    """
    if not links:
        return program
    n_in = len(program.jaxpr.invars)
    n_out = len(program.jaxpr.outvars) - sum(links.is_written)
    first = n_in - len(links.captured)
    indices = range(first, n_in)
    inputs = [
        *range(consts),
        *select_where([not w for w in links.is_written], indices),
        *range(consts, consts + carry),
        *select_where(links.is_written, indices),
        *range(consts + carry, first),
    ]
    last = range(n_out, len(program.jaxpr.outvars))
    return reordered(program, inputs, [*range(carry), *last, *range(carry, n_out)])


def run_carrying(
    bind: Callable, program, consts: Sequence, carry: Sequence, rows: Sequence, links
) -> list:
    """The results of a loop, behind them the last arrays of the references it writes.

    Args:
        bind: ``bind(*args, jaxpr=, num_consts=, num_carry=)`` runs a loop.
        program: its step, as `carrying` takes it.
        consts, carry, rows: its operands.
        links: how references take part in it.
    """
    outs = bind(
        *consts,
        *(ref.read() for ref in links.read_only),
        *carry,
        *(ref.read() for ref in links.written),
        *rows,
        jaxpr=carrying(program, len(consts), len(carry), links),
        num_consts=len(consts) + len(links.read_only),
        num_carry=len(carry) + len(links.written),
    )
    n_carry = len(carry)
    n_all = n_carry + len(links.written)
    return [*outs[:n_carry], *outs[n_all:], *outs[n_carry:n_all]]


def with_all_references(programs: Sequence, links: Sequence) -> tuple:
    """The programs of branches, each with the references of all.

    Returns:
        The programs; the references whose arrays are their last inputs; and those among
        them that a branch writes, whose new arrays are the last outputs.
    """
    refs = {id(ref): ref for found in links for ref in found.captured}
    written = {id(ref): ref for found in links for ref in found.written}
    if refs:
        programs = [
            _with_references(program, found, refs.values(), written.values())
            for program, found in zip(programs, links, strict=True)
        ]
    return tuple(programs), list(refs.values()), list(written.values())


def _with_references(closed, links, refs, written):
    """A program with all of `refs` as inputs, and all of `written` as outputs."""
    captured = {id(ref): i for i, ref in enumerate(links.captured)}
    changed = {id(ref): i for i, ref in enumerate(links.written)}
    all_refs = {id(ref): i for i, ref in enumerate(refs)}
    # Indices for what the program has of its own, and types for what it lacks: a key by
    # identity would outlive the references.
    inputs = tuple(captured.get(id(ref), ref.aval.inner_aval) for ref in refs)
    outputs = tuple((changed.get(id(ref)), all_refs[id(ref)]) for ref in written)

    def make():
        jaxpr = closed.jaxpr
        n_out = len(jaxpr.outvars) - links.result_count
        first = len(jaxpr.invars) - len(links.captured)
        own, new = jaxpr.invars[first:], jaxpr.outvars[n_out:]
        arrays = [own[i] if isinstance(i, int) else jaxpr_lib.Var(i) for i in inputs]
        last = [arrays[at] if i is None else new[i] for i, at in outputs]
        replaced = jaxpr.replace(
            invars=[*jaxpr.invars[:first], *arrays],
            outvars=[*jaxpr.outvars[:n_out], *last],
            debug_info=jaxpr.debug_info.replace(arg_names=None, result_paths=None),
        )
        return jaxpr_lib.ClosedJaxpr(replaced, closed.consts)

    return closed.derived(("references", inputs, outputs), make)


def debug_info(what: str, fun: Callable, args: tuple) -> jaxpr_lib.DebugInfo:
    """What a program is called in messages."""
    return calls.debug_info(what, fun, args)


def reordered(
    closed: jaxpr_lib.ClosedJaxpr, inputs: Sequence[int], outputs: Sequence[int]
) -> jaxpr_lib.ClosedJaxpr:
    """Returns the closed jaxpr with inputs and outputs in another order."""
    inputs, outputs = tuple(inputs), tuple(outputs)

    def make():
        jaxpr = closed.jaxpr
        debug = jaxpr.debug_info.replace(arg_names=None, result_paths=None)
        changed = jaxpr.replace(
            invars=[jaxpr.invars[i] for i in inputs],
            outvars=[jaxpr.outvars[i] for i in outputs],
            debug_info=debug,
        )
        return jaxpr_lib.ClosedJaxpr(changed, closed.consts)

    return closed.derived(("reordered", inputs, outputs), make)


def with_unused_inputs(
    closed: jaxpr_lib.ClosedJaxpr, indices: Sequence[int], avals: Sequence
) -> jaxpr_lib.ClosedJaxpr:
    """Returns the closed jaxpr with unused inputs inserted at `indices`, which increase."""
    indices, avals = tuple(indices), tuple(avals)

    def make():
        jaxpr = closed.jaxpr
        invars = list(jaxpr.invars)
        for index, aval in zip(indices, avals, strict=True):
            invars.insert(index, jaxpr_lib.Var(aval))
        debug = jaxpr.debug_info.replace(arg_names=None)
        changed = jaxpr.replace(invars=invars, debug_info=debug)
        return jaxpr_lib.ClosedJaxpr(changed, closed.consts)

    return closed.derived(("unused", indices, avals), make)


def nonzero_mask(tangents: Sequence) -> tuple[bool, ...]:
    """For each tangent whether it is there."""
    return tuple(type(t) is not ad.Zero for t in tangents)


def select_where(mask: Sequence[bool], values: Sequence) -> list:
    """The values at the indices where the mask is true."""
    return [value for value, wanted in zip(values, mask, strict=True) if wanted]


def merge_where(mask: Sequence[bool], at_true: Sequence, at_false: Sequence) -> list:
    """Takes values in turn from two sequences."""
    chosen, others = iter(at_true), iter(at_false)
    return [next(chosen) if wanted else next(others) for wanted in mask]


def either(a: Sequence[bool], b: Sequence[bool]) -> tuple[bool, ...]:
    """Where one of two masks is true."""
    return tuple(x or y for x, y in zip(a, b, strict=True))


def same_shape_and_dtype(a, b) -> bool:
    """Whether two types agree, but for weakness."""
    if not isinstance(a, avals_lib.ShapedArray) or not isinstance(
        b, avals_lib.ShapedArray
    ):
        return a == b
    return a.shape == b.shape and a.dtype == b.dtype and _have_same_sharding(a, b)


def _have_same_sharding(a, b):
    """Whether two types say the same of Explicit mesh axes."""
    if not (a.is_placed or b.is_placed):
        return True
    if a.sharding.mesh.empty or b.sharding.mesh.empty:
        return True  # An array on no mesh is split as the other is: see `on_mesh`.
    return a.sharding.spec is b.sharding.spec


def on_mesh(aval: Any, others: Iterable) -> Any:
    """Returns the type of an array on no mesh with the sharding of the first that has one."""
    if not isinstance(aval, avals_lib.ShapedArray) or not aval.sharding.mesh.empty:
        return aval
    for other in others:
        if isinstance(other, avals_lib.ShapedArray) and other.shape == aval.shape:
            if other.sharding.spec.names:
                return aval.update(sharding=other.sharding)
    return aval


def allowed_effects(name: str, *programs) -> effects_lib.Effects:
    """The effects of the programs in a loop or choice.

    Raises:
        NotImplementedError: one is of a kind that may not stand there.
    """
    effects = jaxpr_lib.join_effects(*[program.effects for program in programs])
    wrong = (
        effects_lib.control_flow_allowed_effects.filter_not_in(effects)
        if effects
        else ()
    )
    if wrong:
        raise not_implemented(
            f"Effects not supported in `{name}`: {list(wrong)}",
            [("kinds", ", ".join(type(effect).__name__ for effect in wrong))],
            "Nothing says what such an effect means where it may happen any number "
            "of times.",
            "If it may: control_flow_allowed_effects.add_type(kind).",
        )
    return effects


def refuse_effects(what: str, effects) -> None:
    """Refuses effects in a choice that each batch element makes for itself.

    Then all batch elements run together, also those that did not choose so.

    Raises:
        NotImplementedError: an effect may not happen more often than the program says.
    """
    kinds = effects_lib.runtime_effects.filter_in(effects)
    wrong = effects_lib.repeatable_effects.filter_not_in(frozenset(kinds))
    if wrong:
        raise not_implemented(
            f"{what}: effects cannot be batched over the predicate.",
            [("effects", ", ".join(map(str, wrong)))],
            "Rows would do what they did not choose.",
            "Use lax.map instead of vmap, or move the effect out of it.",
        )


def has_checks(*programs) -> bool:
    """Whether programs check something; `batch_checks` batches a choice of them."""
    return any(
        effects_lib.result_effects.filter_in(program.effects) for program in programs
    )


def batch_checks(primitive, axis, args: Sequence, dims: Sequence, params: dict):
    """Batches a loop or choice that each batch element makes for itself, with checks in it.

    The findings of its checks become results, which a batch element has only for the branch that it chose.
    """

    def run(*values):
        return slots.checks_after(primitive, values, params)

    return batching.batch(run, axis, args, dims)


def refuse_high(what: str, avals: Iterable, dims: Iterable) -> None:
    """Refuses batched values above arrays where batch elements are moved or chosen from.

    Raises:
        NotImplementedError: one of them is batched.
    """
    for aval, dim in zip(avals, dims, strict=True):
        if aval.is_high and dim is not None:
            raise not_implemented(
                f"vmap of {what} for values above arrays.",
                [("value", aval.str_short()), ("rows along", repr(dim))],
                "A type above arrays does not say how batch elements of its values are moved, "
                "or chosen from.",
                "Map over the arrays of which the values are made, or use lax.map "
                "instead of vmap.",
            )


def require_callable(
    what: str, name: str, fun, rule: str, *ways_out: str, a: str = "callable"
) -> None:
    """Raises a `TypeError` if an argument that a loop or branch calls is no function."""
    if not callable(fun):
        raise type_error(
            f"{what}: the {name} argument should be {a}.",
            [(name, repr(fun))],
            rule,
            *(ways_out or ("Pass the function itself, not what it returns.",)),
        )


def leaf_names(fun: Callable, args: tuple) -> tuple[str, ...]:
    """What the user calls each leaf of the arguments."""
    return calls.arg_names(fun, args, {})


# A weakly typed value becomes one of the same kind or a wider one, never a narrower.
_RANKS = {
    Accepts(0): 9,
    Accepts.BOOL: 0,
    Accepts.SIGNED: 1,
    Accepts.UNSIGNED: 1,
    Accepts.FLOATING: 2,
    Accepts.COMPLEX: 3,
}


def promote_weak(values: Sequence, out_avals: Sequence) -> tuple[list, bool]:
    """Converts weakly typed values that come back from a loop with another dtype.

    Values on no mesh that come back on one are moved there. A value that only loses its weakness stays: the step would be traced again, and with it
    all loops inside of it, at each level of nesting.

    Returns:
        The values, and whether one changed.
    """
    changed = False
    result = []
    for value, out in zip(values, out_avals, strict=True):
        aval = avals_lib.get_aval(value)
        gives_way = (
            isinstance(aval, avals_lib.ShapedArray)
            and isinstance(out, avals_lib.ShapedArray)
            and aval.weak_type
            and aval.shape == out.shape
            and aval.dtype != out.dtype
            and _RANKS[kind_of(aval.dtype)] <= _RANKS[kind_of(out.dtype)]
        )
        if gives_way:
            value, changed = convert(value, out.dtype), True
        moved = on_mesh(aval, [out])
        if moved is not aval:
            value, changed = slots.to_type(value, moved), True
        result.append(value)
    return result, changed


def _loop(what):
    """What a loop is called in messages, without its module."""
    return what.removeprefix("lax.")


def differing(one: Any, other: Any) -> str:
    """In what two types differ, for messages."""
    is_other_dtype = getattr(one, "dtype", None) != getattr(other, "dtype", None)
    is_other_shape = getattr(one, "shape", None) != getattr(other, "shape", None)
    if is_other_dtype and is_other_shape:
        return "dtypes and shapes"
    return "dtypes" if is_other_dtype else "shapes" if is_other_shape else "types"


def check_carry(
    what: str,
    fun: Callable,
    names: Sequence[str],
    tree_in,
    avals_in,
    tree_out,
    avals_out,
) -> None:
    """Raises TypeError if a loop changes the structure or the types of what it carries."""
    where = calls.describe(fun)
    if tree_in != tree_out:
        raise type_error(
            f"{what}: {_loop(what)} body function carry input and carry output must "
            "have the "
            "same pytree structure, but they differ.",
            [("function", where), ("carry in", tree_in), ("carry out", tree_out)],
            "A loop carries values of one structure.",
            "Return the carry with the structure in which it comes in.",
        )
    misfits = [
        (
            name,
            f"The input carry {name} has type {one.str_short()} but the corresponding "
            f"output carry component has type {other.str_short()}, so the "
            f"{differing(one, other)} do not match.",
        )
        for name, one, other in zip(names, avals_in, avals_out, strict=True)
        if not same_shape_and_dtype(one, other)
    ]
    if misfits:
        raise type_error(
            f"{what}: {_loop(what)} body function carry input and carry output must "
            "have equal "
            "types, but they differ.",
            [("function", where), *misfits],
            "A loop carries values of one shape and dtype.",
            "To keep the dtype: x.astype(dtype) on what is returned, or start with it.",
        )
    check_manual_axes(what, where, names, avals_in, avals_out)


def check_manual_axes(what: str, where: str, names, avals_in, avals_out) -> None:
    """Raises TypeError if a loop changes along which mesh axes its carry varies."""
    for name, one, other in zip(names, avals_in, avals_out, strict=True):
        here, there = (getattr(a, "manual_axis_type", vma.NONE) for a in (one, other))
        if here is not there:
            missing = tuple(sorted(there.varying - here.varying, key=str))
            way = f'Start with jax.lax.pcast({name}, {missing}, to="varying").'
            raise type_error(
                f"{what}: the manual axis types of the carry do not match.",
                [
                    ("function", where),
                    (name, f"{one.str_short()} in, {other.str_short()} out"),
                ],
                "A loop carries values that vary along the same mesh axes.",
                *([way] if missing else []),
            )
