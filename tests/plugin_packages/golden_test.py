"""Golden cases on the fake GPU, as on the CPU: a part of them, on one device and on eight.

`ci/on-fake-gpu` runs them all.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from tests.plugin_packages import fake
from tests.testing import patience

ROOT = pathlib.Path(__file__).absolute().parents[2]
GOLDEN = ROOT / "tests/golden"
# Where our CPU's result is the better one, and what a GPU does otherwise; each with its reason.
LISTS = [GOLDEN / f"baselines/{name}.json" for name in ("better", "fake_gpu")]
RUNS = {
    "one device": (["--file", "control", "--file", "linalg", "--file", "einsum"], "1"),
    "eight devices": (["--devices", "several"], "8"),
}


@pytest.mark.parametrize("name", RUNS)
def test_golden_cases(name):
    chosen, count = RUNS[name]
    settings = {
        "FAKE_GPU_LIBRARY": fake.LIBRARY,
        "FAKE_GPU_DEVICES": count,
        "JAX_PLATFORMS": "cuda,cpu",
    }
    package = str(pathlib.Path(__file__).absolute().parent / "site")
    paths = [package, *(p for p in sys.path if p)]
    command = [sys.executable, "-P", str(GOLDEN / "check_golden.py")]
    command += ["--jobs", "1", "--every", "41", *chosen]
    command += ["--timeout", str(patience.LIMIT_S)]  # of a case
    for path in LISTS:
        command += ["--except", str(path)]
    answer = subprocess.run(
        command,
        env=fake.environment(settings) | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    lines = answer.stdout.splitlines()
    assert lines and lines[-1].startswith("golden: "), answer.stderr
    assert answer.returncode == 0 and int(lines[-1].split()[1]) >= 8, answer.stdout


def test_what_differs_names_cases():
    for file, reasons in json.loads(LISTS[1].read_text()).items():
        text = json.loads((GOLDEN / f"{file}.json").read_text())
        assert set(reasons) <= {case["id"] for case in text["cases"]}
        assert all(reasons.values())
