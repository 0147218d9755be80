"""What functions with rules of their own have in common."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, scalars, util
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    reference_links,
    slots,
    state,
    trace as trace_lib,
    wide_values,
)
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.transforms import calls, literals


class RuledFunction:
    """A function around which rules of its own stand.

    Around another one, whose rules are set through it: ``f.def_vmap`` of a `custom_vjp` of a `custom_vmap`.
    """

    fun: Callable
    __signature__ = util.WrappedSignature()

    def __getattr__(self, name: str) -> Any:
        inside = self.__dict__.get("fun")
        if isinstance(inside, RuledFunction):
            return getattr(inside, name)
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}"
        )

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else tree.Partial(self, instance)


def positional(fun: Callable, args: tuple, kwargs: dict) -> tuple:
    """All arguments by position, defaults filled in.

    Raises:
        TypeError: a keyword-only argument was given, or the call does not fit.
    """
    signature = calls.signature_of(fun)
    if signature is None:
        if kwargs:
            raise TypeError(
                f"{util.function_name(fun)} has no signature: pass its arguments by position."
            )
        return args
    if not kwargs and _has_each(signature, len(args)):
        return args
    bound = signature.bind(*args, **kwargs)
    # What is left out keeps its default in the function, which rules know nothing of.
    named = list(_keyword_only(bound))
    if named:
        raise errors.type_error(
            f"The input arguments to the decorated function {util.function_name(fun)} "
            "could not be resolved to positional-only arguments: the following keyword "
            "arguments could not be resolved to positions: "
            f"{', '.join(named)}.",
            [("function", calls.describe(fun))],
            "Rules get all arguments by position.",
            "Make them positional, or bind them with functools.partial.",
        )
    bound.apply_defaults()
    return bound.args


_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


def _has_each(signature, count):
    """Whether a function has this many parameters, and all of them take a position."""
    parameters = signature.parameters
    return len(parameters) == count and all(
        p.kind in _POSITIONAL for p in parameters.values()
    )


def _keyword_only(bound):
    """The names of arguments that were given and have no position.

    `bound.kwargs` has more: what comes after a parameter that was left out.
    """
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.KEYWORD_ONLY:
            yield name
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from value


def nondiff_numbers(
    fun: Callable, argnums: Sequence[int], argnames: Sequence[str]
) -> tuple[int, ...]:
    """The positions of the arguments that rules see as they are."""
    numbers = list(calls.argnums_tuple(argnums, "nondiff_argnums"))
    if argnames:
        signature = calls.signature_of(fun)
        names = list(signature.parameters) if signature else []
        for name in (argnames,) if isinstance(argnames, str) else argnames:
            if name not in names:
                raise ValueError(
                    f"nondiff_argnames: {name!r} is no parameter of the function."
                )
            numbers.append(names.index(name))
    return tuple(sorted(set(numbers)))


class _Fixed:
    """Arguments in which nobody differentiates, with the traced values taken out.

    A rule may be called when the trace of these values has ended, as that of a branch or
    a loop's body: they are operands then, and the rule gets those that are valid there.
    """

    __slots__ = ("_args", "_leaves", "_traced_indices", "_structure", "traced")

    def __init__(self, args: tuple):
        leaves, self._structure = tree.tree_flatten(args)
        self._traced_indices = [
            i for i, x in enumerate(leaves) if isinstance(x, trace_lib.Tracer)
        ]
        self.traced = [leaves[i] for i in self._traced_indices]
        # What holds no traced value is passed as it is, trees included.
        self._args = () if self._traced_indices else args
        for index in self._traced_indices:
            leaves[index] = None
        self._leaves = leaves if self._traced_indices else []

    @property
    def count(self) -> int:
        """How many traced values were taken out."""
        return len(self._traced_indices)

    def with_values(self, traced: Sequence[Any]) -> tuple:
        """The arguments, with these values where the traced ones were."""
        if not self._traced_indices:
            return self._args
        leaves = list(self._leaves)
        for index, value in zip(self._traced_indices, traced, strict=True):
            leaves[index] = value
        return tree.tree_unflatten(self._structure, leaves)


class SplitCall:
    """A call, its arguments split into differentiable leaves and the others."""

    __slots__ = ("fixed", "fun", "held", "in_tree", "leaves", "numbers", "total")

    def __init__(self, fun: Callable, args: tuple, numbers: Sequence[int], what: str):
        total = len(args)
        for number in numbers:
            if not -total <= number < total:
                raise errors.value_error(
                    f"{what}: nondiff_argnums has {number}, but the call has only "
                    f"{total} arguments.",
                    [("function", calls.describe(fun))],
                )
        self.fun = fun
        self.total = total
        self.numbers = tuple(sorted(n % total for n in numbers))
        self.fixed = _Fixed(tuple(args[n] for n in self.numbers))
        dynamic = tuple(a for i, a in enumerate(args) if i not in self.numbers)
        leaves, self.in_tree = tree.tree_flatten(dynamic)
        # Functions and rules get references as they are.
        self.leaves, self.held = reference_links.hold(leaves, what)
        if not all(map(avals_lib.is_value, self.leaves)):
            names = () if self.numbers else calls.arg_names(fun, args, {})
            calls.check_values(self.leaves, what, names)
        self.leaves = calls.narrowed(self.leaves)

    def take_leaves(self) -> list[Any]:
        """The operands of the call, which are then forgotten.

        They are the traced values of the other arguments, then the differentiable
        leaves. Rules hold this object, and programs hold rules: traced values may not
        stay in it.
        """
        operands = [*self.fixed.traced, *self.leaves]
        self.leaves, self.fixed.traced = [], []
        return operands

    def nondiff(self, operands: Sequence[Any]) -> tuple:
        """The arguments in which nobody differentiates, of a call with these operands."""
        return self.fixed.with_values(operands[: self.fixed.count])

    def arguments(self, operands: Sequence[Any]) -> tuple:
        """The differentiable arguments of a call with these operands."""
        leaves = operands[self.fixed.count :]
        return tree.tree_unflatten(
            self.in_tree, reference_links.put_back(leaves, self.held)
        )

    def without_held(self, entries: Sequence[Any]) -> list[Any]:
        """Returns the entries of the leaves that are no references, given one entry per leaf."""
        indices = {index for index, _ in self.held}
        return [x for i, x in enumerate(entries) if i not in indices]

    def all_arguments(self, operands: Sequence[Any]) -> list[Any]:
        """All arguments of a call with these operands, in their order."""
        fixed, rest = iter(self.nondiff(operands)), iter(self.arguments(operands))
        return [
            next(fixed) if i in self.numbers else next(rest) for i in range(self.total)
        ]

    def run(self, *operands: Any) -> Any:
        """Calls the function with these operands."""
        return self.fun(*self.all_arguments(operands))


_NUMBERS = (int, float, complex)


def for_rule(values: Sequence[Any]) -> list[Any]:
    """Values as a user's rule gets them: it may look at a dtype where a program has a number.

    Numbers become values of the innermost trace that records, if there is one, and numbers
    that know their dtype otherwise.
    """
    values = wide_values.for_users(values)
    trace = state.current()
    while trace is not None and not isinstance(trace, pe.StagingTrace):
        trace = trace.parent
    if trace is None:
        return [literals.typed(x) if type(x) in _NUMBERS else x for x in values]
    return [trace.lift(x) if np.isscalar(x) else x for x in values]


class FlatPrimal:
    """The function of a custom rule from leaves to leaves; knows its tree after a call."""

    __slots__ = ("__name__", "out_tree", "split")

    def __init__(self, split: SplitCall):
        self.split = split
        self.out_tree: Any = None
        self.__name__ = util.function_name(split.fun)

    def __call__(self, *leaves: Any) -> list[Any]:
        outs, self.out_tree = tree.tree_flatten(self.split.run(*leaves))
        for out in outs:
            if not avals_lib.is_value(out):
                raise avals_lib.not_a_value(out, f"result of {self.__name__}")
        reference_links.refuse_results(outs, f"custom primal function {self.__name__}")
        return outs


def as_function(program: Any) -> Callable[..., list[Any]]:
    """A closed program, or a function already, as a function."""
    if isinstance(program, jaxpr_lib.ClosedJaxpr):
        return lambda *args: evaluate.eval_closed(program, *args)
    return program


def stage_call(
    primitive: primitive_lib.Primitive,
    trace: Any,
    tracers: Sequence[trace_lib.Tracer],
    params: dict,
) -> list[Any]:
    """Records a call whose parameter `call_jaxpr` may still be a function.

    Values that the function closes over become the first operands.

    Raises:
        NotImplementedError: the function writes to a reference.
    """
    program, consts, name = params["call_jaxpr"], [], params["name"]
    if not isinstance(program, jaxpr_lib.ClosedJaxpr):
        debug = jaxpr_lib.DebugInfo(
            primitive.name.removesuffix("_call"), name, None, None
        )
        program, consts = trace_reading(program, [t.aval for t in tracers], debug)
    more = {"call_jaxpr": program, "num_consts": params["num_consts"] + len(consts)}
    operands = [trace.lift(c) for c in consts] + list(tracers)
    return trace.add_equation(primitive, operands, {**params, **more})


def trace_reading(
    fun: Callable[..., Sequence[Any]], avals: Sequence[Any], debug: jaxpr_lib.DebugInfo
) -> tuple[jaxpr_lib.ClosedJaxpr, list[Any]]:
    """The program of a function that may read references from outside.

    Returns:
        The program, and the values of its first inputs: arrays of references, and traced
        values that the function closes over.

    Raises:
        NotImplementedError: the function writes to a reference.
    """
    jaxpr, consts, links = pe.trace_with_references(fun, avals, debug)
    if links.written:
        raise errors.not_implemented(
            "A function with a rule of its own writes to a reference.",
            [
                ("function", debug.func_name),
                ("reference", repr(links.written[0].aval)),
            ],
            "It may read references. Its rule for cotangents or for rows may write.",
            "Write before or after the call.",
        )
    closed, consts = pe.split_traced_consts(jaxpr_lib.ClosedJaxpr(jaxpr, consts))
    if links:
        invars = closed.jaxpr.invars
        first = len(invars) - len(links.captured)
        changed = closed.jaxpr.replace(invars=invars[first:] + invars[:first])
        closed = jaxpr_lib.ClosedJaxpr(changed, closed.consts)
    return closed, [*links.operands(), *consts]


def refuse_closed_over(tangents: Sequence[Any], name: str) -> None:
    """Refuses derivatives in values that a function with its own rule closes over.

    Raises:
        NotImplementedError: one of these tangents is not zero.
    """
    if any(type(t) is not ad.Zero for t in tangents):
        raise errors.not_implemented(
            f"{name!r} has a derivative rule of its own and closes over a value in "
            "which it is differentiated.",
            [("function", name)],
            "The rule knows only the derivatives in the arguments.",
            "Pass the value as an argument, or use jax.closure_convert.",
        )


def matched_tangent(tangent: Any, aval: Any) -> Any:
    """A tangent from a user's rule with exactly the type `aval`."""
    given = avals_lib.get_aval(tangent)
    if given.dtype == aval.dtype and (
        given.weak_type == aval.weak_type or isinstance(tangent, scalars.PYTHON_SCALARS)
    ):
        return tangent
    return slots.convert(tangent, aval.dtype, aval.weak_type)


