"""`jax_cpu_threads`: how many threads share out the work of programs, at any time."""

import os

import pytest

import jax
from jax._src.runtime.devices import backends
from tests.runtime import programs
from tests.testing import real_plugin

# What each number of threads computes, and how many threads the process has by then.
PROGRAM = """
import os, threading
import numpy as np
import jax, jax.numpy as jnp
from jax._src.runtime.devices import backends

x = np.random.RandomState(0).randn(1500, 1500).astype(np.float32)
f = jax.jit(lambda x: (x @ x, jnp.sort(x.ravel()), jnp.sum(x), jnp.tanh(x)))

def run():
    results = [np.asarray(value).tobytes() for value in f(x)]
    return results, len(os.listdir("/proc/self/task")), backends.get_backend("cpu").threads

first, with_one, number = run()
assert number == 1, number
jax.config.update("jax_cpu_threads", 5)
second, with_five, number = run()
assert number == 5 and with_five == with_one + 4, (number, with_one, with_five)
jax.config.update("jax_cpu_threads", 2)
third, with_two, number = run()
assert number == 2 and with_two == with_five, (number, with_two)
assert first == second == third

running = threading.Event()
def compute():
    while not running.is_set():
        assert run()[0] == first
others = [threading.Thread(target=compute) for _ in range(2)]
for other in others:
    other.start()
for count in [1, 4, 2, 6, 3] * 10:
    jax.config.update("jax_cpu_threads", count)
running.set()
for other in others:
    other.join()
assert run()[0] == first
print("done")
"""


def test_the_number_changes_at_any_time_and_results_do_not():
    # The tier `auto` has a thread of its own, which compiles.
    alone = {"OPENBLAS_NUM_THREADS": "1", "JAX_COMPILE_TIER": "best"}
    answer = programs.run_python(PROGRAM, JAX_CPU_THREADS="1", **alone)
    assert answer.stdout == "done\n", answer.stderr


# Windows that meet in lanes of different numbers; what they add is a whole number.
MEETING_WINDOWS = """
import numpy as np
import jax, jax.numpy as jnp
from jax import lax

size, width, count = 512, 256, 20000
starts = np.random.RandomState(0).randint(0, size - width + 1, count).astype(np.int32)
steps = np.zeros(size + 1)
np.add.at(steps, starts, 1)
np.add.at(steps, starts + width, -1)
expected = np.cumsum(steps)[:size]

numbers = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,)
)
ones = jnp.ones((count, width), jnp.float32)
zeros = jnp.zeros(size, jnp.float32)
add = jax.jit(lambda x, i, u: lax.scatter_add(x, i[:, None], u, numbers))
framed = lambda x, i: jax.vmap(lambda j: lax.dynamic_slice(x, (j,), (width,)))(i)
gradient = jax.jit(jax.grad(lambda x, i: framed(x, i).sum()))
for run in range(100):
    np.testing.assert_array_equal(add(zeros, starts, ones), expected)
    np.testing.assert_array_equal(gradient(zeros, starts), expected)
print("done")
"""


def test_no_update_is_lost_where_windows_meet():
    answer = programs.run_python(MEETING_WINDOWS, JAX_CPU_THREADS="4")
    assert answer.stdout == "done\n", answer.stderr


def test_zero_is_what_the_machine_offers():
    client = backends.get_backend("cpu")
    before = client.threads
    try:
        jax.config.update("jax_cpu_threads", 3)
        assert client.threads == 3
        jax.config.update("jax_cpu_threads", 0)
        assert 1 <= client.threads <= len(os.sched_getaffinity(0))
    finally:
        client.threads = before


@pytest.mark.parametrize("value", [-1, 257, "many", 2.5, None])
def test_other_values_are_refused(value):
    before = backends.get_backend("cpu").threads
    with pytest.raises(ValueError, match="a whole number from 0 to 256"):
        jax.config.update("jax_cpu_threads", value)
    assert backends.get_backend("cpu").threads == before


def test_a_plugin_without_the_setting_says_so():
    answer = programs.run_python(
        """
        import jax
        jax.devices()
        try:
            jax.config.update("jax_cpu_threads", 2)
        except RuntimeError as error:
            print(error)
        """,
        PJRT_NAMES_AND_LIBRARY_PATHS=f"other:{real_plugin.path()}",
        JAX_PLATFORMS="other",
    )
    assert "has no setting for its number of threads" in answer.stdout, answer.stderr
