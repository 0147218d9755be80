"""Makes and judges crossings; what `ci/crossings` runs."""

import argparse
import collections
import dataclasses
import itertools
import logging
import math
import random
import sys
import time
from collections.abc import Iterator

import jax
from tests.crossings import constructs, crossing as cr, samples
from tests.crossings.settings import SETTINGS

PER_SAMPLE = 8  # nests that a sample is put under
SETTINGS_PER_NEST = 6
RUN_EVERY = 8  # of so many nests one runs; the others are traced, ten times as fast
CLEAR_EVERY = 40  # samples


def _nests(choose: random.Random, number: int) -> Iterator[tuple[tuple, str]]:
    """Nests of constructs: each wrapper and each end in its turn, at times two wrappers.

    An end cannot be traced where it compiles itself.
    """
    wrappers, ends = list(constructs.WRAPPERS), list(constructs.ENDS)
    for place in range(PER_SAMPLE):
        turn = number * PER_SAMPLE + place
        inner = (wrappers[turn % len(wrappers)],)
        if choose.random() < 0.25:
            inner = (choose.choice(wrappers), *inner)
        yield inner, ends[(turn // len(wrappers) + turn) % len(ends)]


def _settings(choose: random.Random, turns: Iterator[int]) -> Iterator[tuple]:
    """Each setting in its turn, at times with another one."""
    names = list(SETTINGS)
    for _ in range(SETTINGS_PER_NEST):
        chosen = (names[next(turns) % len(names)],)
        if choose.random() < 0.3:
            other = choose.choice(names)
            if _option(other) != _option(chosen[0]):
                chosen = (*chosen, other)
        yield chosen


def _option(setting: str) -> str:
    return setting.removeprefix("with ").split("=")[0].split(" ")[0]


@dataclasses.dataclass(slots=True)
class Search:
    """What was tried and what was found."""

    programs: int = 0
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
    nests: int = 0

    def sample(self, seed: int, limit: int) -> None:
        """Puts the sample of a seed under constructs and settings."""
        choose = random.Random(f"nests {seed}")
        text = samples.text_of(seed)
        turns = itertools.count(seed * PER_SAMPLE * SETTINGS_PER_NEST)
        for wrappers, end in _nests(choose, seed):
            self.nests += 1
            is_traced = self.nests % self.run_every != 0 and end != "ahead_of_time"
            first = cr.Crossing(text, wrappers, end, (), is_traced)
            wanted = cr.plain(first)
            chosen = list(_settings(choose, turns))
            if "error" in wanted:
                self.refused[wanted["error"]] += 1
                continue
            for settings in chosen:
                if self.programs == limit:
                    return
                self.one(seed, dataclasses.replace(first, settings=settings), wanted)

    def one(self, seed: int, crossing: cr.Crossing, wanted: dict) -> None:
        self.programs += 1
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
        end = time.monotonic() + seconds
        for seed in itertools.count(first):
            if self.programs >= count or time.monotonic() > end:
                return
            self.sample(seed, count)
            if seed % CLEAR_EVERY == CLEAR_EVERY - 1:
                jax.clear_caches()


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
        "--all", action="store_true", help="shows each that is unexplained"
    )
    options = parser.parse_args()
    jax.config.update("jax_num_cpu_devices", options.devices)
    quiet()
    # Programs run once: compiling them takes longest.
    jax.config.update("jax_disable_most_optimizations", True)
    most_shown = sys.maxsize if options.all else 3
    search = Search(most_shown=most_shown, run_every=options.run_every)
    start = time.monotonic()
    search.run(options.count, options.seed, options.seconds)
    refused = sum(search.refused.values())
    print(f"{refused} nests that refuse the function without settings")
    print(f"in {time.monotonic() - start:.0f} s on {options.devices} devices")
    print(f"{search.programs} programs, {search.unexplained} unexplained")
    return int(search.unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
