"""Blocks of many steps as slices of their array, where their distances are equal.

Index maps are integer arithmetic on program ids. Where the group holds all steps of an axis,
the start of each block is known while the kernel is traced. Starts at equal distances
are one slice that is reshaped; where a few steps at the edges differ, as with rows
above and below a block, theirs are slices of their own. Other blocks are gathered.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.numpy import lax_api as lax
from jax._src.pallas import block_dims, specialization

# More slices than these cost more than a gather.
_MOST_RUNS = 4
_MOST_SHIFTS = 4


@records.record
class Run:
    """Blocks at equal distances.

    Args:
        start: where the first one starts.
        distance: how many elements later the next one does.
        count: how many there are.
    """

    start: int
    distance: int
    count: int


def known_starts(mapping: Any, dimension: int, axis: int, size: int) -> Any:
    """The start of the block of each step of an axis, as an array; None where it is not known.

    Args:
        mapping: which blocks each step gets.
        dimension: of the array.
        axis: of the grid; the index along the dimension depends on no other.
        size: the number of its steps.
    """
    dim = mapping.block_shape[dimension]
    if not isinstance(
        dim, block_dims.Blocked | block_dims.Squeezed | block_dims.Element
    ):
        return None
    steps = np.arange(size)
    program = specialization.specialized(mapping.index_map_jaxpr, {axis: steps})
    indices = program.known_of(program.program.jaxpr.outvars[dimension])
    if indices is None:
        return None
    return np.broadcast_to(indices, size).astype(np.int64) * block_dims.step_of(dim)


def inside(starts: np.ndarray, length: int, block: int) -> np.ndarray:
    """The starts of slices as they are taken: those that would reach beyond the end are moved,
    and negative ones count from the end."""
    starts = np.where(starts < 0, starts + length, starts)
    return np.clip(starts, 0, length - block)


def stacked(array: Any, dimension: int, starts: Sequence[int], block: int) -> Any:
    """Blocks along a dimension, with a dimension for the steps before it.

    Args:
        array: the array.
        dimension: the dimension that is cut.
        starts: where each block starts; all are inside.
        block: how many elements it has.

    Returns:
        The blocks; None where they are better gathered.
    """
    starts = np.asarray(starts)
    distances = np.diff(starts)
    repeats = _repeats(distances)
    if repeats > 1 and len(starts) % repeats == 0:
        found = stacked(array, dimension, starts[::repeats], block)
        return _repeated(found, dimension, repeats, is_inner=True)
    period = _period(starts)
    if period < len(starts):
        found = stacked(array, dimension, starts[:period], block)
        return _repeated(found, dimension, len(starts) // period, is_inner=False)
    runs = _runs(starts)
    if len(runs) > _MOST_RUNS:
        return None
    parts: list[Any] = []
    for run in runs:
        more = _of_run(array, dimension, run, block)
        if more is None:
            return None
        parts += more
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, dimension)


def _repeats(distances):
    """How many steps in a row have the same block, where all blocks are repeated alike."""
    changes = np.flatnonzero(distances) + 1
    if not len(changes) or changes[0] == 1:
        return 1
    first = int(changes[0])
    return first if np.all(changes % first == 0) else 1


def _period(starts):
    """After how many steps the blocks come again; their number where they do not."""
    for again in np.flatnonzero(starts[1:] == starts[0]) + 1:
        rounds, rest = divmod(len(starts), int(again))
        if (
            not rest
            and again > 1
            and np.array_equal(starts, np.tile(starts[:again], rounds))
        ):
            return int(again)
    return len(starts)


def _repeated(blocks, dimension, times, is_inner):
    """Blocks of which each, or which all together, come several times."""
    if blocks is None:
        return None
    shape = list(blocks.shape)
    at = dimension + 1 if is_inner else dimension
    wide = [*shape[:at], times, *shape[at:]]
    kept = [d for d in range(len(wide)) if d != at]
    shape[dimension] *= times
    return lax.broadcast_in_dim(blocks, wide, kept).reshape(shape)


def _runs(starts):
    """The starts as few runs, found from the first one on."""
    runs = []
    at = 0
    while at < len(starts) and len(runs) <= _MOST_RUNS:
        rest = np.diff(starts[at:])
        if not len(rest):
            runs.append(Run(int(starts[at]), 0, 1))
            break
        differs = np.flatnonzero(rest != rest[0])
        count = int(differs[0]) + 1 if len(differs) else len(rest) + 1
        if count == 2 and len(rest) > 1:
            count = 1  # Two always have a distance; the second may begin a longer run.
        runs.append(Run(int(starts[at]), int(rest[0]) if count > 1 else 0, count))
        at += count
    return runs


def _of_run(array, dimension, run, block):
    """Arrays that one after the other are the blocks of a run; None: better gathered."""
    length, distance, count = array.shape[dimension], run.distance, run.count
    if count == 1 or distance == 0:
        one = _sliced(array, dimension, run.start, run.start + block)
        return [_split(one, dimension, 1, block, count)]
    if distance < 0:
        back = Run(run.start + (count - 1) * distance, -distance, count)
        parts = _of_run(array, dimension, back, block)
        if parts is None:
            return None
        return [lax.rev(part, (dimension,)) for part in reversed(parts)]
    shifts = -(-block // distance)
    if shifts > _MOST_SHIFTS:
        return None
    if block == 1:
        end = run.start + (count - 1) * distance + 1
        one = _sliced(array, dimension, run.start, end, distance)
        return [_split(one, dimension, count, 1)]
    if run.start + (count - 1 + shifts) * distance > length:
        # The elements behind the last block are not there.
        last = Run(run.start + (count - 1) * distance, 0, 1)
        first = records.replace(run, count=count - 1)
        return [
            *_of_run(array, dimension, first, block),
            *_of_run(array, dimension, last, block),
        ]
    parts = []
    for shift in range(shifts):
        begin = run.start + shift * distance
        part = _sliced(array, dimension, begin, begin + count * distance)
        part = _split(part, dimension, count, distance)
        wanted = min(distance, block - shift * distance)
        parts.append(_sliced(part, dimension + 1, 0, wanted))
    return [parts[0] if len(parts) == 1 else lax.concatenate(parts, dimension + 1)]


def _sliced(array, dimension, start, end, stride=1):
    if (start, end, stride) == (0, array.shape[dimension], 1):
        return array
    return lax.slice_in_dim(array, start, end, stride, dimension)


def _split(array, dimension, count, each, times=1):
    """The array with a dimension made two; `times` repeats the first of them."""
    shape = list(array.shape)
    shape[dimension : dimension + 1] = [count, each]
    array = array.reshape(shape)
    if times == 1:
        return array
    shape[dimension] = times
    return lax.broadcast_in_dim(array, shape, range(len(shape)))
