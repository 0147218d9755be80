"""Elementwise operations: arithmetic, bits, comparisons, choices, conversions."""

import dataclasses
import math

from tests.differential import elements, facts
from tests.differential.elements import BF16, F16, F64, PART, PRED, Element
from tests.differential.facts import EXACT, Fact
from tests.differential.program import Block, Type, Unsuited, Value

ULPS = 16
"""The largest distance of two good implementations of an elementary function."""


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """An elementary function on an interval: where it is tame, its range and its slopes there."""

    name: str
    low: float
    high: float
    range: object
    slope: object


def _monotone(f):
    return lambda low, high: (f(low), f(high))


def _expm1(x):
    return math.expm1(x)


FUNCTIONS = (
    Function("exponential", -12, 6, _monotone(math.exp), lambda a, b: math.exp(b)),
    Function(
        "exponential_minus_one", -12, 6, _monotone(_expm1), lambda a, b: math.exp(b)
    ),
    Function("log", 0.125, 1e4, _monotone(math.log), lambda a, b: 1 / a),
    Function(
        "log_plus_one", -0.75, 1e4, _monotone(math.log1p), lambda a, b: 1 / (1 + a)
    ),
    Function("sqrt", 0.125, 1e4, _monotone(math.sqrt), lambda a, b: 2.0),
    Function(
        "rsqrt", 0.125, 1e4, lambda a, b: (b**-0.5, a**-0.5), lambda a, b: a**-1.5
    ),
    Function("cbrt", 0.125, 1e4, _monotone(math.cbrt), lambda a, b: 2.0),
    Function("sine", -64, 64, lambda a, b: (-1.0, 1.0), lambda a, b: 1.0),
    Function("cosine", -64, 64, lambda a, b: (-1.0, 1.0), lambda a, b: 1.0),
    Function("tan", -1.2, 1.2, _monotone(math.tan), lambda a, b: 8.0),
    Function("tanh", -64, 64, _monotone(math.tanh), lambda a, b: 1.0),
    Function("logistic", -64, 64, lambda a, b: (0.0, 1.0), lambda a, b: 0.25),
)

COMPLEX_FUNCTIONS = ("exponential", "sine", "cosine", "tanh", "sqrt", "log")


def function(block: Block) -> Value:
    """An elementary function of a tame value, or of a wild one that is exact."""
    row = block.choose.choice(FUNCTIONS)

    def suits(value):
        if value.element.kind != "f":
            return False
        fact = value.fact
        if fact.wild:
            # Of huge angles even good implementations return something else; that of a zero
            # depends on its sign.
            is_determined = fact.raw or row.name != "rsqrt"
            is_angle = row.name in ("sine", "cosine", "tan")
            return fact.is_exact and is_determined and not is_angle
        return row.low <= fact.low and fact.high <= row.high

    operand = block.pick(suits)
    fact, element = operand.fact, operand.element
    if fact.wild:
        result = dataclasses.replace(
            facts.WILD, relative=ULPS * element.epsilon, raw=False
        )
    else:
        low, high = row.range(fact.low, fact.high)
        slope = row.slope(fact.low, fact.high)
        result = facts.mapped(fact, element, low, high, slope, ULPS)
    free = ()
    if fact.wild and row.name == "cbrt":
        free = ("cube root",)
    if row.name == "log_plus_one" and element.name == "f64":
        free = ("logarithm of one and more",)
    if row.name == "logistic" and element.name == "f16":
        free = ("logistic of half precision",)
    return block.apply(row.name, [operand], operand.type, result, free=free)


def complex_function(block: Block) -> Value:
    """A function of complex numbers in a box away from poles, cuts and zeros."""
    name = block.choose.choice(COMPLEX_FUNCTIONS)
    positive = name in ("sqrt", "log")
    operand = block.pick(
        lambda value: (
            value.element.kind == "c"
            and not value.fact.wild
            and (value.fact.low >= 0.125 if positive else value.fact.size <= 4)
            and value.fact.is_exact
            and (name != "tanh" or value.fact.low >= 0.125)
        )
    )
    size = 4 + math.exp(min(operand.fact.size, 4.0))
    element = operand.element
    fact = Fact(-size, size, None, 64 * element.epsilon * size)
    return block.apply(name, [operand], operand.type, fact)


