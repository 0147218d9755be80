"""What TPUs are like, in numbers; nothing here depends on them."""

import dataclasses
import enum
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.runtime.devices import backends


class Tiling(enum.Enum):
    """How arrays are laid out in the memory of a core."""

    COMPACT = 1
    SPARSE_CORE = 2


class ChipVersion(enum.Enum):
    """Kinds of TPUs."""

    TPU_V2 = "v2"
    TPU_V3 = "v3"
    TPU_V4I = "v4i"
    TPU_V4 = "v4"
    TPU_V5E = "v5e"
    TPU_V5P = "v5p"
    TPU_V6E = "v6e"
    TPU_7 = "7"
    TPU_7X = "7x"
    TPU_8I = "8i"

    def __str__(self) -> str:
        return self.value

    @property
    def num_physical_tensor_cores_per_chip(self) -> int:
        """The number of cores."""
        return 1 if self.is_lite else 2

    @property
    def supports_megacore(self) -> bool:
        """Whether both cores can be one device."""
        return self in (ChipVersion.TPU_V4, ChipVersion.TPU_V5P)

    @property
    def is_lite(self) -> bool:
        """Whether it has one core."""
        return self in (ChipVersion.TPU_V4I, ChipVersion.TPU_V5E, ChipVersion.TPU_V6E)


@dataclasses.dataclass(frozen=True)
class SparseCoreInfo:
    """The sparse cores of a chip."""

    num_cores: int
    num_subcores: int
    num_lanes: int
    vmem_capacity_bytes: int
    dma_granule_size_bytes: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class TpuInfo:
    """What a device is like. Sizes are in bytes, speeds per second."""

    chip_version: ChipVersion
    generation: int
    num_cores: int
    num_lanes: int
    num_sublanes: int
    mxu_column_size: int
    num_mxus: int
    num_accumulators: int
    vmem_capacity_bytes: int
    cmem_capacity_bytes: int
    smem_capacity_bytes: int
    hbm_capacity_bytes: int
    mem_bw_bytes_per_second: int
    bf16_ops_per_second: int
    int8_ops_per_second: int
    fp8_ops_per_second: int
    int4_ops_per_second: int
    sparse_core: SparseCoreInfo | None = None

    @property
    def is_lite(self) -> bool:
        """Whether the chip has one core."""
        return self.chip_version.is_lite

    @property
    def is_split_chip(self) -> bool:
        """Whether the device is one of several cores of a chip."""
        return self.num_cores == 1 and not self.is_lite

    @property
    def is_megacore(self) -> bool:
        """Whether the device is two cores."""
        return self.num_cores == 2

    def is_matmul_supported(self, lhs_dtype: Any, rhs_dtype: Any) -> bool:
        """Whether matrix units multiply elements of these dtypes."""
        left, right = np.dtype(lhs_dtype).name, np.dtype(rhs_dtype).name
        groups = _FACTORS[self.generation]
        return any(left in lefts and right in rights for lefts, rights in groups)

    def get_sublane_tiling(self, dtype: Any) -> int:
        """How many rows of a tile elements of a dtype have.

        Raises:
            NotImplementedError: it is not known of the generation.
        """
        bits = dtypes.itemsize_bits(dtype)
        if self.generation > 7:
            raise NotImplementedError(
                f"Tiles of TPUs of generation {self.generation} are not known."
            )
        if bits == 16 and self.generation < 7:
            return 8
        return 256 // bits


_FLOATS = frozenset({"float32", "bfloat16"})
_SMALL = frozenset({"float8_e4m3fn", "float8_e5m2"})
_MIXED = _FLOATS | {"float8_e5m2"}
_BYTES = frozenset({"int8", "uint8"})
_NIBBLES = frozenset({"int4"})
# For each generation, which dtypes of left factors are multiplied by which of right ones.
_FOURTH = ((_FLOATS, _FLOATS | {"int8"}),)
_FIFTH = ((_MIXED, _MIXED), (_BYTES, _BYTES), (_NIBBLES, _NIBBLES))
_SEVENTH = ((_FLOATS, _FLOATS | _SMALL), (_SMALL, _SMALL))
_SINGLE = (({"float32"}, {"float32"}),)
_FACTORS = {
    2: _SINGLE,
    3: _SINGLE,
    4: _FOURTH,
    5: _FIFTH,
    6: _FIFTH,
    7: _SEVENTH,
    8: _SEVENTH,
}

_MIB = 1 << 20


