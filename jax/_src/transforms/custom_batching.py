"""Functions whose batching the user gives."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    primitive,
    reference_links,
    wide_values,
)
from jax._src.interpreters import ad, batching, mlir, partial_eval as pe
from jax._src.interpreters.ad import backward_logs
from jax._src.jit import primitive as jit_primitive
from jax._src.transforms import calls, custom_rules


@primitive.declare("custom_vmap_call", multiple_results=True, runs="call")
class custom_vmap_p:
    """Calls the program `call`; `rule` says how batch elements of it are computed."""

    def impl(*args, call, **params):
        return custom_rules.as_function(call)(*args)

    def batch(axis, args, dims, *, call, rule, **params):
        outs, batched = rule(
            axis.size,
            [d is not None for d in dims],
            [
                x if d is None else batching.bdim_at_front(x, d, axis.size)
                for x, d in zip(args, dims, strict=True)
            ],
        )
        return outs, [0 if b else None for b in batched]

    def jvp_all(primals, tangents, *, call, rule, name, primal):
        filled = [ad.instantiate_zeros(t) for t in tangents]
        both = custom_vmap_p.bind(
            *primals,
            *filled,
            call=_jvp_program(call, of_both=True),
            rule=ft.partial(_batch_jvp, rule),
            name=f"jvp_{name}",
            primal=(call, rule, name),
        )
        return both[: len(both) // 2], both[len(both) // 2 :]

    def partial_eval(trace, *args, call, rule, name, primal):
        if primal is None or any(map(trace.is_unknown, args[: len(args) // 2])):
            params = {"call": call, "rule": rule, "name": name, "primal": primal}
            return trace.staging.process(custom_vmap_p, args, params)
        # The results are known where their tangents are not.
        known_call, known_rule, known_name = primal
        known = args[: len(args) // 2]
        outs = trace.known(
            lambda: custom_vmap_p.bind(
                *known, call=known_call, rule=known_rule, name=known_name, primal=None
            )
        )
        params = {
            "call": _jvp_program(known_call, of_both=False),
            "rule": ft.partial(_batch_tangents, known_rule),
            "name": name,
            "primal": None,
        }
        return [*outs, *trace.staging.process(custom_vmap_p, args, params)]

    def transpose(cts, *operands, call, rule, name, primal):
        linear = tuple(ad.is_undefined_primal(x) for x in operands)
        ct_zero = (False,) * len(cts)
        with backward_logs.collect(wanted=False):
            program, found, links, logs = jit_primitive.transpose_jaxpr(
                pe.split_linear(call, linear), linear, ct_zero
            )
        logs.keep(())
        out_zero = [ct is not None for ct in found]
        if links:
            reference_links.refuse_links(links, name)
        tangents = [x.aval for x in operands if ad.is_undefined_primal(x)]
        known = [x for x in operands if not ad.is_undefined_primal(x)]
        outs = iter(
            custom_vmap_p.bind(
                *known,
                *[ad.instantiate_zeros(ct) for ct in cts],
                call=program,
                rule=ft.partial(_batch_transpose, rule, linear, tangents, out_zero),
                name=f"transpose_{name}",
                primal=None,
            )
        )
        zeros = iter(out_zero)
        return [
            None if not is_linear or next(zeros) else next(outs) for is_linear in linear
        ]

    def lower(ctx, *operands, call, name, **params):
        return mlir.call_closed(ctx, name, call, operands)

    def show(*, name, call, **params):
        return {"name": name, "call": call}


def _jvp_program(call, *, of_both):
    """The program from inputs and all their tangents to the tangents of the results.

    With `of_both`, the program returns the results first.
    """

    def make():
        count = len(call.jaxpr.outvars)
        program, _ = jit_primitive.jvp_jaxpr(
            call, (True,) * len(call.jaxpr.invars), True
        )
        if of_both:
            return program

        def run(*args):
            return evaluate.eval_closed(program, *args)[count:]

        return pe.trace_to_closed(run, program.in_avals, call.debug_info)

    return call.derived(("custom_vmap jvp", of_both), make)


def _spread(x, is_batched, size):
    return x if is_batched else batching.bdim_at_front(x, None, size)


def _batch_tangents(rule, size, in_batched, args):
    """The tangents alone of what `_batch_jvp` returns, by the rule of batched arguments.

    This is of reverse mode alone, where a rule may count on arguments that are batched.
    """
    both, found = _batch_jvp(rule, size, in_batched, args, for_each_tangent=False)
    return both[len(both) // 2 :], found[len(found) // 2 :]


def _batch_jvp(rule, size, in_batched, args, for_each_tangent=True):
    """Differentiates the user's rule, in its batched arguments or for each tangent."""
    n = len(args) // 2
    found: list[bool] = []

    def run(*xs):
        outs, batched = rule(size, flags, list(xs))
        found[:] = batched
        return outs

    if for_each_tangent and not any(in_batched[:n]):
        flags = [False] * n
        primals = args[:n]

        def of_tangents(*tangents):
            outs, out_tangents = ad.jvp(run, primals, tangents)
            return [*outs, *map(ad.instantiate_zeros, out_tangents)]

        tangent_dims = [0 if b else None for b in in_batched[n:]]
        axis = batching.Axis(size)
        both, dims = batching.batch(of_tangents, axis, args[n:], tangent_dims)
        if not any(found):
            fronts = [
                x if d is None else batching.bdim_at_front(x, d, size)
                for x, d in zip(both, dims, strict=True)
            ]
            return fronts, [d is not None for d in dims]
    flags = [a or b for a, b in zip(in_batched[:n], in_batched[n:], strict=True)]
    flat = [
        _spread(x, b or not w, size)
        for x, b, w in zip(args, in_batched, [*flags, *flags], strict=True)
    ]
    outs, tangents = ad.jvp(run, flat[:n], flat[n:])
    return [*outs, *map(ad.instantiate_zeros, tangents)], [*found, *found]


