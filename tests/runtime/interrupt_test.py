"""Ctrl-C ends a wait for a program that runs long."""

import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tests.testing import patience

# Runs for hours unless the process ends, which it does if the test is killed. What a shell starts in the background
# ignores Ctrl-C, and so do its children until they say otherwise.
SCRIPT = """
import os, signal
signal.alarm(900)
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import jax
from jax import lax, numpy as jnp

step = jax.jit(lambda x: lax.fori_loop(0, 2**31 - 1, lambda i, y: jnp.sin(y) + x, x))
ones = jnp.ones(64)
result = step.lower(ones).compile()(ones)
try:
    print("waiting", flush=True)  # from here on Ctrl-C is expected
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


# How long the loop runs, its data says; runs before took no time.
DATA_SAYS = """
import os, signal
signal.alarm(900)
signal.signal(signal.SIGINT, signal.default_int_handler)
import jax
from jax import lax, numpy as jnp

@jax.jit
def sines(n):
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.sin(c[1]) + 1), (0, 0.0))[1]

for _ in range(50):
    sines(1).block_until_ready()
result = None
try:
    print("waiting", flush=True)
    result = sines(2**31 - 1)
    result.block_until_ready()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(result is not None and result.is_ready(), flush=True)
os._exit(0)
"""

# So many programs are submitted that the next has to wait; it takes nothing away then.
MANY = """
import os, signal
signal.alarm(900)
signal.signal(signal.SIGINT, signal.default_int_handler)
import jax
from jax import lax, numpy as jnp

step = jax.jit(lambda x: lax.fori_loop(0, 2**31 - 1, lambda i, y: jnp.sin(y) + x, x))
ones = jnp.ones(64)
step = step.lower(ones).compile()
add = jax.jit(lambda x: x + 1, donate_argnums=0).lower(ones).compile()
given = [jnp.ones(64) for _ in range(200)]
jax.block_until_ready(given)
first, later = step(ones), []
try:
    print("waiting", flush=True)
    for x in given:
        later.append(add(x))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    lost = [x.is_deleted() for x in given[len(later):]]
    print(any(lost) or not lost, flush=True)
os._exit(0)
"""

SCRIPTS = {name: SCRIPT.replace("{wait}", wait) for name, wait in WAITS.items()}
SCRIPTS |= {"data says how long": DATA_SAYS, "many programs": MANY}


def sleeps(pid):
    """Whether the main thread of a process waits, however often one looks."""
    for _ in range(4):
        status = pathlib.Path(f"/proc/{pid}/task/{pid}/stat").read_text()
        if status.rpartition(")")[2].split()[0] != "S":
            return False
        time.sleep(0.03)
    return True


@pytest.mark.parametrize("name", list(SCRIPTS))
def test_ctrl_c_ends_a_wait(name):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPTS[name]], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        patience.wait_for(lambda: sleeps(process.pid))
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=patience.LIMIT_S)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted\nFalse\n"
