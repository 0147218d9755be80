"""Helpers of kernels for GPUs that need no GPU: loops over grids, orders of tiles, swizzles."""

import dataclasses
import functools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.core import state
from jax._src.lax.collectives import axis_index
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import core_maps
from jax._src.pallas.mosaic_gpu import params


def find_swizzle(minor_dim_bits: int, what: str = "") -> int:
    """The widest swizzle whose lines divide the last dimension of an array.

    Args:
        minor_dim_bits: the bits of the last dimension.
        what: the name of the array in messages.

    Returns:
        128, 64, 32 or 16 bytes.

    Raises:
        ValueError: the dimension is not a multiple of 16 bytes.
    """
    for swizzle in (128, 64, 32, 16):
        if minor_dim_bits % (swizzle * 8) == 0:
            return swizzle
    named = f" for {what}" if what else ""
    raise errors.value_error(
        f"No valid out swizzle{named}: minor dimension has {minor_dim_bits} bits, "
        "which is not a multiple of 128 (16 bytes)."
    )


def planar_snake(
    lin_idx: Any, shape: tuple[Any, Any], minor_dim: int, tile_width: int
) -> tuple[Any, Any]:
    """The two indices of a step that goes to and fro over bands of a grid.

    Bands of `tile_width` along `minor_dim` follow each other. Within a band the minor index
    changes fastest, and the major one goes up in even bands and down in odd ones, so that
    neighbouring steps share operands.

    Args:
        lin_idx: the number of the step.
        shape: the two sizes of the grid.
        minor_dim: 0 or 1.
        tile_width: the width of a band.
    """
    minor_size, major_size = shape[minor_dim], shape[1 - minor_dim]
    whole = (minor_size // tile_width) * tile_width
    band = lin_idx // (tile_width * major_size)
    first = band * tile_width
    width = jnp.where(first < whole, tile_width, jnp.maximum(minor_size - whole, 1))
    within = lin_idx - band * (tile_width * major_size)
    minor = first + within % width
    forth = within // width
    major = jnp.where(band % 2 == 0, forth, major_size - 1 - forth)
    return (minor, major) if minor_dim == 0 else (major, minor)


@dataclasses.dataclass(frozen=True, eq=False)
class NDLoopInfo:
    """Where in a loop over a grid a step is.

    Args:
        index: the indices in the grid.
        local_index: how many steps this thread took before.
        num_local_steps: how many steps this thread takes; None where that is not known.
    """

    index: tuple[Any, ...]
    local_index: Any
    num_local_steps: Any


def nd_loop(
    grid: Sequence[int],
    *,
    collective_axes: Sequence[Hashable] | Hashable,
    tiling: Sequence[int] | None = None,
    init_carry: Any = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Runs a function for the steps of a grid that fall to this thread; a decorator.

    The threads along the axes take steps in turns.

    Args:
        grid: the sizes of the grid.
        collective_axes: the axes whose threads share the steps.
        tiling: the sizes of tiles; those of a tile follow each other.
        init_carry: the first carried value; None: nothing is carried.

    Returns:
        A decorator of a function of an `NDLoopInfo` and, by name, the `carry`, which returns
        the next one. It runs at once, and what is decorated becomes the last carried value.

    Raises:
        ValueError: the tiles do not divide the grid. NameError: an axis is not bound.
    """
    axes = collective_axes
    names = (
        tuple(axes)
        if isinstance(axes, Sequence) and not isinstance(axes, str)
        else axes
    )
    sizes = _tiled_grid(tuple(grid), tiling)
    steps = math.prod(grid)

    def decorator(body: Callable[..., Any]) -> Any:
        lone = (names,) if not isinstance(names, tuple) else names
        workers = math.prod(state.axis_size(name) for name in lone)
        first = axis_index.axis_index(names)
        count = (steps - first + workers - 1) // workers

        def step(local_index, carry):
            index = _indices(first + local_index * workers, sizes, tiling)
            info = NDLoopInfo(index, local_index, count)
            if init_carry is None:
                body(info)
                return carry
            return body(info, carry=carry)

        start = np.int32(0) if init_carry is None else init_carry
        last = lax.fori_loop(np.int32(0), count, step, start)
        return None if init_carry is None else last

    return decorator


def _tiled_grid(grid, tiling):
    if tiling is None:
        return grid
    pairs = list(zip(grid, tiling, strict=False))
    if len(grid) != len(tiling) or any(n % t for n, t in pairs):
        raise errors.value_error(
            "plgpu.nd_loop: the tiles do not divide the grid.",
            [("grid", str(grid)), ("tiling", str(tuple(tiling)))],
            "A tile has a size for each dimension of the grid that divides it.",
        )
    return (*(n // t for n, t in pairs), *tiling)


def _indices(number, sizes, tiling):
    """The indices in a grid of a step of its tiles."""
    indices = []
    for size in reversed(sizes):
        indices.append(number % size)
        number = number // size
    indices.reverse()
    if tiling is None:
        return tuple(indices)
    rank = len(tiling)
    return tuple(
        outer * t + inner
        for outer, t, inner in zip(indices[:rank], tiling, indices[rank:], strict=True)
    )


class _NotSpecified:
    def __repr__(self) -> str:
        return "<not-specified>"


not_specified = _NotSpecified()


def kernel(
    body: Any = not_specified,
    out_shape: Any = not_specified,
    *,
    out_type: Any = not_specified,
    scratch_types: Any = not_specified,
    scratch_shapes: Any = not_specified,
    compiler_params: Any = None,
    grid: tuple[int, ...] = (),
    grid_names: tuple[str, ...] = (),
    cluster: tuple[int, ...] = (),
    cluster_names: tuple[str, ...] = (),
    num_threads: int | None = None,
    thread_name: str | None = None,
    interpret: Any = None,
    **mesh_kwargs: Any,
) -> Any:
    """Makes a function of arrays from one that runs on the threads of a GPU.

    Args:
        body: takes references to the arguments, to the results and to memory of each block.
            Left out: returns a decorator.
        out_shape: the older name of `out_type`.
        out_type: a tree of objects with `shape` and `dtype`: the results.
        scratch_types: a sequence of types of memory, or a dict, passed by name.
        scratch_shapes: the older name of `scratch_types`.
        compiler_params: settings of the compiler.
        grid: the number of clusters along each axis.
        grid_names: the names of these axes.
        cluster: the number of blocks of a cluster along each axis.
        cluster_names: the names of these axes.
        num_threads: the number of groups of warps of a block.
        thread_name: the name of their axis.
        interpret: True runs the threads one after the other, as ordinary programs.
        mesh_kwargs: further fields of `plgpu.Mesh`.

    Raises:
        ValueError: a result or scratch is given by both names; where it is called,
            `interpret` is not set.

    Examples:
        >>> def double(x, out):
        ...     out[...] = x[...] * 2
        >>> plgpu.kernel(double, out_type=jnp.ones(4), interpret=True)(jnp.ones(4))
        Array([2., 2., 2., 2.], dtype=float32)
    """
    results = _one_of("out_type", out_type, "out_shape", out_shape, ())
    scratch = _one_of(
        "scratch_types", scratch_types, "scratch_shapes", scratch_shapes, ()
    )
    mesh = params.Mesh(
        grid=grid,
        grid_names=grid_names,
        cluster=cluster,
        cluster_names=cluster_names,
        num_threads=num_threads,
        thread_name=thread_name,
        **mesh_kwargs,
    )
    made = functools.partial(
        core_maps.kernel,
        out_type=results,
        mesh=mesh,
        scratch_types=scratch,
        compiler_params=compiler_params,
        interpret=bool(interpret),
    )
    return made if body is not_specified else made(body)


def _one_of(name, value, old_name, old_value, default):
    if value is not not_specified and old_value is not not_specified:
        raise ValueError(
            f"plgpu.kernel: {name} and {old_name} mean the same; give one of them."
        )
    given = old_value if value is not_specified else value
    return default if given is not_specified else given


def layout_cast(x: Any, new_layout: Any) -> Any:
    """The array itself, in another layout of registers, of which there is none here.

    Args:
        x: the array.
        new_layout: the layout.
    """
    return jnp.asarray(x)


def broadcasted_iota(
    dtype: Any, shape: Sequence[int], dimension: int, *, layout: Any = None
) -> Any:
    """The indices along a dimension, in a layout of registers.

    Args:
        dtype: the dtype of the result.
        shape: its shape.
        dimension: which indices.
        layout: the layout; interpreted kernels have none.
    """
    return lax.broadcasted_iota(
        dtypes.canonicalize_dtype(dtype), tuple(shape), dimension
    )


def load(src: Any, idx: Any, *, layout: Any = None, optimized: bool = True) -> Any:
    """What a reference holds at an index, in a layout of registers.

    Args:
        src: the reference.
        idx: which elements, as in ``src[idx]``.
        layout: the layout; interpreted kernels have none.
        optimized: accepted.
    """
    return src[idx]
