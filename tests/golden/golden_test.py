"""Every 20th golden case has the recorded outcome, but for those in baselines/not_yet.json.

That list says what each of them does instead. It may only shrink: `ci/golden --every 20` shows what passes by now.
"""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NOT_YET = HERE / "baselines/not_yet.json"
STEP = 20


def test_every_20th_case_has_the_recorded_outcome():
    command = [
        sys.executable,
        HERE / "check_golden.py",
        "--every",
        str(STEP),
        "--except",
        NOT_YET,
    ]
    answer = subprocess.run(command, capture_output=True, text=True)
    last = answer.stdout.strip().splitlines()[-1] if answer.stdout.strip() else ""
    counts = re.fullmatch(r"golden: (\d+) passed, (\d+) failed", last)
    assert counts, answer.stdout[-2000:] + answer.stderr[-2000:]
    assert int(counts[2]) == 0, answer.stdout[-6000:]
    assert int(counts[1]) > 100, f"only {counts[1]} cases ran"


def test_the_list_of_exceptions_names_cases_and_says_why():
    for file, entries in json.loads(NOT_YET.read_text()).items():
        ids = {
            case["id"]
            for case in json.loads((HERE / f"{file}.json").read_text())["cases"]
        }
        assert set(entries) <= ids, sorted(set(entries) - ids)
        assert all(len(reason) > 3 for reason in entries.values())
