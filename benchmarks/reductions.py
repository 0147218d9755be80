"""Processor time of reductions, selections and products of short rows and of columns, by length and element type.

  python benchmarks/reductions.py [--peer PYTHON] [--rounds 2]

Each row of the output is a function and an element type, each column how many elements a result
is made of: microseconds for two million elements, and behind them, with `--peer`, how many times
as fast as on that interpreter, which runs in turns. The smallest of five calls counts.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import subprocess
import sys
import time

LENGTHS = (2, 4, 7, 8, 9, 12, 15, 16, 17, 24, 32, 128, 1024)
TYPES = ("float32", "bfloat16", "float64", "int32", "int8")
FUNCTIONS = (
    "sum",
    "max",
    "argmax",
    "sum of exp",
    "sum of columns",
    "argmax of columns",
    "first five",
    "product of columns",
)
ELEMENTS = 1 << 21


def function_of(name: str):
    """The function named `name`, of a matrix."""
    import jax.numpy as jnp
    from jax import lax

    if name == "first five":
        return lambda x: lax.top_k(x, min(5, x.shape[1]))
    if name == "product of columns":
        return lambda x: x[:, 0] @ x
    axis = 0 if name.endswith("of columns") else 1
    if name == "sum of exp":
        return lambda x: jnp.exp(x * 0.1).sum(1)
    return lambda x: getattr(jnp, name.split()[0])(x, axis)


def measure() -> dict[str, float]:
    """Returns the microseconds of each point on the interpreter that runs this."""
    import numpy as np

    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    numbers = np.random.default_rng(0).standard_normal(ELEMENTS) * 5
    times = {}
    for name in FUNCTIONS:
        for dtype in TYPES:
            for length in LENGTHS:
                if name == "sum of exp" and dtype.startswith("int"):
                    continue
                shape = (ELEMENTS // length, length)
                x = jnp.asarray(numbers[: math.prod(shape)].reshape(shape)).astype(
                    dtype
                )
                x = x.T if name.endswith("of columns") else x
                compiled = jax.jit(function_of(name)).lower(x).compile()
                jax.block_until_ready(compiled(x))
                samples = []
                for _ in range(5):
                    start = time.process_time()
                    jax.block_until_ready(compiled(x))
                    samples.append(time.process_time() - start)
                times[f"{name}:{dtype}:{length}"] = min(samples) * 1e6
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", help="another interpreter")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure()))
        return
    least: dict[str, dict[str, float]] = collections.defaultdict(dict)
    sides = {"ours": sys.executable} | ({"peer": options.peer} if options.peer else {})
    ours = dict(os.environ)
    peers = {name: value for name, value in ours.items() if name != "PYTHONPATH"}
    for _ in range(options.rounds):
        for side, python in sides.items():
            printed = subprocess.run(
                [python, "-W", "ignore", __file__, "--child"],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                env=ours if side == "ours" else peers,
            ).stdout
            for key, us in json.loads(printed).items():
                least[side][key] = min(us, least[side].get(key, math.inf))
    print(f"{'':28}" + "".join(f"{length:>14}" for length in LENGTHS))
    ratios = {key: us / least["ours"][key] for key, us in least["peer"].items()}
    for name in FUNCTIONS:
        for dtype in TYPES:
            keys = [f"{name}:{dtype}:{length}" for length in LENGTHS]
            if keys[0] in least["ours"]:
                cells = [f"{least['ours'][k]:.0f}" for k in keys]
                if ratios:
                    cells = [
                        f"{cell} {ratios[k]:.2f}"
                        for cell, k in zip(cells, keys, strict=True)
                    ]
                print(
                    f"{name + ', ' + dtype:28}"
                    + "".join(f"{cell:>14}" for cell in cells)
                )
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        worst = min(ratios, key=ratios.__getitem__)
        print(
            f"{len(ratios)} points: geomean {mean:.2f}, worst {ratios[worst]:.2f} ({worst})"
        )


if __name__ == "__main__":
    main()
