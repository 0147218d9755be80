"""Eight virtual devices of the real XLA plugin, for every test of this folder."""

import pathlib
import tempfile

from tests.testing import real_plugin

real_plugin.select(pathlib.Path(tempfile.mkdtemp()), device_count=8)
