"""Shrinks a program on which two executors disagree.

    shrink_mismatch.py --plugin PATH FILE.mlir [--pair native xla] [--tolerance 0.01]

FILE.npz beside it, if there is one, holds the arguments as `search.py` saves them; otherwise they are
drawn anew. What counts is a difference beyond a coarse tolerance, relative to the largest element, or
that one executor refuses and the other does not.
"""

import argparse
import pathlib
import sys

import numpy as np
from pypjrt import errors

from jaxlib.mlir import ir
from tests.differential import executors, inputs, shrink
from tests.differential.elements import BY_NAME


def signature(text: str):
    """Shapes and element types of main's arguments."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        main = next(
            function
            for function in module.body.operations
            if function.name.value == "main"
        )
        types = [argument.type for argument in main.regions[0].blocks[0].arguments]
        return [(tuple(t.shape), BY_NAME[str(t.element_type)]) for t in types]


def load(path: pathlib.Path, seed: int = 0) -> shrink.Case:
    """A program and its arguments."""
    text = path.read_text()
    saved = path.with_suffix(".npz")
    data = np.load(saved) if saved.exists() else None
    numbers = np.random.default_rng(seed)
    arrays = []
    for number, (shape, element) in enumerate(signature(text)):
        if data is not None:
            array = np.frombuffer(data[str(number)].tobytes(), element.dtype)
            arrays.append(array.reshape(shape))
        else:
            sort = "small" if element.is_inexact else "any"
            arrays.append(inputs.make(numbers, shape, element, sort)[0])
    return shrink.Case(text, tuple(arrays))


def outcome(executor, case: shrink.Case):
    try:
        return executor.run(case.text, list(case.arrays))
    except errors.PjrtError as error:
        return str(error)


def differ(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two results are apart by more than a part of the largest element."""
    if a.dtype.kind not in "fcV":
        return not np.array_equal(a, b)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.concatenate([np.abs(x[np.isfinite(x)]).reshape(-1) for x in (a, b)])
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= tolerance * scale
    return bool((~same & ~near).any())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--plugin", required=True, help="our plugin's shared object")
    parser.add_argument("--pair", nargs=2, default=("native", "xla"))
    parser.add_argument("--tolerance", type=float, default=0.01)
    options = parser.parse_args()
    names = sorted({*options.pair, "reference"})
    with executors.opened(options.plugin, names) as by_name:
        pair = [by_name[name] for name in options.pair]

        def is_interesting(case):
            first, second = (outcome(executor, case) for executor in pair)
            if isinstance(first, str) or isinstance(second, str):
                return isinstance(first, str) != isinstance(second, str)
            return any(
                differ(a, b, options.tolerance)
                for a, b in zip(first, second, strict=True)
            )

        def evaluate(case):
            return by_name["reference"].run(case.text, list(case.arrays))

        say = lambda text: print(f"// {text}", file=sys.stderr)
        case = shrink.shrink(load(options.file), is_interesting, evaluate, say)
        print(case.text)
        for number, array in enumerate(case.arrays):
            print(f"// argument {number}: {array.tolist()}")
        for executor in pair:
            answer = outcome(executor, case)
            text = answer if isinstance(answer, str) else [x.tolist() for x in answer]
            print(f"// {executor.name}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
