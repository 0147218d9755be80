"""Looking at what a function would do: `make_jaxpr`, `eval_shape`."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import compile_log, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    reference_links,
    state,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.jit import (
    arguments as jit_arguments,
    options as jit_options,
    trace as jit_trace,
)
from jax._src.jit.arguments import Arguments
from jax._src.jit.options import JitOptions
from jax._src.lib import fastpath
from jax._src.transforms import calls, differentiate, shape_dtype_struct


def _structs_of(closed, out_tree):
    """The types of the results, without those of references."""
    return [
        shape_dtype_struct.struct_of(a) for a in closed.out_avals[: out_tree.num_leaves]
    ]


@api_boundary
def eval_shape(fun: Callable, *args: Any, **kwargs: Any) -> Any:
    """The types of the results of ``fun(*args, **kwargs)``, without computing them.

    Args:
        fun: the function of trees of arrays.
        *args: arguments, or anything with `shape` and `dtype`.
        **kwargs: keyword arguments, likewise.

    Returns:
        A tree like the result, with `jax.ShapeDtypeStruct` leaves.

    Raises:
        TypeError: an argument is no array and has no shape; and what `fun` raises.

    Examples:
        >>> jax.eval_shape(lambda a, b: a @ b, jnp.ones((2, 3)), jnp.ones((3, 4)))
        ShapeDtypeStruct(shape=(2, 4), dtype=float32)
    """
    calls.check_callable(fun, "eval_shape")
    if isinstance(fun, fastpath.Function):
        return fun.eval_shape(*args, **kwargs)
    arguments = Arguments(fun, JitOptions(), args, kwargs)
    arguments.hold_objects()
    avals = tuple(_types_of(fun, arguments.leaves, arguments.names))
    flat = _MayReturnTypes(fun, arguments.in_tree, "eval_shape", arguments.held)
    traced, _ = jit_trace.program_of(fun, JitOptions(), arguments, avals, flat)
    outs = traced.jaxpr.out_avals[: traced.out_tree.num_leaves]
    return tree.tree_unflatten(
        traced.out_tree, [shape_dtype_struct.struct_of(aval) for aval in outs]
    )


class _MayReturnTypes(calls.FlatFunction):
    """A function whose results may be types: no program needs their values."""

    def value_of(self, out, path):
        if isinstance(out, shape_dtype_struct.ShapeDtypeStruct):
            self.is_program = False
            return state.current().new_input(differentiate.shaped_aval(out))
        return super().value_of(out, path)


def _types_of(fun, leaves, names):
    """The types of arguments, which may be types themselves."""
    try:
        return [differentiate.shaped_aval(leaf) for leaf in leaves]
    except TypeError:
        for leaf, name in zip(leaves, calls.arg_names(*names), strict=False):
            is_type = hasattr(leaf, "shape") and hasattr(leaf, "dtype")
            if not (avals_lib.is_value(leaf) or is_type):
                raise jit_arguments.not_a_jit_argument(fun, leaf, name) from None
        raise


def trace_call(fun: Callable, args: tuple, kwargs: dict, what: str) -> tuple[Any, Any]:
    """The program of a call, and the tree of its results.

    Behind these, the program returns the new arrays of the references that it writes.
    """
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    leaves, held = reference_links.hold_objects(leaves)
    avals = _types_of(fun, leaves, (fun, args, kwargs))
    flat = calls.FlatFunction(fun, in_tree, what, held)
    debug = calls.debug_info(what, fun, args, kwargs)
    with compile_log.tracing(util.function_name(fun)):
        jaxpr, consts, _ = pe.trace_with_references(flat, avals, debug)
    return jaxpr_lib.ClosedJaxpr(jaxpr, consts), flat.out_tree


@hides_frames
def make_jaxpr(
    fun: Callable,
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Any, int]] | None = None,
    return_shape: bool = False,
) -> Callable:
    """A function that returns the program of `fun` instead of running it.

    Args:
        fun: the function of trees of arrays.
        static_argnums: positions of arguments that are Python values, hashable and not
            traced.
        axis_env: names and sizes of axes that `fun` may use.
        return_shape: whether to return the types of the results too.

    Returns:
        A function with the arguments of `fun` that returns a `ClosedJaxpr`, or a pair of
        it and a tree of `jax.ShapeDtypeStruct`.

    Raises:
        ValueError: a static argument does not exist or is not hashable.

    Examples:
        >>> jax.make_jaxpr(lambda x: jnp.sin(x) * 2)(1.0)
        { lambda ; a:f32[]. let b:f32[] = sin a; c:f32[] = mul b 2.0:f32[] in (c,) }
    """
    calls.check_callable(fun, "make_jaxpr")
    opts = jit_options.make_options(fun, static_argnums=static_argnums)

    @util.wraps(fun, name="make_jaxpr({fun})")
    @api_boundary
    def jaxpr_of(*args, **kwargs):
        arguments = Arguments(fun, opts, args, kwargs)
        with state.binding_axes(dict(axis_env or ())):
            closed, out_tree = trace_call(
                arguments.fun, *arguments.traced, "make_jaxpr"
            )
        if not return_shape:
            return closed
        return closed, tree.tree_unflatten(out_tree, _structs_of(closed, out_tree))

    jaxpr_of.__module__, jaxpr_of.__qualname__ = "jax", jaxpr_of.__name__
    return jaxpr_of
