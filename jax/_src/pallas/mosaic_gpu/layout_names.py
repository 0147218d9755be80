"""Names of layouts, as kernels write them: with parameters, and reduced along axes."""

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.dtypes import query
from jax._src.pallas.mosaic_gpu import layouts


class _Fixed(dict):
    """A mapping that is not changed once it is made."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"FrozenDict({super().__repr__()})"


class SomeLayout:
    """What names a layout: a member of `Layout`, one with parameters, or a reduced one."""

    def reduce(self, axes: Any) -> "ReducedLayout":
        """The layout of what is left after a reduction along `axes`."""
        return ReducedLayout(self, (axes,) if isinstance(axes, int) else tuple(axes))

    def to_mgpu(self, *args: Any, **kwargs: Any) -> Any:
        """The layout that the name stands for.

        Raises:
            NotImplementedError: always; names of layouts override it.
        """
        raise NotImplementedError(type(self).__name__)


@dataclasses.dataclass(frozen=True)
class ParameterizedLayout(SomeLayout):
    """A layout that depends on parameters, and these."""

    layout_cls: "Layout"
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def to_mgpu(self, *args: Any, **kwargs: Any) -> Any:
        """The layout that the name stands for."""
        return self.layout_cls.to_mgpu(*self.args, **self.kwargs)


@dataclasses.dataclass(frozen=True)
class ReducedLayout(SomeLayout):
    """The layout of what is left of arrays after a reduction."""

    layout: SomeLayout
    axes: tuple[int, ...]

    def to_mgpu(self, *args: Any, **kwargs: Any) -> Any:
        """The layout that the name stands for.

        Raises:
            ValueError: the layout is not a tiled one.
        """
        layout = self.layout.to_mgpu()
        if not isinstance(layout, layouts.TiledLayout):
            raise errors.value_error(
                "Only TiledLayout supports reductions.", [("layout", str(layout))]
            )
        return layout.reduce(self.axes)


class Layout(SomeLayout, enum.Enum):
    """Layouts of arrays in registers; one with parameters is called with them."""

    WGMMA = 1
    WGMMA_8BIT = 2
    WGMMA_UPCAST_2X = 3
    WGMMA_UPCAST_4X = 4
    WGMMA_TRANSPOSED = 5
    WG_SPLAT = 6
    WG_STRIDED = 7
    TILED = 8
    TCGEN05 = 9
    TCGEN05_TRANSPOSED = 10
    TCGEN05_M64_COLLECTIVE = 11
    TCGEN05_TMEM_NATIVE = 12
    TCGEN05_M64_COLLECTIVE_NATIVE = 13
    SMEM_GMEM_COPY = 14
    TMA_INDICES = 15
    TMA_INDICES_4 = 16
    _WGMMA_ACC_32BIT = 17

    def __call__(self, *args: Any, **kwargs: Any) -> ParameterizedLayout:
        return ParameterizedLayout(self, args, _Fixed(kwargs))

    def to_mgpu(self, *args: Any, **kwargs: Any) -> Any:
        """The layout with some parameters.

        Raises:
            ValueError: the layout has no parameters, and some are given.
        """
        made = _MADE.get(self.name)
        if made is None:
            return _without_parameters(self, _FIXED[self.name], args, kwargs)
        return made(*args, **kwargs)


def _without_parameters(name, layout, args, kwargs):
    if args or kwargs:
        raise ValueError(f"Can't instantiate {name} with arguments.")
    return layout


def _copied(shape, dtype, swizzle):
    bits = query.itemsize_bits(np.dtype(dtype))
    tiles = (8, 8 * swizzle // bits)
    if len(shape) != 2 or any(n % t for n, t in zip(shape, tiles, strict=True)):
        raise errors.value_error(
            "The tiles of a swizzled copy do not divide the array.",
            [("shape", str(tuple(shape))), ("tile", str(tiles))],
        )
    rows, columns = (n // t for n, t in zip(shape, tiles, strict=True))
    return layouts.tiled_copy_smem_gmem_layout(rows, columns, swizzle, bits)


def _native(vector_length=2):
    return layouts.tmem_native_layout(vector_length)


_FIXED = {
    "WGMMA": layouts.WGMMA_LAYOUT,
    "WGMMA_8BIT": layouts.WGMMA_LAYOUT_8BIT,
    "WGMMA_UPCAST_2X": layouts.WGMMA_LAYOUT_UPCAST_2X,
    "WGMMA_UPCAST_4X": layouts.WGMMA_LAYOUT_UPCAST_4X,
    "WGMMA_TRANSPOSED": layouts.WGMMA_TRANSPOSED_LAYOUT,
    "TCGEN05": layouts.TCGEN05_LAYOUT,
    "TCGEN05_TRANSPOSED": layouts.TCGEN05_TRANSPOSED_LAYOUT,
    "TMA_INDICES": layouts.TMA_INDICES_LAYOUT,
    "TMA_INDICES_4": layouts.TMA_INDICES_4_LAYOUT,
    "_WGMMA_ACC_32BIT": layouts.WGMMA_LAYOUT_ACC_32BIT,
    "SCALES_LAYOUT": layouts.scales_layout(),
    "SPARSE_METADATA_LAYOUT": layouts.sparse_meta_layout(),
    "SCALES_M64_COLLECTIVE_LAYOUT": layouts.b_scales_m64_collective_layout(),
}
_MADE = {
    "WG_SPLAT": layouts.WGSplatFragLayout,
    "WG_STRIDED": layouts.WGStridedFragLayout,
    "TILED": layouts.TiledLayout,
    "TCGEN05_M64_COLLECTIVE": layouts.fa_m64_collective_layout,
    "TCGEN05_M64_COLLECTIVE_NATIVE": layouts.fa_m64_collective_native_layout,
    "TCGEN05_TMEM_NATIVE": _native,
    "SMEM_GMEM_COPY": _copied,
    "M64_COLLECTIVE_LAYOUT": layouts.tmem_m64_collective_layout,
}


class TMEMLayout(enum.Enum):
    """Layouts of tensor memory; one with parameters is called with them."""

    SCALES_LAYOUT = 1
    SPARSE_METADATA_LAYOUT = 2
    M64_COLLECTIVE_LAYOUT = 3
    SCALES_M64_COLLECTIVE_LAYOUT = 4

    def __call__(self, *args: Any, **kwargs: Any) -> ParameterizedLayout:
        return ParameterizedLayout(self, args, _Fixed(kwargs))  # type: ignore[arg-type]

    def to_mgpu(self, *args: Any, **kwargs: Any) -> layouts.TMEMLayout:
        """The layout with some parameters.

        Raises:
            ValueError: the layout has no parameters, and some are given.
        """
        made = _MADE.get(self.name)
        if made is None:
            return _without_parameters(self, _FIXED[self.name], args, kwargs)
        return made(*args, **kwargs)


@dataclasses.dataclass(frozen=True)
class ShapeDtypeStruct:
    """The type of an array that inline code returns.

    Args:
        shape: its shape.
        dtype: its dtype.
        layout: its layout.
    """

    shape: tuple[int, ...]
    dtype: Any
    layout: SomeLayout


@dataclasses.dataclass(frozen=True)
class RefType:
    """The type of a reference that inline code takes.

    Args:
        transforms: how the memory behind it is arranged.
    """

    transforms: tuple[Any, ...] = ()