class BatchedResults:
    """Which results of a function with a rule have a batch dimension.

    The function and its rule may run at different times, and both have to agree.
    """

    def __init__(self, axis: batching.Axis):
        self._size = axis.size
        self._is_named = axis.name is not None
        self.found: list[bool] | None = None

    def of_function(self, outs, dims):
        """The function's results, batched unless a named axis may have reduced them."""
        if self.found is None:
            self.found = [not self._is_named or dim is not None for dim in dims]
        return self.placed(outs, dims)

    def of_rule(self, outs, dims, tangent_dims=None):
        """The rule's results, which are batched where the function's are."""
        both = zip(dims, tangent_dims or dims, strict=True)
        of_rule = [dim is not None or other is not None for dim, other in both]
        if self.found is None:
            self.found = of_rule
        elif any(b and not known for b, known in zip(of_rule, self.found, strict=True)):
            raise ValueError(
                "The derivative rule of a function returns results or tangents that differ "
                "along the mapped axis, where the function's do not.\n"
                "A rule reduces along the same named axes as the function."
            )
        return self.placed(outs, dims)

    def placed(self, values, dims):
        """The arrays with their batch dimensions first, where results have them."""
        return [
            batching.move_to(x, dim, 0, self._size) if is_batched else x
            for x, dim, is_batched in zip(values, dims, self.found, strict=True)
        ]

    def dims(self):
        """The batch dimension of each result, or None."""
        return [0 if is_batched else None for is_batched in self.found]
