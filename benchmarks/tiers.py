"""First calls in each tier of compilation, on the `jax` of this interpreter and of another.

    python benchmarks/tiers.py [--peer OTHER_INTERPRETER] [--only REGEX] [--rounds 3]

Prints, per workload, the seconds of the first call in each tier, those of the peer over them, and
what ten later calls add; processor time, the least of several processes in turns. The last lines
are geometric means.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

PROGRAM = """
import importlib.util, json, re, sys, time
import jax
spec = importlib.util.spec_from_file_location("workloads", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))
found = {}
for name, (group, make, settings) in module.REGISTRY.items():
    if settings.get("jit") is False or not re.search(sys.argv[2], name):
        continue
    fun, args = make()
    fun = jax.jit(fun)
    start = time.process_time()
    jax.block_until_ready(fun(*args))
    first = time.process_time()
    for _ in range(10):
        jax.block_until_ready(fun(*args))
    found[name] = first - start, time.process_time() - start
print(json.dumps(found))
"""
WORKLOADS = pathlib.Path(__file__).with_name("workloads.py")


def measure(interpreter: str, tier: str | None, only: str) -> dict[str, list[float]]:
    """The seconds of the first call and of eleven, by workload."""
    answer = subprocess.run(
        [interpreter, "-P", "-c", PROGRAM, str(WORKLOADS), only],
        env=os.environ | ({"JAX_COMPILE_TIER": tier} if tier else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout)


def _mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="an interpreter with another jax")
    parser.add_argument("--only", default="", type=re.compile)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    only = options.only.pattern if options.only else ""
    sides = {tier: (sys.executable, tier) for tier in ("best", "fast", "auto")}
    if options.peer:
        sides["peer"] = (options.peer, None)
    least: dict[str, dict[str, list[float]]] = {name: {} for name in sides}
    for _ in range(options.rounds):
        for name, (interpreter, tier) in sides.items():
            for workload, seconds in measure(interpreter, tier, only).items():
                before = least[name].get(workload, seconds)
                least[name][workload] = [*map(min, seconds, before)]
    print(f"{'':24}" + "".join(f"{name:>10}{'and 10':>10}" for name in sides))
    for workload in least["best"]:
        row = (f"{s:10.4f}" for name in sides for s in least[name][workload])
        print(f"{workload:24}" + "".join(row))
    against = "peer" if options.peer else "best"
    for name in sides:
        for what, number in (("first call", 0), ("first call and ten", 1)):
            ratios = [
                least[against][w][number] / least[name][w][number]
                for w in least["best"]
            ]
            print(f"{name:6}{what:20}{against} takes {_mean(ratios):.2f} times as long")


if __name__ == "__main__":
    main()
