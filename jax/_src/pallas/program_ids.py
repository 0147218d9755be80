"""Where on the grid a kernel runs.

While a kernel is traced, its program ids are inputs of its jaxpr. They
are looked up here: functions that the kernel calls need not be passed them.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src.base import errors, records


@records.identity_record
class GridPoint:
    """A point of a grid: for each axis the program id and the number of programs."""

    ids: Sequence[Any]
    sizes: Sequence[Any]


class _Running(threading.local):
    def __init__(self) -> None:
        self.points: list[GridPoint] = []


_running = _Running()


@contextlib.contextmanager
def at(point: GridPoint) -> Iterator[None]:
    """While the block runs, kernels are at this grid point."""
    _running.points.append(point)
    try:
        yield
    finally:
        _running.points.pop()


def ids_now() -> list[Any]:
    """The program ids of the kernel that is traced; none outside of kernels."""
    return list(_running.points[-1].ids) if _running.points else []


def program_id(axis: int) -> Any:
    """The number of the step along an axis of the grid at which the kernel runs.

    Args:
        axis: the axis; negative ones count from the last.

    Returns:
        int32 scalar.

    Raises:
        ValueError: the grid has no such axis. AssertionError: no kernel runs.
    """
    return _entry(lambda point: point.ids, axis, "pl.program_id")


def num_programs(axis: int) -> Any:
    """How many steps an axis of the grid has.

    Args:
        axis: the axis; negative ones count from the last.

    Returns:
        An integer of Python, or an int32 scalar where it is known only when the kernel runs.

    Raises:
        ValueError: the grid has no such axis. AssertionError: no kernel runs.
    """
    return _entry(lambda point: point.sizes, axis, "pl.num_programs")


def _entry(of, axis, what):
    if not _running.points:
        raise AssertionError(
            errors.explain(
                f"{what} was called outside of a kernel.",
                rule="Only a kernel has program ids.",
            )
        )
    entries = of(_running.points[-1])
    if not -len(entries) <= axis < len(entries):
        raise errors.value_error(
            f"{what}: the grid has no such axis.",
            [("axis", str(axis)), ("axes of the grid", str(len(entries)))],
        )
    return entries[axis]
