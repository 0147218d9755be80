"""These tests run on the real XLA plugin unless another platform is asked for."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

if "JAX_PLATFORMS" not in os.environ:
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()))
