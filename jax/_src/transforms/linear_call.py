"""Linear functions whose transpose the user gives."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals as avals_lib, evaluate, primitive
from jax._src.interpreters import ad, batching, mlir, partial_eval as pe
from jax._src.transforms import calls


@primitive.declare("linear_call", multiple_results=True, runs="call")
class linear_call_p:
    """Computes `call` of residuals and linear operands; `transposed` is its transpose."""

    def impl(*args, call, **params):
        return evaluate.eval_closed(call, *args)

    def lower(ctx, *operands, call, **params):
        return mlir.call_closed(ctx, "linear_call", call, operands)

    def jvp_all(primals, tangents, *, n_residuals, **params):
        if any(type(t) is not ad.Zero for t in tangents[:n_residuals]):
            raise errors.not_implemented(
                "linear_call was differentiated in its residual arguments.",
                [("linear in", "linear_args only")],
                ways="Differentiate in linear_args, or use jax.custom_jvp.",
            )
        linear = [ad.instantiate_zeros(t) for t in tangents[n_residuals:]]
        bind = linear_call_p.bind
        outs = bind(*primals, n_residuals=n_residuals, **params)
        moved = bind(*primals[:n_residuals], *linear, n_residuals=n_residuals, **params)
        return outs, moved

    def transpose(cts, *operands, call, transposed, n_residuals):
        residuals = operands[:n_residuals]
        filled = [ad.instantiate_zeros(ct) for ct in cts]
        outs = linear_call_p.bind(
            *residuals,
            *filled,
            call=transposed,
            transposed=call,
            n_residuals=n_residuals,
        )
        return [None] * n_residuals + list(outs)

    def batch(axis, args, dims, *, call, transposed, n_residuals):
        # Every linear operand and every result is batched, so that the transpose fits.
        residual_dims = tuple(dims[:n_residuals])
        linear, linear_dims = args[n_residuals:], dims[n_residuals:]
        spread = batching.all_at_front(linear, linear_dims, axis.size)
        forward = _batched(call, axis, residual_dims)
        backward = _batched(transposed, axis, residual_dims)
        outs = linear_call_p.bind(
            *args[:n_residuals],
            *spread,
            call=forward,
            transposed=backward,
            n_residuals=n_residuals,
        )
        return outs, [0] * len(outs)


def _batched(program, axis, residual_dims):
    """The batched program, with batch dimension 0 of linear operands and results."""
    n_linear = len(program.in_avals) - len(residual_dims)
    dims = (*residual_dims, *[0] * n_linear)
    rows, out_dims = batching.batch_jaxpr(program, axis, dims)

    def run(*xs):
        outs = evaluate.eval_closed(rows, *xs)
        return batching.all_at_front(outs, out_dims, axis.size)

    return pe.trace_to_closed(run, rows.in_avals)


def _program(fun, what, residual_leaves, residual_tree, avals, in_tree):
    def flat(*xs):
        n = len(residual_leaves)
        out = fun(
            tree.tree_unflatten(residual_tree, xs[:n]),
            tree.tree_unflatten(in_tree, xs[n:]),
        )
        outs, flat.out_tree = tree.tree_flatten(out)
        return outs

    types = [avals_lib.get_aval(x) for x in residual_leaves]
    debug = calls.debug_info("linear_call", fun)
    closed = pe.trace_to_closed(flat, [*types, *avals], debug)
    closed, captured = pe.split_traced_consts(closed)
    if captured:
        raise errors.not_implemented(
            f"linear_call: {what} closes over a traced value.",
            [("value", captured[0].aval.str_short())],
            ways="Pass the value in residual_args.",
        )
    return closed, flat.out_tree


@api_boundary
def linear_call(
    fun: Callable, fun_transpose: Callable, residual_args: Any, linear_args: Any
) -> Any:
    """Calls a linear function whose transpose is given.

    Args:
        fun: ``fun(residual_args, linear_args)``, linear in its second argument.
        fun_transpose: ``fun_transpose(residual_args, cotangents)``, from a tree like the
            result of `fun` to one like `linear_args`.
        residual_args: a tree of arrays, in which the result is not differentiated.
        linear_args: a tree of arrays.

    Returns:
        The result of `fun`. Its transpose, under `jax.linear_transpose` and in reverse-mode
        differentiation, is `fun_transpose`.

    Raises:
        TypeError: `fun_transpose` returns another structure, or other types, than
            `linear_args`.

    Examples:
        >>> f = lambda c, x: jax.custom_derivatives.linear_call(
        ...     lambda c, x: x / c, lambda c, ct: ct / c, c, x)
        >>> jax.grad(f, 1)(4.0, 3.0)
        Array(0.25, dtype=float32, weak_type=True)
    """
    calls.check_callable(fun, "linear_call")
    calls.check_callable(fun_transpose, "linear_call")
    residuals, residual_tree = tree.tree_flatten(residual_args)
    linear, in_tree = tree.tree_flatten(linear_args)
    calls.check_values([*residuals, *linear], "linear_call")
    avals = [avals_lib.get_aval(x) for x in linear]
    call, out_tree = _program(fun, "fun", residuals, residual_tree, avals, in_tree)
    transposed, found_tree = _program(
        fun_transpose,
        "fun_transpose",
        residuals,
        residual_tree,
        call.out_avals,
        out_tree,
    )
    wanted = [(a.shape, a.dtype) for a in avals]
    found = [(a.shape, a.dtype) for a in transposed.out_avals]
    if found_tree != in_tree or found != wanted:
        raise errors.type_error(
            "linear_call: fun_transpose returns something else than linear_args.",
            [
                ("linear_args", f"{in_tree}, {wanted}"),
                ("fun_transpose", f"{found_tree}, {found}"),
            ],
        )
    outs = linear_call_p.bind(
        *residuals,
        *linear,
        call=call,
        transposed=transposed,
        n_residuals=len(residuals),
    )
    return tree.tree_unflatten(out_tree, outs)
