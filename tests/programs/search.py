"""Runs random programs of the front end on our JAX and on upstream's, and reports where they differ.

    search.py --theirs PYTHON [--count 100] [--seed 0] [--out FOLDER] [--types] [--whole]

A difference is explained (`freedoms.py`), or what is left of the program after `shrink` is written to
FOLDER as SEED.py and makes the exit status 1. With --types programs are traced alone: types and refusals,
of many programs. What upstream refuses and ours computes is counted, and one program of each kind is shown.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys
import tempfile
import time

import jax
from tests.programs import compare, freedoms, generate, prelude, shrink, sides

WIGGLES = (1e-6, -3e-7)
MOST_OF_A_KIND = 6  # differences that are made small
CLEAR_EVERY = 40  # programs


def is_noise(theirs: sides.Side, text: str, found: compare.Difference) -> bool:
    """Whether upstream's own value moves as far when its inputs move by a rounding."""
    if found.sort != "value":
        return False
    plain = dict(map(tuple, theirs.run(text))).get(found.name, {})
    for wiggle in WIGGLES:
        moved = dict(map(tuple, theirs.run(text, wiggle=wiggle))).get(found.name, {})
        if compare.difference(found.name, plain, moved):
            return True
    return False


def differences(
    ours, theirs, text: str, traced: bool = False
) -> list[compare.Difference]:
    """What differs without an explanation."""
    mine, their = sides.run_both(ours, theirs, text, traced=traced)
    return [
        found
        for found in compare.differences(mine, their)
        if not freedoms.explain(text, found)
    ]


def signature(found: compare.Difference) -> str:
    """What two differences of one cause have in common."""
    words = re.sub(r"\d+", "", found.facts.split("\n")[0])
    is_error = "refuses" in found.sort or "class" in found.sort
    return f"{found.sort}: {words[:70]}" if is_error else found.sort


def statement(text: str, name: str) -> str:
    """The statement of a program that gives a name its value."""
    lines = [line for line in text.splitlines() if line.startswith(f"{name} = ")]
    return "\n".join(lines)


def reduced(
    ours, theirs, text: str, found: compare.Difference, traced: bool
) -> tuple[str, str]:
    """The program made small, and its difference in words."""
    wanted = signature(found)

    def is_interesting(candidate: str) -> bool:
        for other in differences(ours, theirs, candidate, traced):
            if signature(other) == wanted:
                return not is_noise(theirs, candidate, other)
        return False

    small = shrink.shrink(text, is_interesting)
    others = [
        d for d in differences(ours, theirs, small, traced) if signature(d) == wanted
    ]
    return small, str(others[0] if others else found)


def program_file(text: str, seed: int, facts: str) -> str:
    """A program that runs by itself, with what differs as a comment."""
    comment = "".join(f"# {line}\n" for line in facts.splitlines())
    return f"# seed {seed}\n{comment}{prelude.HEADER}\n\n{text}"


@dataclasses.dataclass(slots=True)
class Search:
    """What is run, and what has been found."""

    ours: sides.Side
    theirs: sides.Side
    folder: pathlib.Path
    traced: bool
    whole: bool
    counts: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    tried: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    shown: set[str] = dataclasses.field(default_factory=set)

    def program(self, seed: int, text: str) -> None:
        self.counts["programs"] += 1
        seen = set()
        for found in differences(self.ours, self.theirs, text, self.traced):
            key = signature(found)
            if key in seen:
                continue
            seen.add(key)
            if is_noise(self.theirs, text, found):
                self.counts["values within what a rounding does"] += 1
                continue
            if found.sort.startswith(("theirs refuses", "class")):
                self.counts[key] += 1
                if self.counts[key] > 1:
                    continue
            else:
                self.counts[f"unexplained: {found.sort}"] += 1
            self._note(seed, text, found)

    def _note(self, seed: int, text: str, found: compare.Difference) -> None:
        """Shows a program made small, unless there were a few of its kind."""
        key = signature(found)
        self.tried[key] += 1
        if self.tried[key] > MOST_OF_A_KIND:
            return
        small, facts = text, str(found)
        if not self.whole and not found.sort.startswith(("theirs refuses", "class")):
            small, facts = reduced(self.ours, self.theirs, text, found, self.traced)
        alike = re.sub(r"\d+", "0", small)
        if alike in self.shown:
            return
        self.shown.add(alike)
        name = self.folder / f"{seed}-{len(self.shown)}.py"
        name.write_text(program_file(small, seed, facts))
        shown = small
        if small is text and not self.whole:
            shown = statement(text, found.name)
        print(f"\n== seed {seed}: {facts}\n{shown}", flush=True)

    def run(self, seeds) -> None:
        for seed in seeds:
            try:
                text = generate.generate(seed, self.traced)
            except Exception as error:
                self.counts[f"not written: {type(error).__name__}"] += 1
                print(f"seed {seed}: not written: {error}", flush=True)
                continue
            self.program(seed, text)
            if seed % CLEAR_EVERY == CLEAR_EVERY - 1:
                jax.clear_caches()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--theirs", required=True, help="a Python with JAX 0.10.2")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed")
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        default=pathlib.Path(tempfile.gettempdir(), "programs"),
        help="where programs that differ are kept",
    )
    parser.add_argument(
        "--types", action="store_true", help="programs are traced alone"
    )
    parser.add_argument(
        "--whole", action="store_true", help="programs are not made small"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    ours = sides.Side("ours", sys.executable, {})
    theirs = sides.Side("theirs", options.theirs, {"PYTHONPATH": ""})
    start = time.monotonic()
    search = Search(ours, theirs, options.out, options.types, options.whole)
    try:
        search.run(range(options.seed, options.seed + options.count))
    finally:
        ours.stop()
        theirs.stop()
    counts = search.counts
    for name, count in sorted(counts.items()):
        print(f"{count:8} {name}")
    print(f"in {time.monotonic() - start:.0f} s; differences are in {options.out}")
    return int(any(name.startswith("unexplained") for name in counts))


if __name__ == "__main__":
    sys.exit(main())
