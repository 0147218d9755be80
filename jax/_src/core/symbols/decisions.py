"""What is certain of sums of symbols: their bounds, from constraints.

The greatest product of a sum is eliminated with each thing that is known of it, and what
remains is bounded likewise. Exact in no sense but one: a bound that is given holds.
"""

import math
from collections.abc import Iterable
from typing import Any

from jax._src.core.symbols import terms

Sum = terms.Sum
Bound = Any  # a whole number, or an infinity


class Unsatisfiable(ValueError):
    """No sizes obey all constraints."""


class UndecidedDivision(Exception):
    """A divisor may be 0."""


class Constraint:
    """``expression >= 0``, or ``== 0``."""

    __slots__ = ("expression", "is_equality")

    def __init__(self, expression: Sum, is_equality: bool):
        divisor = math.gcd(*(n for p, n in expression.items if p != terms.ONE))
        if divisor > 1 and not is_equality:
            expression = Sum((p, n // divisor) for p, n in expression.items)
        self.expression = expression
        self.is_equality = is_equality


class Decider:
    """Bounds of sums under some constraints."""

    def __init__(self, constraints: Iterable[tuple[Sum, bool, str]]):
        self._limits: dict[terms.Product, tuple[Bound, Bound]] = {}
        self._by_product: dict[terms.Product, list[Constraint]] = {}
        self._all: list[Constraint] = []
        self._seen: set = set()
        self._prepared: set[terms.Product] = set()
        self._known: dict[Sum, tuple[Bound, Bound]] = {}
        for expression, is_equality, text in constraints:
            self._prepare(expression)
            try:
                self._add(expression, is_equality)
            except Unsatisfiable:
                raise Unsatisfiable(f"Unsatisfiable constraint: {text}") from None

    def bounds(self, expression: Sum) -> tuple[Bound, Bound]:
        """The least and the greatest that a sum can be; infinite where not known.

        Raises:
            UndecidedDivision: it divides by what may be 0.
            Unsatisfiable: the constraints contradict each other.
        """
        found = self._known.get(expression)
        if found is None:
            self._prepare(expression)
            found = self._known[expression] = self._bounds(expression, 8)
        return found

    def _bounds(self, expression, depth):
        constant = expression.constant
        if constant is not None:
            return constant, constant
        product, k = expression.leading
        rest = expression.plus(Sum([(product, k)]), -1)
        low, high = _scaled(self._limits.get(product, (-math.inf, math.inf)), k)
        if (low, high) != (-math.inf, math.inf):
            rest_low, rest_high = self._bounds(rest, depth)
            low, high = low + rest_low, high + rest_high
        if depth == 0:
            return low, high
        for constraint in self._by_product.get(product, ()):
            if low == high:
                break
            more = self._eliminated(expression, k, constraint, depth)
            low, high = max(low, more[0]), min(high, more[1])
        for options in _choices(product):
            parts = [
                self._bounds(rest.plus(option, k), depth - 1) for option in options
            ]
            low = max(low, min(p[0] for p in parts))
            high = min(high, max(p[1] for p in parts))
        return low, high

    def _eliminated(self, expression, k, constraint, depth):
        """Bounds of what is left without the leading product, which a constraint has."""
        n = constraint.expression.leading[1]
        times = k if n > 0 else -k
        left = Sum((p, m * abs(n)) for p, m in expression.items)
        left = left.plus(constraint.expression, -times)
        low, high = self._bounds(left, depth - 1)
        low = low if math.isinf(low) else -(-low // abs(n))
        high = high if math.isinf(high) else high // abs(n)
        if not constraint.is_equality:
            low, high = (low, math.inf) if times > 0 else (-math.inf, high)
        return low, high

    def _add(self, expression, is_equality, combine=True):
        constraint = Constraint(expression, is_equality)
        expression = constraint.expression
        key = expression, is_equality
        if key in self._seen:
            return
        self._seen.add(key)
        constant = expression.constant
        if constant is not None:
            if constant < 0 or (is_equality and constant):
                raise Unsatisfiable("Unsatisfiable constraint")
            return
        self._known.clear()
        combined = self._combinations(constraint) if combine else ()
        self._all.append(constraint)
        if not self._limit(constraint):
            product = expression.leading[0]
            self._by_product.setdefault(product, []).append(constraint)
        for other in combined:
            self._add(other.expression, other.is_equality, combine=False)

    def _limit(self, constraint):
        """Whether it is a bound of one product, which is then noted."""
        items = constraint.expression.items
        if len([p for p, _ in items if p != terms.ONE]) > 1:
            return False
        product, n = items[0]
        rest = sum(m for p, m in items if p == terms.ONE)
        low, high = self._limits.get(product, (-math.inf, math.inf))
        if n > 0 or constraint.is_equality:
            low = max(low, -(rest // n))
        if n < 0 or constraint.is_equality:
            high = min(high, rest // -n)
        self._limits[product] = low, high
        if low > high:
            raise Unsatisfiable("Unsatisfiable constraint")
        return True

    def _combinations(self, constraint):
        made = []
        own = dict(constraint.expression.items)
        for other in self._all:
            for product, m in other.expression.items:
                n = own.get(product, 0)
                if product == terms.ONE or n == 0:
                    continue
                times_own, times_other = abs(m), abs(n)
                if n * m > 0:
                    if constraint.is_equality:
                        times_own = -times_own
                    elif other.is_equality:
                        times_other = -times_other
                    else:
                        continue
                scaled = Sum((p, k * times_own) for p, k in own.items())
                both = constraint.is_equality and other.is_equality
                made.append(
                    Constraint(scaled.plus(other.expression, times_other), both)
                )
        return made

    def _prepare(self, expression):
        """Notes what holds of each product of a sum by itself."""
        for product, _ in expression.items:
            if product in self._prepared:
                continue
            self._prepared.add(product)
            if len(product) == 1 and product[0][1] == 1:
                self._prepare_factor(product[0][0])
                continue
            limits = (1, 1)
            for factor, exponent in product:
                own = terms.of_factor(factor)
                self._prepare(own)
                for _ in range(exponent):
                    limits = _times(limits, self._bounds(own, 8))
            self._note(Sum([(product, 1)]), limits)

    def _note(self, expression, limits):
        low, high = limits
        if not math.isinf(low):
            self._add(expression.plus(terms.number(low), -1), False)
        if not math.isinf(high):
            self._add(terms.number(high).plus(expression, -1), False)

    def _prepare_factor(self, factor):
        own = terms.of_factor(factor)
        if not factor.operands:
            self._note(own, (1, math.inf))
            return
        x, y = factor.operands
        self._prepare(x)
        self._prepare(y)
        of_x, of_y = self._bounds(x, 8), self._bounds(y, 8)
        if factor.name in ("max", "min"):
            best = max if factor.name == "max" else min
            self._note(own, (best(of_x[0], of_y[0]), best(of_x[1], of_y[1])))
            sign = 1 if factor.name == "max" else -1
            for operand in factor.operands:
                self._add(_signed(own.plus(operand, -1), sign), False)
            return
        if of_y[0] <= 0 <= of_y[1]:
            raise UndecidedDivision(str(factor))
        if factor.name == "mod":
            sign = 1 if of_y[0] > 0 else -1
            self._add(_signed(own, sign), False)
            self._add(_signed(y.plus(own, -1), sign).plus(terms.number(-1)), False)
            return
        self._note(own, _quotients(of_x, of_y))
        rest = terms.of_factor(terms.operation("mod", x, y))
        self._prepare(rest)
        self._add(y.multiplied(own).plus(rest).plus(x, -1), True)


def _signed(expression, sign):
    return Sum((p, n * sign) for p, n in expression.items)


def _choices(product):
    """The operands of a greatest or least, one of which it is."""
    if (
        len(product) == 1
        and product[0][1] == 1
        and product[0][0].name in ("max", "min")
    ):
        operands = product[0][0].operands
        if operands:
            yield operands


def _product_of_bounds(a, b):
    return 0 if a == 0 or b == 0 else a * b


def _times(a, b):
    found = [_product_of_bounds(x, y) for x in a for y in b]
    return min(found), max(found)


def _scaled(limits, k):
    return _times(limits, (k, k))


def _quotient(a, b):
    if math.isinf(a):
        return a if b > 0 else -a
    if math.isinf(b):
        return 0 if (a >= 0) == (b > 0) else -1
    return a // b


def _quotients(a, b):
    found = [_quotient(x, y) for x in a for y in b]
    return min(found), max(found)
