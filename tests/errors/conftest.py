"""The messages do not depend on the compiler: the real XLA plugin unless told otherwise."""

import os
import pathlib
import tempfile

from tests.testing import real_plugin

if "JAX_PLATFORMS" not in os.environ:
    real_plugin.select(pathlib.Path(tempfile.mkdtemp()))
