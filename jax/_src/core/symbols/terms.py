"""Sums of products of symbols, in normal form: data, order, printing.

A sum maps products to whole coefficients other than 0. A product is a tuple of pairs
(factor, exponent), the greatest factor first; the empty one is the number 1. A factor is
a symbol, or an operation such as ``floordiv`` of two sums.
"""

import dataclasses
import functools as ft
import operator
from collections.abc import Iterable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """A symbol, or an operation of two sums; ordered by `key`."""

    name: str
    operands: tuple["Sum", ...]
    key: tuple

    def __eq__(self, other: object) -> bool:
        return type(other) is Factor and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        if not self.operands:
            return self.name
        return f"{self.name}({', '.join(map(str, self.operands))})"


Product = tuple[tuple[Factor, int], ...]

ONE: Product = ()


def symbol(name: str) -> Factor:
    """The factor that is one symbol."""
    return Factor(name, (), (1, name, ()))


def operation(name: str, *operands: "Sum") -> Factor:
    """The factor ``name(*operands)``."""
    keys = tuple(x.key for x in operands)
    return Factor(name, operands, (1 + sum(k[0] for k in keys), name, keys))


def product_key(product: Product) -> tuple:
    """By what products are ordered."""
    size = sum(1 + exponent * f.key[0] for f, exponent in product)
    return size, tuple((f.key, exponent) for f, exponent in product)


def multiply(a: Product, b: Product) -> Product:
    """The product of two products."""
    if not a or not b:
        return a or b
    exponents = dict(a)
    for factor, exponent in b:
        exponents[factor] = exponents.get(factor, 0) + exponent
    return _product(exponents)


def divide(a: Product, b: Product) -> Product | None:
    """``a / b`` where that is a product."""
    exponents = dict(a)
    for factor, exponent in b:
        left = exponents.get(factor, 0) - exponent
        if left < 0:
            return None
        exponents[factor] = left
    return _product(exponents)


def _product(exponents: Mapping[Factor, int]) -> Product:
    pairs = [(f, n) for f, n in exponents.items() if n]
    return tuple(sorted(pairs, key=lambda pair: pair[0].key, reverse=True))


class Sum:
    """A sum of products with coefficients, the greatest product first. Immutable."""

    __slots__ = ("__dict__", "items")

    items: tuple[tuple[Product, int], ...]

    def __init__(self, coefficients: Iterable[tuple[Product, int]]):
        total: dict[Product, int] = {}
        for product, n in coefficients:
            total[product] = total.get(product, 0) + n
        self.items = tuple(
            sorted(
                ((p, n) for p, n in total.items() if n),
                key=lambda item: product_key(item[0]),
                reverse=True,
            )
        )

    @ft.cached_property
    def key(self) -> tuple:
        """By what sums are ordered; equal ones have equal keys."""
        parts = [(product_key(p), n) for p, n in self.items or ((ONE, 0),)]
        return sum(1 + abs(n) * k[0] for k, n in parts), tuple(parts)

    @property
    def constant(self) -> int | None:
        """The number that this is; None where it has symbols."""
        if not self.items:
            return 0
        product, n = self.items[0]
        return n if product == ONE else None

    @property
    def leading(self) -> tuple[Product, int]:
        """The greatest product and its coefficient."""
        return self.items[0]

    def plus(self, other: "Sum", times: int = 1) -> "Sum":
        """``self + times * other``."""
        return Sum([*self.items, *((p, n * times) for p, n in other.items)])

    def times(self, product: Product, n: int) -> "Sum":
        """``self * product * n``."""
        return Sum((multiply(p, product), k * n) for p, k in self.items)

    def multiplied(self, other: "Sum") -> "Sum":
        """``self * other``."""
        pairs = other.items
        return Sum((multiply(p, q), k * n) for p, k in self.items for q, n in pairs)

    def divided(self, divisor: "Sum") -> tuple["Sum", int] | None:
        """Quotient and rest, with Python's rounding, where both follow for all sizes."""
        rest, quotient = self, number(0)
        product, n = divisor.leading
        while rest.constant is None:
            lead, k = rest.leading
            part = divide(lead, product)
            if part is None or k % n:
                return None
            quotient = quotient.plus(Sum([(part, k // n)]))
            rest = rest.plus(divisor.times(part, k // n), -1)
        left, by = rest.constant, divisor.constant
        assert left is not None
        if by is not None:
            return quotient.plus(number(left // by)), left % by
        return (quotient, 0) if left == 0 else None

    def symbols(self) -> set[str]:
        """The names of all symbols."""
        found: set[str] = set()
        for product, _ in self.items:
            for factor, _ in product:
                if not factor.operands:
                    found.add(factor.name)
                for operand in factor.operands:
                    found |= operand.symbols()
        return found

    def __eq__(self, other: object) -> bool:
        return type(other) is Sum and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    def __str__(self) -> str:
        if not self.items:
            return "0"
        text = " ".join(
            f"{'-' if n < 0 else '+'} {_term_text(p, abs(n))}" for p, n in self.items
        )
        return text.removeprefix("+ ")


def _term_text(product, n):
    parts = [
        str(f) if exponent == 1 else f"{f}^{exponent}"
        for f, exponent in reversed(product)
    ]
    return "*".join(parts if parts and n == 1 else [str(n), *parts])


def number(n: int) -> Sum:
    """The sum that is a number."""
    return Sum([(ONE, n)])


def of_factor(factor: Factor) -> Sum:
    """The sum that is one factor."""
    return Sum([(((factor, 1),), 1)])


def evaluate(expression: Sum, value_of: Any, combine: Any) -> Any:
    """What a sum is, in any numbers that add and multiply.

    Args:
        expression: the sum.
        value_of: from the name of a symbol to its value.
        combine: from the name of an operation and the values of its operands to its value.
    """
    total: Any = None
    for product, n in expression.items:
        values = [
            combine(f.name, *(evaluate(x, value_of, combine) for x in f.operands))
            if f.operands
            else value_of(f.name)
            for f, exponent in reversed(product)
            for _ in range(exponent)
        ]
        part = ft.reduce(operator.mul, values if values and n == 1 else [n, *values])
        total = part if total is None else total + part
    return 0 if total is None else total
