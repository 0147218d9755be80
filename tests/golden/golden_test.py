"""Every 20th golden case has the recorded outcome; known_differences.json lists those that do not, with the reason."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
KNOWN = HERE / "known_differences.json"
STEP = 20


def test_every_20th_case_has_the_recorded_outcome():
    command = [
        sys.executable,
        HERE / "check_golden.py",
        "--every",
        str(STEP),
        "--except",
        KNOWN,
    ]
    answer = subprocess.run(command, capture_output=True, text=True)
    last = answer.stdout.strip().splitlines()[-1] if answer.stdout.strip() else ""
    counts = re.fullmatch(r"golden: (\d+) passed, (\d+) failed", last)
    assert counts, answer.stdout[-2000:] + answer.stderr[-2000:]
    assert int(counts[2]) == 0, answer.stdout[-6000:]
    assert int(counts[1]) > 100, f"only {counts[1]} cases ran"


def test_known_differences_name_cases_and_reasons():
    for file, entries in json.loads(KNOWN.read_text()).items():
        ids = {
            case["id"]
            for case in json.loads((HERE / f"{file}.json").read_text())["cases"]
        }
        assert set(entries) <= ids, sorted(set(entries) - ids)
        assert all(len(reason) > 3 for reason in entries.values())
