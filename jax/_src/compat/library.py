"""What libraries ask of jaxlib: versions, and bindings of plugins that few have."""

import os
from typing import Any

from jax._src.base import releases

# The release of upstream's bindings of which libraries may use the functions.
jaxlib_extension_version = releases.rule("jaxlib_extension_version")
ifrt_version = releases.rule("ifrt_version")
version = releases.rule("jaxlib_version")
version_str = ".".join(map(str, version))

# Bindings in the packages of plugins; None where the package is not installed.
cuda_plugin: Any = None
rocm_plugin: Any = None
# The folder of CUDA's libraries, where a package of NVIDIA's has it.
cuda_path: str | None = None
# Accepted where a module is wanted: platforms have no kernels of upstream's here.
registrations: dict[str, list] = {}


def check_cpu_features() -> None:
    """Does nothing: programs are compiled for the processor they run on."""


def bool_env(varname: str, default: bool) -> bool:
    """The truth value of an environment variable.

    Raises:
        ValueError: the text means neither.
    """
    text = os.getenv(varname, str(default)).lower()
    if text in ("y", "yes", "t", "true", "on", "1"):
        return True
    if text in ("n", "no", "f", "false", "off", "0"):
        return False
    raise ValueError(f"invalid truth value {text!r} for environment {varname!r}")


def int_env(varname: str, default: int) -> int:
    """The integer in an environment variable."""
    return int(os.getenv(varname, str(default)))
