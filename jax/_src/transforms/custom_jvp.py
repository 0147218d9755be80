"""`custom_jvp`: functions whose derivative the user gives, in forward mode."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, scalars, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals, evaluate, primitive, wide_values
from jax._src.interpreters import ad, batching, mlir
from jax._src.jit import primitive as jit_primitive
from jax._src.transforms import calls, custom_rules


@primitive.declare("custom_jvp_call", multiple_results=True, runs="call_jaxpr")
class custom_jvp_call_p:
    """Calls `call_jaxpr`, a program or a function, whose derivative is `jvp`."""

    def impl(*args, call_jaxpr, **params):
        return custom_rules.as_function(call_jaxpr)(*args)

    def stage(trace, tracers, params):
        return custom_rules.stage_call(custom_jvp_call_p, trace, tracers, params)

    def jvp_all(primals, tangents, *, jvp, num_consts, symbolic_zeros, name, **params):
        custom_rules.refuse_closed_over(tangents[:num_consts], name)
        given = [
            ad.SymbolicZero(t.aval)
            if symbolic_zeros and type(t) is ad.Zero
            else ad.instantiate_zeros(t)
            for t in tangents[num_consts:]
        ]
        outs, out_tangents = jvp(primals[num_consts:], given)
        return outs, [
            ad.Zero(avals.get_aval(o).to_tangent_aval())
            if isinstance(t, ad.SymbolicZero)
            or avals.is_float0(avals.get_aval(o).to_tangent_aval())
            else t
            for o, t in zip(outs, out_tangents, strict=True)
        ]

    def batch(axis, args, dims, *, call_jaxpr, jvp, num_consts, **params):
        fun = custom_rules.as_function(call_jaxpr)
        batched = custom_rules.BatchedResults(axis)

        def batched_jvp(primals, tangents):
            both = _batch_jvp(jvp, axis, dims[num_consts:], primals, tangents)
            outs, out_dims, out_tangents, tangent_dims = both
            outs = batched.of_rule(outs, out_dims, tangent_dims)
            return outs, batched.placed(out_tangents, tangent_dims)

        batched_jvp.__name__ = util.function_name(jvp)

        def batched_fun(*xs):
            outs, out_dims = batching.batch(fun, axis, xs, dims)
            return batched.of_function(outs, out_dims)

        outs = custom_jvp_call_p.bind(
            *args,
            call_jaxpr=batched_fun,
            jvp=batched_jvp,
            num_consts=num_consts,
            **params,
        )
        return outs, batched.dims()

    def transpose(cts, *operands, call_jaxpr, **params):
        return jit_primitive.transpose_call(
            evaluate.eval_closed, call_jaxpr, cts, operands
        )

    def lower(ctx, *operands, call_jaxpr, **params):
        return mlir.inline_closed(
            ctx.module_context, call_jaxpr, operands, ctx.name_stack
        )

    def show(*, name, call_jaxpr, jvp, symbolic_zeros, **params):
        return {
            "name": name,
            "call_jaxpr": call_jaxpr,
            "jvp": util.function_name(jvp),
            "symbolic_zeros": symbolic_zeros,
        }


def _batch_jvp(jvp, axis, dims, primals, tangents):
    """Applies a derivative rule to batch elements; symbolic zeros stay symbolic."""
    live = [not isinstance(t, ad.SymbolicZero) for t in tangents]
    n = len(primals)

    def run(*xs):
        rest = iter(xs[n:])
        inner = [
            next(rest)
            if is_live
            else ad.SymbolicZero(batching.unbatched_aval(t.aval, d))
            for t, d, is_live in zip(tangents, dims, live, strict=True)
        ]
        outs, out_tangents = jvp(xs[:n], inner)
        filled = [
            ad.zeros_like_aval(t.aval) if isinstance(t, ad.SymbolicZero) else t
            for t in out_tangents
        ]
        return [*outs, *filled]

    values = [
        *primals,
        *[t for t, is_live in zip(tangents, live, strict=True) if is_live],
    ]
    dims_in = [*dims, *[d for d, is_live in zip(dims, live, strict=True) if is_live]]
    both, found = batching.batch(run, axis, values, dims_in)
    n = len(both) // 2
    return both[:n], found[:n], both[n:], found[n:]


class _FlatJvp:
    """A user's derivative rule, from leaves to leaves."""

    def __init__(self, rule: Callable, split: custom_rules.SplitCall, name: str):
        self.rule = rule
        self.split = split
        self.name = name
        self.out_tree: Any = None
        self.rule_name = self.__name__ = util.function_name(rule)

    def __call__(self, primals, tangents):
        split = self.split
        given, moved = custom_rules.for_rule(primals), custom_rules.for_rule(tangents)
        with wide_values.as_the_user_has_it():
            result = self.rule(
                *split.nondiff(given), split.arguments(given), split.arguments(moved)
            )
        if not isinstance(result, tuple | list) or len(result) != 2:
            raise errors.type_error(
                f"Custom JVP rule {self.rule_name} for function {self.name} must "
                "produce a pair (list or tuple of length two) representing primal and "
                f"tangent outputs, but got {repr(result)[:80]}.",
                ways="Return (result, tangent).",
            )
        outs, self.out_tree = tree.tree_flatten(result[0])
        out_tangents, tangent_tree = tree.tree_flatten(result[1])
        if tangent_tree != self.out_tree:
            raise errors.type_error(
                f"Custom JVP rule {self.rule_name} for function {self.name} must "
                "produce primal and tangent outputs with equal container (pytree) "
                f"structures, but got {self.out_tree} and {tangent_tree} respectively."
            )
        pairs = zip(outs, out_tangents, strict=True)
        return outs, [self._checked(o, t) for o, t in pairs]

    def _checked(self, out, tangent):
        if isinstance(tangent, ad.SymbolicZero):
            return tangent
        wanted, given = avals.get_aval(out).to_tangent_aval(), avals.get_aval(tangent)
        if avals.is_float0(wanted) or (wanted.is_high and wanted == given):
            return tangent
        gives_way = (
            not (given.is_high or wanted.is_high)
            and (given.weak_type or wide_values.is_narrowed(given, wanted))
            and scalars.is_inexact(given.dtype)
            and (given.dtype.kind != "c" or wanted.dtype.kind == "c")
        )
        if not avals.same_form(given, wanted, gives_way):
            raise errors.type_error(
                "Custom JVP rule must produce primal and tangent outputs with "
                f"corresponding shapes and dtypes. Expected {wanted.str_short()} "
                f"(tangent type of {avals.get_aval(out).str_short()}) but got "
                f"{given.str_short()}.",
                [("rule", calls.describe(self.rule)), ("function", self.name)],
            )
        return custom_rules.matched_tangent(tangent, wanted)


