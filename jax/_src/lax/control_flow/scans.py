"""`scan`: a loop over the leading axis that carries values from step to step."""

import functools as ft
import operator
from collections.abc import Callable
from typing import TypeVar

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import avals, concrete, reference_links
from jax._src.core.avals import get_aval
from jax._src.lax.control_flow import programs, python_control_flow
from jax._src.lax.control_flow.scan_primitive import scan_p
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.transforms import calls

Carry = TypeVar("Carry")
X = TypeVar("X")
Y = TypeVar("Y")

_SCAN_RULE = "It takes a carry and a slice, and returns the next carry and a result."


def scan(
    f: Callable[[Carry, X], tuple[Carry, Y]],
    init: Carry,
    xs: X | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Carry, Y]:
    """Applies a function to slices of arrays, one after the other, carrying a value.

    As Python::

        ys = []
        for x in xs:
            carry, y = f(carry, x)
            ys.append(y)
        return carry, jnp.stack(ys)

    with the loop inside of the compiled program, and derivatives in both modes.

    Args:
        f: from carry and slice to the next carry, of the same structure and types, and
            a result.
        init: the first carry, a tree of arrays.
        xs: a tree of arrays with the same first axis, or ``None``.
        length: the number of steps, if `xs` does not determine it.
        reverse: whether to run from the last slice to the first.
        unroll: how many steps the compiled loop does at once; true: all of them.

    Returns:
        The last carry, and the results stacked along a new first axis: a pair, or a
        list where `f` returns one.

    Raises:
        TypeError: `f` returns another structure or other types. ValueError: the arrays
            disagree about the number of steps.

    Examples:
        >>> jax.lax.scan(lambda c, x: (c + x, c * x), jnp.array(0), jnp.arange(4))
        (Array(6, dtype=int32), Array([0, 0, 2, 9], dtype=int32))
    """
    programs.require_callable("lax.scan", "f", f, _SCAN_RULE, a="a callable")
    leaves, structure = trees.tree_flatten(init)
    rows, rows_tree = trees.tree_flatten(xs)
    length = _scan_length(f, rows, xs, length)
    if length and python_control_flow.is_requested():
        return python_control_flow.scan(f, init, xs, length, reverse)
    slice_avals = [_slice_aval(get_aval(x), length) for x in rows]
    debug = programs.debug_info("scan body", f, (init, xs))
    tree_in = trees.treedef_tuple([structure, rows_tree])
    while True:
        carry_avals = [get_aval(x) for x in leaves]
        program, consts, tree_out, links = programs.trace_linked(
            "lax.scan", f, tree_in, [*carry_avals, *slice_avals], debug
        )
        carry_tree, _ = _check_pair(f, tree_out)
        if carry_tree != structure:
            break
        # A carry may lose its weakness on the way; what is stacked keeps its own.
        leaves, changed = programs.promote_weak(
            leaves, program.out_avals[: len(leaves)]
        )
        if not changed:
            break
    names = programs.leaf_names(f, (init,))
    n_carry = carry_tree.num_leaves
    programs.check_carry(
        "lax.scan",
        f,
        names,
        structure,
        carry_avals,
        carry_tree,
        program.out_avals[:n_carry],
    )
    params = {
        "reverse": bool(reverse),
        "length": length,
        "unroll": _unroll_count(unroll, length),
    }
    outs = (
        _scan_with_references(program, consts, leaves, rows, links, params)
        if links
        else scan_p.bind(
            *consts,
            *leaves,
            *rows,
            jaxpr=program,
            num_consts=len(consts),
            num_carry=n_carry,
            **params,
        )
    )
    # What every step passes on unchanged ends as it began.
    passed_on = zip(
        program.jaxpr.outvars[:n_carry],
        program.jaxpr.invars[len(consts) : len(consts) + n_carry],
        leaves,
        outs[:n_carry],
        strict=True,
    )
    last = [start if out is var else end for out, var, start, end in passed_on]
    return trees.tree_unflatten(tree_out, [*last, *outs[n_carry:]])


