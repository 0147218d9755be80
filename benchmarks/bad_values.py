#!/usr/bin/env python3
"""What a search for a NaN costs: first calls with `jax_debug_nans` against plain ones, in processor time.

The programs are the forty of tests/checkify/planted.py, each with one planted NaN. A first call traces, lowers and
compiles; with the option the program is compiled again with checks, and run. --rounds K takes the least of K first calls.
The tier is `fast`: a first call under `auto` is the same, but what it compiles later, in the background, would count as others'.
It ends with 1 if the median is above three.
"""

import argparse
import importlib.util
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLANTED = ROOT / "tests/checkify/planted.py"
BOUND = 3.0


def programs():
    """The module of the tests, which has the programs and their input."""
    spec = importlib.util.spec_from_file_location("planted", PLANTED)
    module = importlib.util.module_from_spec(spec)
    # The tests look for the lines of their own module.
    sys.modules["planted"] = module
    spec.loader.exec_module(module)
    return module


def first_call(program, x, is_searched):
    """Seconds of the processor until a program has run once, or its NaN is explained."""
    jax.clear_caches()
    start = time.process_time()
    with jax.debug_nans(is_searched):
        try:
            jax.block_until_ready(jax.jit(program)(x))
        except FloatingPointError:
            assert is_searched
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    jax.config.update("jax_compile_tier", "fast")
    module = programs()
    first_call(module.PROGRAMS[0][0], module.X, True)
    sums, ratios = [0.0, 0.0], []
    for name, (program, *_) in zip(module.names(), module.PROGRAMS, strict=True):
        times = [
            [first_call(program, module.X, s) for s in (False, True)]
            for _ in range(options.rounds)
        ]
        plain, searched = (min(column) for column in zip(*times, strict=True))
        sums = [sums[0] + plain, sums[1] + searched]
        ratios.append(searched / plain)
        print(
            f"{name:28} {plain * 1e3:7.1f} ms {searched * 1e3:8.1f} ms {ratios[-1]:6.2f}"
        )
    median = statistics.median(ratios)
    print(
        f"all: {sums[1] / sums[0]:.2f} times a plain first call, least {min(ratios):.2f}, "
        f"median {median:.2f}, most {max(ratios):.2f}"
    )
    return int(median > BOUND)


if __name__ == "__main__":
    sys.exit(main())
