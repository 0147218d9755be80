"""Arrays that die in a garbage collection are told, where `jax_array_garbage_collection_guard` says so."""

import os
import signal
import subprocess
import sys

PROGRAM = """
import gc, sys, jax, jax.numpy as jnp

class Holder:
    pass

def make_cycle(dtype=jnp.float32):
    holder = Holder()
    holder.itself = holder
    holder.array = jnp.ones((2, 3), dtype)

gc.collect()
BODY
"""


def run(body, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("BODY", body)],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **environment},
    )


TOLD = "`jax.Array` was deleted by the Python garbage collector"
SET = "jax.config.update('jax_array_garbage_collection_guard', 'LEVEL')\n"


def test_arrays_in_cycles_are_told():
    found = run(
        SET.replace("LEVEL", "log")
        + """
make_cycle()
make_cycle(jnp.int32)
gc.collect()
print("alive")
x = jnp.ones(5)
del x
gc.collect()
held = jnp.ones(7)
gc.collect()
"""
    )
    assert found.returncode == 0 and found.stdout == "alive\n", found.stderr
    assert found.stderr.count(TOLD) == 2
    assert "float32[2,3]" in found.stderr and "int32[2,3]" in found.stderr
    assert "collected at" in found.stderr and "weakref.ref" in found.stderr
    # What dies with its last reference, or lives, is not.
    assert "[5]" not in found.stderr and "[7]" not in found.stderr


def test_the_program_may_end_there():
    found = run(
        SET.replace("LEVEL", "fatal") + "make_cycle()\ngc.collect()\nprint('alive')"
    )
    assert found.returncode == -signal.SIGABRT and found.stdout == ""
    assert "Fatal Python error" in found.stderr and TOLD in found.stderr
    assert "most recent call first" in found.stderr


def test_nothing_is_reported_unless_requested():
    body = "make_cycle()\ngc.collect()\n"
    assert run(body).stderr == ""
    assert run(SET.replace("LEVEL", "allow") + body).stderr == ""


def test_a_block_and_the_environment_ask_too():
    body = """
with jax.array_garbage_collection_guard("log"):
    make_cycle()
    gc.collect()
make_cycle()
gc.collect()
"""
    assert run(body).stderr.count(TOLD) == 1
    again = run(body, JAX_ARRAY_GARBAGE_COLLECTION_GUARD="log")
    assert again.stderr.count(TOLD) == 2


def test_collections_are_watched_only_where_somebody_requested_it():
    found = run(
        "print(len(gc.callbacks))\n"
        + SET.replace("LEVEL", "log") * 2
        + "print(len(gc.callbacks))"
    )
    before, after = map(int, found.stdout.split())
    assert after == before + 1
