"""Cases of eight devices have the same answers where several processes hold these (a sample; ci/processes: all)."""

import pathlib
import re
import subprocess
import sys

import pytest

DRIVER = pathlib.Path(__file__).absolute().with_name("golden_processes.py")


@pytest.mark.parametrize(("processes", "every"), [(2, 30), (4, 60)])
def test_processes_answer_as_one_does(processes, every):
    options = [
        "--processes",
        str(processes),
        "--file",
        "shardmap",
        "--every",
        str(every),
        "--patience",
        "200",
    ]
    answer = subprocess.run(
        [sys.executable, DRIVER, *options],
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]
    counts = re.search(r"processes: (\d+) passed, 0 failed", answer.stdout)
    assert counts and int(counts[1]) >= 200 // every, answer.stdout
