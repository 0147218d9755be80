"""What the Python array API asks of its module."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.lib import client
from jax._src.numpy import inspection
from jax._src.runtime.devices import backends

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


__array_api_version__ = releases.rule("array_api_version")


def module() -> ModuleType:
    """The module `jax.numpy`."""
    return sys.modules["jax.numpy"]


_DEFAULTS = {
    "real floating": np.float64,
    "complex floating": np.complex128,
    "integral": np.int64,
    "indexing": np.int64,
}
_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


class ArrayNamespaceInfo:
    """What `jax.numpy` offers, in the words of the Python array API.

    Reference: Python array API standard 2024.12, "Inspection APIs".
    """

    __slots__ = ()

    def capabilities(self) -> dict[str, bool | int]:
        """What the namespace can do beyond the functions it must have.

        Shapes are known while a function is traced: masks as indices and results whose
        shape depends on data work outside of `jax.jit` alone, and count as absent.
        """
        return {
            "boolean indexing": False,
            "data-dependent shapes": False,
            "max dimensions": 64,
        }

    def default_device(self) -> None:
        """None: arrays that name no device are not committed to one."""

    def devices(self) -> Sequence[client.Device | None]:
        """The devices an array may be put on; None stands for the default one."""
        return releases.rule("several_results")([None, *backends.devices()])

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The dtypes that arrays have where none is given, by kind.

        Args:
            device: accepted; they are the same on all devices.
        """
        return {k: dtypes.canonicalize_dtype(d) for k, d in _DEFAULTS.items()}

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype]:
        """The dtypes of the standard that are there, by name.

        Args:
            device: accepted; they are the same on all devices.
            kind: a kind as for `jax.numpy.isdtype`, or a tuple of kinds; None: all.

        Raises:
            ValueError: the kind is unknown.
        """
        there = [n for n in _DTYPES if dtypes.canonicalize_dtype(n).name == n]
        return {
            name: np.dtype(name)
            for name in there
            if kind is None or inspection.isdtype(name, kind)
        }


def __array_namespace_info__() -> ArrayNamespaceInfo:
    """What this namespace offers: devices, dtypes and capabilities."""
    return ArrayNamespaceInfo()


traceback_filter.hide_frames(globals())
