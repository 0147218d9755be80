"""The fake GPU as a package, for programs that shall run on it unchanged.

FAKE_GPU_LIBRARY names the plugin, FAKE_GPU_ENGINE the CPU plugin behind it.
"""

import os

from jax._src import xla_bridge
from jax._src.lib import callbacks
from jax._src.runtime import ffi
from jax._src.runtime.devices import client_options

PLATFORM = os.environ.get("FAKE_GPU_PLATFORM", "cuda")


def initialize() -> None:
    """Registers the plugin; its memory is the host's after all, so Python can be called."""
    xla_bridge.register_plugin(
        PLATFORM,
        priority=900,
        library_path=os.environ["FAKE_GPU_LIBRARY"],
        options=lambda: client_options.gpu_options(PLATFORM),
    )
    for target in (callbacks.TARGET, ffi.CALLBACK_ON_ONE_DEVICE):
        ffi.register_ffi_target(target, callbacks.handler(), platform=PLATFORM)