class custom_jvp(custom_rules.RuledFunction):
    """A function with its own derivative rule, for forward and reverse mode.

    Args:
        fun: the function of trees of arrays.
        nondiff_argnums: positions of arguments that are no arrays, or not to be
            differentiated in; rules get them first.
        nondiff_argnames: the same by name.

    Examples:
        >>> @jax.custom_jvp
        ... def f(x):
        ...     return jnp.sin(x)
        >>> @f.defjvp
        ... def f_jvp(primals, tangents):
        ...     (x,), (t,) = primals, tangents
        ...     return f(x), 2 * jnp.cos(x) * t
        >>> jax.grad(f)(0.0)
        Array(2., dtype=float32, weak_type=True)
    """

    # The rule, and whether it gets symbolic zeros; set by `defjvp`.
    jvp: Callable | None = None
    symbolic_zeros = False

    def __init__(
        self,
        fun: Callable,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ):
        calls.check_callable(fun, "custom_jvp")
        util.wraps(fun)(self)
        self.fun = fun
        self.nondiff_argnums = custom_rules.nondiff_numbers(
            fun, nondiff_argnums, nondiff_argnames
        )
        self.jvp: Callable | None = None
        self.symbolic_zeros = False

    def defjvp(self, jvp: Callable, symbolic_zeros: bool = False) -> Callable:
        """Sets the rule.

        Args:
            jvp: ``f(*nondiff, primals, tangents)``, which returns the result and its
                tangent; it must be linear in the tangents.
            symbolic_zeros: whether zero tangents come as `SymbolicZero` objects.
        """
        self.jvp = jvp
        self.symbolic_zeros = symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable | None) -> None:
        """Sets one rule per argument: ``f(tangent, result, *primals)``; None: zero."""
        if self.nondiff_argnums:
            raise TypeError("Can't use ``defjvps`` with ``nondiff_argnums``.")

        def jvp(primals, tangents):
            out = self(*primals)
            terms = [
                rule(t, out, *primals)
                for rule, t in zip(jvps, tangents, strict=True)
                if rule is not None
            ]
            if not terms:
                zero = lambda x: ad.zeros_like_aval(avals.get_aval(x).to_tangent_aval())
                return out, tree.tree_map(zero, out)
            total = terms[0]
            for term in terms[1:]:
                total = tree.tree_map(ad.add_tangents, total, term)
            return out, total

        self.defjvp(jvp)

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = util.function_name(self.fun)
        if self.jvp is None:
            raise AttributeError(
                errors.explain(
                    f"No JVP defined for custom_jvp function {name} using defjvp.",
                    [("function", calls.describe(self.fun))],
                    ways=f"Define it: @{name}.defjvp.",
                )
            )
        full = custom_rules.positional(self.fun, args, kwargs)
        split = custom_rules.SplitCall(
            self.fun, full, self.nondiff_argnums, "custom_jvp"
        )
        flat = custom_rules.FlatPrimal(split)
        rule = _FlatJvp(self.jvp, split, name)
        outs = custom_jvp_call_p.bind(
            *split.take_leaves(),
            call_jaxpr=flat,
            jvp=rule,
            name=name,
            num_consts=0,
            symbolic_zeros=self.symbolic_zeros,
        )
        out_tree = rule.out_tree if flat.out_tree is None else flat.out_tree
        return tree.tree_unflatten(out_tree, outs)


custom_jvp.__module__ = "jax"
