"""Operations with a region that combines elements: reduce, windows, sort, map."""

import dataclasses

import numpy as np

from tests.differential import facts
from tests.differential.elements import PRED, S32
from tests.differential.facts import EXACT, Fact
from tests.differential.families.contraction import _window_size
from tests.differential.families.movement import numbers_text
from tests.differential.program import Block, Type, Unsuited, Value

NEUTRAL = {"add": 0, "multiply": 1, "or": 0, "xor": 0}


def _compare(block: Block, direction: str, a: Value, b: Value) -> Value:
    sort = {"b": "UNSIGNED", "u": "UNSIGNED", "i": "SIGNED"}.get(
        a.element.kind, "FLOAT"
    )
    attributes = (
        f"compare_type = #stablehlo<comparison_type {sort}>, "
        f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    )
    return block.apply("compare", [a, b], a.type.of(PRED), EXACT, attributes)


def _combiner(block: Block, value: Value) -> str:
    """An associative operation for these elements."""
    kind, fact = value.element.kind, value.fact
    if kind == "b":
        return block.choose.choice(("and", "or", "xor"))
    if kind in "iu":
        return block.choose.choice(
            ("add", "multiply", "maximum", "minimum", "and", "or", "xor")
        )
    if kind == "c":
        if fact.wild:
            raise Unsuited
        return "add"
    return block.choose.choice(
        ("maximum", "minimum") if fact.wild else ("add", "add", "maximum", "minimum")
    )


def _neutral(block: Block, name: str, value: Value) -> Value:
    """What a reduction by this operation should start from."""
    element = value.element
    if name in NEUTRAL:
        return block.number(element, NEUTRAL[name])
    if name == "and":
        return block.number(
            element, True if element is PRED else ~element.dtype.type(0)
        )
    if element.kind == "f":
        return block.number(
            element, float("-inf") if name == "maximum" else float("inf")
        )
    return block.number(element, _ends(element)[name == "minimum"])


def _ends(element):
    """The least and the greatest integer."""
    info = np.iinfo(element.dtype)
    return info.min, info.max


def _reduced(name: str, value: Value, initial: Value, count: int) -> Fact:
    if not value.element.is_inexact:
        return EXACT
    if name == "add":
        total = facts.added(facts.repeated(value.fact, max(count, 1)), initial.fact)
        return facts.rounded(total, value.element, steps=count + 1)
    fact = initial.fact
    if abs(fact.low) == float("inf") and count:
        fact = dataclasses.replace(
            value.fact, low=min(value.fact.low, 0.0), high=max(value.fact.high, 0.0)
        )
        return dataclasses.replace(fact, wild=True, raw=False)
    return dataclasses.replace(facts.join(value.fact, fact), raw=False)


def _body(block: Block, name: str, type: Type, *facts_of) -> str:
    return block.region(
        [type, type],
        list(facts_of),
        lambda inner, pair: [inner.apply(name, pair, type, facts_of[0])],
    )


def reduce(block: Block) -> Value:
    """A reduction over any dimensions."""
    operand = block.pick(lambda value: value.type.rank >= 1)
    axes = block.choose.sample(
        range(operand.type.rank), block.choose.randint(0, operand.type.rank)
    )
    axes.sort()
    name = _combiner(block, operand)
    initial, free = _neutral(block, name, operand), ()
    if block.choose.random() < 0.2:
        initial, free = block.like(operand.type.shaped()), ("start of a reduction",)
    count = 1
    for axis in axes:
        count *= operand.shape[axis]
    result = operand.type.shaped(
        *(size for axis, size in enumerate(operand.shape) if axis not in axes)
    )
    fact = _reduced(name, operand, initial, count)
    region = _body(block, name, operand.type.shaped(), initial.fact, operand.fact)
    attributes = f"dimensions = {numbers_text(axes)}"
    return block.apply(
        "reduce", [operand, initial], result, fact, attributes, [region], free
    )


