"""Layouts: which thread of a group of warps holds which elements of an array."""

import dataclasses
import math
from typing import Any

from jax._src.base import errors
from jax._src.pallas.mosaic_gpu.tilings import Replicated, Tiling, _splits

WARP_SIZE = 32
WARPS_IN_WARPGROUP = 4
WARPGROUP_SIZE = WARP_SIZE * WARPS_IN_WARPGROUP


def _wrong(what, *facts, rule=""):
    return errors.value_error(what, facts, rule)


@dataclasses.dataclass(frozen=True)
class TiledLayout:
    """A layout in which dimensions of a tiled array are distributed over threads.

    All dimensions are counted from the end of the tiled shape.

    Args:
        tiling: how arrays are tiled.
        warp_dims: the dimensions that are distributed over the warps of a group; a
            `Replicated` where warps hold the same.
        lane_dims: the dimensions that are distributed over the lanes of a warp.
        vector_dim: the dimension that one register holds.

    Raises:
        ValueError: a dimension appears twice, the sizes are not those of the hardware, or
            the layout is not in its canonical form.
    """

    tiling: Tiling
    warp_dims: tuple[int | Replicated, ...]
    lane_dims: tuple[int | Replicated, ...]
    vector_dim: int
    _check_canonical: dataclasses.InitVar[bool] = True

    def __post_init__(self, _check_canonical: bool) -> None:
        if not self.tiling.tiles:
            raise _wrong("Tiling must have at least one tile.")
        shape = self.tiled_tiling_shape
        used = (*self.partitioned_warp_dims, *self.partitioned_lane_dims)
        dims = (*used, self.vector_dim)
        if any(not -len(shape) <= d < 0 for d in dims):
            raise _wrong(
                "A dimension is out of range.",
                ("dimensions", str(dims)),
                ("tiled shape", str(shape)),
                rule="Dimensions of layouts are negative: they count from the end.",
            )
        if len(set(dims)) != len(dims):
            raise _wrong(
                "Duplicate partitioning dimensions.", ("dimensions", str(dims))
            )
        for what, given, size in (
            ("warp dims does not equal the number of warps", self.warp_dims, 4),
            ("lane dims does not equal the warp size", self.lane_dims, WARP_SIZE),
        ):
            if math.prod(_size(d, shape) for d in given) != size:
                raise _wrong(f"The product of {what}.", ("dimensions", str(given)))
        if _check_canonical and self.canonicalize() != self:
            raise _wrong(f"{self} is not canonical.")

    @property
    def partitioned_warp_dims(self) -> tuple[int, ...]:
        """The dimensions distributed over warps, without replication."""
        return tuple(d for d in self.warp_dims if isinstance(d, int))

    @property
    def partitioned_lane_dims(self) -> tuple[int, ...]:
        """The dimensions distributed over lanes, without replication."""
        return tuple(d for d in self.lane_dims if isinstance(d, int))

    @property
    def base_tile_shape(self) -> tuple[int, ...]:
        """The sizes of the outermost tile."""
        return self.tiling.tiles[0]

    @property
    def tiled_tiling_shape(self) -> tuple[int, ...]:
        """The shape of the outermost tile once it is tiled."""
        return self.tiling.tile_shape(self.base_tile_shape)[len(self.base_tile_shape) :]

    @property
    def tiled_tiling_rank(self) -> int:
        """The number of dimensions of the tiled outermost tile."""
        return len(self.tiled_tiling_shape)

    @property
    def vector_length(self) -> int:
        """How many elements a register holds."""
        return self.tiled_tiling_shape[self.vector_dim]

    @property
    def replication_factor(self) -> int:
        """How many threads hold each element."""
        dims = (*self.warp_dims, *self.lane_dims)
        return math.prod(d.times for d in dims if isinstance(d, Replicated))

    def registers_element_type(self, t: Any) -> Any:
        """The type of a register that holds elements of type `t`.

        Raises:
            NotImplementedError: always: types of registers belong to programs for GPUs.
        """
        raise errors.not_implemented("Types of registers are made for GPUs only.")

    def _own_dims(self):
        return (
            *self.partitioned_warp_dims,
            *self.partitioned_lane_dims,
            self.vector_dim,
        )

    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the registers that one thread holds of an array.

        Raises:
            ValueError: the tiles do not divide the shape.
        """
        split = list(self.tiling.tile_shape(shape))
        for d in self._own_dims():
            split[d] = 1
        return tuple(split)

    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array of which one thread holds registers of this shape."""
        split, sizes = list(shape), self.tiled_tiling_shape
        for d in self._own_dims():
            split[d] = sizes[d]
        return self.tiling.untile_shape(tuple(split))

    def canonicalize(self) -> "TiledLayout":
        """The layout without the tiles that split nothing."""
        pairs = _splits(self.tiling.tiles)
        # A tile that splits nothing adds dimensions of size 1 before its own.
        dropped: set[int] = set()
        position = -sum(len(tile) for tile, _ in pairs)
        kept_before = [d for d in range(position, 0)]
        for tile, splits in pairs:
            if not splits:
                first = position - len(tile)
                dropped.update(range(first, first + len(tile)))
            position += len(tile)
        if not dropped:
            return self
        kept = [d for d in kept_before if d not in dropped]
        new = {d: i - len(kept) for i, d in enumerate(kept)}
        sizes = self.tiled_tiling_shape

        def renamed(d):
            if isinstance(d, Replicated):
                return d
            return new[d]

        if any(d in dropped for d in self._own_dims()):
            raise _wrong(
                f"{self} cannot be canonicalized.", ("tiled shape", str(sizes))
            )
        return TiledLayout(
            self.tiling.canonicalize(),
            tuple(renamed(d) for d in self.warp_dims),
            tuple(renamed(d) for d in self.lane_dims),
            new[self.vector_dim],
            _check_canonical=False,
        )

    def remove_dimension(self, dim: int) -> "TiledLayout":
        """The layout of arrays without a dimension of the outermost tile.

        The threads that the dimension was distributed over hold the same elements.

        Raises:
            ValueError: the outermost tile has no such dimension.
        """
        rank = len(self.base_tile_shape)
        removed = self.tiling.tile_dimension(dim)[rank:]
        sizes, count = self.tiled_tiling_shape, self.tiled_tiling_rank
        tiles = self.tiling.remove_dimension(dim).tiles
        loses_vector = removed[self.vector_dim]
        if loses_vector:
            tiles = (*tiles, (1,))
        kept = [i for i in range(count) if not removed[i]]
        new_rank = len(kept) + 2 * loses_vector
        # A further tile of size 1 splits the last dimension: the count, then the tile.
        new = {d - count: i - new_rank for i, d in enumerate(kept)}
        if loses_vector and kept:
            new_rank = len(kept) + 1
            new = {d - count: i - new_rank for i, d in enumerate(kept)}

        def renamed(d):
            if isinstance(d, Replicated):
                return d
            return Replicated(sizes[d]) if removed[d] else new[d]

        return TiledLayout(
            Tiling(tiles),
            tuple(renamed(d) for d in self.warp_dims),
            tuple(renamed(d) for d in self.lane_dims),
            -1 if loses_vector else new[self.vector_dim],
            _check_canonical=False,
        ).canonicalize()

    def reduce(self, axes: Any) -> "TiledLayout":
        """The layout of what is left of arrays reduced along dimensions of the tile.

        Raises:
            ValueError: the outermost tile has no such dimension.
        """
        layout = self
        for dim in sorted(axes, reverse=True):
            layout = layout.remove_dimension(dim)
        return layout


