"""Primitives that call a function, and stand in programs with the program of the function."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.compat import linear_util, lowering
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    state,
    trace as trace_lib,
    vma,
)
from jax._src.interpreters import ad, batching, mlir, partial_eval as pe
from jax._src.jit import primitive as jit_primitive


class CallPrimitive(primitive_lib.Primitive):
    """A primitive whose first operand is a wrapped function, which it calls.

    Where values are known the function runs. A library's trace gets the call as
    `process_call`. In programs the equation has the function's program as `call_jaxpr`, and
    when it is evaluated it is bound with a function again.
    """

    call_primitive = True

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)
        own = {
            "types": lambda *avals, call_jaxpr, **params: call_jaxpr.out_avals,
            "effects": lambda *avals, call_jaxpr, **params: call_jaxpr.effects,
            "manual": vma.AS_TYPES,
            "sharding": primitive_lib.BY_TYPES,
            "rebind": self._bind_again,
            "jvp_all": self._differentiated,
            "batch": self._batched,
            "transpose": self._transposed,
            "partial_eval": self._split,
            "dce": _without_unused,
            "lower": _lowered,
        }
        for kind, rule in own.items():
            self.rules.setdefault(kind, rule)
        self.set_rule("impl", self._evaluated)

    def impl(self, fun: linear_util.WrappedFun, *args: Any, **params: Any) -> Any:
        """Calls the function."""
        with state.evaluating():
            return fun.call_wrapped(*args)

    def def_impl(self, impl: Callable) -> Callable:
        """Sets what calls the function where values are known; programs are bound first."""
        vars(self).update(impl=impl)
        return impl

    def bind(self, fun: linear_util.WrappedFun, *args: Any, **params: Any) -> Any:
        """Calls the function with values, in the current trace."""
        trace = state.current()
        if trace_lib.is_evaluating():
            return self.impl(fun, *args, **params)
        if trace.is_foreign:
            with state.evaluating():
                return trace.process_call(self, fun, list(args), params)
        debug = fun.debug_info
        jaxpr, consts = pe.trace_to_jaxpr(
            fun.call_wrapped, [avals_lib.typeof(x) for x in args], debug
        )
        # Constants are operands: rules of libraries read the program alone.
        closed = jaxpr_lib.ClosedJaxpr(pe.consts_to_inputs(jaxpr), ())
        return super().bind(*consts, *args, call_jaxpr=closed, **params)

    def bind_with_trace(self, trace: Any, args: Sequence[Any], *rest: Any) -> Any:
        """Calls the function that comes first in `args`, in a trace."""
        with state.tracing(trace):
            return self.bind(*args, **rest[-1])

    def _evaluated(self, *operands, **params):
        with state.evaluating():
            return self._bind_again(operands, params)

    def _bind_again(self, operands, params):
        rest = dict(params)
        closed = rest.pop("call_jaxpr")
        return self._call(closed, operands, rest)

    def _call(self, closed, args, params):
        run = evaluate.jaxpr_as_fun(closed)
        fun = linear_util.wrap_init(run, debug_info=closed.debug_info)
        return self.bind(fun, *args, **params)

    def _differentiated(self, primals, tangents, *, call_jaxpr, **params):
        return jit_primitive.jvp_call(
            lambda program, *args: self._call(program, args, params),
            call_jaxpr,
            primals,
            tangents,
        )

    def _batched(self, axis, args, dims, *, call_jaxpr, **params):
        program, out_dims = batching.batch_jaxpr(call_jaxpr, axis, dims)
        return self._call(program, args, params), out_dims

    def _transposed(self, cts, *operands, **params):
        return call_transpose(self, cts, *operands, **params)

    def _split(self, trace, *args, call_jaxpr, **params):
        unknown = [trace.is_unknown(a) for a in args]
        known, late, unknown_out, residuals = pe.partial_eval_jaxpr(call_jaxpr, unknown)
        known_args = [a for a, u in zip(args, unknown, strict=True) if not u]
        outs = trace.known(self._call, known, known_args, params)
        n_early = len(outs) - len(residuals)
        late_args = (*outs[n_early:], *[a for a in args if trace.is_unknown(a)])
        late_outs = iter(
            trace.staging.process(self, late_args, {**params, "call_jaxpr": late})
            if late.jaxpr.outvars
            else ()
        )
        early = iter(outs[:n_early])
        return [next(late_outs) if u else next(early) for u in unknown_out]


def _without_unused(used_outputs, eqn):
    smaller, used_inputs = pe.dce_closed(eqn.params["call_jaxpr"], used_outputs)
    params = {**eqn.params, "call_jaxpr": smaller}
    return pe.dce_call(eqn, params, smaller.effects, used_inputs, used_outputs)


def _lowered(ctx, *operands, call_jaxpr, name="call", **params):
    return mlir.call_closed(ctx, name, call_jaxpr, operands)


call_p = CallPrimitive("call")


def call_transpose(
    primitive: CallPrimitive,
    cts: Sequence[Any],
    *operands: Any,
    call_jaxpr: jaxpr_lib.ClosedJaxpr,
    **params: Any,
) -> list[Any]:
    """The rule ``transpose`` of a primitive that calls a function.

    Args:
        primitive: what calls the program that runs the linear one backwards.
        cts: the cotangents of its results.
        *operands: its operands, undefined where it is linear in them.
        call_jaxpr: its program.
        **params: its further parameters.
    """
    return jit_primitive.transpose_call(
        lambda program, *args: primitive._call(program, args, params),
        call_jaxpr,
        cts,
        operands,
    )


def jvp(
    fun: Callable, *values: Any, has_aux: bool = False, instantiate: Any = True
) -> Any:
    """A function of primals and tangents from a wrapped function of primals.

    Args:
        fun: a wrapped function, or any with `values`.
        *values: primals and tangents; with them, the results and their tangents.
        has_aux: whether the function returns a pair, of results and of what is beside them.
        instantiate: whether zeros of tangents become arrays, for all or for each result.

    Returns:
        The wrapped function; with `has_aux`, and one that returns what was beside the results.
    """
    if values:
        return ad.jvp(fun, *values)
    beside: list[Any] = []

    def run(primals, tangents):
        def results(*args):
            outs = fun.call_wrapped(*args)
            if has_aux:
                outs, aux = outs
                beside[:] = [aux]
            return outs

        outs, slopes = ad.jvp(results, primals, tangents)
        each = (
            [instantiate] * len(outs) if isinstance(instantiate, bool) else instantiate
        )
        made = [
            ad.instantiate_zeros(t) if wanted else t
            for t, wanted in zip(slopes, each, strict=True)
        ]
        return outs, made

    wrapped = linear_util.wrap_init(run, debug_info=fun.debug_info)
    return (wrapped, lambda: beside[0]) if has_aux else wrapped


def call_lowering(
    fn_name: str,
    name: str,
    call_jaxpr: jaxpr_lib.ClosedJaxpr,
    backend: Any,
    ctx: mlir.ModuleContext,
    in_avals: Sequence[Any],
    out_avals: Sequence[Any],
    *args: Any,
) -> list[Any]:
    """Calls a program at the insertion point; arguments as of `lowering.call_lowering`."""
    outs, _ = lowering.call_lowering(
        fn_name,
        call_jaxpr,
        backend,
        ctx,
        in_avals,
        out_avals,
        None,
        *args,
        dim_var_values=(),
        const_lowering=None,
    )
    return outs
