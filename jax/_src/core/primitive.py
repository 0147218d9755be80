"""Primitives: one declaration each, with a table of rules.

See docs/internals/primitives.md for the rules and their signatures.
"""

import enum
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import avals as avals_lib, state, vma


class Trait(enum.Flag):
    """Properties of a primitive from which rules follow."""

    NONE = 0
    # Equal shapes, or rank 0 beside any shape.
    ELEMENTWISE = enum.auto()
    # Linear in all operands together.
    LINEAR = enum.auto()
    # Linear in each operand while the others are constant.
    MULTILINEAR = enum.auto()
    # Integer or Boolean results: no derivative.
    NOT_DIFFERENTIABLE = enum.auto()
    # Communicates with the other instances along a named axis.
    COLLECTIVE = enum.auto()
    # Its transpose is called for symbolic zeros too: cotangents need not be zero there.
    TAKES_SYMBOLIC_ZEROS = enum.auto()

    @property
    def is_linear(self) -> bool:
        """Whether the operation is linear in all operands together."""
        return bool(self & Trait.LINEAR)

    @property
    def is_multilinear(self) -> bool:
        """Whether the operation is linear in each operand while the others are constant."""
        return bool(self & Trait.MULTILINEAR)


@records.record
class Unsupported:
    """A rule that cannot exist, the reason that the user will read, and the error's class."""

    reason: str
    kind: type[Exception] = NotImplementedError


@records.record
class Sample:
    """Operands and parameters with which the laws of a primitive are tested.

    `derivative` means that there is none for them: the error says its reason.
    """

    args: Sequence[Any]
    params: Mapping[str, Any] = types.MappingProxyType({})
    derivative: Unsupported | None = None


# As rule `sharding`: `types` gives the shardings of results, as it does for jaxprs.
BY_TYPES = Unsupported("the types say it")

# The rules and what asks for them.
RULES: dict[str, str] = {
    "types": "every trace",
    "effects": "every trace",
    "manual": "every trace in shard_map",
    "types_and_effects": "every trace",
    "sharding": "tracing over a mesh with Explicit axes",
    "sums": "tracing where parts of sums are operands",
    "impl": "evaluation",
    "stage": "tracing to a program",
    "rebind": "evaluation of programs",
    "inside": "checks of programs",
    "lower": "compilation",
    "lower_platforms": "compilation",
    "decompose": "compilation",
    "low": "lowering of values above arrays",
    "high": "lowering of values above arrays",
    "jvp": "differentiation",
    "jvp_all": "differentiation",
    "transpose": "reverse-mode differentiation",
    "linearize": "linearisation",
    "batch": "vmap",
    "partial_eval": "partial evaluation",
    "dce": "removal of unused equations",
    "expose": "checkpoint with a policy",
    "order": "compilation of ordered effects",
    "by_device": "evaluation of shard_map",
    "fold": "evaluation while tracing",
    "show": "printing",
    "reference": "tests",
    "samples": "tests",
    "ulp": "tests",
    "domain": "tests",
    "exempt": "tests",
}

_declared: dict[str, "Primitive"] = {}


