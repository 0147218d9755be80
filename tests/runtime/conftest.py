"""Eight virtual devices for every test of this folder: of the plugin that is linked in, or of the real XLA."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

if os.environ.get("TEST_PLUGIN") == "linked":
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_NUM_CPU_DEVICES"] = "8"
else:
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()), device_count=8)
