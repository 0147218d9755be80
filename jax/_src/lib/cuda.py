"""The versions of NVIDIA's libraries, read from the package of their plugin."""

import importlib
from types import ModuleType


def _versions() -> ModuleType | None:
    """The module that asks the libraries; None where no plugin for them is installed."""
    for package in ("jax_cuda13_plugin", "jax_cuda12_plugin"):
        try:
            return importlib.import_module(f"{package}._versions")
        except ImportError:
            continue
    return None


cuda_versions = _versions()
