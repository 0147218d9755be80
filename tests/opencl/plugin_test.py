"""The OpenCL plugin: what its devices are, what runs on them and how, and what it says."""

import functools
import json

import pytest

from tests.opencl.device import DRIVERS, passes, run

# Of each class of operations that has kernels: a program and its arguments.
CLASSES = {
    "elementwise": "(lambda x: jnp.tanh(x) * 2 + jnp.sin(x), x)",
    "float64": "(lambda x: jnp.exp(x.astype('float64')) + jnp.log1p(x * x), x)",
    "reduction": "(lambda x: (x.sum(), x.max(0), jnp.argmin(x, 1)), x)",
    "softmax": "(jax.nn.softmax, x)",
    "product": "(lambda x: x @ x.T, x)",
    "factors by reflections":
        "(lambda x: jax.ffi.ffi_call('Qr', [x, x[:, 0]])(x), x)",
    "product of reflections": "(lambda x: jax.ffi.ffi_call("
        "'ProductOfElementaryHouseholderReflectors', x.T)(x.T, x[:5, 0]), x)",
    "scan": "(lambda x: jnp.cumsum(x, 1), x)",
    "gather": "(lambda x: x[i, ::2], x)",
    "scatter that adds": "(lambda x: x.at[i].add(x[:5] * 2), x)",
    "scatter that writes": "(lambda x: x.at[i, 3].set(7.0), x)",
    "scatter of unique indices":
        "(lambda x: x.at[i[:3]].multiply(3.0, unique_indices=True), x)",
    "scatter outside": "(lambda x: x.at[jnp.array([2, 99])].add(1.0), x)",
    "sort": "(lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1)), x)",
    "sort of equal keys": "(lambda x: lax.sort_key_val((x > 0) * 1, x, 1), x)",
    "convolution": "(lambda x: lax.conv_general_dilated(x[None, None], w, (2, 1),"
        " [(1, 2), (0, 1)], rhs_dilation=(1, 2)), x)",
    "grouped convolution": "(lambda x: lax.conv_general_dilated(x.reshape(1, 4, 3, 24)"
        ", w.reshape(4, 1, 2, 3), (1, 1), 'SAME', feature_group_count=4), x)",
    "dynamic slice": "(lambda x: lax.dynamic_slice(x, (i[0], i[1]), (3, 4)), x)",
    "dynamic update": "(lambda x: lax.dynamic_update_slice(x, x[:2], (i[1], 0)), x)",
    "while": "(lambda x: lax.fori_loop(0, 5, lambda k, y: y * 1.5 - k, x), x)",
    "cond": "(lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), x)",
    "random bits": "(lambda x: jax.random.uniform(jax.random.key(3), (9,)), x)",
    "gradient": "(jax.grad(lambda x: jnp.sum(jnp.tanh(x @ x.T) ** 2)), x)",
}  # fmt: skip
# Says of each class what is wrong, if anything.
AGREES = """
import json, traceback
jax.config.update("jax_enable_x64", True)
x = jnp.asarray(np.random.RandomState(0).randn(12, 24), "float32")
w = jnp.asarray(np.random.RandomState(1).randn(4, 1, 2, 3), "float32")
i = jnp.array([3, 1, 4, 1, 5])
device, cpu = jax.devices("opencl")[0], jax.devices("cpu")[0]

def check(f, *args):
    compiled = jax.jit(f).lower(*args).compile()
    assert "operations on the host" not in compiled.cost_analysis(), compiled.as_text()
    found = jax.tree.leaves(compiled(*args))
    wanted = jax.tree.leaves(jax.jit(f)(*jax.device_put(args, cpu)))
    for a, b in zip(found, wanted, strict=True):
        assert a.devices() == {device} and b.devices() == {cpu}
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)

answers = {}
for name, text in CLASSES.items():
    try:
        check(*eval(text))
        answers[name] = "agrees"
    except Exception:
        answers[name] = traceback.format_exc()
print(json.dumps(answers))
"""


@functools.cache
def answers(driver):
    program = f"CLASSES = {CLASSES!r}\n" + AGREES
    return json.loads(passes(program, driver, JAX_PLATFORMS="opencl,cpu"))


@DRIVERS
@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_operations_run_on_the_device_and_agree_with_the_cpu(name, driver):
    assert answers(driver)[name] == "agrees"


def test_a_program_that_is_compiled_in_parts_has_one_memory_of_each_block():
    passes("""
x = np.random.RandomState(0).randn(288).astype("float32")
sums = jax.jit(lambda x: [jnp.sum(jnp.sin(x * k) ** 3) for k in range(40)])(x)
wanted = [np.sum(np.sin(x * k) ** 3) for k in range(40)]
np.testing.assert_allclose(sums, wanted, rtol=1e-3, atol=1e-3)
""")


@DRIVERS
def test_operations_without_kernels_run_on_the_host_and_are_counted(driver):
    passes(
        """
def f(x):
    y = jnp.fft.fft(jnp.exp(x)).real
    return jnp.fft.ifft(y + 1).real * 2
x = jnp.arange(8.0)
compiled = jax.jit(f).lower(x).compile()
assert compiled.cost_analysis()["operations on the host"] == 2, compiled.as_text()
wanted = np.fft.ifft(np.fft.fft(np.exp(np.arange(8.0))).real + 1).real * 2
np.testing.assert_allclose(compiled(x), wanted, rtol=1e-4)
""",
        driver,
    )


