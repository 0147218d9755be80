"""Python functions in programs for a GPU: arguments and results travel by the driver's library.

The driver is a fake, too: its memory is the host's, at addresses that nobody else can use.
"""

import os
import subprocess

import pytest

from tests.plugin_packages import fake

DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FAR (1ul << 62)
static int done(const char *what, size_t bytes, void *stream) {
  FILE *log = fopen(getenv("FAKE_CUDA_LOG"), "a");
  fprintf(log, "%s %zu %p\\n", what, bytes, stream);
  fclose(log);
  const char *fails = getenv("FAKE_CUDA_FAILS");
  return fails && strcmp(fails, what) == 0 ? 700 : 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long from, size_t bytes, void *stream) {
  memcpy(to, (void *)(from - FAR), bytes);
  return done("fetch", bytes, stream);
}
int cuMemcpyHtoDAsync_v2(unsigned long to, void *from, size_t bytes, void *stream) {
  memcpy((void *)(to - FAR), from, bytes);
  return done("store", bytes, stream);
}
int cuStreamSynchronize(void *stream) { return done("wait", 0, stream); }
"""
START = "import jax, jax.numpy as jnp, numpy as np\n"
DOUBLED = """
f = jax.jit(lambda x: jax.pure_callback(lambda v: v * 2, jax.typeof(x), x) + 1)
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """The folder of the driver's library."""
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(DRIVER)
    made = folder / "libcuda.so.1"
    flags = ["cc", "-shared", "-fPIC", folder / "driver.c", "-o", made]
    subprocess.run(flags, check=True)
    return folder


def run(program, driver, log, **settings):
    paths = [str(driver), os.environ.get("LD_LIBRARY_PATH", "")]
    return fake.on_gpu(
        START + program,
        LD_LIBRARY_PATH=os.pathsep.join(filter(None, paths)),
        FAKE_CUDA_LOG=str(log),
        FAKE_GPU_FAR="1",
        **settings,
    )


def test_arguments_are_fetched_and_results_are_stored(driver, tmp_path):
    log = tmp_path / "log"
    answer = run(DOUBLED + "print(f(jnp.arange(4.0)).tolist())", driver, log)
    assert answer.stdout == "[1.0, 3.0, 5.0, 7.0]\n", answer.stderr
    stream = "0x57ea3"
    told = [f"fetch 16 {stream}", f"wait 0 {stream}"]
    told += [f"store 16 {stream}", f"wait 0 {stream}"]
    assert log.read_text().splitlines() == told


PROGRAMS = """
seen = []
@jax.jit
def step(x, n):
    jax.debug.print("x {}", x[0], ordered=True)
    jax.experimental.io_callback(lambda v: seen.append(float(v)), None, x[1], ordered=True)
    empty = jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((0,), np.int8), jnp.zeros(0, np.int8))
    one, two = jax.pure_callback(
        lambda a, b: (a + b, np.asarray(b, np.bool_)),
        (jax.typeof(x), jax.ShapeDtypeStruct((), np.bool_)), x, n)
    return one, two, empty
for i in range(3):
    one, two, empty = step(jnp.arange(3.0) * i, np.int32(i))
    assert one.tolist() == [i, 2 * i, 3 * i] and bool(two) == bool(i) and empty.shape == (0,)
jax.effects_barrier()
assert seen == [0, 1, 2], seen
rows = jax.vmap(lambda r: jax.pure_callback(
    lambda v: np.sort(v), jax.typeof(r), r, vmap_method="sequential"))
assert rows(jnp.array([[3, 1], [2, 9]])).tolist() == [[1, 3], [2, 9]]
def wrong(v):
    raise ValueError("not today")
try:
    jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(wrong, jax.typeof(x), x))(1.0))
except Exception as error:
    assert "not today" in str(error), error
else:
    raise AssertionError("nothing was raised")
"""


def test_effects_shapes_rows_and_exceptions(driver, tmp_path):
    answer = run(PROGRAMS, driver, tmp_path / "log")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == ["x 0.0"] * 3


@pytest.mark.parametrize("fails", ["fetch", "store", "wait"])
def test_the_drivers_errors_are_told(fails, driver, tmp_path):
    program = DOUBLED + "f(jnp.arange(4.0)).block_until_ready()"
    answer = run(program, driver, tmp_path / "log", FAKE_CUDA_FAILS=fails)
    assert "the driver could not copy" in answer.stderr, answer.stderr
    assert "error 700" in answer.stderr


def test_a_missing_driver_is_named(tmp_path):
    program = DOUBLED + "f(jnp.arange(4.0)).block_until_ready()"
    answer = run(program, tmp_path, tmp_path / "log")
    assert answer.returncode == 1
    assert "libcuda.so.1" in answer.stderr and "driver's library" in answer.stderr


def test_a_platform_without_a_handler_says_so():
    program = """
x = jax.ShapeDtypeStruct((4,), np.float32)
traced = jax.jit(lambda x: jax.pure_callback(np.sin, x, x)).trace(x)
for platform in ("cuda", "rocm"):
    assert "jax_python_callback" in traced.lower(lowering_platforms=(platform,)).as_text()
traced.lower(lowering_platforms=("tpu",))
"""
    answer = fake.run(START + program, JAX_PLATFORMS="cpu")
    assert "NotImplementedError: A program for tpu calls a Python" in answer.stderr


def test_machines_that_are_not_there_have_the_handler_too():
    program = """
from jax.experimental import topologies
machine = topologies.get_topology_desc("cpu", "cuda", cpu_device_count=2)
sharding = jax.sharding.SingleDeviceSharding(machine.devices[0])
x = jax.ShapeDtypeStruct((4,), np.float32, sharding=sharding)
compiled = jax.jit(lambda x: jax.pure_callback(np.sin, x, x)).lower(x).compile()
print("jax_python_callback" in compiled.as_text())
"""
    paths = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{fake.LIBRARY}"}
    answer = fake.run(START + program, JAX_PLATFORMS="cpu", **paths)
    assert answer.stdout == "True\n", answer.stderr
