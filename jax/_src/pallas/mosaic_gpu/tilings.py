"""Tilings: how the last dimensions of an array are split into nested tiles."""

import dataclasses
import math

from jax._src.base import errors


@dataclasses.dataclass(frozen=True)
class Replicated:
    """A part of the threads that all hold the same elements.

    Args:
        times: how many groups of threads hold them.
    """

    times: int


@dataclasses.dataclass(frozen=True)
class Tiling:
    """Nested tiles, the outermost first.

    A tile of rank r splits each of the last r dimensions in two: how many tiles there are
    along it, and the size of the tile. The counts come first, then the sizes; the next tile
    splits the last of these dimensions again.

    Args:
        tiles: the sizes of each tile; no tile has a higher rank than the one before it.

    Raises:
        ValueError: a tile has a higher rank than the one before it, or a size below 1.
    """

    tiles: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.tiles:
            return
        rank = len(self.tiles[0])
        for tile in self.tiles:
            if len(tile) > rank:
                raise errors.value_error(
                    "Tiles must have a decreasing rank.", [("tiles", str(self.tiles))]
                )
            if not tile or any(size <= 0 for size in tile):
                raise errors.value_error(
                    "Tiles must have positive sizes.", [("tiles", str(self.tiles))]
                )
            rank = len(tile)

    def __str__(self) -> str:
        return "Tiling(" + "".join(str(tile) for tile in self.tiles) + ")"

    def _misfit(self, what, given):
        return errors.value_error(
            f"Tiling {self.tiles} does not apply to {what} {given}.",
            rule="Each tile must divide the dimensions that it splits.",
        )

    def tile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of an array once it is split into tiles.

        Raises:
            ValueError: a tile does not divide the shape.
        """
        split = tuple(shape)
        for tile in self.tiles:
            if len(tile) > len(split):
                raise self._misfit("shape", shape)
            outer, inner = split[: -len(tile)], split[-len(tile) :]
            if any(size % t for size, t in zip(inner, tile, strict=True)):
                raise self._misfit("shape", shape)
            counts = tuple(size // t for size, t in zip(inner, tile, strict=True))
            split = (*outer, *counts, *tile)
        return split

    def untile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array whose tiled shape this is.

        Raises:
            ValueError: the last dimensions are not those of the tiles.
        """
        whole = tuple(shape)
        for tile in reversed(self.tiles):
            rank = len(tile)
            if len(whole) < 2 * rank or whole[-rank:] != tile:
                raise self._misfit("tiled shape", shape)
            counts = whole[-2 * rank : -rank]
            sizes = tuple(n * t for n, t in zip(counts, tile, strict=True))
            whole = (*whole[: -2 * rank], *sizes)
        return whole

    def tile_strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        """The strides of the tiled dimensions of an array with these strides."""
        split = tuple(strides)
        for tile in self.tiles:
            outer, inner = split[: -len(tile)], split[-len(tile) :]
            steps = tuple(s * t for s, t in zip(inner, tile, strict=True))
            split = (*outer, *steps, *inner)
        return split

    def tile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        """The indices, among the tiled dimensions, of the element with these indices."""
        split = tuple(indices)
        for tile in self.tiles:
            outer, inner = split[: -len(tile)], split[-len(tile) :]
            pairs = list(zip(inner, tile, strict=True))
            split = (*outer, *(i // t for i, t in pairs), *(i % t for i, t in pairs))
        return split

    def untile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        """The indices in the whole array of an element by its indices among tiles."""
        whole = tuple(indices)
        for tile in reversed(self.tiles):
            rank = len(tile)
            outer, inner = whole[-2 * rank : -rank], whole[-rank:]
            joined = (o * t + i for o, t, i in zip(outer, tile, inner, strict=True))
            whole = (*whole[: -2 * rank], *joined)
        return whole

    def tile_dimension(self, dim: int) -> tuple[bool, ...]:
        """For each dimension of the tiled first tile, whether it is a part of `dim`.

        Raises:
            ValueError: the first tile has no such dimension.
        """
        rank = len(self.tiles[0])
        if dim < 0:
            dim += rank
        if not 0 <= dim < rank:
            raise errors.value_error(
                f"Invalid dimension {dim} for tiling {self.tiles}.",
                rule="It is a dimension of the first tile.",
            )
        owners = tuple(range(rank))
        for tile in self.tiles:
            owners = (*owners, *owners[-len(tile) :])
        return tuple(owner == dim for owner in owners)

    def remove_dimension(self, dim: int) -> "Tiling":
        """The tiling of the other dimensions of the first tile.

        Raises:
            ValueError: the first tile has no such dimension.
        """
        rank = len(self.tiles[0])
        from_end = dim if dim < 0 else dim - rank
        if not -rank <= from_end < 0:
            raise errors.value_error(
                f"Invalid dimension {dim} for tiling {self.tiles}.",
                rule="It is a dimension of the first tile.",
            )
        kept = [
            tile[: from_end % len(tile)] + tile[from_end % len(tile) + 1 :]
            if -from_end <= len(tile)
            else tile
            for tile in self.tiles
        ]
        return Tiling(tuple(tile for tile in kept if tile))

    def canonicalize(self) -> "Tiling":
        """The tiling without the tiles that split nothing."""
        return Tiling(tuple(tile for tile, splits in _splits(self.tiles) if splits))

    def tile_nested_shape_strides(
        self,
        shape: tuple[tuple[int, ...], ...],
        strides: tuple[tuple[int, ...], ...],
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Tiled shapes and strides of dimensions that consist of several ones each.

        Raises:
            ValueError: a tile does not divide such a dimension.
        """
        shape, strides = tuple(shape), tuple(strides)
        for tile in self.tiles:
            rank = len(tile)
            parts = [
                _split_nested(sizes, steps, t, self)
                for sizes, steps, t in zip(
                    shape[-rank:], strides[-rank:], tile, strict=True
                )
            ]
            shape = (
                *shape[:-rank],
                *(part[0] for part in parts),
                *(part[1] for part in parts),
            )
            strides = (
                *strides[:-rank],
                *(part[2] for part in parts),
                *(part[3] for part in parts),
            )
        return shape, strides


def _split_nested(sizes, steps, tile, tiling):
    """Splits a dimension of several ones: outer sizes, inner ones, and their strides."""
    outer, outer_steps = list(sizes), list(steps)
    inner: list[int] = []
    inner_steps: list[int] = []
    left = tile
    while left > 1 and outer:
        size, step = outer.pop(), outer_steps.pop()
        if left % size == 0:
            inner, inner_steps, left = (
                [size, *inner],
                [step, *inner_steps],
                left // size,
            )
        elif size % left == 0:
            inner, inner_steps = [left, *inner], [step, *inner_steps]
            outer, outer_steps = [*outer, size // left], [*outer_steps, step * left]
            left = 1
        else:
            left = 0
    if left != 1:
        raise tiling._misfit("dimension", sizes)
    whole = math.prod(outer) == 1
    return (
        (1,) if whole and not outer else tuple(outer),
        tuple(inner) or (1,),
        (1,) if whole and not outer else tuple(outer_steps),
        tuple(inner_steps) or (1,),
    )


def _splits(tiles):
    """Each tile, and whether it splits what the tiles before it leave."""
    before = tiles[0] if tiles else ()
    pairs = [(tile, True) for tile in tiles[:1]]
    for tile in tiles[1:]:
        pairs.append((tile, before[-len(tile) :] != tile))
        before = tile
    return pairs
