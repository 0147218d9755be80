"""`custom_vjp`: functions whose derivative the user gives, in reverse mode."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records, scalars, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as avals_lib,
    primitive,
    reference_links,
    slots,
    vma,
    wide_values,
)
from jax._src.interpreters import ad, batching, mlir
from jax._src.interpreters.ad import backward_logs
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import accumulators, calls, custom_rules


@records.record
class CustomVJPPrimal:
    """An argument of a forward rule with symbolic zeros: its value, and whether it varies."""

    value: Any
    perturbed: bool


_tree_map = tree.tree_map


@hides_frames
def custom_vjp_primal_tree_values(tree: Any) -> Any:
    """The values of a tree whose leaves are `CustomVJPPrimal`.

    Raises:
        TypeError: a leaf is something else.
    """

    def value(leaf):
        if not isinstance(leaf, CustomVJPPrimal):
            raise TypeError(f"expected a CustomVJPPrimal, got {type(leaf).__name__}.")
        return leaf.value

    is_primal = lambda x: isinstance(x, CustomVJPPrimal)  # noqa: E731
    return _tree_map(value, tree, is_leaf=is_primal)


@primitive.declare("custom_vjp_call", multiple_results=True, runs="call_jaxpr")
class custom_vjp_call_p:
    """Calls `call_jaxpr`, a program or a function, with the rules `fwd` and `bwd`.

    ``fwd(perturbed, primals)`` returns the results, the residuals, and what `bwd` must
    know of their structure; ``bwd(structure, residuals, cts)`` the cotangents.
    """

    def impl(*args, call_jaxpr, **params):
        return custom_rules.as_function(call_jaxpr)(*args)

    def stage(trace, tracers, params):
        return custom_rules.stage_call(custom_vjp_call_p, trace, tracers, params)

    def jvp_all(
        primals, tangents, *, fwd, bwd, num_consts, name, symbolic_zeros, **params
    ):
        custom_rules.refuse_closed_over(tangents[:num_consts], name)
        primals, tangents = primals[num_consts:], tangents[num_consts:]
        perturbed = tuple(type(t) is not ad.Zero for t in tangents)
        outs, residuals, structure = fwd(perturbed, primals)
        out_avals = tuple(avals_lib.get_aval(o).to_tangent_aval() for o in outs)
        in_avals = tuple(
            t.aval if type(t) is ad.Zero else avals_lib.get_aval(t) for t in tangents
        )
        live = [t for t, p in zip(tangents, perturbed, strict=True) if p]
        out_tangents = custom_lin_p.bind(
            *residuals,
            *live,
            bwd=bwd,
            structure=structure,
            num_res=len(residuals),
            perturbed=perturbed,
            in_avals=in_avals,
            out_avals=out_avals,
            name=name,
            symbolic_zeros=symbolic_zeros,
        )
        return outs, [
            ad.Zero(a) if avals_lib.is_float0(a) else t
            for a, t in zip(out_avals, out_tangents, strict=True)
        ]

    def batch(axis, args, dims, *, call_jaxpr, fwd, bwd, num_consts, **params):
        fun = custom_rules.as_function(call_jaxpr)
        in_dims = dims[num_consts:]
        batched = custom_rules.BatchedResults(axis)

        def batched_fun(*xs):
            return batched.of_function(*batching.batch(fun, axis, xs, dims))

        outs = custom_vjp_call_p.bind(
            *args,
            call_jaxpr=batched_fun,
            fwd=_batched_fwd(fwd, axis, in_dims, batched),
            bwd=_batched_bwd(bwd, axis, in_dims, batched.dims),
            num_consts=num_consts,
            **params,
        )
        return outs, batched.dims()

    def lower(ctx, *operands, call_jaxpr, **params):
        return mlir.inline_closed(
            ctx.module_context, call_jaxpr, operands, ctx.name_stack
        )

    def show(*, name, call_jaxpr, fwd, bwd, symbolic_zeros, **params):
        return {
            "name": name,
            "bwd": util.function_name(bwd),
            "call_jaxpr": call_jaxpr,
            "fwd": util.function_name(fwd),
            "symbolic_zeros": symbolic_zeros,
        }


def _batched_fwd(fwd, axis, dims, results):
    def batched(perturbed, primals):
        found = {}

        def run(*xs):
            outs, residuals, structure = fwd(perturbed, xs)
            found.update(count=len(outs), structure=structure)
            return [*outs, *residuals]

        both, both_dims = batching.batch(run, axis, primals, dims)
        n = found["count"]
        outs = results.of_rule(both[:n], both_dims[:n])
        return outs, both[n:], (found["structure"], tuple(both_dims[n:]))

    batched.__name__ = util.function_name(fwd)
    return batched


def _batched_bwd(bwd, axis, dims, ct_dims):
    def batched(structure, residuals, cts):
        out_dims = ct_dims()
        inner, residual_dims = structure
        live = [not isinstance(ct, ad.SymbolicZero) for ct in cts]

        def run(*xs):
            rest = iter(xs[len(residuals) :])
            given = [
                next(rest)
                if is_live
                else ad.SymbolicZero(batching.unbatched_aval(ct.aval, dim))
                for ct, dim, is_live in zip(cts, out_dims, live, strict=True)
            ]
            out = bwd(inner, xs[: len(residuals)], given)
            found.extend(type(ct) is not ad.Zero for ct in out)
            return [ct for ct in out if type(ct) is not ad.Zero]

        def run_with_logs(*xs):
            with backward_logs.collect() as inner:
                outs = run(*xs)
            logged[:] = [backward_logs.Reported(inner, util.function_name(bwd))]
            return [*outs, *backward_logs.Reported.outputs(inner)]

        found: list[bool] = []
        logged: list[backward_logs.Reported] = []
        values = [
            *residuals,
            *[ct for ct, is_live in zip(cts, live, strict=True) if is_live],
        ]
        of_cts = [dim for dim, is_live in zip(out_dims, live, strict=True) if is_live]
        dims_in = [*residual_dims, *of_cts]
        made, made_dims = batching.batch(run_with_logs, axis, values, dims_in)
        count = sum(found)
        logs = batching.all_at_front(made[count:], made_dims[count:], axis.size)
        logged[0].keep(logs)
        outs = iter(zip(made[:count], made_dims[:count], strict=True))
        return [
            _sum_unbatched(*next(outs), dim, axis) if is_live else ad.Zero(None)
            for dim, is_live in zip(dims, found, strict=True)
        ]

    batched.__name__ = util.function_name(bwd)
    return batched


def _sum_unbatched(ct, dim, target, axis):
    """Returns the cotangent of an input with batch dimension `target`, or None: not batched."""
    if target is not None:
        return batching.move_to(ct, dim, target, axis.size)
    if dim is None:
        # One value for all batch elements; their cotangents add up.
        return slots.sum_axis(slots.broadcast_axis(ct, axis.size, 0), 0)
    return slots.sum_axis(ct, dim)


def _forward_only(name):
    return errors.type_error(
        "can't apply forward-mode autodiff (jvp) to a custom_vjp function.",
        [("function", name)],
        "Its rule is for reverse mode alone.",
        "Use jax.grad, jax.vjp or jax.jacrev, or define the rule with jax.custom_jvp.",
    )


@primitive.declare(
    "custom_lin", traits=primitive.Trait.TAKES_SYMBOLIC_ZEROS, multiple_results=True
)
class custom_lin_p:
    """The derivative of a function with a backward rule, as a linear map of tangents."""

    manual = vma.AS_TYPES

    def types(*avals, out_avals, **params):
        return list(out_avals)

    sharding = primitive.BY_TYPES

    def impl(*args, name, **params):
        raise _forward_only(name)

    def lower(ctx, *operands, name, **params):
        raise mlir.DeferredLoweringError(_forward_only(name))

    def jvp_all(primals, tangents, *, name, **params):
        raise _forward_only(name)

    def transpose(
        cts,
        *operands,
        bwd,
        structure,
        num_res,
        perturbed,
        in_avals,
        symbolic_zeros,
        **params,
    ):
        given = [
            ad.SymbolicZero(ct.aval)
            if symbolic_zeros and type(ct) is ad.Zero
            else ad.instantiate_zeros(ct)
            for ct in cts
        ]
        found = bwd(structure, operands[:num_res], given)
        live = [ct for ct, p in zip(found, perturbed, strict=True) if p]
        return [None] * num_res + live

    def batch(
        axis, args, dims, *, bwd, structure, num_res, perturbed, in_avals, **params
    ):
        tangents = batching.all_at_front(args[num_res:], dims[num_res:], axis.size)
        out_avals = params.pop("out_avals")
        all_first = lambda: [0] * len(out_avals)
        batched = _batched_bwd(bwd, axis, (0,) * len(perturbed), all_first)
        outs = custom_lin_p.bind(
            *args[:num_res],
            *tangents,
            bwd=batched,
            structure=(structure, tuple(dims[:num_res])),
            num_res=num_res,
            perturbed=perturbed,
            in_avals=tuple(batching.batched_aval(a, 0, axis.size) for a in in_avals),
            out_avals=tuple(batching.batched_aval(a, 0, axis.size) for a in out_avals),
            **params,
        )
        return outs, [0] * len(outs)

    def show(*, name, **params):
        return {"name": name}


class _FlatFwd:
    """A user's forward rule, from leaves to results, residuals and their tree."""

    def __init__(
        self, rule: Callable, split: custom_rules.SplitCall, name: str, symbolic: bool
    ):
        self.rule = rule
        self.split = split
        self.name = name
        self.symbolic = symbolic
        self.out_tree: Any = None
        self.__name__ = util.function_name(rule)

    def __call__(self, perturbed, primals):
        primals = custom_rules.for_rule(primals)
        if self.symbolic:
            primals = [
                CustomVJPPrimal(x, p) for x, p in zip(primals, perturbed, strict=True)
            ]
        with wide_values.as_the_user_has_it():
            result = self.rule(*self.split.all_arguments(primals))
        if not isinstance(result, tuple | list) or len(result) != 2:
            raise errors.type_error(
                f"Custom VJP fwd rule {util.function_name(self.rule)} for function "
                f"{self.name} must produce a pair (list or tuple of length two) where "
                "the first element represents the primal output and the second one "
                f"residuals, but it produced {repr(result)[:80]}.",
                [("rule", calls.describe(self.rule))],
                ways="Return (result, residuals).",
            )
        outs, self.out_tree = tree.tree_flatten(result[0])
        residuals, residual_tree = tree.tree_flatten(result[1])
        # References stay what they are until the backward rule gets them.
        held = tuple(
            (i, x) for i, x in enumerate(residuals) if type(x) is reference_links.Ref
        )
        residuals = [x for x in residuals if type(x) is not reference_links.Ref]
        reference_links.refuse_results(outs, f"the forward rule of {self.name}")
        for residual in residuals:
            if not avals_lib.is_value(residual):
                raise avals_lib.not_a_value(residual, f"residual of {self.name}")
        return outs, residuals, (residual_tree, self.out_tree, held, perturbed)


