"""Chains over the rows of an array: softmax, normalisation and whatever looks like them.

The compiler computes several steps of such a chain for a block of rows before it goes on to the next
(`RowGroups`). So the values here have many rows, steps fold rows and spread what they found over them,
and now and then something mixes the rows: reductions of other dimensions, transposes, slices.
"""

import dataclasses
import math

from tests.differential import facts
from tests.differential.elements import BF16, C64, F16, F32, F64, S32
from tests.differential.facts import Fact
from tests.differential.families import elementwise, movement, reduction
from tests.differential.families.movement import numbers_text
from tests.differential.program import ARGUMENTS, Block, Type, Unsuited, Value

SHAPES = (  # of the rows, and of what is in one
    ((16,), (5,)),
    ((2, 8), (33,)),
    ((40,), (4, 3)),
    ((1, 16), (7,)),
    ((16,), (16,)),
    ((3, 6), (2, 3, 4)),
    ((64,), (1, 20)),
    ((5, 1, 7), (18,)),
    ((100,), (100,)),
    ((600,), (40,)),
    ((20,), (1000,)),
    ((33, 5), (130,)),
    ((16,), (2100,)),
)
ODD_SHAPES = (  # rows of one element or none, too few rows
    ((17,), (1,)),
    ((4, 4), (0,)),
    ((15,), (9,)),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Rows:
    """Which values have rows, and which have one element for each."""

    block: Block
    outer: tuple[int, ...]
    inner: tuple[int, ...]

    def longer(self) -> Value:
        return self.block.pick(lambda value: value.shape == self.outer + self.inner)

    def single(self) -> Value:
        return self.block.pick(lambda value: value.shape == self.outer)

    def fold(self, name: str, value: Value) -> Value:
        """Each row's sum, maximum or minimum."""
        block = self.block
        initial = reduction._neutral(block, name, value)
        count = math.prod(self.inner)
        fact = reduction._reduced(name, value, initial, count)
        scalar = value.type.shaped()
        region = reduction._body(block, name, scalar, initial.fact, value.fact)
        first = len(self.outer)
        axes = numbers_text(list(range(first, first + len(self.inner))))
        return block.apply(
            "reduce",
            [value, initial],
            value.type.shaped(*self.outer),
            fact,
            f"dimensions = {axes}",
            [region],
        )

    def spread(self, value: Value, axes=None) -> Value:
        """A value per row, or one per index in a row, for every element."""
        axes = range(len(self.outer)) if axes is None else axes
        shape = self.outer + self.inner
        attributes = f"broadcast_dimensions = {numbers_text(list(axes))}"
        return self.block.apply(
            "broadcast_in_dim",
            [value],
            value.type.shaped(*shape),
            movement.moved(value),
            attributes,
        )


def _fold(rows: Rows) -> None:
    value = rows.longer()
    rows.fold(reduction._combiner(rows.block, value), value)


def _spread(rows: Rows) -> None:
    rows.spread(rows.single())


def _against(rows: Rows) -> None:
    """A value and what was found in its own rows, or in another's, together."""
    block = rows.block
    value = rows.longer()
    folded = block.like(value.type)
    name = reduction._combiner(block, folded)
    found = rows.spread(rows.fold(name, folded))
    combine = "or" if value.element.kind == "b" else "maximum"
    if value.element.kind == "c":
        combine = "add"
    elif value.element.kind in "iuf" and block.choose.random() < 0.7:
        combine = block.choose.choice(("add", "subtract", "multiply"))
    fact = facts.EXACT
    if value.element.is_inexact:
        fact = elementwise._binary_fact(combine, value, found)
        if not fact.is_sharp and not fact.wild:
            raise Unsuited
    block.apply(combine, [value, found], value.type, fact)


def _weights(rows: Rows) -> None:
    """A parameter for each index in a row."""
    element = rows.longer().element
    first = len(rows.outer)
    value = rows.block.like(Type(rows.inner, element))
    rows.spread(value, range(first, first + len(rows.inner)))


def _softmax(rows: Rows) -> None:
    """Its facts are sharper than those of its steps: exponents are not above 0."""
    block, x = rows.block, rows.longer()
    size = x.fact.high - x.fact.low
    if x.element.kind != "f" or x.fact.wild or size > 16 or 0 in x.shape:
        raise Unsuited
    top = rows.spread(rows.fold("maximum", x))
    below = facts.rounded(facts.added(x.fact, facts.negated(top.fact)), x.element)
    below = dataclasses.replace(below, low=-size, high=0.0)
    shifted = block.apply("subtract", [x, top], x.type, below)
    power = facts.mapped(below, x.element, math.exp(-size), 1.0, 1.0, elementwise.ULPS)
    powers = block.apply("exponential", [shifted], x.type, power)
    total = rows.fold("add", powers)
    least = dataclasses.replace(total.fact, low=0.9)
    block.pool.remove(total)
    total = dataclasses.replace(total, fact=least)
    block.pool.append(total)
    error = power.error / 0.9 + total.fact.error / 0.81 + 2 * x.element.epsilon
    block.apply("divide", [powers, rows.spread(total)], x.type, Fact(0, 1, None, error))


def _normalized(rows: Rows) -> None:
    """x - mean, times a function of the sum of squares."""
    block, x = rows.block, rows.longer()
    if x.element.kind != "f" or x.fact.wild or 0 in x.shape:
        raise Unsuited

    def pair(name, a, b):
        fact = elementwise._binary_fact(name, a, b)
        if not fact.is_sharp:
            raise Unsuited
        return block.apply(name, [a, b], a.type, fact)

    length = block.number(x.element, 1.0 / math.prod(rows.inner))
    spread_length = block.apply(
        "broadcast_in_dim",
        [length],
        x.type.shaped(*rows.outer),
        length.fact,
        "broadcast_dimensions = array<i64>",
    )
    mean = pair("multiply", rows.fold("add", x), spread_length)
    centred = pair("subtract", x, rows.spread(mean))
    squares = rows.fold("add", pair("multiply", centred, centred))
    bounded = facts.mapped(squares.fact, x.element, -1.0, 1.0, 1.0, elementwise.ULPS)
    factor = block.apply("tanh", [squares], squares.type, bounded)
    pair("multiply", centred, rows.spread(factor))


def _of_block(operation):
    return lambda rows: operation(rows.block)


STEPS = (
    (_fold, 4),
    (_spread, 4),
    (_against, 6),
    (_weights, 1),
    (_softmax, 3),
    (_normalized, 2),
    (_of_block(elementwise.function), 3),
    (_of_block(elementwise.binary), 5),
    (_of_block(elementwise.exact_unary), 1),
    (_of_block(elementwise.select), 0.5),
    (_of_block(elementwise.compare), 0.5),
    (_of_block(elementwise.convert), 1),
    (_of_block(reduction.reduce), 1),
    (_of_block(reduction.reduce_with_index), 0.3),
    (_of_block(movement.broadcast), 0.3),
    (_of_block(movement.reshape), 0.7),
    (_of_block(movement.transpose), 0.7),
    (_of_block(movement.reverse), 0.5),
    (_of_block(movement.slice_), 0.5),
    (_of_block(movement.pad), 0.5),
    (_of_block(movement.concatenate), 0.5),
    (_of_block(movement.dynamic_slice), 0.3),
    (_of_block(movement.dynamic_update_slice), 0.3),
)
WEIGHTS = [weight for _, weight in STEPS]


def chain_over_rows(block: Block) -> Value:
    """Some steps over the rows of a new argument."""
    choose = block.choose
    if len(block.module.arguments) > ARGUMENTS - 4:
        raise Unsuited  # constants are too short for chains that are worth it
    outer, inner = choose.choice(ODD_SHAPES if choose.random() < 0.06 else SHAPES)
    element = choose.choice((F32, F32, F32, F32, F64, BF16, F16, S32, C64))
    sorts = ("small", "small", "real", "positive") if element.is_inexact else ("any",)
    before = block.pool
    block.pool = []
    try:
        block.argument(Type(outer + inner, element), choose.choice(sorts))
        rows = Rows(block, outer, inner)
        length = choose.choice((3, 6, 10, 15))
        for _ in range(20 * length):
            (step, _), *_ = choose.choices(STEPS, WEIGHTS)
            known = list(block.pool)
            try:
                step(rows)
            except Unsuited:
                continue
            finally:
                block.pool = [
                    value
                    for value in block.pool
                    if value in known or value.fact.is_sharp or value.fact.wild
                ]
            length -= 1
            if length == 0:
                break
        return block.pool[-1]
    finally:
        block.pool = before + block.pool


OPERATIONS = ((chain_over_rows, 3),)