def _size(d, shape):
    return d.times if isinstance(d, Replicated) else shape[d]


@dataclasses.dataclass(frozen=True)
class TMEMLayout(TiledLayout):
    """A layout of tensor memory: lanes and columns instead of threads and registers."""


@dataclasses.dataclass(frozen=True)
class WGSplatFragLayout:
    """The layout of an array of one value, which every thread holds.

    Args:
        shape: the shape of the array.
    """

    shape: tuple[int, ...] = ()

    def can_broadcast_to(self, shape: Any) -> bool:
        """Whether the array can be broadcast to a shape."""
        pairs = zip(reversed(self.shape), reversed(shape), strict=False)
        fits = all(own in (1, other) for own, other in pairs)
        return len(self.shape) <= len(shape) and fits

    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the registers of a thread: there is one."""
        return ()

    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array."""
        return self.shape


@dataclasses.dataclass(frozen=True)
class WGStridedFragLayout:
    """A layout in which threads hold vectors of the flattened array in turns.

    Args:
        shape: the shape of the array.
        vec_size: the number of elements of a vector.

    Raises:
        ValueError: the threads' vectors do not divide the array.
    """

    shape: tuple[int, ...]
    vec_size: int

    def __post_init__(self) -> None:
        if math.prod(self.shape) % (self.vec_size * WARPGROUP_SIZE):
            raise _wrong(
                "The vectors of a group of threads do not divide the array.",
                ("layout", str(self)),
                ("threads", str(WARPGROUP_SIZE)),
            )

    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the registers of a thread.

        Raises:
            ValueError: the array has another shape.
        """
        if tuple(shape) != self.shape:
            raise _wrong(f"Shape {shape} is not compatible with {self}.")
        return (math.prod(self.shape) // WARPGROUP_SIZE // self.vec_size,)

    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array."""
        return self.shape