def reduce_with_index(block: Block) -> Value:
    """The largest element and where it is, the first of equal ones: a reduction of two operands."""
    operand = block.pick(
        lambda value: (
            value.type.rank >= 1
            and value.fact.is_exact
            and value.element.kind in "iuf"
            and not value.fact.wild
        )
    )
    axis = block.choose.randrange(operand.type.rank)
    indices = block.apply(
        "iota", [], operand.type.of(S32), EXACT, f"iota_dimension = {axis} : i64"
    )
    scalar, index = operand.type.shaped(), Type((), S32)
    element = operand.element
    low = -1e4 if element.is_inexact else -(1 << (element.width - 1))
    first = block.number(element, 0 if element.kind == "u" else low)
    zero = block.number(S32, 0)

    def body(inner, values):
        a, i, b, j = values
        more, same = _compare(inner, "GT", a, b), _compare(inner, "EQ", a, b)
        before = _compare(inner, "LT", i, j)
        flag = more.type
        tie = inner.apply("and", [same, before], flag, EXACT)
        keep = inner.apply("or", [more, tie], flag, EXACT)
        return [
            inner.apply("select", [keep, a, b], scalar, operand.fact),
            inner.apply("select", [keep, i, j], index, EXACT),
        ]

    region = block.region(
        [scalar, index, scalar, index],
        [operand.fact, EXACT, operand.fact, EXACT],
        body,
    )
    shape = [size for dim, size in enumerate(operand.shape) if dim != axis]
    fact = facts.join(operand.fact, first.fact) if element.is_inexact else EXACT
    results = [
        (operand.type.shaped(*shape), fact),
        (Type(tuple(shape), S32), EXACT),
    ]
    values = block.apply_many(
        "reduce",
        [operand, indices, first, zero],
        results,
        f"dimensions = {numbers_text([axis])}",
        [region],
    )
    return values[1]


def _windows(choose, shape, plain: bool):
    """Window, stride, padding and dilations of each dimension, and the result's shape."""
    rows, result = [], []
    for size in shape:
        window = choose.choice((1, 1, 2, 3, 4))
        stride = choose.choice((1, 1, 2, 3))
        low, high = (choose.choice((0, 0, 1, 2)) for _ in range(2))
        base = 1 if plain else choose.choice((1, 1, 1, 2))
        spread = 1 if plain else choose.choice((1, 1, 1, 2))
        if choose.random() < 0.15 and size:  # a cumulative sum
            window, stride, low, high, base, spread = size, 1, size - 1, 0, 1, 1
        rows.append((window, stride, low, high, base, spread))
        result.append(_window_size(size, window, stride, low, high, base, spread))
    return rows, result


def reduce_window(block: Block) -> Value:
    operand = block.pick(
        lambda value: value.type.rank >= 1 and value.type.count <= 4096
    )
    name = _combiner(block, operand)
    rows, shape = _windows(block.choose, operand.shape, plain=False)
    result = operand.type.shaped(*shape)
    initial = _neutral(block, name, operand)
    count = 1
    for window, *_ in rows:
        count *= window
    if result.count * count > 1 << 19:
        raise Unsuited
    fact = _reduced(name, operand, initial, count)
    region = _body(block, name, operand.type.shaped(), initial.fact, operand.fact)
    columns = list(zip(*rows, strict=True))
    pairs = ", ".join(
        f"[{a}, {b}]" for a, b in zip(columns[2], columns[3], strict=True)
    )
    attributes = (
        f"base_dilations = {numbers_text(columns[4])}, "
        f"padding = dense<[{pairs}]> : tensor<{len(rows)}x2xi64>, "
        f"window_dilations = {numbers_text(columns[5])}, "
        f"window_dimensions = {numbers_text(columns[0])}, "
        f"window_strides = {numbers_text(columns[1])}"
    )
    return block.apply(
        "reduce_window", [operand, initial], result, fact, attributes, [region]
    )


