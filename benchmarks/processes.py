"""Collectives between two processes, beside upstream JAX (which uses Gloo), in alternating jobs of one run.

    python benchmarks/processes.py --ours PYTHON --theirs PYTHON [--rounds 3] [--only REGEX]

Each job starts two processes with one device each by `jax.distributed.initialize`, times every workload, and prints the
seconds of a call; the table has the best median of all rounds. Only times of one run compare: machines differ, and so
do their hours.

A job is initialised once, and how long that takes depends on which process comes first. So that row is the mean of
`--starts` jobs that do nothing else, what a start costs on average; below the table are the least and the most.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import re
import socket
import statistics
import subprocess
import sys
import time

import numpy as np

MIB = 1 << 18  # elements of float32
START = "initialisation"
NOTHING = "^$"  # matches the name of no workload
SIZES = {"4 B": 1, "64 KiB": MIB // 16, "1 MiB": MIB, "64 MiB": 64 * MIB}


def workloads():
    """By name: a function of one device's part, and the elements of that part."""
    from jax import lax

    def swap(x):
        return lax.ppermute(x, "i", [(0, 1), (1, 0)])

    def exchange(x):
        return lax.all_to_all(x, "i", 0, 0, tiled=True)

    def add(x):
        return lax.psum(x, "i")

    def gather(x):
        return lax.all_gather(x, "i", tiled=True)

    cases = {f"all-reduce {name}": (add, size) for name, size in SIZES.items()}
    for name in ("1 MiB", "64 MiB"):
        for kind, function in [
            ("all-to-all", exchange),
            ("ring", swap),
            ("gather", gather),
        ]:
            cases[f"{kind} {name}"] = (function, SIZES[name])
    return cases


def step_of_training(mesh):
    """A data-parallel step: each process has half of a batch, all have the weights."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec as P

    def put(seed, shape, spec):
        value = np.random.default_rng(seed).standard_normal(shape, np.float32) / 16
        sharding = NamedSharding(mesh, spec)
        return jax.make_array_from_callback(shape, sharding, lambda i: value[i])

    def loss(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return jnp.mean(x**2)

    weights = [put(k, (256, 256), P()) for k in range(4)]
    batch = put(9, (256, 256), P("i"))
    whole = NamedSharding(mesh, P())

    def step(weights, batch):
        slopes = jax.grad(loss)(weights, batch)
        return [w - 0.1 * g for w, g in zip(weights, slopes, strict=True)]

    jitted = jax.jit(step, out_shardings=[whole] * 4)
    return lambda: jitted(weights, batch)


def timed(call, count):
    """The median of some calls, after three others."""
    import jax

    for _ in range(3):
        jax.block_until_ready(call())
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def work(address, process, only):
    """One process of a job."""
    import jax

    begin = time.perf_counter()
    jax.distributed.initialize(address, num_processes=2, process_id=process)
    jax.devices()
    found = {START: time.perf_counter() - begin}
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

    mesh = jax.make_mesh((2,), ("i",), axis_types=(AxisType.Auto,))
    sharding = NamedSharding(mesh, P("i"))
    for name, (function, elements) in workloads().items():
        if re.search(only, name):
            value = np.ones(2 * elements, np.float32)
            x = jax.make_array_from_callback(value.shape, sharding, value.__getitem__)
            mapped = jax.shard_map(
                function, mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False
            )
            # The same count in both processes, or one would wait for calls that do not come.
            count = 20 if elements > MIB else 200
            found[name] = timed(functools.partial(jax.jit(mapped), x), count)
    if re.search(only, "step of training"):
        found["step of training"] = timed(step_of_training(mesh), 200)
    if process == 0:
        print("RESULT " + json.dumps(found), flush=True)


def job(python, only):
    """Times of one job of two processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [*python.split(), __file__, "--only", only, "--worker", address]
    both = [
        subprocess.Popen(
            [*command, str(k)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for k in range(2)
    ]
    try:
        outputs = [process.communicate(timeout=300) for process in both]
    finally:
        for process in both:
            process.kill()
    for line in outputs[0][0].splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    sys.exit(f"{python}: " + outputs[0][1] + outputs[1][1])


def positive(text):
    """A count of at least one, for the command line."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", default=sys.executable)
    parser.add_argument("--theirs")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--starts", type=positive, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--worker", nargs=2)
    options = parser.parse_args()
    if options.worker:
        work(options.worker[0], int(options.worker[1]), options.only)
        return
    sides = [side for side in (options.ours, options.theirs) if side]
    best: list[dict[str, float]] = [{} for _ in sides]
    for _ in range(options.rounds):
        for found, python in zip(best, sides, strict=True):
            for name, seconds in job(python, options.only).items():
                found[name] = min(seconds, found.get(name, math.inf))
    starts: list[list[float]] = [[] for _ in sides]
    for _ in range(options.starts):
        for found, python in zip(starts, sides, strict=True):
            found.append(job(python, NOTHING)[START])
    for found, seconds in zip(best, starts, strict=True):
        found[START] = statistics.fmean(seconds)
    ratios = []
    for name, seconds in best[0].items():
        row = f"{name:20} {seconds * 1e3:10.3f} ms"
        if len(best) > 1:
            ratios.append(best[1][name] / seconds)
            row += f" {best[1][name] * 1e3:10.3f} ms {ratios[-1]:6.2f}"
        print(row)
    if ratios:
        geometric = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"geometric mean {geometric:.2f}, worst {min(ratios):.2f}")
    for python, seconds in zip(sides, starts, strict=True):
        least, most = min(seconds) * 1e3, max(seconds) * 1e3
        print(f"{START}: {least:.1f} ms to {most:.1f} ms with {python}")


if __name__ == "__main__":
    main()
