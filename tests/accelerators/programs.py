"""Programs of the golden cases and of the benchmarks' workloads, each a function of arrays."""

import importlib.util
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import jax
from jax import tree_util

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files whose cases compute something that a compiler sees.
FILES = (
    "binary", "complex", "control", "conv", "einsum", "fft", "grads", "image", "indexing",
    "initializers", "integer", "linalg", "nn", "numpy_misc", "prng", "random_dist",
    "reduce_sort", "scipy_misc", "special", "unary",
)  # fmt: skip
Program = tuple[str, Callable, list[Any]]


def load(path: pathlib.Path) -> Any:
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arrays_of(value):
    """The arrays in what a case gives: names and numbers are no results of programs."""
    leaves = tree_util.tree_leaves(value)
    return [x for x in leaves if isinstance(x, jax.Array)]


def golden_cases(per_file: int) -> Iterator[Program]:
    """So many cases of each file, spread over it."""
    golden = load(ROOT / "tests/golden/check_golden.py")
    for name in FILES:
        text = json.loads((ROOT / f"tests/golden/{name}.json").read_text())
        stored = np.load(ROOT / f"tests/golden/{name}.npz")
        inputs = {
            key: golden.load_input(golden.namespace(), stored[f"in/{key}"], dtype)
            for key, (dtype, _) in text["inputs"].items()
        }
        cases = [c for c in text["cases"] if not c.get("config") and "out" in c]
        step = max(1, len(cases) // per_file)
        for case in cases[::step][:per_file]:
            yield f"{name}: {case['id']}", *_program(golden, text, case, inputs)


def _program(golden, text, case, inputs):
    wanted = case.get("in", {})

    def run(*arrays):
        names = golden.namespace()
        names.update(zip(wanted, arrays, strict=True))
        if case.get("setup"):
            exec(case["setup"], names)  # noqa: S102
        return _arrays_of(eval(case["expr"], names))  # noqa: S307

    return run, [inputs[key] for key in wanted.values()]


def workloads() -> Iterator[Program]:
    """The benchmarks' programs."""
    found = load(ROOT / "benchmarks/workloads.py")
    for name, (_, make, _) in found.REGISTRY.items():
        try:
            run, arguments = make()
        except (ImportError, NotImplementedError, ValueError):
            continue  # Workloads of several devices, or of packages that are not here.
        yield f"workload: {name}", run, list(arguments)
