"""Runs random programs through all executors and reports where they disagree.

    search.py --plugin PATH [--count 100] [--seed 0] [--out FOLDER] [--executors native reference xla]
              [--only OPERATION ...] [--sharded]

With --sharded programs are for several devices, over which their values are sharded; `whole` is then an
executor too, one device alone.
A mismatch is explained (`freedoms.py`), or it is written to FOLDER as SEED.mlir with its arguments and
makes the exit status 1.
"""

import argparse
import collections
import contextlib
import dataclasses
import functools as ft
import itertools
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from pypjrt import errors

from tests.differential import (
    compare,
    executors,
    freedoms,
    generate,
    sharded,
    sharded_executors,
)
from tests.differential.program import Program

UNEXPLAINED = "unexplained"
THEIRS = "the real XLA differs from itself on one device"
POLL_SECONDS = 0.5
LIMIT_SECONDS = 300
STOPPED = "was stopped"


@dataclasses.dataclass(frozen=True, slots=True)
class Sort:
    """What kind of programs is searched: how one is made of a seed, and what runs it."""

    make: Callable[..., Program]
    opened: Callable
    executors: tuple[str, ...]
    theirs: Callable[..., bool] = lambda *_: False


SORTS = {
    False: Sort(generate.generate, executors.opened, executors.NAMES),
    True: Sort(
        sharded.generate,
        sharded_executors.opened,
        sharded_executors.NAMES,
        sharded_executors.is_theirs,
    ),
}
"""By whether programs are for several devices."""


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

    def read(self) -> str:
        """Takes over what the file says, if there is one; its text."""
        path = self.folder / "journal.json"
        if not path.exists():
            return ""
        text = path.read_text()
        counts, self.crashes, self.seed, self.executor = json.loads(text)
        self.counts = collections.Counter(counts)
        return text


def outcomes(program: Program, by_name, begin=lambda name: None):
    """Results or a refusal's message, by executor; `begin` hears the name before it runs."""
    found = {}
    for name, executor in by_name.items():
        begin(name)
        try:
            found[name] = executor.run_program(program)
        except errors.PjrtError as error:
            found[name] = f"refused by {name}: {' '.join(str(error).split())}"
        except sharded_executors.ReplicasDiffer as error:
            found[name] = str(error)
    return found


def _difference(value, pair, a, b):
    if set(pair) <= {"native", *executors.TIERS}:
        return compare.bits_difference(a, b)
    return compare.difference(value, a, b)


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
        if (what := _difference(value, (a, b), results[a][number], results[b][number]))
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


def search(
    by_name,
    seeds,
    journal: Journal,
    only=(),
    make=generate.generate,
    theirs=lambda *_: False,
) -> None:
    """Runs the programs of some seeds and notes in the journal what they showed.

    `theirs(program, by_name, pair)` says that a difference is a mistake of the real XLA.
    """
    for seed in seeds:
        program = make(seed, only)
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
            elif theirs(program, by_name, mismatch.pair):
                counts[f"{THEIRS}, by {' and '.join(mismatch.pair)}"] += 1
            else:
                unexplained.append(mismatch)
                print(f"{mismatch}", flush=True)
        if unexplained:
            counts[UNEXPLAINED] += 1
            save(journal.folder, program, unexplained)
        journal.end(seed)


def _ending(process: subprocess.Popen, journal: Journal) -> str:
    """Waits for a worker: `""` when it finished, else how it ended. Stops one that hangs."""
    seen, since = None, time.monotonic()
    while process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=POLL_SECONDS)
        state = journal.read()
        if state != seen:
            seen, since = state, time.monotonic()
        elif time.monotonic() - since > LIMIT_SECONDS:
            process.kill()
            process.wait()
            return f"{STOPPED} after {LIMIT_SECONDS} s"
    code = process.returncode
    return "" if code == 0 else f"ended with {_name_of(code)}"


def _name_of(code: int) -> str:
    """An exit status in words: signals by name."""
    return signal.Signals(-code).name if code < 0 else f"status {code}"


def guarded(
    plugin: str,
    first: int,
    count: int,
    folder: pathlib.Path,
    names=executors.NAMES,
    only=(),
    is_sharded: bool = False,
) -> Journal:
    """Searches in processes of their own, a new one after each that dies or hangs.

    A death of the real XLA is counted; one of ours is an unexplained mismatch, kept like the others.
    What was stopped gets a second chance: a machine may sleep.
    """
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder)
    seed, end = first, first + count
    while seed < end:
        line = [sys.executable, "-m", "tests.differential.search", "--worker"]
        line += ["--plugin", plugin, "--seed", str(seed), "--count", str(end - seed)]
        line += ["--out", str(folder), "--executors", *names, "--only", *only]
        line += ["--sharded"] if is_sharded else []
        process = subprocess.Popen(line)
        try:
            ending = _ending(process, journal)
        finally:
            process.kill()
        journal.read()
        if not ending:
            break
        if journal.executor is None:
            raise RuntimeError(
                f"the worker that began with seed {seed} {ending} while no program ran; "
                f"the last one that ended was seed {journal.seed}"
            )
        if ending.startswith(STOPPED) and seed != journal.seed:
            seed = journal.seed
            continue
        seed = journal.seed
        _note_death(journal, SORTS[is_sharded].make(seed, only), ending)
        seed += 1
    return journal


def _note_death(journal: Journal, program: Program, ending: str) -> None:
    executor = journal.executor
    seed = program.seed
    print(f"seed {seed}: {executor} {ending}", flush=True)
    if executor == "xla":
        journal.counts["crashed: xla"] += 1
    else:
        journal.counts[UNEXPLAINED] += 1
        mismatch = freedoms.Mismatch(program, (str(executor),), ending)
        save(journal.folder, program, [mismatch])
    journal.counts["programs"] += 1
    journal.crashes.append(seed)
    journal.end(seed)


def report(journal: Journal, start: float) -> None:
    for name, count in sorted(journal.counts.items()):
        print(f"{count:8} {name}")
    seconds = time.monotonic() - start
    print(f"in {seconds:.0f} s; mismatches are in {journal.folder}", flush=True)


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
    parser.add_argument("--executors", nargs="+")
    parser.add_argument(
        "--only", nargs="*", default=[], help="kinds of operations, by their functions"
    )
    parser.add_argument(
        "--sharded", action="store_true", help="programs for several devices"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sort = SORTS[options.sharded]
    names = options.executors or sort.executors
    if options.worker:
        journal = Journal(options.out)
        journal.read()
        with sort.opened(options.plugin, names) as by_name:
            seeds = range(options.seed, options.seed + options.count)
            search(by_name, seeds, journal, options.only, sort.make, sort.theirs)
        return 0
    start = time.monotonic()
    (options.out / "journal.json").unlink(missing_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        journal = guarded(
            options.plugin,
            options.seed,
            options.count,
            options.out,
            names,
            options.only,
            options.sharded,
        )
    except BaseException:
        journal = Journal(options.out)
        journal.read()
        print(f"ended early, after seed {journal.seed}:")
        report(journal, start)
        raise
    report(journal, start)
    wanted, ran = options.count, journal.counts["programs"]
    if ran != wanted:
        print(f"{ran} programs ran instead of {wanted}")
        return 1
    return 1 if journal.counts[UNEXPLAINED] else 0


if __name__ == "__main__":
    sys.exit(main())
