"""Acme's devices for jax, which finds this package by its entry point and calls `initialize`."""

import pathlib

from jax._src import xla_bridge

PLATFORM = "acme"
LIBRARY = pathlib.Path(__file__).parent / "plugin.so"


def initialize() -> None:
    """Makes the plugin known. Nothing is loaded before devices are requested."""
    # More than the CPU, so that these devices are the default where they are; less than 400, what others have.
    xla_bridge.register_plugin(PLATFORM, priority=350, library_path=str(LIBRARY))
    # Last: rules need a jax that has begun to know its platforms.
    from jax_plugins.acme import rules

    rules.install()
