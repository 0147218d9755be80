"""Making what a function closes over explicit; custom gradients."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, scalars, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals as avals_lib, evaluate, jaxpr as jaxpr_lib, trace
from jax._src.interpreters import partial_eval as pe
from jax._src.transforms import calls
from jax._src.transforms.custom_vjp import custom_vjp


@api_boundary
def closure_convert(fun: Callable, *example_args: Any) -> tuple[Callable, list[Any]]:
    """Turns a function that closes over arrays into one that takes them as arguments.

    Args:
        fun: the function of trees of arrays.
        *example_args: arguments of the types with which it will be called.

    Returns:
        ``(converted, consts)``, where ``converted(*args, *consts)`` is ``fun(*args)``.
        Only what can be differentiated in is among `consts`.

    Raises:
        TypeError: `fun` is no function; and what it raises.

    Examples:
        >>> x = jnp.array(3.0)
        >>> converted, consts = jax.closure_convert(lambda y: x * y, 1.0)
        >>> converted(2.0, *consts)  # as fun(2.0)
        Array(6., dtype=float32, weak_type=True)
    """
    calls.check_callable(fun, "closure_convert")
    leaves, in_tree = tree.tree_flatten((example_args, {}))
    flat = calls.FlatFunction(fun, in_tree, "closure_convert")
    debug = calls.debug_info("closure_convert", fun, example_args)
    jaxpr, consts = pe.trace_to_jaxpr(
        flat, [avals_lib.get_aval(x) for x in leaves], debug
    )
    hoisted = [_may_vary(c) for c in consts]
    kept, moved = util.partition_list(hoisted, consts)
    out_tree = flat.out_tree

    @util.wraps(fun)
    def converted(*args_and_consts):
        split = len(args_and_consts) - len(moved)
        args, given = args_and_consts[:split], args_and_consts[split:]
        flat_args, tree_now = tree.tree_flatten((tuple(args), {}))
        if tree_now != in_tree:
            args_tree, given_tree = (
                tree.treedef_children(t)[0] for t in (in_tree, tree_now)
            )
            raise TypeError(
                "The inputs to the closure produced by closure_convert must have the same "
                "Pytree structure as the example arguments passed when closure_convert was "
                f"called. Expected {args_tree}, but got {given_tree}"
            )
        values = util.merge_lists(hoisted, kept, given)
        return tree.tree_unflatten(
            out_tree, evaluate.eval_jaxpr(jaxpr, values, *flat_args)
        )

    return converted, moved


def _may_vary(value):
    if not isinstance(value, trace.Tracer):
        return False
    dtype = getattr(value.aval, "dtype", None)
    return dtype is not None and scalars.is_inexact(dtype)


def custom_gradient(
    fun: Callable | None = None,
    *,
    with_logs: bool = False,
    remat: bool = False,
    with_accums: Any = None,
) -> Callable:
    """Defines a function together with its derivative.

    Args:
        fun: returns ``(result, vjp_function)``; the latter takes a cotangent like the
            result and returns one cotangent, or a tuple with one per argument. Left out,
            a decorator comes back.
        with_logs: whether `vjp_function` returns a pair of the cotangents and a
            dictionary of values, as for `custom_vjp.defvjp_with_logs`.
        remat: whether `fun` returns ``(result, again)`` instead, where ``again(*args)``
            returns the pair when the backward pass comes.
        with_accums: must be None.

    Returns:
        A function that returns the result alone.

    Raises:
        NotImplementedError: `with_accums` has another value. Calls raise TypeError where
            `fun` returns no pair.

    Examples:
        >>> @jax.custom_gradient
        ... def f(x):
        ...     return x ** 2, lambda ct: (ct * x,)
        >>> jax.grad(f)(3.0)
        Array(3., dtype=float32, weak_type=True)
    """
    if with_accums is not None:
        raise errors.not_implemented(
            "custom_gradient: derivatives with accumulators are not supported.",
            [("with_accums", repr(with_accums))],
            ways="Use jax.custom_vjp and defvjp_with_accums.",
        )
    if fun is None:
        return ft.partial(custom_gradient, with_logs=with_logs, remat=remat)

    @util.wraps(fun)
    def wrapped(*args, **kwargs):
        out, _ = fun(*args, **kwargs)
        return out

    def forward(*args, **kwargs):
        out, back = fun(*args, **kwargs)
        if remat:
            _, back = back(*args, **kwargs)
        leaves, out_tree = tree.tree_flatten(out)
        avals = [avals_lib.get_aval(x).to_cotangent_aval() for x in leaves]
        flat = calls.FlatFunction(back, tree.tree_structure(((out,), {})), "vjp")
        jaxpr, consts = pe.trace_to_jaxpr(flat, avals, jaxpr_lib.no_debug_info)
        return out, _Residuals(jaxpr, consts, flat.out_tree, out_tree, len(args))

    def backward(residuals, ct):
        cts = tree.tree_leaves(ct)
        outs = evaluate.eval_jaxpr(residuals.jaxpr, residuals.consts, *cts)
        found = tree.tree_unflatten(residuals.back_tree, outs)
        found, *logs = found if with_logs else (found,)
        cts = found if isinstance(found, tuple) else (found,)
        return (cts, *logs) if with_logs else cts

    made = custom_vjp(wrapped)
    define = made.defvjp_with_logs if with_logs else made.defvjp
    define(forward, backward)
    return made


class _Residuals:
    """A backward function that travels as its constants."""

    def __init__(self, jaxpr, consts, back_tree, out_tree, count):
        self.jaxpr = jaxpr
        self.consts = consts
        self.back_tree = back_tree
        self.out_tree = out_tree
        self.count = count


tree.register_pytree_node(
    _Residuals,
    lambda r: (
        tuple(r.consts),
        (util.IdentityKey(r.jaxpr), r.back_tree, r.out_tree, r.count),
    ),
    lambda data, consts: _Residuals(data[0].value, list(consts), *data[1:]),
)