class _Core(NamedTuple):
    """What one core is like: memory in MiB, SMEM in KiB, the rest in units of 1e9."""

    generation: int
    mxu_columns: int
    mxus: int
    accumulators: int
    vmem: int
    cmem: int
    smem: int
    hbm: float
    bandwidth: float
    bf16: float
    int8: float = 0
    fp8: float = 0
    int4: float = 0
    sparse: SparseCoreInfo | None = None


def _sparse(cores, subcores, lanes, kib, granule):
    return SparseCoreInfo(cores, subcores, lanes, kib * 1024, granule)


# Of the chips with two cores, what one of them has of memory and speed.
_CORES = {
    ChipVersion.TPU_V2: _Core(2, 128, 1, 0, 16, 0, 16, 8, 358, 23e3),
    ChipVersion.TPU_V3: _Core(3, 128, 2, 0, 16, 0, 16, 17.2, 412.5, 70e3),
    ChipVersion.TPU_V4I: _Core(4, 128, 4, 0, 16, 134, 1024, 8.59, 614, 137e3),
    ChipVersion.TPU_V4: _Core(4, 128, 4, 0, 16, 67, 1024, 17.2, 615, 137.5e3),
    ChipVersion.TPU_V5E: _Core(
        5, 128, 4, 0, 128, 0, 1024, 17.2, 820, 197e3, 394e3, 0, 788e3
    ),
    ChipVersion.TPU_V5P: _Core(
        *(5, 128, 4, 0, 64, 0, 1024, 51.5, 1230, 229.5e3, 459e3, 0, 920e3),
        _sparse(4, 16, 8, 512, 32),
    ),
    ChipVersion.TPU_V6E: _Core(
        *(6, 256, 2, 0, 128, 0, 1024, 34.4, 1640, 920e3, 1840e3, 920e3, 3680e3),
        _sparse(2, 16, 8, 256, 32),
    ),
    ChipVersion.TPU_7: _Core(
        *(7, 256, 2, 128, 64, 0, 1024, 103, 3700, 1155e3, 0, 2300e3, 0),
        _sparse(2, 16, 16, 512, 32),
    ),
    ChipVersion.TPU_7X: _Core(
        *(7, 256, 2, 128, 64, 0, 1024, 103, 3700, 1155e3, 0, 2300e3, 0),
        _sparse(2, 16, 16, 512, 32),
    ),
    ChipVersion.TPU_8I: _Core(
        *(8, 256, 2, 256, 192, 0, 1024, 154.5, 4300, 550.5e3, 0, 4404e3, 0),
        _sparse(1, 4, 16, 512, 64),
    ),
}


def get_tpu_info_for_chip(
    chip_version: ChipVersion, num_tensor_cores_per_logical_device: int
) -> TpuInfo:
    """What a device of a chip is like.

    Args:
        chip_version: the kind of chip.
        num_tensor_cores_per_logical_device: how many of its cores are one device.

    Raises:
        ValueError: the chip has not so many cores in one device.
    """
    number = num_tensor_cores_per_logical_device
    if number not in ((1, 2) if chip_version.supports_megacore else (1,)):
        raise errors.value_error(
            "A TPU has not so many cores in one device.",
            [("chip", chip_version.name), ("cores", str(number))],
        )
    core = _CORES[chip_version]
    giga = 10**9
    return TpuInfo(
        chip_version=chip_version,
        generation=core.generation,
        num_cores=number,
        num_lanes=128,
        num_sublanes=8,
        mxu_column_size=core.mxu_columns,
        num_mxus=core.mxus,
        num_accumulators=core.accumulators,
        vmem_capacity_bytes=core.vmem * _MIB,
        cmem_capacity_bytes=core.cmem * 10**6,
        smem_capacity_bytes=core.smem * 1024,
        hbm_capacity_bytes=round(core.hbm * giga),
        mem_bw_bytes_per_second=round(core.bandwidth * giga),
        bf16_ops_per_second=round(core.bf16 * giga),
        int8_ops_per_second=round(core.int8 * giga),
        fp8_ops_per_second=round(core.fp8 * giga),
        int4_ops_per_second=round(core.int4 * giga),
        sparse_core=core.sparse,
    )


def is_tpu_device() -> bool:
    """Whether programs run on TPUs.

    Raises:
        RuntimeError: there is no backend.
    """
    return backends.default_backend() == "tpu"


def get_tpu_info() -> TpuInfo:
    """What the devices are like on which programs run.

    Raises:
        ValueError: they are no TPUs; `get_tpu_info_for_chip` describes any kind.
    """
    raise errors.value_error(
        "pltpu.get_tpu_info: programs do not run on TPUs.",
        [("platform", backends.default_backend())],
        ways="Of a kind of chip: pltpu.get_tpu_info_for_chip(version, cores).",
    )