class Primitive:
    """An operation that transformations know; apply it with `bind`.

    Our own primitives are declared with `declare`. Others may build
    ``Primitive("name")`` and add rules with `def_impl`, `def_abstract_eval` and the
    registries of `jax.interpreters`.
    """

    multiple_results = False

    def __init__(self, name: str, multiple_results: bool = False):
        self.name = name
        if multiple_results:
            self.multiple_results = True
        self.traits = Trait.NONE
        self.rules: dict[str, Any] = {}
        # What interpreters derived from the rules and traits; emptied when a rule changes.
        self.resolved: dict[str, Any] = {}
        self.__doc__ = None
        if type(self) is not Primitive:
            self._take_methods()

    def _take_methods(self) -> None:
        """Makes rules of the methods that a subclass, which a library defines, has overridden."""
        kind = type(self)
        if kind.impl is not Primitive.impl:
            self.rules["impl"] = self.impl
        if kind.abstract_eval is not Primitive.abstract_eval:
            self.rules["types_and_effects"] = self.abstract_eval
        is_bound_so = kind.bind_with_trace is not Primitive.bind_with_trace
        if is_bound_so and kind.bind is Primitive.bind:
            self.def_bind_with_trace(self.bind_with_trace)

    def bind(self, *args: Any, **params: Any) -> Any:
        """Applies the primitive in the current trace."""
        trace = state.current()
        if trace.tracks:
            args = vma.join(self, args)
        try:
            return trace.process(self, args, params)
        except TypeError as error:
            self._refuse_operands(args, error)
            raise

    def _refuse_operands(self, args, cause):
        """Raises an error that names the operand which is no value, if that is what `cause` is about."""
        for position, arg in enumerate(args):
            try:
                avals_lib.get_aval(arg)
            except TypeError as error:
                if str(error) == str(cause):
                    raise TypeError(
                        f"Error interpreting argument to {self.name} as a JAX value. The "
                        f"problematic value is of type {type(arg)} and was passed to "
                        f"{self.name} at position {position}.\n{error}"
                    ) from None

    def bind_with_trace(
        self, trace: Any, args: Sequence[Any], avals: Sequence[Any], params: dict, /
    ) -> Any:
        """Applies the primitive in the given trace; `avals` are the types of `args`."""
        with state.tracing(trace):
            return trace.process(self, tuple(args), params)

    def def_bind_with_trace(self, bind_with_trace: Callable) -> Callable:
        """Sets what `bind` does: ``bind_with_trace(trace, args, avals, params)``."""

        def bind(*args, **params):
            avals = [avals_lib.typeof(x) for x in args]
            return bind_with_trace(state.current(), args, avals, params)

        vars(self).update(bind_with_trace=bind_with_trace, bind=bind)
        return bind_with_trace

    def is_high(self, *avals: Any, **params: Any) -> bool:
        """Whether `to_lojax` replaces the primitive by lower ones where operands have types `avals`."""
        rule = self.rules.get("high")
        return rule is not None and rule(*avals, **params)

    def to_lojax(self, *args: Any, **params: Any) -> Any:
        """Evaluates the primitive by lower primitives. Only primitives of `hijax` have this rule."""
        raise NotImplementedError(f"{self.name!r} defines no to_lojax")

    def impl(self, *args: Any, **params: Any) -> Any:
        """Evaluates the primitive outside every trace."""
        with state.evaluating():
            return state.current().process(self, args, params)

    def abstract_eval(self, *avals: Any, **params: Any) -> tuple[Any, Any]:
        """The types of the results (one, or a list) and the effects."""
        return self.infer(avals, params)

    def rule(self, kind: str) -> Any:
        """The rule of that kind, or None."""
        return self.rules.get(kind)

    def set_rule(self, kind: str, rule: Any) -> None:
        """Adds or replaces one rule."""
        if kind not in RULES:
            raise TypeError(_unknown_rule(self.name, kind))
        self.rules[kind] = rule
        self.resolved.clear()

    def require(self, kind: str, transformation: str) -> Any:
        """The rule of that kind.

        Raises:
            NotImplementedError: there is none; `transformation` is named in the message.
        """
        rule = self.rules.get(kind)
        if rule is None or isinstance(rule, Unsupported):
            raise missing_rule(self, kind, transformation)
        return rule

    def def_impl(self, impl: Callable) -> Callable:
        """Sets the function that evaluates the primitive outside every trace, and the attribute `impl`."""
        self.set_rule("impl", impl)
        vars(self).update(impl=impl)
        return impl

    def def_abstract_eval(self, abstract_eval: Callable) -> Callable:
        """Sets the types of the results, given those of the operands."""
        self.set_rule("types", abstract_eval)
        return abstract_eval

    def def_effectful_abstract_eval(
        self, effectful_abstract_eval: Callable
    ) -> Callable:
        """Sets the types of the results and the effects."""
        self.set_rule("types_and_effects", effectful_abstract_eval)
        return effectful_abstract_eval

    def infer(self, avals: Sequence[Any], params: Mapping[str, Any]) -> tuple[Any, Any]:
        """The types of the results (one, or a list) and the effects."""
        types = self.rules.get("types")
        if types is None:
            both = self.require("types_and_effects", "tracing")
            return both(*avals, **params)
        effects = self.rules.get("effects")
        out = types(*avals, **params)
        return out, (effects(*avals, **params) if effects else frozenset())

    def __repr__(self) -> str:
        return self.name


Primitive.__module__ = "jax.extend.core"