def _is_none(x):
    return x is None


_BWD_RULE = "Custom VJP bwd rule must"
# What a backward rule returns: cotangents, nothing, or a pair of cotangents and logs.
_COTANGENTS, _BY_ACCUMULATORS = "defvjp", "defvjp_with_accums"
_WITH_LOGS = "defvjp_with_logs"


def _as_array(ct):
    """A cotangent as rules of users expect it: the first one is a number of NumPy's."""
    is_number = isinstance(ct, np.ndarray | np.generic) and ct.dtype != scalars.float0
    return device_put_get.put_on_device(ct, dtype=ct.dtype) if is_number else ct


class _FlatBwd:
    """A user's backward rule, from leaves to leaves, checked against the arguments."""

    def __init__(
        self, rule: Callable, split: custom_rules.SplitCall, name: str, answers: str
    ):
        self.rule = rule
        self.split = split
        self.name = name
        # What the rule returns, as the method that set it says.
        self.answers = answers
        self.in_avals = [
            avals_lib.get_aval(x).to_cotangent_aval() for x in split.leaves
        ]
        self.__name__ = util.function_name(rule)

    def __call__(self, structure, residuals, cts):
        residual_tree, out_tree, held, perturbed = structure
        residuals = reference_links.put_back(wide_values.for_users(residuals), held)
        cts = [_as_array(ct) for ct in wide_values.for_users(cts)]
        given = (
            *self.split.nondiff(()),
            tree.tree_unflatten(residual_tree, residuals),
            tree.tree_unflatten(out_tree, cts),
        )
        if self.answers == _BY_ACCUMULATORS:
            return self._accumulated(given, perturbed)
        with wide_values.as_the_user_has_it():
            found = self.rule(*given)
        if self.answers == _WITH_LOGS:
            found = self._without_logs(found)
        children = tree.treedef_children(self.split.in_tree)
        if not isinstance(found, tuple | list) or len(found) != len(children):
            raise self._unlike_arguments(tree.tree_structure(found))
        parts: list[Any] = []
        for child, ct in zip(children, found, strict=True):
            if ct is None:
                parts += [None] * child.num_leaves
            else:
                parts += self._flatten_like(child, ct)
        pairs = zip(self.split.without_held(parts), self.in_avals, strict=True)
        return [self._checked(ct, aval) for ct, aval in pairs]

    def _accumulated(self, given, perturbed):
        """The cotangents that a rule adds to accumulators."""
        accums = [
            (accumulators.ValAccum if p else accumulators.NullAccum)(aval)
            for aval, p in zip(self.in_avals, perturbed, strict=True)
        ]
        # A leaf that is a reference has no cotangent.
        whole = reference_links.put_back(
            accums,
            [(i, accumulators.NullAccum(ref.aval)) for i, ref in self.split.held],
        )
        with wide_values.as_the_user_has_it():
            logs = self.rule(*given, *tree.tree_unflatten(self.split.in_tree, whole))
        backward_logs.record(logs, self.rule, self.name, self.answers)
        pairs = zip(accums, self.in_avals, strict=True)
        return [self._checked(accum.freeze(), aval) for accum, aval in pairs]

    def _without_logs(self, found):
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise errors.type_error(
                f"{_BWD_RULE} return a pair (cotangents, logs): it was registered with "
                f"{self.answers}, but produced {repr(found)[:80]}.",
                [("function", self.name)],
                ways="Return (cotangents, None) where there is nothing to log.",
            )
        backward_logs.record(found[1], self.rule, self.name, self.answers)
        return found[0]

    def _flatten_like(self, child, ct):
        """The cotangent of each leaf: one that stands for a part is that of all below."""
        try:
            parts = child.flatten_up_to(ct)
        except ValueError:
            parts = self._spread(child, ct)
        if parts is None or not tree.all_leaves(parts, _is_none):
            found = tree.tree_structure(ct)
            raise self._unlike_arguments(f"{found} for an argument of {child}")
        return parts

    def _unlike_arguments(self, found):
        return errors.type_error(
            f"{_BWD_RULE} produce an output with the same container (pytree) structure "
            "as the args tuple of the primal function, and in particular must produce "
            "a tuple of length equal to the number of arguments to the primal "
            f"function, but got bwd output structure {found} for primal input "
            f"structure {self.split.in_tree}.",
            [("function", self.name)],
            ways="For an argument without derivative: None.",
        )

    def _spread(self, child, ct):
        try:
            return tree.spread_over("the cotangent", ct, child, _is_none)
        except ValueError:
            return None

    def _checked(self, ct, aval):
        if ct is None or isinstance(ct, ad.SymbolicZero | ad.Zero):
            return ad.Zero(aval)
        if avals_lib.is_float0(aval):
            return ad.Zero(aval)
        given = avals_lib.get_aval(ct)
        if aval.is_high and given == aval:
            return ct
        if aval.is_high or given.is_high or given.shape != aval.shape:
            raise errors.value_error(
                f"{_BWD_RULE} produce an output with the same type as the args tuple of "
                "the primal function, but the bwd rule produced an output of type "
                f"{given.str_short()} corresponding to an input of type "
                f"{aval.str_short()}.",
                [("function", self.name)],
            )
        if vma.of_type(given).varying != vma.of_type(aval).varying:
            raise errors.value_error(
                f"The backward rule of {self.name} must produce cotangents that vary "
                "along the mesh axes along which the arguments do.",
                [("argument", aval.str_short()), ("cotangent", given.str_short())],
                ways="A value that devices share becomes each one's own by "
                'jax.lax.pcast(x, axes, to="varying"); jax.lax.psum makes one of '
                "many.",
            )
        # Weak or not, as the rule has it.
        if given.dtype == aval.dtype:
            return ct
        return custom_rules.matched_tangent(ct, aval)


