"""Functions of releases before 0.10: types, trees, parts of loops, batching."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.compat import linear_util
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    mesh_context,
    primitive,
    state,
    vma,
)
from jax._src.interpreters import batching, partial_eval as pe
from jax._src.transforms import calls


def raise_to_shaped(aval: Any, weak_type: bool | None = None) -> Any:
    """Returns a type as one without a known value: types have none any more.

    Args:
        aval: the type.
        weak_type: whether the result is weakly typed; None: as `aval`.
    """
    if weak_type is None or not isinstance(aval, avals_lib.ShapedArray):
        return aval
    return aval.update(weak_type=weak_type)


def replace_nones(sentinel: Any, x: Any) -> Any:
    """Returns a tree of tuples, lists and dictionaries with `sentinel` for each None."""
    if x is None:
        return sentinel
    if isinstance(x, dict):
        return type(x)((k, replace_nones(sentinel, v)) for k, v in x.items())
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(replace_nones(sentinel, v) for v in x))
    if isinstance(x, tuple | list):
        return type(x)(replace_nones(sentinel, v) for v in x)
    return x


def initial_style_jaxpr(
    fun: Callable, in_tree: Any, in_avals: Sequence[Any], name: str = "function"
) -> tuple[jaxpr_lib.ClosedJaxpr, list[Any], Any]:
    """The program of a function of trees, as loops hold it.

    Args:
        fun: the function.
        in_tree: the tree of its positional arguments.
        in_avals: the types of their leaves.
        name: what traces it, for messages.

    Returns:
        The program, whose first inputs are the values that the function captured; these
        values; and the tree of the results.
    """
    (program,), consts, (out_tree,) = initial_style_jaxprs(
        (fun,), in_tree, in_avals, name
    )
    return program, consts, out_tree


def initial_style_jaxprs(
    funs: Sequence[Callable],
    in_tree: Any,
    in_avals: Sequence[Any],
    name: str = "function",
) -> tuple[list[jaxpr_lib.ClosedJaxpr], list[Any], list[Any]]:
    """The programs of several functions, which all take the values that any of them captured.

    Args:
        funs: the functions.
        in_tree: the tree of their positional arguments.
        in_avals: the types of their leaves.
        name: what traces them, for messages.

    Returns:
        The programs, the captured values, and the trees of the results.
    """
    whole = tree.treedef_tuple([in_tree, tree.tree_structure({})])
    traced = []
    for fun in funs:
        flat = calls.FlatFunction(fun, whole, name)
        jaxpr, consts = pe.trace_to_jaxpr(flat, in_avals, jaxpr_lib.no_debug_info)
        traced.append((jaxpr, consts, flat.out_tree))
    captured = [c for _, consts, _ in traced for c in consts]
    programs, before = [], 0
    for jaxpr, consts, _ in traced:
        own = range(before, before + len(consts))
        types = [avals_lib.typeof(c) for c in captured]
        first = [
            jaxpr.constvars[i - before] if i in own else jaxpr_lib.Var(aval)
            for i, aval in enumerate(types)
        ]
        changed = jaxpr.replace(constvars=[], invars=[*first, *jaxpr.invars])
        changed = changed.replace(debug_info=changed.debug_info.with_unknown_names())
        programs.append(jaxpr_lib.ClosedJaxpr(changed, []))
        before += len(consts)
    return programs, captured, [out_tree for _, _, out_tree in traced]


def batch_subtrace(
    f: linear_util.WrappedFun, tag: Any, axis_data: Any, in_dims: Sequence[int | None]
) -> tuple[linear_util.WrappedFun, Callable[[], Sequence[int | None]]]:
    """A function of values that are stacked along a mapped axis.

    Args:
        f: from values to a sequence of values.
        tag: marks one run; traces know their own.
        axis_data: the axis.
        in_dims: along which axis each argument is stacked.

    Returns:
        The function, and one that returns along which axes its results are, once it ran.
    """
    found: list[Sequence[int | None]] = []

    def batched(*args):
        outs, dims = batching.batch(f.call_wrapped, axis_data, args, in_dims)
        found.append(dims)
        return outs

    return linear_util.wrap_init(batched, debug_info=f.debug_info), lambda: found[-1]


def register_check(prim: primitive.Primitive) -> Callable[[Callable], Callable]:
    """A decorator of a rule that says along which mesh axes results are the same; types say that by themselves here.

    Args:
        prim: the primitive that the rule is for.

    Returns:
        A decorator that returns the rule as it is.
    """
    del prim
    return lambda rule: rule


def register_rewrite(prim: primitive.Primitive) -> Callable[[Callable], Callable]:
    """A decorator of a rule that is called in place of a primitive in functions of `shard_map` whose types are checked.

    Args:
        prim: the primitive; inside of the rule it is as it was.

    Returns:
        A decorator for ``rule(mesh, in_rep, *args, **params) -> (results, out_rep)``, which
        returns it. Of each argument `in_rep` has the mesh axes along which it is the same.
    """
    kind = type(prim)
    inside: list[bool] = []

    def register(rule: Callable) -> Callable:
        def bind(*args, **params):
            tracked = state.tracked_axes()
            if not tracked or inside:
                return kind.bind(prim, *args, **params)
            same = [set(tracked) - vma.of(x).varying for x in args]
            inside.append(True)
            try:
                outs, _ = rule(mesh_context.get_abstract_mesh(), same, *args, **params)
            finally:
                inside.pop()
            return list(outs) if prim.multiple_results else outs[0]

        vars(prim).update(bind=bind)
        return rule

    return register