def _sign_of(fact: Fact) -> Fact:
    if fact.wild:
        return dataclasses.replace(fact, low=-1.0, high=1.0, raw=False)
    return Fact(-1.0, 1.0, 0)


def _rounded_to_integers(fact: Fact) -> Fact:
    low, high = math.floor(fact.low), math.ceil(fact.high)
    return dataclasses.replace(fact, low=low, high=high, bits=0)


EXACT_UNARY = ("negate", "abs", "sign", "floor", "ceil") + (
    "round_nearest_even",
    "round_nearest_afz",
)


def exact_unary(block: Block) -> Value:
    """Negation, magnitude, sign, rounding to integers."""
    name = block.choose.choice(EXACT_UNARY)

    def suits(value):
        element, fact = value.element, value.fact
        if element.is_integer:
            return name in ("negate", "abs") or name == "sign" and element.kind == "i"
        if element.kind == "c":
            return name == "negate"
        return element.kind == "f" and (
            name in ("negate", "abs") or fact.is_exact and not math.isnan(fact.low)
        )

    operand = block.pick(suits)
    if operand.element.is_integer:
        if name == "abs" and operand.element.kind == "u":
            raise Unsuited
        return block.apply(name, [operand], operand.type, EXACT)
    fact = operand.fact
    if name == "negate":
        result = facts.negated(fact)
    elif name == "abs":
        low = 0.0 if fact.low < 0 else fact.low
        result = dataclasses.replace(fact, low=low, high=fact.size)
    elif name == "sign":
        result = _sign_of(fact)
    elif fact.wild:
        result = dataclasses.replace(fact, raw=False)
    else:
        result = _rounded_to_integers(fact)
    return block.apply(name, [operand], operand.type, result)


BITS = ("not", "popcnt", "count_leading_zeros")


def bit_unary(block: Block) -> Value:
    name = block.choose.choice(BITS)
    operand = block.pick(
        lambda value: (
            value.element.is_integer or value.element is PRED and name == "not"
        )
    )
    return block.apply(name, [operand], operand.type, EXACT)


BINARY = ("add", "subtract", "multiply", "divide", "remainder", "power", "atan2") + (
    "maximum",
    "minimum",
    "and",
    "or",
    "xor",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
)
OF_PREDICATES = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def binary(block: Block) -> Value:
    """Any operation of two operands of one type."""
    name = block.choose.choice(BINARY)
    for_bits = name in ("and", "or", "xor") or name.startswith("shift")

    def suits(value):
        element, fact = value.element, value.fact
        if element is PRED:
            return name in OF_PREDICATES
        if element.is_integer:
            return name != "atan2"
        if for_bits:
            return False
        if element.kind == "c":
            return name in ("add", "subtract", "multiply") and not fact.wild
        if name in ("maximum", "minimum"):
            return True
        if name == "remainder":
            return fact.is_exact
        return not fact.wild or fact.is_exact

    a = block.pick(suits)
    sort = "positive" if name in ("divide", "power", "atan2", "remainder") else "small"
    if a.fact.wild:
        sort = "wild"
    b = block.like(a.type, suits, sort)
    if name in ("divide", "remainder") and b.element.is_integer:
        b = hidden(block, b)
    if a.element is PRED or a.element.is_integer:
        free = ("power of integers",) if name == "power" else ()
        if name == "add" and a.element is PRED:
            free = ("sum of truth values",)
        return block.apply(name, [a, b], a.type, EXACT, free=free)
    free = ()
    if name in ("maximum", "minimum"):
        free = _of_known(a, b)
    return block.apply(name, [a, b], a.type, _binary_fact(name, a, b), free=free)


def _of_known(*operands: Value) -> tuple[str, ...]:
    """The freedom of the largest or smallest of these."""
    is_free = all(operand.is_known for operand in operands) and any(
        operand.fact.wild for operand in operands
    )
    return ("extremum of known numbers",) if is_free else ()


def hidden(block: Block, value: Value) -> Value:
    """The value behind a barrier: the real XLA dies where it knows it while it compiles."""
    results = [(value.type, value.fact)]
    return block.apply_many("optimization_barrier", [value], results)[0]


