"""These tests run on the real XLA plugin unless another platform is asked for."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

# Without it that plugin's minimum and maximum may drop NaN.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_enable_fast_min_max=false")

if "JAX_PLATFORMS" not in os.environ:
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()))