def _refuse_traced(fun, traced):
    """Refuses traced values where nobody differentiates: the backward rule runs later."""
    if traced:
        raise errors.UnexpectedTracerError(
            errors.explain(
                "Found a JAX Tracer object passed as an argument to a custom_vjp function "
                "in a position indicated by nondiff_argnums as non-differentiable.",
                [
                    ("function", calls.describe(fun)),
                    ("argument", avals_lib.get_aval(traced[0]).str_short()),
                ],
                "nondiff_argnums is for arguments without arrays, such as functions: the "
                "backward rule runs when the trace of such a value may have ended.",
                "Leave it out of nondiff_argnums, and return None as its cotangent.",
            )
        )


class custom_vjp(custom_rules.RuledFunction):
    """A function with its own derivative rule, for reverse mode only.

    Args:
        fun: the function of trees of arrays.
        nondiff_argnums: positions of arguments that are no arrays, or not to be
            differentiated in; the backward rule gets them first.
        nondiff_argnames: the same by name.

    Examples:
        >>> @jax.custom_vjp
        ... def f(x):
        ...     return jnp.sin(x)
        >>> f.defvjp(lambda x: (f(x), jnp.cos(x)), lambda cos_x, ct: (2 * cos_x * ct,))
        >>> jax.grad(f)(0.0)
        Array(2., dtype=float32, weak_type=True)
    """

    def __init__(
        self,
        fun: Callable,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ):
        calls.check_callable(fun, "custom_vjp")
        util.wraps(fun)(self)
        self.fun = fun
        self.nondiff_argnums = custom_rules.nondiff_numbers(
            fun, nondiff_argnums, nondiff_argnames
        )
        self.fwd: Callable | None = None
        self.bwd: Callable | None = None
        self.symbolic_zeros = False
        self.optimize_remat = False
        self.generic_batching = False
        self._answers = _COTANGENTS

    def defvjp(
        self,
        fwd: Callable,
        bwd: Callable,
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
        generic_batching: bool = False,
    ) -> None:
        """Sets the rules.

        Args:
            fwd: takes the arguments; returns the result and residuals for `bwd`.
            bwd: ``f(*nondiff, residuals, cotangent)``; returns a tuple of cotangents, one
                per differentiable argument. None stands for zero.
            symbolic_zeros: whether `fwd` gets `CustomVJPPrimal` objects and `bwd` may get
                `SymbolicZero` objects.
            optimize_remat: accepted; the forward rule is always used under remat.
            generic_batching: accepted; `vmap` batches the rules as functions anyway.
        """
        self.fwd = fwd
        self.bwd = bwd
        self.symbolic_zeros = symbolic_zeros
        self.optimize_remat = optimize_remat
        self.generic_batching = generic_batching
        self._answers = _COTANGENTS

    def defvjp_with_logs(
        self,
        fwd: Callable,
        bwd: Callable,
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
        generic_batching: bool = False,
    ) -> None:
        """Sets rules as `defvjp` does, of which `bwd` reports values beside cotangents.

        ``f_vjp.with_logs(ct)`` of the function that `jax.vjp` returns has them; other calls
        drop them.

        Args:
            fwd: as for `defvjp`.
            bwd: returns ``(cotangents, logs)``; `logs` is a dictionary of trees, whose keys
                are used once in a backward pass, or None.
            symbolic_zeros: as for `defvjp`.
            optimize_remat: as for `defvjp`.
            generic_batching: as for `defvjp`.

        Examples:
            >>> @jax.custom_vjp
            ... def f(x):
            ...     return 2 * x
            >>> f.defvjp_with_logs(
            ...     lambda x: (f(x), None), lambda _, ct: ((2 * ct,), {"cotangent": ct})
            ... )
            >>> jax.vjp(f, 1.0)[1].with_logs(3.0)[1]
            {'cotangent': 3.0}
        """
        self.defvjp(fwd, bwd, symbolic_zeros, optimize_remat, generic_batching)
        self._answers = _WITH_LOGS

    def defvjp_with_accums(
        self,
        fwd: Callable,
        bwd: Callable,
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
        generic_batching: bool = False,
    ) -> None:
        """Sets rules as `defvjp` does, of which `bwd` adds cotangents to accumulators.

        Args:
            fwd: as for `defvjp`.
            bwd: ``f(*nondiff, residuals, cotangent, *accums)``; the last are trees like the
                differentiable arguments, whose leaves have ``accum(ct)``. It returns None,
                or a dictionary of values as for `defvjp_with_logs`.
            symbolic_zeros: as for `defvjp`.
            optimize_remat: as for `defvjp`.
            generic_batching: as for `defvjp`.

        Examples:
            >>> @jax.custom_vjp
            ... def f(x):
            ...     return x * x
            >>> def bwd(x, ct, to_x):
            ...     to_x.accum(ct * x)
            ...     to_x.accum(ct * x)
            >>> f.defvjp_with_accums(lambda x: (f(x), x), bwd)
            >>> jax.grad(f)(3.0)
            Array(6., dtype=float32, weak_type=True)
        """
        self.defvjp(fwd, bwd, symbolic_zeros, optimize_remat, generic_batching)
        self._answers = _BY_ACCUMULATORS

    def defremat(
        self,
        fwd: Callable,
        rem: Callable,
        bwd: Callable,
        generic_batching: bool = False,
    ) -> None:
        """Sets rules in three steps: residuals, those of the backward rule, cotangents.

        Without rules of `defvjp`, `rem` follows `fwd` at once, and under `jax.checkpoint`
        both run again in the backward pass. The result is that of `fwd`.

        Args:
            fwd: takes the arguments; returns the result and residuals for `rem`.
            rem: ``f(residuals, *args)``; returns a result that is left, and residuals for `bwd`.
            bwd: as for `defvjp`.
            generic_batching: as for `defvjp`.
        """
        self._define_remat(fwd, rem, bwd, generic_batching, _COTANGENTS)

    def defremat_with_logs(
        self,
        fwd: Callable,
        rem: Callable,
        bwd: Callable,
        generic_batching: bool = False,
    ) -> None:
        """Sets rules as `defremat` does, of which `bwd` reports values beside cotangents.

        Args:
            fwd: as for `defremat`.
            rem: as for `defremat`.
            bwd: as for `defvjp_with_logs`.
            generic_batching: as for `defvjp`.
        """
        self._define_remat(fwd, rem, bwd, generic_batching, _WITH_LOGS)

    def _define_remat(self, fwd, rem, bwd, generic_batching, answers):
        if self.fwd is not None and not hasattr(self.fwd, "_of_remat"):
            return  # What `defvjp` set is the derivative.

        @util.wraps(fwd)
        def both(*args):
            result, residuals = fwd(*args)
            return result, rem(residuals, *args)[1]

        both._of_remat = True  # type: ignore[attr-defined]
        self.defvjp(both, bwd, generic_batching=generic_batching)
        self._answers = answers

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = util.function_name(self.fun)
        if self.fwd is None or self.bwd is None:
            raise AttributeError(
                errors.explain(
                    f"No VJP defined for custom_vjp function {name} using defvjp.",
                    [("function", calls.describe(self.fun))],
                    ways=f"Define it: {name}.defvjp(fwd, bwd).",
                )
            )
        full = custom_rules.positional(self.fun, args, kwargs)
        split = custom_rules.SplitCall(
            self.fun, full, self.nondiff_argnums, "custom_vjp"
        )
        _refuse_traced(self.fun, split.fixed.traced)
        flat = custom_rules.FlatPrimal(split)
        forward = _FlatFwd(self.fwd, split, name, self.symbolic_zeros)
        backward = _FlatBwd(self.bwd, split, name, self._answers)
        outs = custom_vjp_call_p.bind(
            *split.take_leaves(),
            call_jaxpr=flat,
            fwd=forward,
            bwd=backward,
            name=name,
            num_consts=0,
            symbolic_zeros=self.symbolic_zeros,
        )
        out_tree = forward.out_tree if flat.out_tree is None else flat.out_tree
        return tree.tree_unflatten(out_tree, outs)


custom_vjp.__module__ = "jax"