def _slice_aval(aval, length):
    """The type of the slices of an array, or of a reference to one."""
    if aval.is_high:
        return aval.dec_rank(length, aval.leading_axis_spec())
    if isinstance(aval, reference_links.AbstractRef):
        return aval.update(inner_aval=_slice_aval(aval.inner_aval, length))
    if isinstance(aval, avals.ShapedArray):
        entry = aval.sharding.spec.partitions[0]
        if entry is not None:
            raise value_error(
                "lax.scan: an array is sharded along its first axis.",
                [("array", aval.str_short())],
                "0th dimension of all xs should be replicated: steps follow each "
                "other.",
                "Move it first: jax.reshard(x, P(None, …)).",
            )
        return aval.without_axis(0)
    return aval


def _scan_with_references(program, consts, leaves, rows, links, params):
    """The results of a loop whose steps use references, which get their last values."""
    links.check_call([*leaves, *rows], "lax.scan")
    values = reference_links.arrays(rows)
    bind = ft.partial(scan_p.bind, **params)
    outs = programs.run_carrying(bind, program, consts, leaves, values, links)
    return links.take(outs, [*leaves, *rows])


def _unroll_count(unroll, length):
    if isinstance(unroll, bool):
        return max(length, 1) if unroll else 1
    count = operator.index(unroll)
    if count < 0:
        raise value_error(
            "lax.scan: `unroll` must be a `bool` or a non-negative `int`.",
            [("unroll", count)],
            "It is at least 1; 0 or True stand for all steps.",
        )
    return count or max(length, 1)


def _check_pair(fun, tree_out):
    children = trees.treedef_children(tree_out)
    if len(children) != 2 or trees.treedef_is_leaf(tree_out):
        raise type_error(
            f"lax.scan: scan body output must be a pair, got {tree_out}.",
            [("f", calls.describe(fun))],
            "A step returns the next carry and a result.",
            "Without results: return carry, None.",
        )
    kind, _ = tree_out.node_data()
    if not issubclass(kind, tuple | list):
        raise type_error(
            f"lax.scan: scan body output must be a pair, got {tree_out}.",
            [("f", calls.describe(fun))],
            "A step returns a tuple: the next carry and a result.",
        )
    return children


_LENGTH = (
    "The `length` argument to `scan` expects a concrete `int` value. For an unknown number "
    "of steps: `while_loop` or `fori_loop`."
)


def _scan_length(fun, rows, xs, length):
    names = programs.leaf_names(fun, (None, xs))  # The carry has none here.
    sizes: dict[int, str] = {}
    for i, row in enumerate(rows):
        aval = get_aval(row)
        if aval.is_high and length is not None:
            continue  # Such a type alone knows of what its first axis is.
        shape = () if aval.is_high else getattr(aval, "shape", ())
        name = names[i] if i < len(names) else f"leaf {i}"
        if not shape:
            raise value_error(
                "lax.scan: scan got value with no leading axis to scan over: "
                f"{get_aval(row).str_short()}.",
                [("value", f"{name} of xs")],
                "Slices are taken along the first axis.",
                "A value for all steps: use it inside of f.",
            )
        sizes.setdefault(shape[0], f"{name}: {get_aval(row).str_short()}")
    if length is not None:
        length = int(concrete.concrete_or_error(None, length, _LENGTH))
        wrong = [size for size in sizes if size != length]
        if wrong:
            raise value_error(
                f"lax.scan: scan got `length` argument of {length} which disagrees with leading "
                f"axis sizes {list(sizes)}.",
                [(str(n), w) for n, w in sizes.items()],
                "The number of steps is the size of the first axis.",
                "Leave out length, or slice the arrays.",
            )
        if length < 0:
            raise ValueError(f"lax.scan: length is at least 0, got {length}.")
        return length
    if len(sizes) > 1:
        raise value_error(
            "lax.scan: scan got values with different leading axis sizes: "
            f"{', '.join(str(size) for size in sizes)}.",
            [(f"size {size}", where) for size, where in sizes.items()],
            "All are cut into the same number of slices.",
        )
    if not sizes:
        raise value_error(
            "lax.scan: scan got no values to scan over and `length` not provided.",
            [("xs", "no arrays"), ("length", None)],
            "It is the first axis of xs, or length.",
            "Without arrays: lax.scan(f, init, None, length=n).",
        )
    return next(iter(sizes))


traceback_filter.hide_frames(globals())
