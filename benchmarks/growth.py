"""Does time or memory grow faster than the program? Beside another interpreter, in one run.

    python benchmarks/growth.py [--peer PYTHON] [--only REGEX] [--rounds N] [--seconds S]
                                [--elapsed] [--json FILE]

Each kind of `growth_*.py` is measured at several sizes, each point in a fresh process
and with `--peer` in turn on both interpreters; the least of `--rounds` counts.  For every
stage (trace, lower, compile, first run, text of the program; memory) it prints the slope
log(time) / log(size) between the last two sizes: 1 is linear, 2 quadratic; what doubles
with each level has one that grows with the size.  Times are the processor's, of all
threads, unless `--elapsed`, without collections of garbage.  Stages that take less than
20 ms have no slope, and a point that takes more than `--seconds` is given up; so are the
larger ones of its kind.

A kind that seems to grow faster than size ** 1.1 here and not on the peer is measured
again at twice and four times its largest size, the least of three rounds: small numbers
are mostly what every program takes, and what one other program took meanwhile.

The last lines name what still grows so, and what takes more than twice the peer's time at
the largest size; the exit status says whether something grows so.
"""

import argparse
import gc
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
STAGES = ("trace", "lower", "compile", "first", "text", "memory")
LINEAR = 1.1
# What takes less says nothing of growth.
LEAST = {"memory": 16.0}
LEAST_SECONDS = 0.02
CONFIRMED_BY = 3


def _resident():
    """The memory of the process that is resident, in MiB."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class _Stages:
    """Seconds of each stage, elapsed and of the processor."""

    def __init__(self):
        self.elapsed = {}
        self.processor = {}

    def run(self, name, stage):
        start = time.perf_counter(), time.process_time()
        result = stage()
        self.elapsed[name] = time.perf_counter() - start[0]
        self.processor[name] = time.process_time() - start[1]
        return result


def measure(name, size):
    """Prints what the stages of one kind take at one size, as a line of JSON."""
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    sys.setrecursionlimit(100_000)
    sys.path.insert(0, str(HERE))
    import growth_kinds as kinds
    import growth_nests  # noqa: F401
    import growth_programs  # noqa: F401
    import growth_tasks  # noqa: F401

    import jax

    # What every process does once is no part of growth.
    jax.block_until_ready(jax.jit(lambda x: x + 1)(jax.numpy.ones(3)))
    # A full collection goes through all objects, some times more at each doubled size:
    # steps that are the interpreter's.
    gc.collect()
    gc.disable()
    stages = _Stages()
    if name in kinds.TASKS:
        make, sizes = kinds.TASKS[name]
        make(sizes[0])()
        run = make(size)
        before = _resident()
        stages.run("first", lambda: jax.block_until_ready(run()))
    else:
        make, sizes = kinds.PROGRAMS[name]
        f, args = make(size)
        jax.block_until_ready(args)
        before = _resident()
        traced = stages.run("trace", lambda: jax.jit(f).trace(*args))
        lowered = stages.run("lower", traced.lower)
        compiled = stages.run("compile", lowered.compile)
        stages.run("first", lambda: jax.block_until_ready(compiled(*args)))
        texts = (lambda: str(traced.jaxpr), lowered.as_text, compiled.as_text)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        stages.run("text", lambda: [text() for text in texts])
    if name in kinds.TASKS:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {
        "elapsed": stages.elapsed,
        "processor": stages.processor,
        "memory": max(peak - before, 0.0),
    }
    print("RESULT " + json.dumps(found))


def point(python, name, size, seconds):
    """What one interpreter takes at one size; None where it fails or takes too long."""
    command = [python, "-P", str(HERE / "growth.py"), "--point", name, str(size)]
    environment = dict(os.environ)
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # It would import this one's `jax`.
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return f"over {seconds:.0f} s"
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if lines:
        return json.loads(lines[-1][7:])
    last = done.stderr.strip().splitlines()[-1:] or ["no result"]
    return last[0][:100]


def curve(python, name, sizes, options, rounds=1):
    """For each size what its stages take: the least of the rounds."""
    found = {}
    for size in sizes:
        rounds = max(rounds, options.rounds)
        runs = [point(python, name, size, options.seconds) for _ in range(rounds)]
        if any(isinstance(run, str) for run in runs):
            found[size] = next(run for run in runs if isinstance(run, str))
            break
        clock = "elapsed" if options.elapsed else "processor"
        stages = {s: min(run[clock][s] for run in runs) for s in runs[0][clock]}
        found[size] = stages | {"memory": min(run["memory"] for run in runs)}
    return found


def slope(found, stage):
    """The slope between the two largest sizes; None where it says nothing."""
    points = [
        (n, x[stage]) for n, x in found.items() if isinstance(x, dict) and stage in x
    ]
    least = LEAST.get(stage, LEAST_SECONDS)
    if len(points) < 2 or points[-1][1] < least:
        return None
    (n, x), (m, y) = points[-2:]
    return math.log(y / max(x, least / 10)) / math.log(m / n)


def row(name, sides):
    """One line: the slopes of both sides, and the times at the largest size."""
    cells = []
    for stage in STAGES:
        shown = [
            "     " if s is None else f"{s:5.2f}"
            for s in (slope(f, stage) for f in sides)
        ]
        cells.append("/".join(shown))
    last = []
    for found in sides:
        end = list(found.values())[-1]
        if isinstance(end, str):
            last.append(end)
        else:
            last.append(" ".join(f"{end[s]:.2f}" for s in STAGES if s in end))
    size = max(sides[0])
    return f"{name:32}" + " ".join(cells) + f"   at {size}: " + " | ".join(last)


def above(sides):
    """The stages of the first side that grow faster than linear, and than the other's."""
    ends = [list(found.values())[-1] for found in sides]
    if isinstance(ends[0], str):
        is_alone = not any(isinstance(end, str) for end in ends[1:])
        return [ends[0]] if is_alone else []
    wrong = []
    for stage in STAGES:
        ours = slope(sides[0], stage)
        peers = [slope(found, stage) or 0.0 for found in sides[1:]]
        if ours is not None and ours > LINEAR >= max(peers, default=0.0):
            wrong.append(f"{stage} {ours:.2f}")
    return wrong


