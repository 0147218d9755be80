"""Python may exit while threads of it compile, compute or wait."""

import subprocess
import sys

import pytest

_START = """
import threading, time
import jax, jax.numpy as jnp
x = jnp.arange(64.0)

def compile_many():
    n = 0
    while True:
        n += 1
        jax.jit(lambda x: jnp.sin(x) * n + x[:3].sum())(x)

def compute():
    y = jnp.ones((300, 300))
    while True:
        (y @ y).block_until_ready()

def call_back():
    f = jax.jit(lambda x: jax.pure_callback(lambda v: v, x, x))
    while True:
        f(x).block_until_ready()
"""


@pytest.mark.parametrize("work", ["compile_many", "compute", "call_back"])
def test_threads_do_not_end_the_process(work):
    program = f"{_START}\nfor _ in range(2):\n    threading.Thread(target={work}, daemon=True).start()\n"
    program += "time.sleep(0.5)\nprint('done')\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "done\n"
    assert (done.returncode, done.stderr) == (0, "")
