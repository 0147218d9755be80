"""Eight devices of the real XLA for the tests that need them, where TEST_PLUGIN is ``real``."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

if os.environ.get("TEST_PLUGIN") == "real":
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()), device_count=8)
