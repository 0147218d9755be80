"""The options of plugins' clients: types, the environment, the user."""

import pytest

from jax._src.base import options
from jax._src.lib import client
from jax._src.runtime.devices import client_options, plugins
from tests.plugin_packages import fake

VARIABLES = {
    "XLA_PYTHON_CLIENT_ALLOCATOR": ("cuda_async", {"allocator": "cuda_async"}),
    "XLA_CLIENT_MEM_FRACTION": ("1", {"memory_fraction": 1.0}),
    "XLA_PYTHON_CLIENT_MEM_FRACTION": (".5", {"memory_fraction": 0.5}),
    "XLA_PYTHON_CLIENT_PREALLOCATE": ("false", {"preallocate": False}),
    "XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB": (
        "2",
        {"collective_memory_size": 2 << 20},
    ),
    "XLA_PYTHON_CLIENT_ABORT_COLLECTIVES_ON_FAILURE": (
        "1",
        {"abort_collectives_on_failure": True},
    ),
    "XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT": ("0", {"use_tfrt_gpu_client": False}),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_variables_become_options_of_the_right_type(name, monkeypatch):
    text, wanted = VARIABLES[name]
    assert client_options.gpu_options("cuda") == {"platform_name": "cuda"}
    monkeypatch.setenv(name, text)
    found = client_options.gpu_options("cuda")
    assert found == {"platform_name": "cuda"} | wanted
    (value,) = wanted.values()
    (key,) = wanted
    assert type(found[key]) is type(value)


@pytest.mark.parametrize(
    "name", sorted(set(VARIABLES) - {"XLA_PYTHON_CLIENT_PREALLOCATE"})
)
def test_nonsense_is_refused_with_the_variables_name(name, monkeypatch):
    monkeypatch.setenv(name, "many")
    with pytest.raises(ValueError, match=f"(?s){name} cannot be read.*'many'"):
        client_options.gpu_options("cuda")


def test_two_fractions_contradict_each_other(monkeypatch):
    monkeypatch.setenv("XLA_CLIENT_MEM_FRACTION", ".5")
    monkeypatch.setenv("XLA_PYTHON_CLIENT_MEM_FRACTION", ".5")
    with pytest.raises(ValueError, match="given twice"):
        client_options.gpu_options("cuda")


def test_the_configuration_chooses_devices_and_pretends_processes():
    with options.cuda_visible_devices("0,2"):
        assert client_options.gpu_options("cuda")["visible_devices"] == [0, 2]
        assert "visible_devices" not in client_options.gpu_options("rocm")
    with options.mock_gpu_topology("2x4x8"):
        found = client_options.gpu_options("rocm")
    assert found["num_nodes"] == 8 and found["enable_mock_nccl"] is True
    with options.mock_gpu_topology("many"), pytest.raises(ValueError, match="1x2x4"):
        client_options.gpu_options("cuda")


def test_the_users_text_is_read_by_the_options_name():
    spec = plugins.PluginSpec("cuda", None, lambda: {"preallocate": True}, 0)
    text = "preallocate:0;memory_fraction:1;visible_devices:0,1;node_id:3;other:x"
    with options.pjrt_client_create_options(text):
        found = plugins.option_values(spec)
    assert found == {
        "preallocate": False,
        "memory_fraction": 1.0,
        "visible_devices": [0, 1],
        "node_id": 3,
        "other": "x",
    }


# The fake compares types as strictly as the plugins of GPUs.
TYPED = {
    "preallocate": (True, False),
    "memory_fraction": (0.25,),
    "visible_devices": ([0, 1], [5]),
    "node_id": (0, 7, -1),
    "allocator": ("bfc", ""),
}


@pytest.mark.parametrize("name", TYPED)
def test_each_python_type_arrives_as_itself(name, monkeypatch):
    monkeypatch.setenv("FAKE_GPU_ENGINE", fake.ENGINE)
    plugin = client.load_plugin(fake.LIBRARY)
    for value in TYPED[name]:
        assert client.make_client(plugin, {name: value}).platform == "cuda"
    for other in set(TYPED) - {name}:
        with pytest.raises(Exception, match="expected type index"):
            client.make_client(plugin, {name: TYPED[other][0]})
