"""Golden cases on the fake GPU, as on the CPU: a part of them, on one device and on eight."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.plugin_packages import fake

ROOT = pathlib.Path(__file__).absolute().parents[2]
# What only the CPU has, or has more of, and says so.
DIFFERENT = {
    # The branch for the CPU is not taken.
    "lax.platform_dependent(1., cpu=lambda x: x + 1, default=lambda x: x)",
    # Two memories, not three.
    "memory/device",
}
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
    command = [sys.executable, "-P", str(ROOT / "tests/golden/check_golden.py")]
    command += ["--jobs", "1", "--every", "41", *chosen]
    command += ["--except", str(ROOT / "tests/golden/baselines/better.json")]
    answer = subprocess.run(
        command,
        env=fake.environment(settings) | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    lines = answer.stdout.splitlines()
    assert lines and lines[-1].startswith("golden: "), answer.stderr
    passed = int(lines[-1].split()[1])
    wrong = [line for line in lines if line.startswith("    ") and ": " in line]
    wrong = [w for w in wrong if not any(w.strip().startswith(d) for d in DIFFERENT)]
    assert not wrong and passed >= 8, answer.stdout
