"""The first losses of the digits agree on our compiler, our interpreter, the real XLA, and upstream."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from tests.testing import real_plugin

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLE = FOLDER.parents[1] / "examples" / "digits_classifier.py"
RECORDED = json.loads((FOLDER / "digits_losses.json").read_text())
BACKENDS = {
    "compiler": {"JAX_PLATFORMS": "cpu"},
    "interpreter": {
        "JAX_PLATFORMS": "cpu",
        "JAX_PJRT_CLIENT_CREATE_OPTIONS": "backend:reference",
    },
    "real XLA": {
        "JAX_PLATFORMS": "xla",
        "PJRT_NAMES_AND_LIBRARY_PATHS": f"xla:{real_plugin.path()}",
    },
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_twenty_losses_agree_with_the_recorded_ones(backend, tmp_path):
    file = tmp_path / "losses"
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, EXAMPLE, "--losses", file],
        env={**os.environ, "PYTHONPATH": paths, **BACKENDS[backend]},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    losses = [float(line) for line in file.read_text().split()]
    np.testing.assert_allclose(losses, RECORDED, rtol=1e-4)


def test_after_the_first_step_nothing_is_compiled(tmp_path):
    script = (
        "import digits_classifier, jax\n"
        "steps = digits_classifier.steps(0, epochs=2)\n"
        "next(steps)\n"
        "with jax.expect_no_compile():\n"
        "    print(sum(1 for _ in steps))\n"
    )
    paths = os.pathsep.join(path for path in [str(EXAMPLE.parent), *sys.path] if path)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": paths, **BACKENDS["compiler"]},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
