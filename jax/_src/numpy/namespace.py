"""What the Python array API asks of its module."""

from __future__ import annotations

import sys
from types import ModuleType

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


__array_api_version__ = "2024.12"


def module() -> ModuleType:
    """The module `jax.numpy`."""
    return sys.modules["jax.numpy"]