def select_and_scatter(block: Block) -> Value:
    operand = block.pick(
        lambda value: (
            1 <= value.type.rank
            and value.type.count <= 2048
            and value.fact.is_exact
            and (value.fact.raw or not value.fact.wild)
            and value.element.kind in "iuf"
        )
    )
    rows, shape = _windows(block.choose, operand.shape, plain=True)
    source = block.like(operand.type.shaped(*shape), lambda v: not v.fact.wild)
    initial = block.number(operand.element, 0)
    direction = block.choose.choice(("GE", "GT", "LE"))
    scalar = operand.type.shaped()
    select = block.region(
        [scalar, scalar],
        [operand.fact] * 2,
        lambda inner, pair: [_compare(inner, direction, *pair)],
    )
    scatter = _body(block, "add", scalar, source.fact, source.fact)
    columns = list(zip(*rows, strict=True))
    pairs = ", ".join(
        f"[{a}, {b}]" for a, b in zip(columns[2], columns[3], strict=True)
    )
    attributes = (
        f"padding = dense<[{pairs}]> : tensor<{len(rows)}x2xi64>, "
        f"window_dimensions = {numbers_text(columns[0])}, "
        f"window_strides = {numbers_text(columns[1])}"
    )
    fact = _reduced("add", source, initial, max(source.type.count, 1))
    return block.apply(
        "select_and_scatter",
        [operand, source, initial],
        operand.type,
        fact,
        attributes,
        [select, scatter],
    )


def sort(block: Block) -> Value:
    """A stable sort by the first operand, others moving along."""
    choose = block.choose
    key = block.pick(
        lambda value: (
            value.type.rank >= 1
            and value.fact.is_exact
            and value.element.kind in "biuf"
            and (value.fact.raw or not value.fact.wild)
        )
    )
    others = [
        block.like(key.type.of(choose.choice((key.element, S32))))
        for _ in range(choose.choice((0, 0, 1, 1, 2)))
    ]
    operands = [key, *others]
    direction = choose.choice(("LT", "LT", "GT"))
    total = key.element.kind == "f" and key.fact.raw
    sort_of = {"b": "UNSIGNED", "u": "UNSIGNED", "i": "SIGNED"}.get(
        key.element.kind, "TOTALORDER" if total else "FLOAT"
    )
    attributes = (
        f"compare_type = #stablehlo<comparison_type {sort_of}>, "
        f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    )
    types = [value.type.shaped() for value in operands for _ in range(2)]
    region = block.region(
        types,
        [value.fact for value in operands for _ in range(2)],
        lambda inner, values: [
            inner.apply("compare", values[:2], Type((), PRED), EXACT, attributes)
        ],
    )
    axis = choose.randrange(key.type.rank)
    results = [(value.type, value.fact) for value in operands]
    return block.apply_many(
        "sort",
        operands,
        results,
        f"dimension = {axis} : i64, is_stable = true",
        [region],
    )[0]


def map_(block: Block) -> Value:
    """An elementwise operation written as a region."""
    a = block.pick(lambda value: value.type.rank >= 1 and not value.fact.wild)
    if a.element.kind not in "iuf":
        raise Unsuited
    b = block.like(a.type, lambda value: not value.fact.wild)
    name = block.choose.choice(("add", "maximum", "minimum", "subtract"))
    fact = EXACT
    if a.element.is_inexact:
        if name in ("add", "subtract"):
            other = b.fact if name == "add" else facts.negated(b.fact)
            fact = facts.rounded(facts.added(a.fact, other), a.element)
        else:
            fact = facts.join(a.fact, b.fact)
    scalar = a.type.shaped()
    region = block.region(
        [scalar, scalar],
        [a.fact, b.fact],
        lambda inner, pair: [inner.apply(name, pair, scalar, fact)],
    )
    axes = numbers_text(list(range(a.type.rank)))
    return block.apply("map", [a, b], a.type, fact, f"dimensions = {axes}", [region])


OPERATIONS = (
    (reduce, 5),
    (reduce_with_index, 1),
    (reduce_window, 3),
    (select_and_scatter, 1),
    (sort, 3),
    (map_, 0.5),
)