def _binary_fact(name: str, a: Value, b: Value) -> Fact:
    element, x, y = a.element, a.fact, b.fact
    if name in ("maximum", "minimum"):
        joined = facts.join(x, y)
        return dataclasses.replace(joined, raw=False) if joined.wild else joined
    if x.wild or y.wild:
        return _wild_fact(name, element, x, y)
    if name == "add":
        return facts.rounded(facts.added(x, y), element)
    if name == "subtract":
        return facts.rounded(facts.added(x, facts.negated(y)), element)
    if name == "multiply":
        product = facts.multiplied(x, y)
        if element.kind == "c":
            product = facts.added(product, product)
            size = product.size
            product = dataclasses.replace(product, low=-size, high=size)
        return facts.rounded(product, element)
    if name == "remainder":
        if not y.excludes_zero() or x.bits is None or y.bits is None:
            raise Unsuited
        size = min(x.size, y.size)
        return Fact(-size, size, max(x.bits, y.bits))
    if name == "divide":
        if y.low < 0.125 and y.high > -0.125:
            raise Unsuited
        least = min(abs(y.low), abs(y.high))
        size = x.size / least
        slope = x.error / least + size / least * y.error
        return Fact(-size, size, None, slope + 2 * element.epsilon * size)
    if name == "power":
        if x.low < 0.25 or x.size > 4 or y.size > 4 or not (x.is_exact and y.is_exact):
            raise Unsuited
        return facts.mapped(x, element, 0.0, 256.0, 0.0, ULPS)
    assert name == "atan2", name
    if y.low < 0.125 or not (x.is_exact and y.is_exact):
        raise Unsuited
    return facts.mapped(x, element, -math.pi, math.pi, 0.0, ULPS)


def _wild_fact(name: str, element: Element, x: Fact, y: Fact) -> Fact:
    if not (x.is_exact and y.is_exact):
        raise Unsuited
    if name in ("power", "atan2", "divide") and not (x.raw and y.raw):
        raise Unsuited  # the sign of a zero decides
    if name == "remainder" and element is not F64:
        raise Unsuited
    ulps = {"power": 4 * ULPS, "atan2": ULPS}.get(name, 1)
    return dataclasses.replace(facts.WILD, relative=ulps * element.epsilon, raw=False)


DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def compare(block: Block) -> Value:
    a = block.pick(lambda value: value.fact.is_exact)
    b = block.like(
        a.type, lambda value: value.fact.is_exact, "wild" if a.fact.wild else "small"
    )
    direction = block.choose.choice(DIRECTIONS)
    sort = {"b": "UNSIGNED", "u": "UNSIGNED", "i": "SIGNED"}.get(a.element.kind)
    if a.element.kind == "c":
        direction, sort = block.choose.choice(("EQ", "NE")), "FLOAT"
    elif a.element.kind == "f":
        total = a.fact.raw and b.fact.raw
        sort = "TOTALORDER" if total and block.choose.random() < 0.4 else "FLOAT"
    attributes = (
        f"compare_type = #stablehlo<comparison_type {sort}>, "
        f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    )
    return block.apply("compare", [a, b], a.type.of(PRED), EXACT, attributes)


def predicate(block: Block, shape) -> Value:
    """A truth value for every element of a shape."""
    return block.like(Type(tuple(shape), PRED), sort="any")


def select(block: Block) -> Value:
    a = block.pick(lambda value: True)
    b = block.like(a.type)
    shape = () if block.choose.random() < 0.3 else a.shape
    chosen = predicate(block, shape)
    fact = facts.join(a.fact, b.fact)
    return block.apply("select", [chosen, a, b], a.type, fact)


def clamp(block: Block) -> Value:
    operand = block.pick(lambda value: value.element.kind in "iuf")
    bound = operand.type if block.choose.random() < 0.5 else operand.type.shaped()
    low, high = block.like(bound), block.like(bound)
    fact = facts.join(low.fact, operand.fact, high.fact)
    if fact.wild:
        fact = dataclasses.replace(fact, raw=False)
    operands = [low, operand, high]
    free = _of_known(*operands)
    return block.apply("clamp", operands, operand.type, fact, free=free)


