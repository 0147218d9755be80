"""The stand-alone CPU plugin, driven by pypjrt: a client that others wrote."""

import os

import pypjrt
import pytest
from pypjrt import _loader

BACKEND = os.environ.get("PLUGIN_BACKEND", "native")


@pytest.fixture(scope="session")
def plugin_path():
    """The path of the shared object, named by the build."""
    return os.path.abspath(os.environ["CPU_PLUGIN"])


@pytest.fixture(scope="session")
def plugin(plugin_path):
    """The plugin, loaded once."""
    return _loader.Plugin(plugin_path)


@pytest.fixture
def client(plugin):
    """A client with two devices, closed after the test."""
    with pypjrt.Client.create(
        plugin, options={"backend": BACKEND, "cpu_device_count": 2}
    ) as made:
        yield made
