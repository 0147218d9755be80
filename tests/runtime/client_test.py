"""The native client by itself: plugins, compilation, the errors of both."""

import pathlib

import pytest

from jax._src.base import errors, options
from jax._src.lib import client
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends, plugins
from tests.runtime import programs
from tests.testing import real_plugin


def test_plugins_report_their_version_and_attributes():
    plugin = client.load_plugin(real_plugin.path())
    assert plugin.api_version >= (0, 54)
    assert "stablehlo_current_version" in plugin.attributes()


def test_a_library_that_is_no_plugin_is_refused():
    libc = next(iter(pathlib.Path("/lib/x86_64-linux-gnu").glob("libm.so.6")))
    with pytest.raises(errors.JaxRuntimeError, match="GetPjrtApi"):
        client.load_plugin(str(libc))
    with pytest.raises(errors.JaxRuntimeError, match="NOT_FOUND.*missing.so"):
        client.load_plugin("/nowhere/missing.so")


def test_executables_describe_themselves():
    device = backends.devices()[2]
    executable = compile.compile_module(programs.TWO_RESULTS, devices=[device])
    assert executable.devices() == [device]
    assert executable.result_count == 2
    assert executable.name.startswith("two_results")
    assert executable.cost_analysis()["flops"] == 6.0
    assert executable.memory_analysis()["output_size_in_bytes"] >= 24
    assert executable.optimized_program()[1]
    again = device.client.deserialize_executable(executable.serialize())
    assert again.result_count == 2


@pytest.mark.parametrize("program", ["not a program", b"\x4d\x4c\xef\x52broken", ""])
def test_a_broken_program_is_an_error_with_a_reason(program):
    with pytest.raises(errors.JaxRuntimeError):
        compile.compile_module(program, devices=backends.devices()[:1])


def test_programs_are_text_or_bytes():
    with pytest.raises(TypeError):
        compile.compile_module(3, devices=backends.devices()[:1])


def test_compile_options_are_the_bytes_of_the_protocol():
    options = client.CompileOptions()
    assert options.serialize() == bytes.fromhex(
        "1a0f 08ffffffffffffffffff01 20012801 28ffffffffffffffffff01".replace(" ", "")
    )
    options.device_ids = [3]
    options.overrides = {"a": True, "b": 5, "c": "t", "d": 1.0}
    data = options.serialize()
    assert bytes.fromhex("4a09 0801 1001 1a03 0a0103".replace(" ", "")) in data
    assert bytes.fromhex("3a07 0a0161 12021001".replace(" ", "")) in data
    assert b"\x0a\x01c\x12\x03\x0a\x01t" in data


ASK = """
from jax._src.runtime.devices import backends
try:
    print(backends.devices())
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    "environment, facts",
    [
        ({"JAX_PLATFORMS": "mars"}, ["RuntimeError", "'mars'"]),
        (
            {"PJRT_NAMES_AND_LIBRARY_PATHS": "mars"},
            ["ValueError", "name:/path/to/plugin.so"],
        ),
        (
            {"PJRT_NAMES_AND_LIBRARY_PATHS": "mars:/nowhere.so"},
            ["ValueError", "/nowhere.so"],
        ),
    ],
)
def test_a_backend_that_is_not_there_is_explained(environment, facts):
    answer = programs.run_python(ASK, **environment)
    assert answer.returncode == 0, answer.stderr
    for fact in facts:
        assert fact in answer.stdout


def test_the_environment_names_plugins(tmp_path):
    answer = programs.run_python(
        ASK,
        PJRT_NAMES_AND_LIBRARY_PATHS=f"mars:{real_plugin.path()}",
        JAX_PLATFORMS="mars",
    )
    assert "CpuDevice(id=0)" in answer.stdout, answer.stderr


def test_a_damaged_description_is_explained(tmp_path):
    file = tmp_path / "plugin.json"
    file.write_text("{")
    with pytest.raises(ValueError, match="create_options"):
        plugins.register_plugin("broken", library_path=str(file))


def test_host_device_count_is_read_from_the_flags(monkeypatch):
    monkeypatch.setenv(
        "XLA_FLAGS", "--other=1 --xla_force_host_platform_device_count=5"
    )
    assert plugins.cpu_device_count() == 8  # what conftest.py configures goes first
    with options.num_cpu_devices(-1):
        assert plugins.cpu_device_count() == 5
        monkeypatch.delenv("XLA_FLAGS")
        assert plugins.cpu_device_count() == 1


def test_client_options_come_from_the_configuration():
    spec = plugins.PluginSpec("some", None, {"a": 1, "b": "x"}, 0)
    with options.pjrt_client_create_options("b:2;c:text;d:true"):
        values = plugins.option_values(spec)
    assert values == {"a": 1, "b": 2, "c": "text", "d": True}
    with options.pjrt_client_create_options({"a": 5}):
        assert plugins.option_values(spec)["a"] == 5
    with options.pjrt_client_create_options("nonsense"):
        with pytest.raises(ValueError, match="name:value"):
            plugins.option_values(spec)
