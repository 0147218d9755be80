"""Compiles programs for machines that are not there, by the real compilers of their vendors.

    python -m tests.accelerators.ahead MACHINE [--per-file N] [--report FILE]

Each program is traced and lowered by this project's front end, and compiled by the vendor's plugin;
the text of the optimised program is read for what it calls. The exit status is 1 where more than
3 of 100 programs are refused, where one calls a function of the CPU's, or where there are too few.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import warnings

import jax
from jax import tree_util
from jax.experimental import topologies
from tests.accelerators import machines, programs

ENOUGH = 300
_TARGET = re.compile(r'custom_call_target="([^"]*)"')
_OF_THE_CPU = re.compile(r"lapack|_cpu_|scipy")


def compile_one(run, arguments, sharding) -> dict:
    """Compiles a program; returns its targets, or why it does not compile."""

    def typed(leaf):
        if not hasattr(leaf, "dtype"):
            return leaf
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    types = tree_util.tree_map(typed, arguments)
    try:
        traced = jax.jit(run, out_shardings=sharding).trace(*types)
    # Whatever a case does that no program can: concrete values, host code, errors on purpose.
    except Exception as error:  # noqa: BLE001
        return {"skipped": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    try:
        lowered = traced.lower()
        text = lowered.compile().as_text()
    except Exception as error:  # noqa: BLE001
        first = " ".join(str(error).split())[:300]
        return {"failed": f"{type(error).__name__}: {first}"}
    targets = sorted(set(_TARGET.findall(text)))
    wrong = [t for t in targets if _OF_THE_CPU.search(t)]
    if wrong:
        return {"failed": f"calls what only the CPU has: {', '.join(wrong)}"}
    return {"targets": targets, "characters": len(text)}


def work(machine: str, per_file: int, first: int) -> None:
    """Compiles from the program number `first` on; a line of JSON for each."""
    platform, name, settings = machines.MACHINES[machine]
    described = topologies.get_topology_desc(name, platform, **settings)
    sharding = jax.sharding.SingleDeviceSharding(described.devices[0])
    # One at a time: the arguments of all together would not fit into memory.
    chosen = itertools.chain(programs.golden_cases(per_file), programs.workloads())
    for number, (title, run, arguments) in enumerate(chosen):
        if number < first:
            continue
        print(json.dumps({"begins": number, "title": title}), flush=True)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = compile_one(run, arguments, sharding)
        result |= {"number": number, "title": title}
        result["seconds"] = round(time.perf_counter() - start, 3)
        print(json.dumps(result), flush=True)


def supervise(machine: str, per_file: int) -> list[dict]:
    """Runs workers until all programs are through: a compiler may end the process."""
    results: list[dict] = []
    first = 0
    while True:
        command = [sys.executable, "-P", "-m", "tests.accelerators.ahead", machine]
        command += ["--per-file", str(per_file), "--from", str(first)]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        begun = None
        for line in worker.stdout:
            if not line.startswith("{"):
                continue
            told = json.loads(line)
            if "begins" in told:
                begun = told
                continue
            begun = None
            results.append(told)
            if len(results) % 50 == 0:
                print(f"{machine}: {len(results)} programs", file=sys.stderr)
        status = worker.wait()
        if begun is None:
            if status:
                raise SystemExit(f"the worker ended with status {status}")
            return results
        why = signal.Signals(-status).name if status < 0 else f"status {status}"
        failed = {"failed": f"the compiler ended the process: {why}", "seconds": 0}
        results.append(failed | {"number": begun["begins"], "title": begun["title"]})
        first = begun["begins"] + 1


def summarize(machine: str, results: list[dict]) -> tuple[str, bool]:
    """The counts as text, and whether they are good enough."""
    kinds = collections.Counter(
        next(k for k in ("failed", "skipped", "targets") if k in r) for r in results
    )
    tried = kinds["failed"] + kinds["targets"]
    targets = collections.Counter(t for r in results for t in r.get("targets", ()))
    seconds = sum(r["seconds"] for r in results)
    lines = [
        f"{machine}: {kinds['targets']} of {tried} programs compiled, {kinds['failed']} "
        f"failed; {kinds['skipped']} cases are no single program; {seconds:.0f} s",
        "targets: "
        + (", ".join(f"{t} {n}" for t, n in targets.most_common()) or "none"),
    ]
    lines += [
        f"  failed: {r['title']}: {r['failed']}" for r in results if "failed" in r
    ]
    good = kinds["targets"] >= ENOUGH and kinds["failed"] <= 0.03 * tried
    return "\n".join(lines), good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", choices=sorted(machines.MACHINES))
    parser.add_argument("--per-file", type=int, default=15)
    parser.add_argument("--from", type=int, dest="first", help="for workers")
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    if options.first is not None:
        work(options.machine, options.per_file, options.first)
        sys.stdout.flush()
        # Plugins' threads may outlive the interpreter.
        os._exit(0)
    results = supervise(options.machine, options.per_file)
    text, good = summarize(options.machine, results)
    print(text)
    if options.report:
        options.report.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
