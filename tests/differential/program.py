"""Programs in the making: values with facts, and the text that computes them."""

import dataclasses
import math
import random

import numpy as np

from tests.differential import inputs
from tests.differential.elements import PRED, Element
from tests.differential.facts import EXACT, WILD, Fact


class Unsuited(Exception):
    """What was requested does not fit the values there are: try something else."""


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """An array's shape and element type."""

    shape: tuple[int, ...]
    element: Element

    def __str__(self) -> str:
        return (
            f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element.text}>"
        )

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def of(self, element: Element) -> "Type":
        return Type(self.shape, element)

    def shaped(self, *shape: int) -> "Type":
        return Type(tuple(shape), self.element)


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """An array that a program computes.

    `freedoms` names the rows of `freedoms.py` that leave its elements to the executor; `is_known` says that
    a compiler can compute it, for it depends on no argument.
    """

    name: str
    type: Type
    fact: Fact
    freedoms: frozenset[str] = frozenset()
    is_known: bool = False

    @property
    def element(self) -> Element:
        return self.type.element

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A finished program with its arguments and what is known of its results."""

    seed: int
    text: str
    arguments: list[np.ndarray]
    results: list[Value]
    operations: list[str]


@dataclasses.dataclass(slots=True)
class Module:
    """What the functions and regions of one program share."""

    choose: random.Random
    numbers: np.random.Generator
    arguments: list[Value] = dataclasses.field(default_factory=list)
    arrays: list[np.ndarray] = dataclasses.field(default_factory=list)
    functions: list[str] = dataclasses.field(default_factory=list)
    operations: list[str] = dataclasses.field(default_factory=list)
    makers: dict[str, str] = dataclasses.field(default_factory=dict)
    names: int = 0

    def fresh(self) -> str:
        self.names += 1
        return f"%{self.names}"


ARGUMENTS = 8
"""No program takes more; a value needed beyond them is a constant."""


class Block:
    """A list of operations in one function or region, and the values to draw from."""

    def __init__(self, module: Module, pool: list[Value], depth: int = 0) -> None:
        self.module = module
        self.pool = list(pool)
        self.lines: list[str] = []
        self.depth = depth
        self.used: set[str] = set()
        self.region_freedoms: frozenset[str] = frozenset()
        self.choose = module.choose

    def child(self) -> "Block":
        """An empty block of the same sort for a region."""
        return Block(self.module, [], self.depth + 1)

    # Writing.

    def apply(
        self, operation, operands, result, fact, attributes="", regions=(), free=()
    ):
        """Writes an operation of one result in generic form and returns the result."""
        return self.apply_many(
            operation, operands, [(result, fact)], attributes, regions, free
        )[0]

    def apply_many(
        self, operation, operands, results, attributes="", regions=(), free=()
    ):
        """Writes an operation; `results` are pairs of type and fact, `free` names freedoms it takes."""
        names = [self.module.fresh() for _ in results]
        self.module.operations.append(operation)
        self.module.makers.update(dict.fromkeys(names, operation))
        if operation in ("maximum", "minimum") and self.is_any_made_by(
            "clamp", operands
        ):
            free = (*free, "extremum of a clamp")
        inputs_text = ", ".join(operand.name for operand in operands)
        types = ", ".join(str(operand.type) for operand in operands)
        result_types = ", ".join(str(type) for type, _ in results)
        properties = f" <{{{attributes}}}>" if attributes else ""
        bodies = f" ({', '.join(regions)})" if regions else ""
        self.lines.append(
            f'{", ".join(names)} = "stablehlo.{operation}"({inputs_text})'
            f"{properties}{bodies} : ({types}) -> ({result_types})"
        )
        self.used.update(operand.name for operand in operands)
        freedoms = self.freedoms_of(operands).union(free)
        if regions:
            freedoms |= self.region_freedoms
            self.region_freedoms = frozenset()
        is_known = all(operand.is_known for operand in operands)
        values = [
            Value(name, type, fact, freedoms, is_known)
            for name, (type, fact) in zip(names, results, strict=True)
        ]
        self.pool.extend(values)
        return values

    def is_any_made_by(self, operation: str, values) -> bool:
        makers = self.module.makers
        return any(makers.get(value.name) == operation for value in values)

    @staticmethod
    def freedoms_of(values) -> frozenset[str]:
        return frozenset().union(*(value.freedoms for value in values))

    def line(self, text: str) -> None:
        self.lines.append(text)

    def region(self, types, facts, body) -> str:
        """The text of a region whose block has arguments; `body(block, arguments)` returns what it yields.

        It sees nothing from outside unless `body` captures it.
        """
        block = self.child()
        arguments = [
            Value(self.module.fresh(), type, fact)
            for type, fact in zip(types, facts, strict=True)
        ]
        block.pool.extend(arguments)
        yielded = body(block, arguments)
        self.used |= block.used
        self.region_freedoms |= self.freedoms_of([*block.pool, *yielded])
        names = ", ".join(value.name for value in yielded)
        result_types = ", ".join(str(value.type) for value in yielded)
        header = ", ".join(f"{value.name}: {value.type}" for value in arguments)
        lines = [f"^bb0({header}):"] if arguments else []
        lines += block.lines
        lines.append(f'"stablehlo.return"({names}) : ({result_types}) -> ()')
        return "{\n" + "\n".join("  " + line for line in lines) + "\n}"

    # Values.

    def argument(self, type: Type, sort: str, **limits) -> Value:
        """A new argument of the program (`inputs.make`), or inside a region a constant."""
        array, fact = inputs.make(
            self.module.numbers, type.shape, type.element, sort, **limits
        )
        if self.depth or len(self.module.arguments) >= ARGUMENTS:
            if type.count > 64:
                raise Unsuited
            return self.literal(type, array, fact)
        value = Value(f"%arg{len(self.module.arguments)}", type, fact)
        self.module.arguments.append(value)
        self.module.arrays.append(array)
        self.pool.append(value)
        return value

    def literal(self, type: Type, array: np.ndarray, fact: Fact) -> Value:
        """A constant with these elements."""
        text = inputs.literal(array, type.element)
        return self.apply("constant", [], type, fact, f"value = dense<{text}> : {type}")

    def number(self, element: Element, number) -> Value:
        """A scalar constant."""
        array = np.asarray(number).astype(element.dtype)
        real = float(np.real(array).astype(np.float64))
        fact = WILD
        if math.isfinite(real):
            fact = Fact(real, real, inputs.bits_of(real), raw=True)
        return self.literal(
            Type((), element), array, fact if element.is_inexact else EXACT
        )

    def pick(self, condition) -> Value:
        """A value there is that meets the condition."""
        suited = [value for value in self.pool if condition(value)]
        if not suited:
            raise Unsuited
        return self.choose.choice(suited)

    def like(self, type: Type, condition=lambda value: True, sort="small") -> Value:
        """A value of this type: one there is, or a new argument."""
        suited = [
            value for value in self.pool if value.type == type and condition(value)
        ]
        if suited and self.choose.random() < 0.7:
            return self.choose.choice(suited)
        if type.element is PRED or type.element.is_integer:
            sort = "any"
        value = self.argument(type, sort)
        if not condition(value):
            raise Unsuited
        return value
