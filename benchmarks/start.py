"""What a program costs before it computes: start-up, memory and the first compilation, on the `jax` of this interpreter.

    python benchmarks/start.py [--peer OTHER_INTERPRETER] [--times 5]

Prints medians of processor seconds and megabytes; with a peer, both take turns.
"""

import argparse
import statistics
import subprocess
import sys

PROGRAM = """
import resource, time
import jax, jax.numpy as jnp
imported = time.process_time()
f = jax.jit(lambda x: jnp.tanh(x @ x).sum())
f(jnp.ones((64, 64))).block_until_ready()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(imported, time.process_time() - imported, usage.ru_maxrss / 1024)
"""


def measure(interpreter: str) -> list[float]:
    command = [interpreter, "-P", "-c", PROGRAM]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(number) for number in answer.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="an interpreter with another jax")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    sides = {"this": sys.executable} | ({"peer": options.peer} if options.peer else {})
    runs: dict[str, list[list[float]]] = {name: [] for name in sides}
    for _ in range(options.times):
        for name, interpreter in sides.items():
            runs[name].append(measure(interpreter))
    print(f"{'':6}{'import':>10}{'first jit':>12}{'memory':>12}")
    for name, found in runs.items():
        start, first, memory = map(statistics.median, zip(*found, strict=True))
        print(f"{name:6}{start:8.2f} s{first:10.2f} s{memory:9.0f} MB")


if __name__ == "__main__":
    main()
