"""Programs in processes of their own, whose device is the OpenCL plugin's.

The emulator stands in for the driver, so that kernels run, checked, on every machine. Where a
driver is installed, the same programs run on it too.
"""

import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

from tests.testing import patience

LIBRARY = os.path.abspath(os.environ["OPENCL_PLUGIN"])


@functools.cache
def why_no_driver() -> str | None:
    """Why there is no OpenCL device here, or None."""
    try:
        library = ctypes.CDLL("libOpenCL.so.1")
    except OSError as error:
        return f"no OpenCL library: {error}"
    count = ctypes.c_uint32()
    if library.clGetPlatformIDs(0, None, ctypes.byref(count)) or not count.value:
        return "the OpenCL library has no driver"
    return None


DRIVERS = pytest.mark.parametrize("driver", ["emulator", "opencl"])


def environment(driver: str, settings: dict[str, str]) -> dict[str, str]:
    """This process's, without what chooses devices, and with the plugin's."""
    reason = why_no_driver() if driver == "opencl" else None
    if reason:
        pytest.skip(reason)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_", "PJRT_", "XLA_"))
    }
    backend = "reference" if driver == "emulator" else "native"
    chosen = {
        "PJRT_NAMES_AND_LIBRARY_PATHS": f"opencl:{LIBRARY}",
        "JAX_PLATFORMS": "opencl",
        "JAX_PJRT_CLIENT_CREATE_OPTIONS": f"backend:{backend}",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    return kept | chosen | settings


def run(program: str, driver: str = "emulator", **settings: str):
    """Runs a program.

    Args:
        program: Python, behind imports of jax, jax.numpy and numpy.
        driver: "emulator" or "opencl"; the test is skipped where that is not there.
        **settings: environment variables.

    Returns:
        The completed process, with its texts.
    """
    start = "import jax, jax.numpy as jnp, numpy as np\nfrom jax import lax\n"
    return subprocess.run(
        [sys.executable, "-P", "-c", start + textwrap.dedent(program)],
        env=environment(driver, settings),
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )


def passes(program: str, driver: str = "emulator", **settings: str) -> str:
    """Runs a program that must end well, and returns what it printed."""
    answer = run(program, driver, **settings)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def root() -> pathlib.Path:
    """The repository."""
    return pathlib.Path(__file__).absolute().parents[2]
