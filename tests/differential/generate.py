"""From a seed to a random valid program."""

import random
import re

import numpy as np

from tests.differential.elements import ALL, F32
from tests.differential.families import (
    contraction,
    control,
    elementwise,
    epilogue,
    movement,
    reduction,
    rows,
)
from tests.differential.program import Block, Module, Program, Type, Unsuited, Value

OPERATIONS = (
    elementwise.OPERATIONS
    + movement.OPERATIONS
    + contraction.OPERATIONS
    + reduction.OPERATIONS
    + control.OPERATIONS
    + epilogue.OPERATIONS
    + rows.OPERATIONS
)
SIZES = (0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 17)
RESULTS = 6


def _shape(choose: random.Random) -> tuple[int, ...]:
    """Mostly small; sometimes long enough for vectors, rarely for blocks and several threads."""
    rank = choose.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))
    shape = [choose.choice(SIZES) for _ in range(rank)]
    if rank and choose.random() < 0.1:
        shape[choose.randrange(rank)] = choose.choice((33, 64, 100, 257))
    if rank and choose.random() < 0.06:
        shape[choose.randrange(rank)] = choose.choice((1000, 4099, 9000, 40000))
    if int(np.prod(shape, dtype=np.int64)) > 1 << 17:
        shape = [min(size, 5) for size in shape]
    return tuple(shape)


def _first_arguments(block: Block, shape_of) -> None:
    choose = block.choose
    for _ in range(choose.randint(1, 3)):
        element = choose.choice((*ALL, F32, F32, F32))
        sorts = ("any",)
        if element.is_inexact:
            sorts = ("small", "small", "real", "positive", "wild")
        block.argument(Type(shape_of(choose), element), choose.choice(sorts))


def _results(block: Block) -> list[Value]:
    """Values nobody uses, and a few others."""
    candidates = [value for value in block.pool if not value.name.startswith("%arg")]
    sharp = [
        value
        for value in candidates
        if value.type.count <= 1 << 17 and (value.fact.is_sharp or value.fact.wild)
    ]
    unused = [value for value in sharp if value.name not in block.used]
    results = unused[-RESULTS:]
    others = [value for value in sharp if value not in results]
    block.choose.shuffle(others)
    results += others[: block.choose.randint(0, 1) if results else 1]
    return results


def fill(block: Block, kinds, shape_of=_shape) -> list[Value]:
    """Writes a program of some kinds of operations into a block and returns its results."""
    weights = [weight for _, weight in kinds]
    _first_arguments(block, shape_of)
    length = block.choose.choice((1, 2, 3, 4, 6, 8, 12, 20))
    written = 0
    for _ in range(20 * length):
        if written >= length:
            break
        (operation, _), *_ = block.choose.choices(kinds, weights)
        try:
            result = operation(block)
        except Unsuited:
            continue
        written += 1
        if not result.fact.is_sharp and not result.fact.wild:
            # Too coarse to be an operand: whatever follows could not be compared.
            block.pool.remove(result)
    return _results(block) or [block.argument(Type((2,), F32), "small")]


def generate(seed: int, only=()) -> Program:
    """The program of a seed, always the same; of the kinds of operations named in `only`, if any."""
    module = Module(random.Random(seed), np.random.default_rng(seed))
    block = Block(module, [])
    kinds = [row for row in OPERATIONS if not only or row[0].__name__ in only]
    results = fill(block, kinds)
    text = text_of(module, block, results)
    return Program(seed, text, module.arrays, results, module.operations)


def _another_order(lines: list[str], choose: random.Random) -> list[str]:
    """The given operations in another order in which operands still come first."""
    name = re.compile(r"%\w+")
    makers = {
        made: number
        for number, line in enumerate(lines)
        for made in name.findall(line.split(" = ")[0])
    }
    wait_for = [
        {makers[used] for used in name.findall(line) if used in makers} - {number}
        for number, line in enumerate(lines)
    ]
    left, order = list(range(len(lines))), []
    while left:
        number = choose.choice([n for n in left if wait_for[n].isdisjoint(left)])
        left.remove(number)
        order.append(lines[number])
    return order


def _header(module: Module, attributes: list[str]) -> str:
    """The arguments of main; some may give their memory to a result."""
    texts = []
    for value, attribute in zip(module.arguments, attributes, strict=True):
        is_donor = module.choose.random() < 0.4
        listed = [attribute] if attribute else []
        listed += ["jax.buffer_donor = true"] if is_donor else []
        texts.append(f"{value.name}: {value.type}{_dictionary(listed)}")
    return ", ".join(texts)


def _dictionary(attributes: list[str]) -> str:
    return f" {{{', '.join(attributes)}}}" if attributes else ""


def indented(text: str) -> str:
    """Lines of main, but for the first."""
    return text.replace("\n", "\n    ")


def text_of(
    module: Module,
    block: Block,
    results: list[Value],
    *,
    prologue: str = "",
    argument_attributes: list[str] | None = None,
    result_attributes: list[str] | None = None,
) -> str:
    """The module whose main is the block; attributes say more of arguments and results."""
    header = _header(module, argument_attributes or [""] * len(module.arguments))
    types = ", ".join(str(value.type) for value in results)
    signature = types
    if result_attributes:
        signature = ", ".join(
            f"{value.type}{_dictionary([attribute])}"
            for value, attribute in zip(results, result_attributes, strict=True)
        )
    names = ", ".join(value.name for value in results)
    if module.choose.random() < 0.5:
        block.lines = _another_order(block.lines, module.choose)
    lines = "\n    ".join(indented(line) for line in block.lines)
    main = (
        f"  func.func public @main({header}) -> ({signature}) {{\n    {lines}\n"
        f"    func.return {names} : {types}\n  }}"
    )
    return f"module {{\n{prologue}" + "\n".join([main, *module.functions]) + "\n}\n"