def _batch_transpose(rule, linear, avals, out_zero, size, in_batched, args):
    """Batches a transposed program: by the transpose of the rule that computes batch elements."""
    n_known = len(linear) - sum(linear)
    known, known_batched = args[:n_known], in_batched[:n_known]
    cts = [
        _spread(x, b, size)
        for x, b in zip(args[n_known:], in_batched[n_known:], strict=True)
    ]

    def push(*rows):
        pairs = iter(zip(known, known_batched, strict=True))
        tangents = iter(rows)
        mixed = [(next(tangents), True) if lin else next(pairs) for lin in linear]
        outs, batched = rule(size, [b for _, b in mixed], [x for x, _ in mixed])
        return [_spread(o, b, size) for o, b in zip(outs, batched, strict=True)]

    rows = [batching.batched_aval(a, 0, size) for a in avals]
    program = ad.trace_linear(push, rows)
    undefined = [ad.UndefinedPrimal(a) for a in rows]
    found = ad.backward_pass(program.jaxpr, program.consts, undefined, cts)
    kept = [
        ad.instantiate_zeros(ct)
        for ct, zero in zip(found, out_zero, strict=True)
        if not zero
    ]
    return kept, [True] * len(kept)


class custom_vmap(custom_rules.RuledFunction):
    """A function whose behaviour under `vmap` the user gives.

    Args:
        fun: the function of trees of arrays.

    Examples:
        >>> @jax.custom_batching.custom_vmap
        ... def f(x):
        ...     return jnp.sin(x)
        >>> @f.def_vmap
        ... def f_rule(axis_size, in_batched, x):
        ...     return f(x), in_batched[0]
    """

    def __init__(self, fun: Callable):
        calls.check_callable(fun, "custom_vmap")
        util.wraps(fun)(self)
        self.fun = fun
        self.vmap_rule: Callable | None = None
        self._takes_leaves = False

    def def_vmap_of_leaves(self, rule: Callable) -> Callable:
        """Sets a rule that builds no tree of truth values: a class may refuse those.

        Args:
            rule: ``f(in_batched, leaves, in_tree)``, lists and the tree of the arguments;
                returns the results, each batched along axis 0.
        """
        self.vmap_rule, self._takes_leaves = rule, True
        return rule

    def def_vmap(self, vmap_rule: Callable) -> Callable:
        """Sets the rule.

        Args:
            vmap_rule: ``f(axis_size, in_batched, *args)``, the batch elements of batched arguments
                along axis 0; returns the results and a tree like them of truth values:
                whether each result is batched along axis 0.
        """
        self.vmap_rule, self._takes_leaves = vmap_rule, False
        return vmap_rule

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = util.function_name(self.fun)
        if self.vmap_rule is None:
            raise AttributeError(
                errors.explain(
                    f"No batching rule defined for custom_vmap function {name} using "
                    "def_vmap.",
                    [("function", calls.describe(self.fun))],
                    ways=f"Define it: @{name}.def_vmap.",
                )
            )
        args = custom_rules.positional(self.fun, args, kwargs)
        leaves, in_tree = tree.tree_flatten((args, {}))
        calls.check_values(leaves, "custom_vmap")
        # The function and its rule get references as they are.
        leaves, held = reference_links.hold(calls.narrowed(leaves), "custom_vmap")
        flat = calls.FlatFunction(self.fun, in_tree, "custom_vmap", held)
        debug = calls.debug_info("custom_vmap", self.fun, args)
        closed, consts = custom_rules.trace_reading(
            flat, [avals_lib.get_aval(x) for x in leaves], debug
        )
        outs = custom_vmap_p.bind(
            *consts,
            *leaves,
            call=closed,
            rule=_flat_rule(
                self.vmap_rule, flat, len(consts), name, self._takes_leaves
            ),
            name=name,
            primal=None,
        )
        return tree.tree_unflatten(flat.out_tree, outs)


