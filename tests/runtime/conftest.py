"""Eight virtual devices for every test of this folder: of our plugin, or of the real XLA where TEST_PLUGIN is ``real``."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

if os.environ.get("TEST_PLUGIN") == "real":
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()), device_count=8)
else:
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_NUM_CPU_DEVICES"] = "8"
