"""Ctrl-C ends a wait for a program that runs long."""

import signal
import subprocess
import sys
import time

import pytest

# Runs for hours unless the process ends, which it does if the test is killed.
SCRIPT = """
import os, signal, sys
signal.alarm(300)
import numpy as np
import jax
from jax import lax, numpy as jnp

step = jax.jit(lambda x: lax.fori_loop(0, 2**31 - 1, lambda i, y: jnp.sin(y) + x, x))
ones = jnp.ones(64)
result = step.lower(ones).compile()(ones)
print("waiting", flush=True)
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # The array is still to come, and says so.
    print(result.is_ready(), flush=True)
os._exit(0)
"""

WAITS = {
    "block_until_ready": "result.block_until_ready()",
    "of a tree": "jax.block_until_ready({'a': [result]})",
    "numpy": "np.asarray(result)",
    "item": "float(result[3])",
    "device_get": "jax.device_get(result)",
}


@pytest.mark.parametrize("wait", list(WAITS))
def test_ctrl_c_ends_a_wait(wait):
    script = SCRIPT.replace("{wait}", WAITS[wait])
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.3)  # into the wait
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted\nFalse\n"
