"""Every 20th golden case has the recorded outcome, but for those in which we keep another: baselines/better.json."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# Where our result is the better one: these stay different, each with its reason.
BETTER = json.loads((HERE / "baselines/better.json").read_text())
STEP = 20


def case_ids(file: str) -> set[str]:
    cases = json.loads((HERE / f"{file}.json").read_text())["cases"]
    return {case["id"] for case in cases}


def failures(report: str) -> dict[str, dict[str, str]]:
    """File -> id -> what happened, from the report that check_golden.py -v prints."""
    found, file, ids = {}, "", set()
    for line in report.splitlines():
        if header := re.match(r"(\w+) +\d+ passed +\d+ failed", line):
            file, ids = header[1], case_ids(header[1])
        elif line.startswith("    "):
            # An id may hold colons itself: the longest known one counts.
            ends = [m.start() for m in re.finditer(": ", line)]
            for end in reversed(ends):
                if line[4:end] in ids:
                    found.setdefault(file, {})[line[4:end]] = line[end + 2 :]
                    break
    return found


def test_every_20th_case_has_the_recorded_outcome():
    command = [sys.executable, HERE / "check_golden.py", "--every", str(STEP), "-v"]
    answer = subprocess.run(command, capture_output=True, text=True)
    last = answer.stdout.strip().splitlines()[-1] if answer.stdout.strip() else ""
    counts = re.fullmatch(r"golden: (\d+) passed, (\d+) failed", last)
    assert counts, answer.stdout[-2000:] + answer.stderr[-2000:]
    passed, failed = map(int, counts.groups())
    found = failures(answer.stdout)
    assert sum(map(len, found.values())) == failed, "the report was not understood"
    assert passed >= 540, f"only {passed} cases pass"
    new = {
        f"{file}: {case}": what
        for file, cases in found.items()
        for case, what in cases.items()
        if case not in BETTER.get(file, {})
    }
    assert not new, json.dumps(new, indent=1)


def test_the_list_of_exceptions_names_cases_and_says_why():
    for file, entries in BETTER.items():
        assert set(entries) <= case_ids(file), sorted(set(entries) - case_ids(file))
        assert all(len(reason) > 3 for reason in entries.values())
