"""What a machine has, and the start of Google's TPU library, as libraries ask for them."""

import enum
import os
from types import ModuleType
from typing import Any

from jax._src.compat.testing import devices
from jax._src.runtime.devices import machine, tpu


class TpuVersion(enum.IntEnum):
    """The generations of TPUs, in the order of their numbers in upstream's table."""

    v2 = 0
    v3 = 1
    plc = 2
    v4 = 3
    v5p = 4
    v5e = 5
    v6e = 6
    tpu7x = 7


# Whether `cloud_tpu_init` has found TPUs to start.
running_in_cloud_tpu_vm = False


def num_available_tpu_chips_and_device_id() -> tuple[int, TpuVersion | None]:
    """How many TPU chips there are, and their generation."""
    chips = machine.tpu_chips()
    names = {"7x": "tpu7x"}
    kinds = [TpuVersion[names.get(kind, kind)] for kind in chips]
    return sum(chips.values()), kinds[-1] if kinds else None


def has_visible_nvidia_gpu() -> bool:
    """Whether there seems to be a GPU for CUDA."""
    return machine.no_nvidia_gpu() is None


def num_available_amd_gpus(stop_at: int | None = None) -> int:
    """How many GPUs the AMD driver shows, but no more than `stop_at`."""
    found = machine.amd_gpu_count()
    return found if stop_at is None else min(found, stop_at)


def transparent_hugepages_enabled() -> bool:
    """Whether the system gives large pages by itself."""
    try:
        with open("/sys/kernel/mm/transparent_hugepage/enabled") as file:
            return file.read().startswith("[always]")
    except OSError:
        return False


def get_shm_size_in_mb() -> float:
    """The size of the memory that processes share, in MiB; 0 where there is none."""
    try:
        sizes = os.statvfs("/dev/shm")
    except OSError:
        return 0
    return sizes.f_blocks * sizes.f_frsize / 2**20


def maybe_import_libtpu() -> ModuleType | None:
    """The package libtpu, where it is installed."""
    try:
        import libtpu  # type: ignore[import-not-found]
    except ImportError:
        return None
    return libtpu


def get_tpu_library_path() -> str | None:
    """The file of the TPU plugin, if there is one."""
    return tpu.library_path()


def jax_force_tpu_init() -> bool:
    """Whether the environment says that TPUs are started in any case."""
    return "JAX_FORCE_TPU_INIT" in os.environ


def cloud_tpu_init() -> None:
    """Sets the variables that the TPU plugin reads; it happens by itself before the plugin is loaded."""
    global running_in_cloud_tpu_vm
    tpu.prepare()
    has_chips = bool(machine.tpu_chips()) and tpu.library_path() is not None
    running_in_cloud_tpu_vm = has_chips or jax_force_tpu_init()


def is_cloud_tpu_older_than(year: int, month: int, day: int, backend: Any) -> bool:
    """Whether a client is one of TPUs whose library is older than a date."""
    built = devices.build_date(backend.platform_version)
    if built is None or "TFRT TPU" not in backend.platform_version:
        return False
    return bool(built < devices.date(year, month, day))
