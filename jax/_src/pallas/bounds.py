"""Checks that `pltpu.InterpretParams` requests: of indices, of blocks, and of the order of results.

A check runs on the host while the kernel runs. What is checked is chosen by its result, a
zero, so that no check is left out and none is late.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records
from jax._src.callbacks import calls
from jax._src.core import avals
from jax._src.lax.control_flow import conditionals, fori_loop_and_map
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.numpy.dynamic_slices import Slice
from jax._src.pallas import (
    block_dims,
    blocking,
    checking,
    grid_mapping,
    indices,
    uninitialized,
)

_ZERO = avals.ShapedArray((), np.dtype(np.int32))


def read(array: Any, entries: Sequence[Any]) -> Any:
    """What the entries name of an array; under `InterpretParams` nothing is moved inside.

    Raises:
        IndexError: while the kernel runs, for an index beyond the array, where
            ``out_of_bounds_reads="raise"``; else such elements are unwritten memory.
    """
    params = uninitialized.params_now()
    if params is None or not _may_be_outside(array.shape, entries):
        return indices.read(array, entries)
    inside = _inside(array.shape, entries)
    if params.out_of_bounds_reads == "uninitialized":
        at = _positions(entries)
        clipped = [
            jnp.clip(_wrapped(i, entry, size), 0, size - 1)
            for i, entry, size in zip(at, entries, array.shape, strict=True)
        ]
        value = array.at[tuple(clipped)].get(mode="clip")
        inside = jnp.broadcast_to(inside, value.shape)
        return jnp.where(inside, value, uninitialized.value_of(array.dtype))
    zero = _checked(inside, array.shape, entries, _refuse_read)
    return _once(zero, indices.read(array, entries))


def put(array: Any, entries: Sequence[Any], value: Any) -> Any:
    """The array with a value where the entries name it; see `read`.

    Raises:
        ValueError: while the kernel runs, for an index beyond the array.
    """
    return indices.put(array, entries, _once_writable(array, entries, value))


def add(array: Any, entries: Sequence[Any], value: Any) -> Any:
    """The array with a value added where the entries name it; see `put`."""
    return indices.add(array, entries, _once_writable(array, entries, value))


def _once_writable(array, entries, value):
    if uninitialized.params_now() is None or not _may_be_outside(array.shape, entries):
        return value
    inside = _inside(array.shape, entries)
    return _once(_checked(inside, array.shape, entries, _refuse_write), value)


def _once(zero, value):
    """The value, which is known once a check has given its zero."""
    return jnp.where(zero == 0, value, jnp.zeros_like(value))


def _may_be_outside(shape, entries):
    """Whether an entry is not known to be inside."""
    if any(isinstance(entry, Slice) and not entry.size for entry in entries):
        return False  # An empty part has no element.
    return not all(map(_is_known_inside, entries, shape))


def _is_known_inside(entry, size):
    if isinstance(entry, Slice):
        if entry.is_dynamic_start:
            return False
        return entry.start >= 0 and _last(entry) < size
    return isinstance(entry, int) and 0 <= entry < size


def _last(entry):
    return entry.start + (entry.size - 1) * entry.stride


def _wrapped(index, entry, size):
    """The index of an element; single ones count from the end where they are negative."""
    if isinstance(entry, Slice):
        return index
    return jnp.where(index < 0, index + size, index)


def _positions(entries):
    """Index arrays of a type that holds every size: those of users may be narrow."""
    return [jnp.asarray(index, np.int32) for index in indices.index_arrays(entries)]


def _inside(shape, entries):
    """Whether each element of the part is an element of the array."""
    inside: Any = True
    for index, entry, size in zip(_positions(entries), entries, shape, strict=True):
        index = _wrapped(index, entry, size)
        inside = inside & (index >= 0) & (index < size)
    return inside


def _checked(inside, shape, entries, refuse: Callable[..., Any]):
    """Zero; while the program runs, an error where an element is outside."""
    at = [e.start if isinstance(e, Slice) else e for e in entries]
    sizes = [e.size if isinstance(e, Slice) else None for e in entries]
    where, ids = checking.site()
    n = len(at)

    def outside(*found):
        return calls.pure_callback(
            lambda *known: refuse(_facts(shape, known[:n], sizes, where, known[n:])),
            _ZERO,
            *found,
            vmap_method="sequential",
        )

    found = [jnp.asarray(x, np.int32) for x in [*at, *ids]]
    return conditionals.cond(
        jnp.all(inside), lambda *found: np.int32(0), outside, *found
    )


def _facts(shape, known, sizes, where, ids):
    index = ", ".join(
        np.array2string(np.asarray(k))
        if size is None
        else f"{int(k)} to {int(k) + size}"
        for k, size in zip(known, sizes, strict=True)
    )
    return [
        ("index", index),
        ("reference", f"shape {tuple(shape)}"),
        ("at", where),
        ("program ids", str(tuple(int(i) for i in ids))),
    ]


def _refuse_read(facts):
    raise IndexError(
        errors.explain(
            "Out-of-bounds read of a reference.",
            facts,
            ways="For unwritten memory there: "
            'pltpu.InterpretParams(out_of_bounds_reads="uninitialized").',
        )
    )


def _refuse_write(facts):
    raise ValueError(errors.explain("Out-of-bounds write to a reference.", facts))


def block_starts(
    mapping: grid_mapping.GridMapping,
    grid: Sequence[Any],
    steps: int,
    scalars: Sequence[Any],
) -> list[list[Any]]:
    """Where the block of each operand starts at each step: per dimension, one int per step."""

    def starts(number):
        ids = grid_mapping.program_ids_of(number, grid)
        return [x for m in mapping.block_mappings for x in m.starts(ids, scalars)]

    flat = iter(fori_loop_and_map.map(starts, lax.iota(np.int32, steps)))
    return [[next(flat) for _ in m.block_shape] for m in mapping.block_mappings]


def check_blocks(
    mapping: grid_mapping.GridMapping,
    grid: Sequence[int],
    shapes: Sequence[Sequence[int]],
    starts: Sequence[Sequence[Any]],
    *,
    reads_beyond: bool,
    may_return: bool,
) -> Any:
    """Zero; while the program runs, an error about blocks that are not there, or come back.

    Args:
        mapping: the blocks of the operands.
        grid: the number of steps along each axis.
        shapes: the shapes of the operands, as far as blocks may reach.
        starts: as from `block_starts`.
        reads_beyond: whether blocks of inputs may be outside.
        may_return: whether blocks of results may be left and visited again.

    Raises:
        IndexError: while the program runs, for a block outside of its array.
        RuntimeError: for one of a result that is left and visited again.
    """

    def check(*tables):
        for number, (m, shape, table) in enumerate(
            zip(mapping.block_mappings, shapes, tables, strict=True)
        ):
            output = number - mapping.num_inputs
            sizes = [block_dims.size_of(dim) for dim in m.block_shape]
            origin = _Origin(m, tuple(grid))
            if output >= 0 or not reads_beyond:
                _refuse_outside(table, sizes, shape, number, output, origin)
            if output >= 0 and not may_return:
                _refuse_revisited(table, output, origin)
        return np.int32(0)

    tables = [
        jnp.stack(columns, 1) if columns else np.zeros((1, 0), np.int32)
        for columns in starts
    ]
    return calls.pure_callback(check, _ZERO, *tables)


def or_unwritten(
    block: Any, shape: Sequence[int], dims: Sequence[Any], starts: Sequence[Any]
) -> Any:
    """The block that was cut out of an array, or unwritten memory where it is outside."""
    if blocking.sizes(dims) == tuple(shape):
        return block
    ends = zip(starts, blocking.sizes(dims), shape, strict=True)
    inside = [(start >= 0) & (start + size <= end) for start, size, end in ends]
    unwritten = uninitialized.value_of(block.dtype)
    return jnp.where(jnp.all(jnp.stack(inside)), block, unwritten)


@records.record
class _Origin:
    """Where blocks of an operand come from."""

    mapping: grid_mapping.BlockMapping
    grid: tuple[int, ...]

    def facts(self, step: int) -> list[tuple[str, str]]:
        """The index map with its line, and the program ids of a step."""
        ids = np.unravel_index(step, self.grid) if self.grid else ()
        where = self.mapping.index_map_jaxpr.jaxpr.debug_info.func_src_info
        return [
            ("reference", self.mapping.origin),
            ("index map", where or "none: the first block"),
            ("program ids", str(tuple(int(i) for i in ids))),
        ]


def _refuse_outside(table, sizes, shape, number, output, origin):
    table = np.asarray(table)
    beyond = (table < 0) | (table + np.asarray(sizes, int) > np.asarray(shape, int))
    wrong = np.flatnonzero(beyond.any(1))
    if len(wrong):
        which = f"input {number}" if output < 0 else f"output {output}"
        raise IndexError(
            errors.explain(
                f"Out-of-bounds block index for {which}.",
                [
                    *origin.facts(wrong[0]),
                    ("start", str(tuple(table[wrong[0]].tolist()))),
                    ("block", str(tuple(sizes))),
                    ("array", f"shape {tuple(shape)}, as far as blocks reach"),
                ],
                "Index maps give blocks that begin inside of the array.",
            )
        )


def _refuse_revisited(table, output, origin):
    ended: dict[tuple[int, ...], int] = {}  # the last step of each block that was left
    before = None
    for step, start in enumerate(map(tuple, np.asarray(table).tolist())):
        if start != before and start in ended:
            raise RuntimeError(
                errors.explain(
                    f"Revisited block of output {output}: it was left before.",
                    [
                        *origin.facts(step),
                        ("block", f"starts at {start}"),
                        ("left by", f"program ids {origin.facts(ended[start])[-1][1]}"),
                    ],
                    "A block of a result is written back when the next one begins; steps "
                    "that write to one block follow each other.",
                )
            )
        before = start
        ended[start] = step
