"""Faults in jobs of several processes: each is told, in time (a sample; ci/faults: all)."""

import pathlib
import re
import subprocess
import sys

DRIVER = pathlib.Path(__file__).absolute().with_name("fault_trials.py")
# Every fault once, in one phase or another.
SAMPLE = ["--trials", "8", "--jobs", "2", "--slow", "2"]


def test_every_fault_is_told_to_all_who_are_left():
    answer = subprocess.run(
        [sys.executable, DRIVER, *SAMPLE],
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]
    assert re.search(r"trials: 8 good of 8$", answer.stdout.strip()), answer.stdout