_NO_RULE = {
    "jvp": "Differentiation rule for {!r} not implemented",
    "jvp_all": "Differentiation rule for {!r} not implemented",
    "transpose": "Transpose rule (for reverse-mode differentiation) for {!r} not implemented",
    "batch": "Batching rule for {!r} not implemented",
    "types": "Abstract evaluation for {!r} not implemented",
    "lower": "MLIR translation rule for primitive {!r} not found",
}


def missing_rule(
    primitive: Primitive, kind: str, transformation: str
) -> NotImplementedError:
    """Returns the error for a rule that a primitive does not have."""
    rule = primitive.rules.get(kind)
    if isinstance(rule, Unsupported):
        what = (
            f"{transformation} is not possible for {primitive.name!r}: {rule.reason}."
        )
        return errors.not_implemented(
            what, [("primitive", primitive.name), ("rule", kind)]
        )
    return errors.not_implemented(
        _NO_RULE.get(kind, transformation + " for {!r} not implemented").format(
            primitive.name
        ),
        [("primitive", primitive.name), ("missing rule", kind)],
        ways="Write the function with other operations, or give it a rule of its "
        "own with jax.custom_jvp, jax.custom_vjp or jax.custom_batching.",
    )


def _unknown_rule(name, kind):
    near = [k for k in RULES if k[:3] == kind[:3]] or sorted(RULES)
    return errors.explain(
        f"Primitive {name!r} declares {kind!r}, which is no rule.",
        [("primitive", name), ("declared", kind)],
        ways=f"Did you mean {' or '.join(near)}?",
    )


def declare(
    name: str,
    *,
    traits: Trait = Trait.NONE,
    multiple_results: bool = False,
    runs: str | None = None,
) -> Callable[[type], Primitive]:
    """Turns a class whose body is a table of rules into a `Primitive`.

    Args:
        name: the name in printed programs.
        traits: properties from which further rules follow.
        multiple_results: whether results are a list.
        runs: the parameter that holds the program whose results are the primitive's.

    Raises:
        TypeError: an entry of the class is no rule.
    """

    def decorate(body: type) -> Primitive:
        table = {k: v for k, v in vars(body).items() if not k.startswith("_")}
        if runs is not None:
            table = _rules_of_program(runs) | table
        return declare_table(
            name,
            table,
            traits=traits,
            multiple_results=multiple_results,
            doc=body.__doc__,
        )

    return decorate


def _rules_of_program(parameter: str) -> dict[str, Any]:
    """Returns the types of results, and the effects, of the jaxpr in a parameter."""

    def types(*avals, **params):
        return params[parameter].out_avals

    def effects(*avals, **params):
        return params[parameter].effects

    return {
        "types": types,
        "effects": effects,
        "manual": vma.AS_TYPES,
        "sharding": BY_TYPES,
    }


def declare_table(
    name: str,
    table: Mapping[str, Any],
    *,
    traits: Trait = Trait.NONE,
    multiple_results: bool = False,
    doc: str | None = None,
) -> Primitive:
    """Declares a primitive from a mapping of rules; entries that are None are left out."""
    primitive = Primitive(name, multiple_results)
    primitive.traits = traits
    primitive.__doc__ = doc
    for kind, rule in table.items():
        if rule is None:
            continue
        if isinstance(rule, staticmethod):
            rule = rule.__func__
        primitive.set_rule(kind, rule)
    if "jvp" in table and "jvp_all" in table:
        raise TypeError(f"Primitive {name!r} declares both jvp and jvp_all.")
    if "lower" in table and "decompose" in table:
        raise TypeError(f"Primitive {name!r} declares both lower and decompose.")
    if name in _declared:
        raise TypeError(f"Primitive {name!r} is declared twice.")
    _declared[name] = primitive
    return primitive


def declared_primitives() -> dict[str, Primitive]:
    """Returns all primitives that were declared so far, by name."""
    return dict(_declared)


def samples_of(primitive: Primitive) -> Iterator[Sample]:
    """The samples of a primitive, made now."""
    samples = primitive.rules.get("samples")
    if callable(samples):
        samples = samples()
    yield from samples or ()


def wants_out(rule: Callable) -> bool:
    """Whether a rule has a parameter `out`, which receives the result."""
    try:
        parameters = inspect.signature(rule).parameters
    except (TypeError, ValueError):
        return False
    return "out" in parameters
