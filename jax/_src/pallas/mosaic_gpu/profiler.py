"""Measurements of kernels on GPUs: they need a GPU, and refuse without one."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.pallas.mosaic_gpu.layouts import WARPGROUP_SIZE
from jax._src.pallas.mosaic_gpu.only import METHODS
from jax._src.pallas.mosaic_gpu.transforms import ThreadSubset
from jax._src.transforms.shape_dtype_struct import ShapeDtypeStruct


@dataclasses.dataclass(kw_only=True)
class Cupti:
    """Measures kernels with the vendor's profiling library.

    Args:
        finalize: whether the library is unloaded after each measurement.
    """

    finalize: bool = True

    def measure(
        self, f: Callable[..., Any], *, aggregate: bool = True, iterations: int = 1
    ) -> Callable[..., Any]:
        """Wraps a function so that it also returns the time of its kernels.

        Args:
            f: the function.
            aggregate: whether times of several kernels are added up.
            iterations: how often the function is run.

        Returns:
            A function of the same arguments.

        Raises:
            TypeError: `f` is no function. ValueError: `iterations` is below 1.
                RuntimeError: where the result is called: there is no GPU.
        """
        if not callable(f):
            raise TypeError(f"The function to measure is a {type(f).__name__}.")
        if iterations < 1:
            raise ValueError(f"iterations must be positive, got {iterations}")

        @functools.wraps(f)
        def measured(*args: Any, **kwargs: Any) -> Any:
            raise errors.runtime_error(
                "CUPTI profiling is not supported on this platform.",
                rule="It measures kernels on the GPUs of one vendor.",
                ways="Elapsed time: f(*args).block_until_ready() between "
                "time.perf_counter().",
            )

        return measured


def measure(
    f: Callable[..., Any], *, aggregate: bool = True, iterations: int = 1
) -> Callable[..., Any]:
    """`Cupti().measure`: a function that also returns the time of its kernels.

    Args:
        f: the function.
        aggregate: whether times of several kernels are added up.
        iterations: how often the function is run.

    Raises:
        RuntimeError: where the result is called: there is no GPU.
    """
    return Cupti().measure(f, aggregate=aggregate, iterations=iterations)


class ProfilerSpec:
    """How much a kernel records about itself.

    Args:
        entries_per_warpgroup: the number of events of each group of warps.
        dump_path: the folder of profiles; ``"sponge"``: the system's temporary one.
        trace_scope: which threads have a line of their own.
    """

    ENTER = 0
    EXIT = 1 << 31

    def __init__(
        self,
        entries_per_warpgroup: int,
        dump_path: str = "sponge",
        trace_scope: ThreadSubset = ThreadSubset.WARPGROUP,
    ):
        self.entries_per_warpgroup = entries_per_warpgroup
        self.interned_names: dict[str, int] = {}
        self.dump_path = "/tmp" if dump_path == "sponge" else dump_path
        self.trace_scope = trace_scope

    def intern_name(self, name: str) -> int:
        """The number of a name in profiles."""
        return self.interned_names.setdefault(name, len(self.interned_names))

    def _groups(self, block):
        return max(1, int(np.prod(block)) // WARPGROUP_SIZE)

    def smem_i32_elements(self, block: tuple[int, ...]) -> int:
        """The 32-bit elements of shared memory that a block of threads needs."""
        return self._groups(block) * self.entries_per_warpgroup

    def smem_bytes(self, block: tuple[int, ...]) -> int:
        """The bytes of shared memory that a block of threads needs."""
        return 4 * self.smem_i32_elements(block)

    def jax_buffer_type(
        self, grid: tuple[int, ...], block: tuple[int, ...]
    ) -> ShapeDtypeStruct:
        """The type of the array that a kernel's events are returned in."""
        size = int(np.prod(grid)) * self.smem_i32_elements(block)
        return ShapeDtypeStruct((size,), np.dtype(np.uint32))


class OnDeviceProfiler:
    """Records events of a program.

    Args:
        spec: how much.
        smem_buffer: where events are collected.
        gmem_buffer: where they are returned.
        wrap_in_custom_primitive: whether they are operations of the dialect.
    """

    def __init__(
        self,
        spec: ProfilerSpec,
        smem_buffer: Any,
        gmem_buffer: Any,
        wrap_in_custom_primitive: bool,
    ):
        self.spec = spec
        self.smem_buffer = smem_buffer
        self.gmem_buffer = gmem_buffer
        self.wrap_in_custom_primitive = wrap_in_custom_primitive


for _name, _method in METHODS["OnDeviceProfiler"].items():
    setattr(OnDeviceProfiler, _name, _method)
