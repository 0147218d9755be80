"""Python may exit while threads of it compile, compute or wait."""

import subprocess
import sys

import pytest

from tests.testing import patience

_START = """
import threading
import jax, jax.numpy as jnp
x = jnp.arange(64.0)
begun = threading.Semaphore(0)  # each thread says once more that it is at work

def compile_many():
    n = 0
    while True:
        n += 1
        jax.jit(lambda x: jnp.sin(x) * n + x[:3].sum())(x)
        begun.release()

def compute():
    y = jnp.ones((300, 300))
    while True:
        (y @ y).block_until_ready()
        begun.release()

def call_back():
    f = jax.jit(lambda x: jax.pure_callback(lambda v: v, x, x))
    while True:
        f(x).block_until_ready()
        begun.release()
"""


@pytest.mark.parametrize("work", ["compile_many", "compute", "call_back"])
def test_threads_do_not_end_the_process(work):
    program = f"{_START}\nfor _ in range(2):\n    threading.Thread(target={work}, daemon=True).start()\n"
    program += "for _ in range(20):\n    begun.acquire()\nprint('done')\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )
    assert done.stdout == "done\n"
    assert (done.returncode, done.stderr) == (0, "")