FragmentedLayout = WGSplatFragLayout | WGStridedFragLayout | TiledLayout


def _tiled(tiles, warps, lanes, vector=-1):
    return TiledLayout(Tiling(tiles), warps, lanes, vector)


_TRANSPOSED = ((8, 8), (2, 2), (2, 1))
WGMMA_LAYOUT = _tiled(((64, 8), (16, 8), (8, 8), (2,)), (-7,), (-3, -2))
WGMMA_LAYOUT_8BIT = _tiled(((64, 16), (16, 16), (8, 16), (4,)), (-7,), (-3, -2))
WGMMA_LAYOUT_UPCAST_2X = _tiled(
    ((64, 16), (16, 16), (8, 16), (8,), (4,)), (-8,), (-4, -2, -3)
)
WGMMA_LAYOUT_UPCAST_4X = _tiled(((64, 32), (16, 32), (8, 32), (8,)), (-7,), (-3, -2))
WGMMA_LAYOUT_ACC_32BIT = _tiled(((64, 8), (16, 8), (8, 8), (2,), (1,)), (-8,), (-4, -3))
WGMMA_TRANSPOSED_LAYOUT = _tiled(
    ((64, 8), (16, 8), *_TRANSPOSED), (-10,), (-6, -3, -5), -2
)
WGMMA_ROW_LAYOUT = WGMMA_LAYOUT.reduce((1,))
WGMMA_COL_LAYOUT = WGMMA_LAYOUT.reduce((0,))
TCGEN05_LAYOUT = _tiled(((128, 8), (32, 8), (8, 8), (2,)), (-7,), (-3, -2))
TCGEN05_TRANSPOSED_LAYOUT = _tiled(
    ((128, 8), (32, 8), *_TRANSPOSED), (-10,), (-6, -3, -5), -2
)
TCGEN05_ROW_LAYOUT = TCGEN05_LAYOUT.reduce((1,))
TCGEN05_COL_LAYOUT = TCGEN05_LAYOUT.reduce((0,))
TMA_INDICES_LAYOUT = _tiled(((16,), (4,)), (-2,), (Replicated(32),))
TMA_INDICES_4_LAYOUT = _tiled(((4,),), (Replicated(4),), (Replicated(32),))


def tmem_native_layout(vector_length: int) -> TiledLayout:
    """The layout of what threads load from tensor memory, `vector_length` columns at once."""
    return _tiled(((128, vector_length), (32, vector_length)), (-4,), (-2,))


