"""What symbols are, from the sizes of arguments; and what must be so besides."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core.symbols import expressions, terms
from jax._src.lax.ops import sizes


@dataclasses.dataclass(frozen=True, slots=True)
class Equation:
    """The size of one dimension of an argument, as its type has it."""

    argument: int
    axis: int
    dimension: str  # such as args[0].shape[1]
    size: Any  # a symbolic dimension

    @property
    def text(self) -> str:
        return str(self.size)


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A symbol is ``(size - rest) // times`` of an equation."""

    name: str
    equation: Equation
    times: int
    rest: terms.Sum


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """How to find all symbols, and the equations that are left to be checked."""

    equations: tuple[Equation, ...]
    steps: tuple[Step, ...]
    checks: tuple[Equation, ...]
    constraints: tuple[tuple[terms.Sum, bool, str], ...]
    specification: str


def plan(avals: Sequence[Any], names: Sequence[str]) -> Plan:
    """How calls find the symbols of some types.

    Args:
        avals: the types of arguments.
        names: what messages call the arguments, such as ``args[0]``.

    Raises:
        ValueError: a symbol does not follow from the sizes.
        UnexpectedDimVar: a constraint is on a symbol that no size has.
    """
    equations = [
        Equation(i, axis, f"{name}.shape[{axis}]", size)
        for i, (aval, name) in enumerate(zip(avals, names, strict=True))
        for axis, size in enumerate(aval.shape)
        if expressions.is_dimension(size)
    ]
    specification = ", ".join(
        f"{name}.shape = ({', '.join(map(str, aval.shape))}{',' * (aval.ndim == 1)})"
        for aval, name in zip(avals, names, strict=True)
        if not expressions.is_static(aval.shape)
    )
    wanted = set().union(*(e.size.sum.symbols() for e in equations))
    steps: list[Step] = []
    checks, left = [], list(equations)
    found: set[str] = set()
    while left:
        later = []
        for equation in left:
            step = _step(equation, found)
            if step is None:
                later.append(equation)
            elif isinstance(step, Step):
                steps.append(step)
                found.add(step.name)
            else:
                checks.append(equation)
        if len(later) == len(left):
            break
        left = later
    if left:
        raise _unsolved(wanted - found, specification)
    constraints = _constraints_on(found, equations, specification)
    return Plan(
        tuple(equations), tuple(steps), tuple(checks), constraints, specification
    )


def _step(equation, found):
    """A step, True for an equation without unknowns, None where there are too many."""
    items = equation.size.sum.items
    unknown = [
        (product, k)
        for product, k in items
        if terms.Sum([(product, 1)]).symbols() - found
    ]
    if not unknown:
        return True
    if len(unknown) > 1:
        return None
    ((product, k),) = unknown
    if len(product) != 1 or product[0][1] != 1 or product[0][0].operands:
        return None
    rest = equation.size.sum.plus(terms.Sum([(product, k)]), -1)
    return Step(product[0][0].name, equation, k, rest)


def _constraints_on(found, equations, specification):
    """The constraints to check, all on symbols that sizes have.

    Left out are equalities that say what stands for a symbol in all sizes.
    """
    if not equations:
        return ()
    scope, kept = equations[0].size.scope, []
    for constraint in scope.constraints:
        expression, is_equality, text = constraint
        unknown = sorted(expression.symbols() - found)
        if not unknown:
            kept.append(constraint)
        elif not is_equality or expressions.rewritten(expression, scope).constant != 0:
            raise sizes.UnexpectedDimVar(
                errors.explain(
                    f"Encountered dimension variable '{unknown[0]}', which is not among "
                    "the sizes of the arguments.",
                    [("constraint", text), ("specifications", specification)],
                    "What a constraint is about is checked where the program is called.",
                    "Leave out the constraint, or make the shapes in another scope.",
                )
            )
    return tuple(kept)


def _unsolved(names, specification):
    return errors.value_error(
        f"Cannot solve for values of dimension variables {set(sorted(names))}. We can "
        "only solve linear uni-variate constraints.",
        [("specifications", specification)],
        "Each symbol must follow from one size such as 'a' or '2*a + 1'.",
        "Add an argument with the symbol alone as a size.",
    )


INTRODUCTION = "Input shapes do not match the polymorphic shapes specification. "


class Mismatch(ValueError):
    """Sizes of arguments do not fit the symbols of a program."""


def solve(plan: Plan, shapes: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The values of all symbols for certain shapes, checked.

    Args:
        plan: how to find them.
        shapes: the shapes of the arguments, of numbers or of other symbols.

    Raises:
        Mismatch: the shapes do not fit.
    """
    values: dict[str, Any] = {}
    known: list[str] = []

    def fail(what):
        details = ", ".join(known)
        raise Mismatch(
            f"{INTRODUCTION}{what} Using the following polymorphic shapes "
            f"specifications: {plan.specification}. Obtained dimension variables: "
            f"{details}. The shapes of a call must have one solution for the symbols."
        )

    for step in plan.steps:
        size = shapes[step.equation.argument][step.equation.axis]
        rest = _value(step.rest, values)
        value, left = divmod(size - rest, step.times)
        if not _certain(lambda left=left: left == 0):
            fail(
                f"Division had remainder {left} when computing the value of '{step.name}'."
            )
        known.append(
            f"'{step.name}' = {value} from specification '{step.equation.text}' for "
            f"dimension {step.equation.dimension} (= {size})"
        )
        if not _certain(lambda value=value: value >= 1):
            fail(
                f"Expected value >= 1 for dimension variable '{step.name}', "
                f"but found {value}."
            )
        values[step.name] = value
    for check in plan.checks:
        size = shapes[check.argument][check.axis]
        value = _value(check.size.sum, values)
        if not _certain(lambda value=value, size=size: value == size):
            fail(
                f"Found inconsistency between dimension size {check.dimension} (= {size}) "
                f"and the specification '{check.text}' (= {value})."
            )
    for expression, is_equality, text in plan.constraints:
        value = _value(expression, values)
        holds = (lambda v=value: v == 0) if is_equality else (lambda v=value: v >= 0)
        if not _certain(holds):
            relation = "equal" if is_equality else "be greater or equal"
            raise Mismatch(
                f"Input shapes do not match the symbolic shape constraint {text}. Expected "
                f"'{expression}' to {relation} to 0, but found {value}."
            )
    return values


def _value(expression, values):
    return terms.evaluate(expression, values.__getitem__, expressions.apply)


def _certain(condition):
    try:
        return condition()
    except errors.InconclusiveDimensionOperation:
        return False
