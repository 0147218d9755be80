"""Scopes: where symbols belong, and what is known of them."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, source
from jax._src.core.symbols import decisions, expressions, parsing, terms


class SymbolicScope:
    """Where symbols of shapes belong; dimensions of two scopes are not mixed.

    Args:
        constraints_str: what is known of the symbols, such as ``"n >= 2"``,
            ``"n <= 2*m"`` or ``"mod(n, 4) == 0"``. The left side of an equality is one
            product; wherever it appears it becomes the right side.

    Raises:
        ValueError: a constraint has a syntax error, or cannot hold.
    """

    def __init__(self, constraints_str: Sequence[str] = ()):
        if isinstance(constraints_str, str):
            raise _bad_constraint(constraints_str, "it is one string, not a sequence")
        self.location = source.capture(1)
        # Product -> (its coefficient, what stands for it).
        self.rules: dict[terms.Product, tuple[int, terms.Sum]] = {}
        # (sum, whether it is 0 rather than at least 0, text).
        self.constraints: list[tuple[terms.Sum, bool, str]] = []
        self._decider: decisions.Decider | None = None
        for text in constraints_str:
            self._add(text)

    def _add(self, text):
        operator, left, right = _split_constraint(text)
        a, b = (_parse_side(side, self, text) for side in (left, right))
        if operator == "<=":
            a, b = b, a
        difference = expressions.rewritten(a.plus(b, -1), self)
        constant = difference.constant
        is_equality = operator == "=="
        if constant is not None:
            if constant < 0 or (is_equality and constant):
                raise _bad_constraint(text, "it cannot hold: unsatisfiable constraint")
            if not is_equality:
                return
        self.constraints.append((difference, is_equality, text))
        self._decider = None
        if is_equality:
            self._add_rule(a, b, text)

    def _add_rule(self, left, right, text):
        if len(left.items) != 1 or left.constant is not None:
            raise _bad_constraint(
                text, "the left side of an equality must be one product of symbols"
            )
        product, n = left.leading
        if product in self.rules:
            raise errors.not_implemented(
                "A second equality for one product of symbols.",
                [("constraint", text)],
                "Each product has one meaning.",
            )
        sign = 1 if n > 0 else -1
        self.rules[product] = n * sign, terms.Sum((p, k * sign) for p, k in right.items)
        ((factor, exponent), *others) = product
        if factor.name == "mod" and factor.operands and not others and exponent == 1:
            whole, by = factor.operands
            if by.constant is not None and right == terms.number(0):
                quotient = terms.operation("floordiv", whole, by)
                self.rules[((quotient, 1),)] = by.constant, whole

    def dimension(self, text: str) -> Any:
        """The dimension of this scope that a text such as ``"2*n + 1"`` says."""
        (found,) = parsing.shape(text, None, self)
        return found

    def __reduce__(self):
        return type(self), (tuple(text for *_, text in self.constraints),)

    def decider(self) -> decisions.Decider:
        """The bounds of what these symbols make."""
        if self._decider is None:
            self._decider = decisions.Decider(self.constraints)
        return self._decider

    def constraints_text(self) -> str:
        """The constraints, for messages."""
        lines = [f"  {text}" for _, _, text in self.constraints]
        return (
            "\n".join(["\nUsing symbolic scope with constraints:", *lines])
            if lines
            else ""
        )

    def __str__(self) -> str:
        lines = [f"  {text}" for _, _, text in self.constraints]
        rules = "\n".join([" with constraints:", *lines]) if lines else ""
        return f"{id(self)} created at {self.location}{rules}"

    __repr__ = __str__


def _bad_constraint(text: Any, why: str) -> ValueError:
    return errors.value_error(
        f"Constraint parsing error: {why}.",
        [("constraint", repr(text))],
        "A constraint is a text such as 'a >= 2', 'a <= 2*b' or 'mod(a, 4) == 0'.",
    )


def _split_constraint(text):
    if not isinstance(text, str):
        raise _bad_constraint(text, "it is no string")
    for operator in ("==", ">=", "<="):
        left, found, right = text.partition(operator)
        if found:
            return operator, left, right
    raise _bad_constraint(text, "it must contain one of '==' or '>=' or '<='")


def _parse_side(text, scope, constraint):
    return parsing.expression(text, scope, f"symbolic constraint {constraint!r}")
