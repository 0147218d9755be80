"""What two runs of one suite say: the tests that pass on upstream's release and do not on ours."""

import dataclasses
import json
import pathlib

# Of what passes on upstream's release, so much passes on ours.
WANTED_PERCENT = 99.5


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    there: int
    here: int
    # Test and reason of each that passes there and not here.
    losses: tuple[tuple[str, str], ...]

    @property
    def percent(self) -> float:
        return 100 * self.here / self.there if self.there else 0.0

    @property
    def is_good(self) -> bool:
        """False also where nothing passes there: such a run shows nothing."""
        return self.percent >= WANTED_PERCENT


def read(files: list[pathlib.Path]) -> dict[str, tuple[str, str]]:
    """Outcome and reason by test. A test that failed at any time (its subtests, its teardown) has failed."""
    ends = {}
    for file in files:
        for line in file.read_text().splitlines():
            test, outcome, reason = json.loads(line)
            if ends.get(test, ("",))[0] != "failed":
                ends[test] = outcome, reason
    return ends


def judge(peer: dict, ours: dict) -> Verdict:
    """Compares runs as `read` gives them. A test that ours skips or never reaches is lost."""
    passing = [test for test, (outcome, _) in peer.items() if outcome == "passed"]
    losses = []
    for test in sorted(passing):
        outcome, reason = ours.get(test, ("not reached", ""))
        if outcome != "passed":
            first = reason.strip().split("\n")[0]
            losses.append((test, f"{outcome}: {first}"[:300]))
    return Verdict(len(passing), len(passing) - len(losses), tuple(losses))