@DRIVERS
def test_devices_say_what_they_are(driver):
    name = passes(
        """
device, = jax.devices()
assert device.platform == "opencl" and device.client.platform == "opencl"
assert str(device) == "opencl:0", device
assert jax.default_backend() == "opencl"
x = jnp.ones((256, 256))
assert x.devices() == {device}
assert device.memory_stats()["bytes_in_use"] >= 256 * 256 * 4
print(device.device_kind)
""",
        driver,
    )
    assert (name.strip() == "emulator") == (driver == "emulator")


@DRIVERS
def test_donated_memory_is_read_before_it_is_written(driver):
    passes(
        """
f = jax.jit(lambda x, y: (y, x + y), donate_argnums=(0, 1))
for _ in range(3):
    x, y = jnp.arange(1000.0), jnp.ones(1000)
    a, b = f(x, y)
    assert x.is_deleted() and y.is_deleted()
    np.testing.assert_array_equal(a, np.ones(1000))
    np.testing.assert_array_equal(b, np.arange(1000.0) + 1)
""",
        driver,
    )


@DRIVERS
def test_programs_call_python_functions_in_their_order(driver):
    passes(
        """
from jax.experimental import io_callback
seen = []
@jax.jit
def f(x):
    y = jax.pure_callback(lambda v: np.cos(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x * 2)
    io_callback(lambda v: seen.append(float(v)), None, y[0], ordered=True)
    io_callback(lambda v: seen.append(float(v)), None, y[1], ordered=True)
    return y + 1
x = jnp.array([0.0, 1.0])
np.testing.assert_allclose(f(x), np.cos(np.array([0.0, 2.0])) + 1, rtol=1e-6)
jax.effects_barrier()
np.testing.assert_allclose(seen, np.cos([0.0, 2.0]), rtol=1e-6)
""",
        driver,
    )


@DRIVERS
def test_eight_devices_share_a_program(driver):
    backend = "reference" if driver == "emulator" else "native"
    passes(
        """
from jax.sharding import PartitionSpec as P, NamedSharding
mesh = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
assert len(jax.devices()) == 8
x = jax.device_put(jnp.arange(64.0).reshape(16, 4), NamedSharding(mesh, P("d")))
total = jax.jit(lambda x: (x - x.mean(0)).T @ x)(x)
y = np.arange(64.0).reshape(16, 4)
np.testing.assert_allclose(total, (y - y.mean(0)).T @ y, rtol=1e-5)
summed = jax.shard_map(lambda v: jax.lax.psum(v, "d"), mesh=mesh,
                       in_specs=P("d"), out_specs=P())(x)
np.testing.assert_allclose(summed, y.reshape(8, 2, 4).sum(0), rtol=1e-6)
""",
        driver,
        JAX_PJRT_CLIENT_CREATE_OPTIONS=f"backend:{backend};device_count:8",
    )


@DRIVERS
def test_executables_are_serialized_and_belong_to_this_plugin(driver):
    passes(
        """
from jax.experimental import serialize_executable
compiled = jax.jit(lambda x: jnp.sin(x) + 1).lower(jnp.ones(4)).compile()
again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
np.testing.assert_array_equal(again(jnp.ones(4)), compiled(jnp.ones(4)))
""",
        driver,
    )


# What a process does with programs of several kinds, with the cache; it prints how many it found there.
CACHED = """
import json
hits = []
jax.monitoring.register_event_listener(lambda name, **_: hits.append(name))
x = jnp.linspace(0, 1, 48, dtype="float32").reshape(6, 8)
programs = [
    lambda x: jnp.tanh(x @ x.T) + 1,
    lambda x: jax.lax.fori_loop(0, 4, lambda i, y: y * 0.5 + i, x),
    lambda x: jnp.fft.rfft(x),
    lambda x: jnp.sort(x, axis=1),
]
for program in programs:
    found = jax.jit(program)(x)
    wanted = jax.jit(program)(jax.device_put(x, jax.devices("cpu")[0]))
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)
print(json.dumps(sum(name.endswith("/cache_hits") for name in hits)))
"""


@DRIVERS
def test_a_second_process_takes_programs_from_the_cache_on_disk(driver, tmp_path):
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "JAX_PLATFORMS": "opencl,cpu",
    }
    counts = []
    for _ in range(2):
        answer = run(CACHED, driver, **settings)
        assert answer.returncode == 0, answer.stderr
        counts.append(int(answer.stdout.split()[-1]))
    assert counts[0] == 0 and counts[1] >= 8, counts


def test_an_absent_driver_is_an_error_that_says_what_to_install():
    answer = run(
        "jax.devices()",
        JAX_PJRT_CLIENT_CREATE_OPTIONS="backend:native",
        LD_LIBRARY_PATH="",
        OCL_ICD_FILENAMES="/nowhere.so",
    )
    assert answer.returncode != 0
    for part in (
        "no OpenCL device can be used",
        "found",
        "intel-opencl-rt",
        "backend:reference",
    ):
        assert part in answer.stderr, answer.stderr


def test_a_program_that_nobody_compiles_is_an_error_and_the_next_one_runs():
    passes("""
try:
    jax.jit(lambda x: jax.ffi.ffi_call("nobody_has_this", jax.typeof(x))(x))(jnp.ones(4))
    raise SystemExit("no error")
except jax.errors.JaxRuntimeError as error:
    assert "nobody_has_this" in str(error), error
np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(jnp.ones(4)), np.full(4, 2.0))
""")
