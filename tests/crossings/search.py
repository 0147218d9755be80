"""Makes and judges crossings; what `ci/crossings` runs."""

import argparse
import collections
import dataclasses
import itertools
import json
import logging
import math
import pathlib
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import jax
from tests.crossings import constructs, crossing as cr, samples
from tests.crossings.settings import SETTINGS

PER_SAMPLE = 8  # nests that a sample is put under
SETTINGS_PER_NEST = 6
RUN_EVERY = 8  # of so many nests one runs; the others are traced, ten times as fast
CLEAR_EVERY = 40  # samples
# Ends that cannot be traced as a whole, and what stands for them where nothing runs.
LOWERED = {"ahead_of_time": "lowered", "lowered": "lowered"}
COUNTED = ("programs", "ran", "unexplained")


def _nests(
    choose: random.Random, number: int
) -> Iterator[tuple[tuple, str, Iterator[tuple]]]:
    """Nests of constructs with the settings of each, every pair of them in its turn.

    At times there are two wrappers.
    """
    wrappers, ends = list(constructs.WRAPPERS), list(constructs.ENDS)
    for nest in range(PER_SAMPLE):
        turn = number * PER_SAMPLE + nest
        rounds = turn // len(wrappers)
        inner = (wrappers[turn % len(wrappers)],)
        if choose.random() < 0.25:
            inner = (choose.choice(wrappers), *inner)
        first = turn * SETTINGS_PER_NEST + rounds
        yield inner, ends[(rounds + turn) % len(ends)], _settings(choose, first)


def _settings(choose: random.Random, first: int) -> Iterator[tuple]:
    """Each setting in its turn, at times with another one."""
    names = list(SETTINGS)
    for turn in range(first, first + SETTINGS_PER_NEST):
        chosen = (names[turn % len(names)],)
        if choose.random() < 0.3:
            other = choose.choice(names)
            if _option(other) != _option(chosen[0]):
                chosen = (*chosen, other)
        yield chosen


def _option(setting: str) -> str:
    name = setting.removeprefix("with ").removeprefix("within ")
    return name.split("=")[0].split(" ")[0].removeprefix("jax_")


@dataclasses.dataclass(slots=True)
class Search:
    """What was tried and what was found."""

    programs: int = 0
    ran: int = 0
    unexplained: int = 0
    refused: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    found: list[tuple[cr.Crossing, str]] = dataclasses.field(default_factory=list)
    shown: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    most_shown: int = 3
    run_every: int = RUN_EVERY

    def sample(self, seed: int, limit: int) -> None:
        """Puts the sample of a seed under constructs and settings."""
        choose = random.Random(f"nests {seed}")
        text = samples.text_of(seed)
        for nest, (wrappers, end, settings) in enumerate(_nests(choose, seed)):
            chosen = list(settings)
            turn = seed * PER_SAMPLE + nest + seed // self.run_every
            is_traced = turn % self.run_every != 0
            if is_traced and end in LOWERED:
                end, is_traced = LOWERED[end], False
            first = cr.Crossing(text, wrappers, end, (), is_traced)
            wanted = cr.plain(first)
            if "error" in wanted:
                self.refused[wanted["error"]] += 1
                continue
            for names in chosen:
                if self.programs == limit:
                    return
                self.one(seed, dataclasses.replace(first, settings=names), wanted)

    def one(self, seed: int, crossing: cr.Crossing, wanted: dict) -> None:
        self.programs += 1
        self.ran += not crossing.is_traced and crossing.end != "lowered"
        what = cr.judge(crossing, wanted)
        if not what:
            return
        self.unexplained += 1
        self.found.append((crossing, what))
        kind = f"{crossing.settings} {what[:40]}"
        self.shown[kind] += 1
        if self.shown[kind] <= self.most_shown:
            print(f"\n== sample {seed}: {crossing.words}\n{what}\n{crossing.text}")
            sys.stdout.flush()

    def run(self, count: int, first: int, seconds: float = math.inf) -> None:
        self.run_seeds(count, itertools.count(first), seconds)

    def run_seeds(
        self,
        count: int,
        seeds: Iterable[int],
        seconds: float = math.inf,
        done: Callable[[int], None] = lambda seed: None,
    ) -> None:
        """Judges `count` programs of these samples, and says which samples are done."""
        latest = time.monotonic() + seconds
        for seed in seeds:
            if self.programs >= count or time.monotonic() > latest:
                return
            self.sample(seed, count)
            done(seed)
            if seed % CLEAR_EVERY == CLEAR_EVERY - 1:
                jax.clear_caches()


@dataclasses.dataclass(slots=True)
class Book:
    """A file with a line for each sample that is done, so that a search goes on where it ended."""

    path: pathlib.Path
    search: Search
    seeds: set[int] = dataclasses.field(default_factory=set)
    failed: set[int] = dataclasses.field(default_factory=set)

    def read(self) -> None:
        """Adds what earlier searches counted to this one."""
        if not self.path.exists():
            return
        for line in map(json.loads, self.path.read_text().splitlines()):
            self.seeds.add(line["seed"])
            if line["unexplained"]:
                self.failed.add(line["seed"])
            for name in COUNTED:
                setattr(self.search, name, getattr(self.search, name) + line[name])
            self.search.refused["earlier"] += line["refused"]

    def write(self) -> Callable[[int], None]:
        """What notes a sample as done."""
        before = self._counts()

        def done(seed: int) -> None:
            now = self._counts()
            line = {"seed": seed} | {name: now[name] - before[name] for name in now}
            before.update(now)
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")

        return done

    def _counts(self) -> dict[str, int]:
        counts = {name: getattr(self.search, name) for name in COUNTED}
        return counts | {"refused": sum(self.search.refused.values())}


def quiet() -> None:
    """Lets nothing through that settings log."""
    logger = logging.getLogger("jax")
    logger.handlers[:] = [logging.NullHandler()]
    logger.propagate = False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("seed", type=int, nargs="?", default=0, help="the first sample")
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="begin no sample after so many"
    )
    parser.add_argument(
        "--run-every",
        type=int,
        default=RUN_EVERY,
        help="one of so many nests runs; the others are traced alone",
    )
    parser.add_argument(
        "--book",
        type=pathlib.Path,
        help="a file that notes the samples that are done; none of them is done again",
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", help="these samples alone, whatever was done"
    )
    parser.add_argument(
        "--all", action="store_true", help="shows each that is unexplained"
    )
    options = parser.parse_args()
    jax.config.update("jax_num_cpu_devices", options.devices)
    quiet()
    # Programs run once: compiling them takes longest.
    jax.config.update("jax_disable_most_optimizations", True)
    most_shown = sys.maxsize if options.all else 3
    search = Search(most_shown=most_shown, run_every=options.run_every)
    start, used = time.monotonic(), time.process_time()
    seeds, done = itertools.count(options.seed), None
    if options.seeds:
        seeds = options.seeds
    elif options.book:
        book = Book(options.book, search)
        book.read()
        seeds = (n for n in itertools.count(options.seed) if n not in book.seeds)
        done = book.write()
    search.run_seeds(options.count, seeds, options.seconds, done or (lambda seed: None))
    refused = sum(search.refused.values())
    print(f"{refused} nests that refuse the function without settings")
    print(
        f"in {time.monotonic() - start:.0f} s, {time.process_time() - used:.0f} s of the "
        f"processor, on {options.devices} devices"
    )
    print(
        f"{search.programs} programs ({search.ran} of them ran), "
        f"{search.unexplained} unexplained"
    )
    return int(search.unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