custom_vmap.__module__ = "jax.custom_batching"


def _flat_rule(rule, fun, n_consts, name, takes_leaves):
    in_tree, out_tree, held = fun.in_tree, fun.out_tree, fun.held
    unbatched = [(index, False) for index, _ in held]

    def flat(size, in_batched, leaves):
        if any(in_batched[:n_consts]):
            raise NotImplementedError(
                f"custom_vmap function {name} closes over a batched value.\n"
                "Pass it as an argument."
            )
        leaves = wide_values.for_users(leaves[n_consts:])
        whole = reference_links.put_back(leaves, held)
        flags = reference_links.put_back(in_batched[n_consts:], unbatched)
        if takes_leaves:
            values = tree.tree_leaves(rule(flags, whole, in_tree.children()[0]))
            return values, [True] * len(values)
        args, _ = tree.tree_unflatten(in_tree, whole)
        batched, _ = tree.tree_unflatten(in_tree, flags)
        with wide_values.as_the_user_has_it():
            result = rule(size, list(batched), *args)
        if not isinstance(result, tuple | list) or len(result) != 2:
            raise errors.value_error(
                f"The vmap rule of {name} must return a pair.",
                [("returned", type(result).__name__)],
                "It is the results, and a tree like them of truth values.",
            )
        outs, out_batched = result
        values, found_tree = tree.tree_flatten(outs)
        flags, flag_tree = tree.tree_flatten(out_batched)
        if found_tree != out_tree or flag_tree != out_tree:
            text = (
                "structure of output value and output batching specification returned by "
                f"custom vmap rule ({util.function_name(rule)}) do not match."
                if found_tree != flag_tree
                else "structure of output returned by custom vmap rule "
                f"({util.function_name(rule)}) does not match that of original "
                "custom-vmapped function."
            )
            raise errors.value_error(
                text,
                [
                    ("function", f"{name}: {out_tree}"),
                    ("results", str(found_tree)),
                    ("truth values", str(flag_tree)),
                ],
            )
        return values, flags

    return flat
