"""A plugin of a GPU: what differs from the CPU, through the fake."""

from tests.plugin_packages import fake


def passes(program: str, **settings: str) -> str:
    answer = fake.on_gpu(
        "import jax, jax.numpy as jnp, numpy as np\n" + program, **settings
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def test_it_is_a_gpu_for_users_and_cuda_for_programs():
    passes("""
device = jax.devices()[0]
assert device.platform == "gpu" and device.client.platform == "cuda"
assert jax.default_backend() == "gpu" and jax.devices("gpu") == jax.devices("cuda")
x = jnp.arange(4.0)
assert x.platform() == "gpu"
which = jax.lax.platform_dependent(x, cuda=lambda x: x + 1, default=lambda x: x - 1)
assert which.tolist() == [1, 2, 3, 4]
which = jax.jit(lambda x: jax.lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos))(x)
np.testing.assert_allclose(which, np.cos(np.arange(4.0)), rtol=1e-6)
assert jax.export.default_export_platform() == "cuda"
""")


def test_memory_is_not_the_hosts():
    passes("""
device = jax.devices()[0]
assert [m.kind for m in device.addressable_memories()] == ["device", "pinned_host"]
host = np.arange(1 << 20, dtype=np.float32)
x = jax.device_put(host)
host[:] = 0
assert float(x[5]) == 5
pinned = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
y = jax.device_put(x, pinned)
assert y.sharding.memory_kind == "pinned_host"
back = jax.device_put(y, jax.sharding.SingleDeviceSharding(device))
assert back.sharding.memory_kind == "device" and float(back[7]) == 7
assert not np.shares_memory(np.asarray(x), np.asarray(back))
""")


def test_slow_transfers_change_nothing_but_the_time():
    passes(
        """
xs = [jax.device_put(np.full(8, i, np.float32)) for i in range(20)]
total = sum(jax.jit(lambda x: x * 2)(x) for x in xs)
xs[0].delete()
assert total.tolist() == [380.0] * 8
""",
        FAKE_GPU_SLOW_US="5000",
    )


def test_failures_are_errors_of_the_call_and_the_next_one_works():
    program = """
x = jnp.ones(4)
for _ in range(3):
    try:
        x = jax.jit(lambda x: x + {0})(x).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        assert "RESOURCE_EXHAUSTED: out of memory on the GPU" in str(error), error
        print("refused")
    else:
        print("went")
"""
    for function in ("PJRT_Client_Compile", "PJRT_LoadedExecutable_Execute"):
        order = {"FAKE_GPU_FAIL": f"{function}:8:out of memory on the GPU"}
        told = passes(program.replace("{0}", "1"), FAKE_GPU_FAIL_AFTER="2", **order)
        assert "refused" in told


def test_eight_devices_divide_programs_and_arrays():
    passes(
        """
mesh = jax.make_mesh((8,), ("x",))
assert mesh.devices.size == 8 and mesh.devices.flat[0].platform == "gpu"
x = jax.device_put(np.arange(64.0, dtype=np.float32), jax.NamedSharding(mesh, jax.P("x")))
assert float(jax.jit(jnp.sum)(x)) == 2016
y = jax.device_put(x, jax.NamedSharding(mesh, jax.P()))
assert len(y.addressable_shards) == 8 and y[63] == 63
""",
        FAKE_GPU_DEVICES="8",
    )


def test_visible_devices_are_chosen_by_the_configuration(tmp_path):
    options = "lambda: client_options.gpu_options('cuda')"
    text = "from jax._src.runtime.devices import client_options\n"
    text += fake.registering(options=options)
    fake.package(tmp_path, "fake", text)
    show = "import jax; print(len(jax.devices()))"
    settings = {"FAKE_GPU_DEVICES": "8", "JAX_PLATFORMS": "cuda"}
    chosen = settings | {"JAX_CUDA_VISIBLE_DEVICES": "0,3,5"}
    for given, count in (settings, 8), (chosen, 3):
        answer = fake.run(show, folder=tmp_path, **given)
        assert answer.stdout.strip() == str(count), answer.stderr
