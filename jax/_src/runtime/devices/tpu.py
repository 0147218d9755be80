"""The TPU plugin of the package libtpu: where it is, and how it is started.

Without a TPU, libtpu asks a metadata server that only a cloud has, and waits minutes
for the answer. So it is told not to where no chip is.
"""

import importlib.util
import os
from typing import Any

from jax._src.base import version
from jax._src.runtime.devices import machine

PRIORITY = 300
_PATH = "TPU_LIBRARY_PATH"
_LAUNCH = "--xla_tpu_use_enhanced_launch_barrier=true"


def library_path() -> str | None:
    """The plugin's library, if there is one: as the user says, else the package's."""
    given = os.environ.get(_PATH)
    if given:
        return given
    found = importlib.util.find_spec("libtpu")
    for folder in (found and found.submodule_search_locations) or ():
        path = os.path.join(folder, "libtpu.so")
        if os.path.isfile(path):
            return path
    return None


def prepare() -> None:
    """Sets the variables that libtpu reads when it is loaded."""
    if machine.tpu_chips():
        os.environ.setdefault("TPU_ML_PLATFORM", "JAX")
        os.environ.setdefault("TPU_ML_PLATFORM_VERSION", version.__version__)
        given = os.environ.get("LIBTPU_INIT_ARGS", "")
        if _LAUNCH.partition("=")[0] not in given:
            os.environ["LIBTPU_INIT_ARGS"] = f"{given} {_LAUNCH}".strip()
    else:
        os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")


def client_options() -> dict[str, Any]:
    """The options for its client."""
    return {
        "ml_framework_name": "JAX",
        "ml_framework_version": version.__version__,
    }
