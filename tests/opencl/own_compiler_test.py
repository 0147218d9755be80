"""JAX_GPU_COMPILER=own: this project's plugin for NVIDIA's GPUs, where none is.

Kernels are run by the emulator; the driver is a library that records what is called of it.
"""

import os
import pathlib
import shutil

import pytest

from tests.opencl import device

PLUGIN = pathlib.Path(os.environ["OWN_CUDA_PLUGIN"]).absolute()
MOCK = pathlib.Path(os.environ["MOCK_DRIVER"]).absolute()


@pytest.fixture
def packages(tmp_path):
    """A folder with the package for NVIDIA's GPUs, and the plugin in it."""
    folder = tmp_path / "jax_plugins" / "cuda"
    folder.mkdir(parents=True)
    # Bazel makes regular packages, which would come before a folder without this file.
    (folder.parent / "__init__.py").touch()
    for file in (device.root() / "jax_plugins" / "cuda").glob("*.py"):
        shutil.copy(file, folder)
    (folder / PLUGIN.name).symlink_to(PLUGIN)
    return tmp_path


def run(program, packages, **settings):
    """On the platform cuda, whose packages are in this folder."""
    paths = os.pathsep.join(
        [str(packages), device.environment("emulator", {})["PYTHONPATH"]]
    )
    chosen = {
        "PYTHONPATH": paths,
        "PYTHONSAFEPATH": "1",  # the tree that this runs in has the package, too
        "PJRT_NAMES_AND_LIBRARY_PATHS": "",
        "JAX_PLATFORMS": "cuda",
        "JAX_GPU_COMPILER": "own",
        "JAX_PJRT_CLIENT_CREATE_OPTIONS": "backend:reference",
    }
    return device.run(program, **(chosen | settings))


def test_programs_run_by_the_emulator(packages):
    answer = run(
        """
one, = jax.devices()
assert one.platform == "gpu" and one.client.platform == "cuda"
assert str(one).startswith("cuda:") or "CudaDevice" in repr(one), repr(one)
x = np.arange(100.0, dtype=np.float32)
compiled = jax.jit(lambda x: (jnp.sort(-x), (x * 2).sum(), x[::3])).lower(x).compile()
assert "operations on the host" not in compiled.cost_analysis()
lines, total, thirds = compiled(x)
np.testing.assert_array_equal(lines, -x[::-1])
np.testing.assert_array_equal(thirds, x[::3])
assert float(total) == 9900
""",
        packages,
    )
    assert answer.returncode == 0, answer.stderr


def test_the_driver_names_the_device(packages):
    (packages / "libcuda.so.1").symlink_to(MOCK)
    answer = run(
        "print(jax.devices()[0].device_kind); jnp.arange(3.0).block_until_ready()",
        packages,
        JAX_PJRT_CLIENT_CREATE_OPTIONS="backend:native",
        LD_LIBRARY_PATH=str(packages),
    )
    assert answer.returncode == 0 and answer.stdout == "Mock GPU\n", answer.stderr


def test_an_absent_driver_is_an_error_that_says_what_to_install(packages):
    answer = run(
        "jax.devices()", packages, JAX_PJRT_CLIENT_CREATE_OPTIONS="backend:native"
    )
    assert answer.returncode != 0
    for part in ("no GPU of NVIDIA can be used", "found", "libcuda.so.1", "nvidia-smi"):
        assert part in answer.stderr, answer.stderr


def test_an_absent_plugin_and_an_unknown_compiler_are_errors(packages):
    unknown = run("jax.devices()", packages, JAX_GPU_COMPILER="ours")
    assert unknown.returncode != 0
    for part in ("'ours'", "xla, own"):
        assert part in unknown.stderr, unknown.stderr
    (packages / "jax_plugins/cuda" / PLUGIN.name).unlink()
    absent = run("jax.devices()", packages)
    assert absent.returncode != 0
    for part in ("is not installed", "looked for", "bazel build"):
        assert part in absent.stderr, absent.stderr
