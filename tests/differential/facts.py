"""What is known of a value before the program runs: its range, and how far two executors may differ.

Every operation has a transfer rule from the facts of its operands to those of its result. The rules
are chosen so that a tolerance is an upper bound: a deterministic value (no error) may be compared bit
by bit and may decide branches, orders and indices; an inexact one may not.
"""

import dataclasses
import math

from tests.differential.elements import Element


@dataclasses.dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a floating-point value's elements, or of the parts of complex ones; integers have none but `EXACT`.

    low, high: every element is between, unless the value is wild.
    bits: every element is a multiple of 2**-bits; None if that is not known.
    error: two good executors differ by this much at most.
    relative: and by this part of the element.
    wild: NaN, infinities and numbers of any size may occur.
    raw: bits are determined: signs of zeros, payloads of NaNs.
    """

    low: float = 0.0
    high: float = 0.0
    bits: int | None = None
    error: float = 0.0
    relative: float = 0.0
    wild: bool = False
    raw: bool = False

    @property
    def is_exact(self) -> bool:
        return self.error == 0.0 and self.relative == 0.0

    @property
    def size(self) -> float:
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_sharp(self) -> bool:
        """Whether comparing it can find anything: the error is small beside the values."""
        return self.error <= 2.0**-6 * max(self.size, 2.0**-6)

    def excludes_zero(self) -> bool:
        return not self.wild and (self.low > 0 or self.high < 0)


EXACT = Fact(raw=True)
WILD = Fact(-math.inf, math.inf, wild=True, raw=True)


def rounded(fact: Fact, element: Element, steps: float = 1.0) -> Fact:
    """After `steps` roundings to the element's precision; exact where every value is representable.

    A sum of multiples of 2**-bits that fits the significand is the same in any order, fused or not.
    """
    if fact.size > element.maximum / 4:
        error = fact.error + (steps - 1) * element.epsilon * fact.size
        relative = fact.relative + element.epsilon
        return dataclasses.replace(
            fact, wild=True, bits=None, error=error, relative=relative
        )
    if (
        fact.is_exact
        and fact.bits is not None
        and fact.size * 2.0**fact.bits <= 2.0**element.precision
    ):
        return dataclasses.replace(fact, raw=False)
    error = fact.error + steps * element.epsilon * fact.size + element.tiny
    return dataclasses.replace(fact, bits=None, error=error, raw=False)


def join(*facts: Fact) -> Fact:
    """What holds for an element that comes from any of several values."""
    bits = [fact.bits for fact in facts]
    return Fact(
        min(fact.low for fact in facts),
        max(fact.high for fact in facts),
        None if None in bits else max(bits),
        max(fact.error for fact in facts),
        max(fact.relative for fact in facts),
        any(fact.wild for fact in facts),
        all(fact.raw for fact in facts),
    )


def _more_bits(a: Fact, b: Fact, combine) -> int | None:
    return None if a.bits is None or b.bits is None else combine(a.bits, b.bits)


def added(a: Fact, b: Fact) -> Fact:
    """The fact of a + b, before rounding."""
    return Fact(
        a.low + b.low,
        a.high + b.high,
        _more_bits(a, b, max),
        a.error + b.error,
    )


def negated(a: Fact) -> Fact:
    return dataclasses.replace(a, low=-a.high, high=-a.low)


def multiplied(a: Fact, b: Fact) -> Fact:
    """The fact of a * b, before rounding."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Fact(
        min(corners),
        max(corners),
        _more_bits(a, b, lambda p, q: p + q),
        a.error * b.size + b.error * a.size + a.error * b.error,
    )


def repeated(a: Fact, count: int) -> Fact:
    """The fact of the sum of up to `count` values with fact `a`, before rounding."""
    return Fact(
        min(0.0, count * a.low),
        max(0.0, count * a.high),
        a.bits,
        count * a.error,
    )


def summed(a: Fact, count: int, element: Element) -> Fact:
    """The fact of a sum of `count` values in any order."""
    return rounded(repeated(a, max(count, 1)), element, steps=max(count, 1))


def mapped(
    a: Fact, element: Element, low: float, high: float, slope: float, ulps: float
) -> Fact:
    """The fact of f(a), where f stays in [low, high], has slopes up to `slope`, and is computed to `ulps`."""
    size = max(abs(low), abs(high))
    error = slope * a.error + ulps * element.epsilon * size + element.tiny
    return Fact(low, high, None, error)
