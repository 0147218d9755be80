"""Makes a program smaller while something about it stays true: what `ci/xla-reduce` runs.

The program is any StableHLO module whose `main` takes and returns arrays; with it go its arguments. A
step is a smaller candidate: fewer results, an operation's value as an argument instead of its
computation, simpler numbers, shorter dimensions. `is_interesting` says which candidates to keep; what
is no valid program is not called about. `evaluate` runs a program on trusted ground (the interpreter)
to learn the values that become arguments.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator

import numpy as np

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, func, stablehlo

DIALECTS = (chlo, func, stablehlo)  # loading them registers their operations


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A program's text and its arguments."""

    text: str
    arrays: tuple[np.ndarray, ...]

    @property
    def size(self) -> tuple[int, int]:
        return (self.text.count("\n"), sum(array.size for array in self.arrays))


Interesting = Callable[[Case], bool]
Evaluate = Callable[[Case], list[np.ndarray]]


class _Parsed:
    """A module that is changed in place and printed again."""

    def __init__(self, case: Case) -> None:
        self.arrays = list(case.arrays)
        self.module = ir.Module.parse(case.text)
        self.main = next(
            operation
            for operation in self.module.body.operations
            if operation.name.value == "main"
        )
        self.block = self.main.regions[0].blocks[0]

    @property
    def operations(self):
        """The operations of main but the return."""
        return list(self.block.operations)[:-1]

    def returned(self):
        return list(list(self.block.operations)[-1].operands)

    def set_returned(self, values) -> None:
        list(self.block.operations)[-1].operation.erase()
        with ir.InsertionPoint(self.block):
            func.ReturnOp(values)
        self._set_type()

    def _set_type(self) -> None:
        taken = [argument.type for argument in self.block.arguments]
        given = [value.type for value in self.returned()]
        kind = ir.FunctionType.get(taken, given)
        self.main.attributes["function_type"] = ir.TypeAttr.get(kind)
        self._forget_attributes()

    def replace_by_arguments(self, results, arrays) -> None:
        for result, array in zip(results, arrays, strict=True):
            argument = self.block.add_argument(result.type, ir.Location.unknown())
            result.replace_all_uses_with(argument)
            self.arrays.append(array)
        self._set_type()

    def clean(self) -> Case:
        """Without what nobody uses."""
        for operation in reversed(self.operations):
            if not any(list(result.uses) for result in operation.results):
                operation.operation.erase()
        named = re.findall(r"@([\w$.-]+)", str(self.module))
        for function in list(self.module.body.operations):
            name = function.name.value
            if name != "main" and named.count(name) == 1:
                function.operation.erase()
        for number in reversed(range(len(self.arrays))):
            if not list(self.block.arguments[number].uses):
                self.block.erase_argument(number)
                del self.arrays[number]
        self._set_type()
        return Case(str(self.module), tuple(self.arrays))

    def _forget_attributes(self) -> None:
        """Drops the attributes of main's arguments and results: the result that an argument is aliased with may be gone."""
        for name in ("arg_attrs", "res_attrs"):
            if name in self.main.attributes:
                del self.main.attributes[name]


def _one_result(case: Case, _) -> Iterator[Case]:
    count = len(_Parsed(case).returned())
    for number in range(count if count > 1 else 0):
        parsed = _Parsed(case)
        parsed.set_returned([parsed.returned()[number]])
        yield parsed.clean()


def _earlier_result(case: Case, _) -> Iterator[Case]:
    """The first operation whose result will do."""
    for number in range(len(_Parsed(case).operations) - 1):
        for index in range(len(_Parsed(case).operations[number].results)):
            parsed = _Parsed(case)
            parsed.set_returned([parsed.operations[number].results[index]])
            yield parsed.clean()


def _cut(case: Case, evaluate: Evaluate) -> Iterator[Case]:
    """An operation's results become arguments with the values that they had."""
    for number in reversed(range(len(_Parsed(case).operations))):
        parsed = _Parsed(case)
        operation = parsed.operations[number]
        if not len(operation.results) or not all(
            isinstance(result.type, ir.RankedTensorType) for result in operation.results
        ):
            continue
        if set(operation.results) & set(parsed.returned()):
            continue
        parsed.set_returned(list(operation.results))
        values = evaluate(Case(str(parsed.module), case.arrays))
        parsed = _Parsed(case)
        parsed.replace_by_arguments(parsed.operations[number].results, values)
        yield parsed.clean()


def _simpler_numbers(case: Case, _) -> Iterator[Case]:
    for number, array in enumerate(case.arrays):
        for fill in (0, 1):
            simple = np.full_like(array, fill)
            if np.array_equal(simple, array):
                break
            if array.size:
                arrays = list(case.arrays)
                arrays[number] = simple
                yield Case(case.text, tuple(arrays))


def _shorter_dimensions(case: Case, _) -> Iterator[Case]:
    """One size, wherever it occurs, made smaller; the verifier says whether that makes sense."""
    sizes = {
        int(size)
        for shape in re.findall(r"tensor<((?:\d+x)+)", case.text)
        for size in shape.split("x")[:-1]
    }
    for size in sorted(sizes, reverse=True):
        for smaller in sorted({1, 2, size // 2, size - 1}):
            if 0 < smaller < size:
                yield _resized(case, size, smaller)


def _resized(case: Case, size: int, smaller: int) -> Case:
    def shape(match):
        sizes = match[1].split("x")[:-1]
        changed = [str(smaller) if n == str(size) else n for n in sizes]
        return "tensor<" + "".join(f"{n}x" for n in changed)

    text = re.sub(r"tensor<((?:\d+x)+)", shape, case.text)
    text = re.sub(
        r"(array<i64: [^>]*>|\[[-\d:, ]*\])",
        lambda match: re.sub(rf"\b{size}\b", str(smaller), match[0]),
        text,
    )
    arrays = tuple(
        np.array(
            array[tuple(slice(smaller if n == size else n) for n in array.shape)],
            order="C",
        )
        for array in case.arrays
    )
    return Case(text, arrays)


STEPS = (
    _one_result,
    _earlier_result,
    _cut,
    _simpler_numbers,
    _shorter_dimensions,
)


def shrink(
    case: Case, is_interesting: Interesting, evaluate: Evaluate, say=lambda text: None
) -> Case:
    """The smallest case that the steps lead to; `case` itself must be interesting.

    Raises:
        ValueError: the case is not interesting to begin with.
    """
    if not is_interesting(case):
        raise ValueError(
            "there is nothing to shrink: the program as given does not show what is looked for"
        )
    with ir.Context(), ir.Location.unknown():
        changed = True
        while changed:
            changed = False
            for step in STEPS:
                while (
                    smaller := _first(step, case, is_interesting, evaluate)
                ) is not None:
                    case, changed = smaller, True
                    say(f"{step.__name__.strip('_')}: {case.size[0]} lines")
    return case


def _first(step, case, is_interesting, evaluate) -> Case | None:
    """The first candidate of a step that is valid and interesting."""
    for candidate in step(case, evaluate):
        if _is_valid(candidate) and is_interesting(candidate):
            return candidate
    return None


def _is_valid(case: Case) -> bool:
    try:
        ir.Module.parse(case.text).operation.verify()
    except (ir.MLIRError, ValueError):
        return False
    return True