TMEM_NATIVE_LAYOUT = tmem_native_layout(2)


def fa_m64_collective_layout(columns: int) -> TiledLayout:
    """The layout of 64 rows that two blocks of threads compute together."""
    half = columns // 2
    return _tiled(((64, columns), (32, half), (8, 8), (2,)), (-6, -7), (-3, -2))


def fa_m64_collective_native_layout(columns: int) -> TiledLayout:
    """The layout of 64 rows of two blocks, as tensor memory holds them."""
    half = columns // 2
    return _tiled(((64, columns), (32, half), (1,)), (-4, -5), (-3,))


def _in_tmem(tiles, warps, lanes, vector=-1):
    return TMEMLayout(Tiling(tiles), warps, lanes, vector)


def tmem_default_layout(packing: int = 1) -> TMEMLayout:
    """The layout of tensor memory with 128 rows; `packing` elements share a column."""
    return _in_tmem(((128, packing), (32, packing)), (-4,), (-2,))


def tmem_half_lane_layout(columns: int, packing: int = 1) -> TMEMLayout:
    """The layout of tensor memory with 64 rows, of which halves are side by side."""
    half = columns // 2
    return _in_tmem(((64, columns), (16, half), (packing,)), (-5,), (-4, -3))


def tmem_m64_collective_layout(columns: int, packing: int = 1) -> TMEMLayout:
    """The layout of tensor memory with 64 rows that two blocks compute together."""
    half = columns // 2
    return _in_tmem(((64, columns), (32, half), (packing,)), (-4, -5), (-3,))


def scales_layout() -> TMEMLayout:
    """The layout of scales of blocks of an operand."""
    return _in_tmem(((128, 4), (32, 1)), (Replicated(4),), (-2,), -3)


def sparse_meta_layout() -> TMEMLayout:
    """The layout of the positions of the elements of a sparse operand."""
    tiles = ((128, 16), (32, 1), (16, 1), (8, 1))
    return _in_tmem(tiles, (-8,), (-2, -4, -6), -7)


def b_scales_m64_collective_layout() -> TMEMLayout:
    """The layout of scales of the second operand of 64 rows of two blocks."""
    return _in_tmem(((256, 4), (128, 4), (32, 4)), (Replicated(2), -6), (-2,))


def tiled_copy_smem_gmem_layout(
    row_tiles: int, col_tiles: int, swizzle: int, bitwidth: int
) -> TiledLayout:
    """The layout in which threads copy swizzled tiles of 8 rows between memories.

    Args:
        row_tiles: the number of tiles along rows.
        col_tiles: the number of tiles along columns.
        swizzle: 64 or 128 bytes, which is the width of a tile.
        bitwidth: the bits of an element.

    Raises:
        NotImplementedError: four warps cannot divide the tiles, or the swizzle is another.
    """
    if swizzle not in (64, 128):
        raise errors.not_implemented(
            "The layout of copies is not known for this swizzle.",
            [("swizzle", str(swizzle))],
            "It is known for 64 and 128 bytes.",
        )
    columns, vector = 8 * swizzle // bitwidth, 128 // bitwidth
    lanes = ((4, columns),) if swizzle == 128 else ()
    tail = ((8, columns), *lanes, (vector,))
    rank = -5 - 2 * len(lanes)
    if row_tiles % 4 == 0:
        return _tiled(((32, columns), *tail), (rank,), (-3, -2))
    if col_tiles % 4 == 0:
        return _tiled(((8, 4 * columns), *tail), (rank + 1,), (-3, -2))
    if row_tiles % 2 == 0 and col_tiles % 2 == 0:
        return _tiled(((16, 2 * columns), *tail), (rank, rank + 1), (-3, -2))
    raise errors.not_implemented(
        "Number of tiles is not a multiple of 4.",
        [("tiles", f"{row_tiles} rows, {col_tiles} columns")],
        "Four warps copy the same number of tiles each.",
    )
