"""Runs random programs in two tiers of our compiler: results have the same bits.

python -m tests.differential.tiers COUNT [SEED]
"""

import sys

import numpy as np

import jax
from jax._src import tree
from jax._src.base import errors
from jax._src.core import shardings
from jax._src.lib import fastpath
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get
from tests.differential import compare, generate
from tests.differential.program import Program


def run(program: Program, tier: str) -> list[np.ndarray] | str:
    """The results of a program that was compiled in a tier; a refusal's message."""
    device = backends.devices()[0]
    sharding = shardings.of_device(device)
    try:
        executable = compile.compile_module(program.text, devices=[device], tier=tier)
    except errors.JaxRuntimeError as error:
        return str(error)
    types = [value.type for value in program.results]
    data = fastpath.FastpathData(
        executable=executable,
        out_tree=tree.tree_structure([0] * len(types)),
        out_types=[(tuple(t.shape), t.element.dtype, False) for t in types],
        out_shardings=[sharding] * len(types),
        out_committed=False,
    )
    with jax.enable_x64(True):
        leaves = [device_put_get.device_put(x, device) for x in program.arguments]
        return [np.asarray(x) for x in data.run(leaves)]


def difference(seed: int) -> str:
    """What differs between the tiers of the program of a seed; else ``""``."""
    program = generate.generate(seed)
    best, fast = run(program, "best"), run(program, "fast")
    if isinstance(best, str) or isinstance(fast, str):
        return "" if best == fast else f"{seed}: {best!r} and {fast!r}"
    for number, (x, y) in enumerate(zip(best, fast, strict=True)):
        if compare.bits_of(x) != compare.bits_of(y):
            return f"{seed}: result {number}: {x!r} and {y!r}"
    return ""


def main(count: int, first: int = 0) -> int:
    found = [d for seed in range(first, first + count) if (d := difference(seed))]
    print(*found, f"{count} programs, {len(found)} differ", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
