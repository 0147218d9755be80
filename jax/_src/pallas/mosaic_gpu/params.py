"""Settings of kernels for GPUs: of the compiler, of blocks, and of the grid of threads."""

import collections
import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from jax._src.base import errors
from jax._src.pallas import specs
from jax._src.pallas.mosaic_gpu import memory
from jax._src.pallas.mosaic_gpu.layouts import WARPGROUP_SIZE
from jax._src.pallas.mosaic_gpu.transforms import LoweringSemantics, TraceScope

_CUDA_THREADS = 2048


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompilerParams:
    """Settings of Mosaic's compiler for GPUs; interpreted kernels do not read them.

    Args:
        approx_math: whether elementary functions may be approximate.
        dimension_semantics: for each axis of the grid ``"parallel"`` or ``"sequential"``.
        max_concurrent_steps: how many steps of a sequential axis are under way at once.
        unsafe_no_auto_barriers: whether no barriers are added.
        reduction_scratch_bytes: memory for reductions between warps.
        profile_space: how many events each group of warps records.
        profile_dir: where profiles are written.
        profile_trace_scope: which threads have a line of their own in profiles.
        lowering_semantics: whether kernels are written for lanes or groups of warps.

    Raises:
        ValueError: one of `profile_space` and `profile_dir` is given alone.
    """

    approx_math: bool = False
    dimension_semantics: Sequence[Any] | None = None
    max_concurrent_steps: int = 1
    unsafe_no_auto_barriers: bool = False
    reduction_scratch_bytes: int = 2048
    profile_space: int = 0
    profile_dir: str = ""
    profile_trace_scope: TraceScope = TraceScope.WARPGROUP
    lowering_semantics: LoweringSemantics = LoweringSemantics.Lane

    def __post_init__(self) -> None:
        if self.dimension_semantics is not None:
            given = tuple(self.dimension_semantics)
            object.__setattr__(self, "dimension_semantics", given)
        if bool(self.profile_space) != bool(self.profile_dir):
            raise ValueError(
                "Either both profile_space and profile_dir must be set, or neither."
            )

    def replace(self, **changes: Any) -> "CompilerParams":
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


@dataclasses.dataclass
class BlockSpec(specs.BlockSpec):
    """A `pl.BlockSpec` that says how blocks are arranged in the memory of a GPU.

    Args:
        transforms: how blocks are arranged in shared memory, such as tiles and swizzles.
        delay_release: for how many further steps a block stays in memory.
        collective_axes: the axes of a cluster along which blocks are the same.
    """

    transforms: Sequence[Any] = ()
    delay_release: int = 0
    collective_axes: tuple[Hashable, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mesh:
    """The threads of a kernel: a grid of clusters of blocks of groups of warps.

    Args:
        grid: the number of clusters along each axis.
        grid_names: the names of these axes.
        cluster: the number of blocks of a cluster along each axis.
        cluster_names: the names of these axes.
        num_threads: the number of groups of warps of a block.
        thread_name: the name of their axis.
        kernel_name: the name of the kernel.

    Raises:
        ValueError: there are not as many names as axes, one of `num_threads` and
            `thread_name` is given alone, or there are too many threads.
    """

    grid: Sequence[int] = ()
    grid_names: Sequence[str] = ()
    cluster: Sequence[int] = ()
    cluster_names: Sequence[str] = ()
    num_threads: int | None = None
    thread_name: str | None = None
    kernel_name: str | None = None

    core_type: ClassVar[str] = "gpu"
    default_memory_space: ClassVar[Any] = memory.MemorySpace.GMEM
    supported_memory_spaces: ClassVar[list] = list(memory.MemorySpace)

    def __post_init__(self) -> None:
        for sizes, names, what in (
            (self.cluster, self.cluster_names, "cluster"),
            (self.grid, self.grid_names, "grid"),
        ):
            if len(sizes) != len(names):
                raise ValueError(
                    f"{what}_names must have the same length as {what}, got {self}."
                )
        if (self.num_threads is None) != (self.thread_name is None):
            raise ValueError(
                "num_threads and thread_name must be either both set or both None, "
                f"got {self}"
            )
        most = _CUDA_THREADS // WARPGROUP_SIZE
        if self.num_threads is not None and self.num_threads > most:
            raise errors.value_error(
                "Requested too many CUDA threads per block. Each Mosaic thread "
                f"corresponds to {WARPGROUP_SIZE} CUDA threads. At most {most} are "
                f"supported, got {self}."
            )

    @property
    def shape(self) -> collections.OrderedDict[str, int]:
        """The number of clusters, blocks and threads along each axis."""
        pairs = [
            *zip(self.grid_names, self.grid, strict=True),
            *zip(self.cluster_names, self.cluster, strict=True),
        ]
        if self.thread_name is not None and self.num_threads is not None:
            pairs.append((self.thread_name, self.num_threads))
        return collections.OrderedDict(pairs)

    def discharges_effect(self, effect: Any) -> bool:
        """Whether an effect ends at the mesh: none does."""
        return False


@dataclasses.dataclass(frozen=True, kw_only=True)
class WarpMesh:
    """The four warps of a group, along one axis.

    Args:
        axis_name: the name of the axis.
    """

    axis_name: Hashable

    core_type: ClassVar[str] = "gpu"
    default_memory_space: ClassVar[Any] = memory.MemorySpace.GMEM
    supported_memory_spaces: ClassVar[list] = list(memory.MemorySpace)[:3]

    @property
    def shape(self) -> collections.OrderedDict[Hashable, int]:
        """The number of warps."""
        return collections.OrderedDict([(self.axis_name, 4)])

    def discharges_effect(self, effect: Any) -> bool:
        """Whether an effect ends at the mesh: none does."""
        return False
