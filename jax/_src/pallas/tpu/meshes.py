"""Meshes of the cores of a TPU."""

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import state
from jax._src.lax.collectives import axis_index
from jax._src.pallas import helpers
from jax._src.pallas.unsupported import not_here


@dataclasses.dataclass(frozen=True)
class TensorCore:
    """One core."""

    id: int


@dataclasses.dataclass(frozen=True, eq=False)
class TensorCoreMesh:
    """Cores along named axes.

    Args:
        devices: array of `TensorCore`s.
        axis_names: a name for each of its axes.
    """

    devices: np.ndarray
    axis_names: Sequence[str]

    @property
    def shape(self) -> collections.OrderedDict[str, int]:
        """The number of cores along each axis."""
        return collections.OrderedDict(
            zip(self.axis_names, self.devices.shape, strict=True)
        )

    def _key(self) -> tuple:
        return tuple(self.axis_names), self.devices.shape, tuple(self.devices.flat)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorCoreMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def create_tensorcore_mesh(
    axis_name: str, devices: Sequence[Any] | None = None, num_cores: int | None = None
) -> TensorCoreMesh:
    """A mesh of the cores of a TPU, for `pl.kernel` and `pl.core_map`.

    Args:
        axis_name: the name of its axis.
        devices: TPUs, whose number of cores is taken.
        num_cores: the number of cores, instead.

    Raises:
        ValueError: both are given, or neither where the devices are no TPUs.
    """
    if devices is not None and num_cores is not None:
        raise ValueError(
            "pltpu.create_tensorcore_mesh: devices and num_cores say the same; give one."
        )
    if num_cores is None:
        counts = {getattr(device, "num_cores", None) for device in devices or ()}
        num_cores = counts.pop() if len(counts) == 1 else None
    if num_cores is None:
        raise errors.value_error(
            "pltpu.create_tensorcore_mesh: the number of cores is not known.",
            rule="Devices other than TPUs do not report it.",
            ways="Say it: num_cores=2.",
        )
    cores = np.empty(num_cores, object)
    cores[:] = [TensorCore(number) for number in range(num_cores)]
    return TensorCoreMesh(cores, (axis_name,))


def run_on_first_core(core_axis_name: str) -> Callable[[Callable[[], None]], None]:
    """Runs a function on the first core along an axis; a decorator.

    Raises:
        NameError: no axis of that name is bound.
    """
    return helpers.when(axis_index.axis_index(core_axis_name) == 0)


def core_barrier(sem: Any, *, core_axis_name: str) -> None:
    """Waits until all cores along an axis have come here.

    Raises:
        NameError: no axis of that name is bound.
        NotImplementedError: there are several: interpreted, they take turns.
    """
    if state.axis_size(core_axis_name) > 1:
        raise not_here("A barrier of several cores", "TPUs")
