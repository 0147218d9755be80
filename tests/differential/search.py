"""Runs random programs through all executors and reports where they disagree.

    search.py --plugin PATH [--count 100] [--seed 0] [--out FOLDER] [--executors native reference xla]

A mismatch is explained (`freedoms.py`), or it is written to FOLDER as SEED.mlir with its arguments and
makes the exit status 1.
"""

import argparse
import collections
import dataclasses
import functools as ft
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from pypjrt import errors

from tests.differential import compare, executors, freedoms, generate
from tests.differential.program import Program

UNEXPLAINED = "unexplained"


@dataclasses.dataclass(slots=True)
class Journal:
    """Counts in a file that outlives the process, and which executor runs what at the moment."""

    folder: pathlib.Path
    counts: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    crashes: list[int] = dataclasses.field(default_factory=list)
    seed: int = 0
    executor: str | None = None

    def begin(self, seed: int, executor: str) -> None:
        self.seed, self.executor = seed, executor
        self._write()

    def end(self, seed: int) -> None:
        self.seed, self.executor = seed, None
        self._write()

    def _write(self) -> None:
        state = [self.counts, self.crashes, self.seed, self.executor]
        new = self.folder / "journal.new"
        new.write_text(json.dumps(state))
        new.replace(self.folder / "journal.json")

    def read(self) -> None:
        path = self.folder / "journal.json"
        if path.exists():
            counts, self.crashes, self.seed, self.executor = json.loads(
                path.read_text()
            )
            self.counts = collections.Counter(counts)


def outcomes(program: Program, by_name, begin=lambda name: None):
    """Results or a refusal's message, by executor; `begin` hears the name before it runs."""
    found = {}
    for name, executor in by_name.items():
        begin(name)
        try:
            found[name] = executor.run(program.text, program.arguments)
        except errors.PjrtError as error:
            found[name] = f"refused by {name}: {' '.join(str(error).split())}"
    return found


def mismatches(
    program: Program, by_name, begin=lambda name: None
) -> list[freedoms.Mismatch]:
    """Every pair of executors that disagrees where they have no freedom, and how."""
    found = outcomes(program, by_name, begin)
    refusals = [
        freedoms.Mismatch(program, (name,), outcome)
        for name, outcome in found.items()
        if isinstance(outcome, str)
    ]
    results = {k: v for k, v in found.items() if not isinstance(v, str)}
    pairs = itertools.combinations(results, 2)
    return refusals + [
        freedoms.Mismatch(program, (a, b), f"result {number}: {what}")
        for a, b in pairs
        for number, value in enumerate(program.results)
        if not (value.freedoms and "xla" in (a, b))
        if (what := compare.difference(value, results[a][number], results[b][number]))
    ]


def save(folder: pathlib.Path, program: Program, found) -> None:
    """Writes a program with its arguments and what differed."""
    header = "".join(f"// {' and '.join(m.pair)}: {m.what}\n" for m in found)
    (folder / f"{program.seed}.mlir").write_text(header + program.text)
    arrays = {
        str(number): np.frombuffer(array.tobytes(), np.uint8)
        for number, array in enumerate(program.arguments)
    }
    np.savez(folder / f"{program.seed}.npz", **arrays)


def search(by_name, seeds, journal: Journal) -> None:
    """Runs the programs of some seeds and notes in the journal what they showed."""
    for seed in seeds:
        program = generate.generate(seed)
        found = mismatches(program, by_name, ft.partial(journal.begin, seed))
        counts = journal.counts
        counts["programs"] += 1
        counts["operations"] += len(program.operations)
        for value in program.results:
            counts.update(f"results with freedom: {name}" for name in value.freedoms)
        unexplained = []
        for mismatch in found:
            refusal = freedoms.explain(mismatch)
            if refusal:
                counts[f"refused: {refusal.name}"] += 1
            else:
                unexplained.append(mismatch)
                print(f"{mismatch}", flush=True)
        if unexplained:
            counts[UNEXPLAINED] += 1
            save(journal.folder, program, unexplained)
        journal.end(seed)


def guarded(
    plugin: str, first: int, count: int, folder: pathlib.Path, names=executors.NAMES
) -> Journal:
    """Searches in processes of their own, a new one after each that dies.

    A death of the real XLA is counted; one of ours is an unexplained mismatch.
    """
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder)
    seed, end = first, first + count
    while seed < end:
        line = [sys.executable, "-m", "tests.differential.search", "--worker"]
        line += ["--plugin", plugin, "--seed", str(seed), "--count", str(end - seed)]
        line += ["--out", str(folder), "--executors", *names]
        code = subprocess.run(line).returncode
        journal.read()
        if code == 0:
            break
        if journal.executor is None:
            raise RuntimeError(f"the worker ended with {code} before any program ran")
        seed = journal.seed
        name = "crashed: xla" if journal.executor == "xla" else UNEXPLAINED
        print(f"seed {seed}: {journal.executor} ended with {code}", flush=True)
        journal.counts[name] += 1
        journal.counts["programs"] += 1
        journal.crashes.append(seed)
        journal.end(seed)
        seed += 1
    return journal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True, help="our plugin's shared object")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed")
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        default=pathlib.Path(tempfile.gettempdir(), "differential"),
        help="where mismatches are kept",
    )
    parser.add_argument("--executors", nargs="+", default=executors.NAMES)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        journal = Journal(options.out)
        journal.read()
        with executors.opened(options.plugin, options.executors) as by_name:
            seeds = range(options.seed, options.seed + options.count)
            search(by_name, seeds, journal)
        return 0
    start = time.monotonic()
    (options.out / "journal.json").unlink(missing_ok=True)
    journal = guarded(
        options.plugin, options.seed, options.count, options.out, options.executors
    )
    for name, count in sorted(journal.counts.items()):
        print(f"{count:8} {name}")
    print(f"in {time.monotonic() - start:.0f} s; mismatches are in {options.out}")
    return 1 if journal.counts[UNEXPLAINED] else 0


if __name__ == "__main__":
    sys.exit(main())