def convert(block: Block) -> Value:
    operand = block.pick(lambda value: True)
    target = block.choose.choice(elements.ALL)
    source, fact = operand.element, operand.fact
    if target is source:
        raise Unsuited
    if source.is_inexact and not target.is_inexact:
        if not fact.is_exact:
            raise Unsuited
        if source.kind == "c":
            operand = hidden(block, operand)
        return block.apply("convert", [operand], operand.type.of(target), EXACT)
    result = EXACT
    if source.kind == "c" and target.kind != "c":
        operand = hidden(block, operand)
    if target.is_inexact:
        result = (
            _converted(fact, source, target)
            if source.is_inexact
            else _from_integer(source, target)
        )
    return block.apply("convert", [operand], operand.type.of(target), result)


def _from_integer(source: Element, target: Element) -> Fact:
    size = 2.0 ** (source.width - (source.kind == "i"))
    fact = Fact(0.0 if source.kind in "bu" else -size, size, 0)
    if size > target.maximum / 4:
        return dataclasses.replace(facts.WILD, raw=False)
    if size <= 2.0**target.precision:
        return fact
    # One correct rounding of an exact number; 64 bits may take two.
    error = target.epsilon * size if source.width == 64 else 0.0
    return dataclasses.replace(fact, bits=None, error=error)


def _converted(fact: Fact, source: Element, target: Element) -> Fact:
    if target.precision >= source.precision and target.maximum >= source.maximum:
        return dataclasses.replace(fact, raw=fact.raw and not fact.wild)
    if fact.wild:
        error = (
            2 * target.epsilon
            if source.precision == 53 and target in (F16, BF16)
            else 0
        )
        return dataclasses.replace(
            fact, raw=False, relative=fact.relative + error + target.epsilon
        )
    return facts.rounded(fact, target)


def bitcast(block: Block) -> Value:
    """Reinterprets the bits as another type; a change of width adds or removes the last dimension."""
    operand = block.pick(
        lambda value: (
            value.element.kind in "iuf"
            and value.fact.is_exact
            and (value.fact.raw or value.element.is_integer)
        )
    )
    target = block.choose.choice(elements.INTEGERS)
    source, shape = operand.element, operand.shape
    if target.width < source.width:
        shape = (*shape, source.width // target.width)
    elif target.width > source.width:
        if not shape or shape[-1] != target.width // source.width:
            raise Unsuited
        shape = shape[:-1]
    return block.apply("bitcast_convert", [operand], Type(shape, target), EXACT)


def reduce_precision(block: Block) -> Value:
    operand = block.pick(
        lambda value: value.element.kind == "f" and value.fact.is_exact
    )
    exponent, mantissa = block.choose.choice(((5, 10), (8, 7), (4, 3), (8, 23), (5, 2)))
    wide = {"f16": 5, "f64": 11}.get(operand.element.name, 8)
    attributes = (
        f"exponent_bits = {min(exponent, wide)} : i32, mantissa_bits = {mantissa} : i32"
    )
    # Rounding may reach infinity, and zero.
    fact = dataclasses.replace(operand.fact, wild=True, bits=None, raw=False)
    return block.apply("reduce_precision", [operand], operand.type, fact, attributes)


def is_finite(block: Block) -> Value:
    operand = block.pick(
        lambda value: value.element.kind == "f" and value.fact.is_exact
    )
    return block.apply("is_finite", [operand], operand.type.of(PRED), EXACT)


def complex_parts(block: Block) -> Value:
    """Takes complex numbers apart, puts them together, measures them."""
    name = block.choose.choice(("complex", "real", "imag", "abs"))
    if name == "complex":
        a = block.pick(lambda value: value.element in (elements.F32, F64))
        b = block.like(a.type)
        whole = elements.C64 if a.element is elements.F32 else elements.C128
        return block.apply(name, [a, b], a.type.of(whole), facts.join(a.fact, b.fact))
    operand = block.pick(lambda value: value.element.kind == "c")
    part, fact = PART[operand.element], operand.fact
    if name == "abs":
        if fact.wild:
            raise Unsuited
        fact = facts.mapped(fact, part, 0.0, 1.5 * fact.size, 2.0, 4)
    return block.apply(name, [operand], operand.type.of(part), fact)


OPERATIONS = (
    (binary, 6),
    (function, 4),
    (complex_function, 1),
    (exact_unary, 3),
    (bit_unary, 1),
    (compare, 2),
    (select, 2),
    (clamp, 1),
    (convert, 3),
    (bitcast, 1),
    (reduce_precision, 1),
    (is_finite, 0.5),
    (complex_parts, 1),
)
