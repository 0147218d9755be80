"""Golden cases on the emulator, as on the CPU: a part of them, on one device and on eight.

`ci/opencl` runs them all, by an OpenCL driver too.
"""

import subprocess
import sys

import pytest

from tests.opencl import device
from tests.testing import patience

GOLDEN = device.root() / "tests/golden"
FILES = ["control", "conv", "indexing", "reduce_sort"]
RUNS = {
    "one device": ["--every", "41", *(f"--file={name}" for name in FILES)],
    "eight devices": ["--every", "41", "--devices", "several"],
}


@pytest.mark.parametrize("name", RUNS)
def test_golden_cases(name):
    count = ";device_count:8" if name == "eight devices" else ""
    command = [sys.executable, "-P", str(GOLDEN / "check_golden.py"), "--jobs", "1"]
    command += ["--timeout", str(patience.LIMIT_S), *RUNS[name]]  # of a case
    for each in ("better", "opencl"):
        command += ["--except", str(GOLDEN / f"baselines/{each}.json")]
    options = {"JAX_PJRT_CLIENT_CREATE_OPTIONS": "backend:reference" + count}
    answer = subprocess.run(
        command,
        env=device.environment("emulator", options),
        capture_output=True,
        text=True,
    )
    lines = answer.stdout.splitlines()
    assert lines and lines[-1].startswith("golden: "), answer.stderr
    assert answer.returncode == 0 and int(lines[-1].split()[1]) >= 8, answer.stdout