def confirmed(name, pythons, sides, options):
    """What grows too fast, measured again at larger sizes if something seems to."""
    if not above(sides) or isinstance(list(sides[0].values())[-1], str):
        return above(sides)
    size = max(sides[0])
    sizes = [size, 2 * size, 4 * size]
    # From the first size to the last one: a step between two of them says little.
    ends = lambda side: {n: x for n, x in side.items() if n != 2 * size}  # noqa: E731
    options = argparse.Namespace(**vars(options) | {"seconds": 4 * options.seconds})
    again = [curve(pythons[0], name, sizes, options, CONFIRMED_BY)]
    if above([ends(again[0])]):
        again += [curve(python, name, sizes, options) for python in pythons[1:]]
    print(row(f"  {name}", again), flush=True)
    return above([ends(side) for side in again])


def slower(sides):
    """The stages that take more than twice the peer's time at the largest size."""
    if len(sides) < 2:
        return []
    size = max(set(sides[0]) & set(sides[1]), default=0)
    ours, theirs = (found.get(size) for found in sides)
    if isinstance(ours, str) or isinstance(theirs, str) or not ours or not theirs:
        return []
    total = [
        sum(x.get(s, 0) for s in ("trace", "lower", "compile")) for x in (ours, theirs)
    ]
    if total[1] and total[0] > max(2 * total[1], LEAST_SECONDS):
        return [f"to compile {total[0]:.2f} s, peer {total[1]:.2f} s at {size}"]
    return []


def main():
    """Prints a row per kind, and what grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer")
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", type=int, default=9, help="only the last ones")
    parser.add_argument("--largest", type=int, default=10**9, help="no larger sizes")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--elapsed", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--point", nargs=2, metavar=("KIND", "SIZE"))
    options = parser.parse_args()
    if options.point:
        return measure(options.point[0], int(options.point[1]))
    sys.path.insert(0, str(HERE))
    import growth_kinds as kinds
    import growth_nests  # noqa: F401
    import growth_programs  # noqa: F401
    import growth_tasks  # noqa: F401

    chosen = {
        name: sizes
        for name, (_, sizes) in (kinds.PROGRAMS | kinds.TASKS).items()
        if re.search(options.only, name)
    }
    fits = lambda sizes: [n for n in sizes if n <= options.largest] or sizes[:1]  # noqa: E731
    chosen = {name: fits(sizes)[-options.sizes :] for name, sizes in chosen.items()}
    if options.list:
        return print("\n".join(chosen))
    head = f"{'slope here' + ('/peer' if options.peer else ''):32}"
    print(head + " ".join(f"{stage:11}" for stage in STAGES))
    wrong, late, everything = [], [], {}
    for name, sizes in chosen.items():
        pythons = [sys.executable, *([options.peer] if options.peer else [])]
        sides = [curve(python, name, sizes, options) for python in pythons]
        everything[name] = sides
        print(row(name, sides), flush=True)
        wrong += [f"{name}: {one}" for one in confirmed(name, pythons, sides, options)]
        late += [f"{name}: {one}" for one in slower(sides)]
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    print(
        "\n".join([f"ABOVE {one}" for one in wrong] + [f"SLOWER {one}" for one in late])
    )
    print(
        f"GROWTH: {len(chosen)} kinds, {len(wrong)} stages above {LINEAR}, {len(late)} slow"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
