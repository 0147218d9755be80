"""What checked kernels read and wrote, as the host learns of it while one runs.

It finds reads of memory that nobody wrote, accesses of steps that may run at the same time to
one element, waits that would never end, and semaphores that are left unbalanced.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records


@records.record
class Memory:
    """What a reference of a checked kernel refers to.

    Args:
        what: what the user calls it.
        shape: the shape of the whole array, as far as its blocks reach.
        block: the shape that the kernel sees.
        sizes: how many elements of the array a block takes along each dimension.
        storage: the number of the array; an aliased operand and result have one.
        is_written: whether it holds something before the first step.
        is_own: whether it is memory of the kernel's own, which steps that run at the same
            time do not share.
    """

    what: str
    shape: tuple[int, ...]
    block: tuple[int, ...]
    sizes: tuple[int, ...]
    storage: int
    is_written: bool
    is_own: bool = False


class Contents:
    """Who wrote and read each element of an array last.

    Args:
        size: the number of elements.
        is_written: whether they hold something.
    """

    __slots__ = ("is_written", "read_by", "written_by")

    def __init__(self, size: int, is_written: bool):
        self.is_written = np.full(size, is_written)
        # Numbers of accesses; -1 for none. Of reads the last two that differ in their steps.
        self.written_by = np.full(size, -1)
        self.read_by = np.full((2, size), -1)


class Log:
    """The accesses of one run of a kernel.

    Args:
        memories: what its references refer to, by number.
        parallel: the axes along which steps may run at the same time.
    """

    def __init__(self, memories: Sequence[Memory], parallel: Sequence[int]):
        self.memories = memories
        self.parallel = tuple(parallel)
        self.contents: dict[int, Contents] = {}
        self.accesses: list[tuple[tuple[int, ...], str]] = []  # program ids, line
        self.starts: dict[int, np.ndarray] = {}
        # Of each semaphore, who signalled it last.
        self.signals: dict[int, tuple[tuple[int, ...], str]] = {}
        self.ids: tuple[int, ...] = ()
        self.key: tuple[int, ...] | None = None
        self.keys = np.zeros(64, int)  # of each access, the number of its key; and room
        self.key_numbers: dict[tuple[int, ...] | None, int] = {}

    def begin_step(self, ids: Sequence[int], starts: Sequence[Any]) -> None:
        """Notes the program ids of a step, and where its blocks start."""
        self.ids = tuple(int(i) for i in ids)
        self.starts = dict(enumerate(np.asarray(s, int) for s in starts))
        key = tuple(self.ids[axis] for axis in self.parallel)
        if key != self.key and self.parallel:
            # Steps that may run at the same time have memory of their own.
            for memory in self.memories:
                if memory.is_own and not memory.is_written:
                    self.contents.pop(memory.storage, None)
        self.key = key

    def renew(self, number: int) -> None:
        """Memory for the length of a call begins."""
        self.contents.pop(self.memories[number].storage, None)

    def access(self, number: int, kind: str, elements: np.ndarray, where: str) -> None:
        """Notes a read or a write.

        Args:
            number: the number of the reference.
            kind: ``"read"`` or ``"write"``.
            elements: numbers of elements of the block; negative ones are left out.
            where: the line.

        Raises:
            RuntimeError: the elements were never written, or a step that may run at the same
                time uses them.
        """
        memory = self.memories[number]
        contents = self.contents.get(memory.storage)
        if contents is None:
            size = int(np.prod(memory.shape, dtype=int))
            contents = Contents(size, memory.is_written)
            self.contents[memory.storage] = contents
        count = int(np.prod(memory.block, dtype=int))
        inside = np.unique(elements[(elements >= 0) & (elements < count)])
        at = self._in_array(number, memory, inside)
        this = len(self.accesses)
        self.accesses.append((self.ids, where))
        if this == len(self.keys):
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)])
        self.keys[this] = self.key_numbers.setdefault(self.key, len(self.key_numbers))
        if kind == "read":
            self._check_written(memory, contents, at, inside, where)
        if self.parallel and not memory.is_own:
            self._check_alone(memory, contents, at, inside, kind)
        if kind == "write":
            contents.is_written[at] = True
            contents.written_by[at] = this
        if kind == "write" or not self.parallel:
            return
        last = contents.read_by[0, at]
        contents.read_by[1, at] = np.where(
            self._differs(last), last, contents.read_by[1, at]
        )
        contents.read_by[0, at] = this

    def _in_array(self, number, memory, elements):
        """Numbers of elements of the whole array."""
        starts = self.starts.get(number)
        if starts is None or memory.shape == memory.block:
            return elements
        within = np.unravel_index(elements, memory.sizes)
        limits = np.subtract(memory.shape, memory.sizes)
        moved = [
            index + min(max(int(start), 0), int(limit))
            for index, start, limit in zip(within, starts, limits, strict=True)
        ]
        return np.ravel_multi_index(moved, memory.shape)

    def _differs(self, accesses):
        """Where an access is of a step that may run at the same time as this one."""
        this = self.keys[len(self.accesses) - 1]
        return (accesses >= 0) & (self.keys[accesses] != this)

    def _check_written(self, memory, contents, at, elements, where):
        wrong = np.flatnonzero(~contents.is_written[at])
        if len(wrong):
            raise RuntimeError(
                errors.explain(
                    "A kernel read memory that was never written.",
                    [
                        *self._facts(memory, elements[wrong[0]]),
                        ("read at", where),
                        ("program ids", str(self.ids)),
                    ],
                    "Results and memory of the kernel's own hold nothing before a step "
                    "writes them; steps along parallel axes have memory of their own.",
                    "Write it first, or let the result start as an operand: "
                    "input_output_aliases.",
                )
            )

    def _check_alone(self, memory, contents, at, elements, kind):
        candidates = [contents.written_by]
        if kind == "write":
            candidates += list(contents.read_by)
        for number, found in enumerate(candidates):
            wrong = np.flatnonzero(self._differs(found[at]))
            if len(wrong):
                first = wrong[0]
                ids, line = self.accesses[found[at[first]]]
                before = "read" if number else "written"
                raise RuntimeError(
                    errors.explain(
                        "A race: steps that may run at the same time use one element.",
                        [
                            *self._facts(memory, elements[first]),
                            (f"{before} at", line),
                            ("by program ids", str(ids)),
                            (
                                "written at" if kind == "write" else "read at",
                                self.accesses[-1][1],
                            ),
                            ("by program ids", str(self.ids)),
                        ],
                        "Steps along parallel axes, and cores, run in any order.",
                        "Give each its own block, or make the axis one in which steps "
                        "follow each other.",
                    )
                )

    def _facts(self, memory, element):
        index = np.unravel_index(element, memory.block) if memory.block else ()
        number = self.memories.index(memory)
        start = self.starts.get(number)
        at = () if start is None else tuple(int(i) for i in start)
        return [
            ("reference", f"{memory.what}, block {memory.block} at {at}"),
            ("element", str(tuple(int(i) for i in index))),
        ]

    def wait(self, number: int, count: int, by: int, where: str) -> None:
        """Notes that a semaphore is waited for.

        Raises:
            RuntimeError: it counts less.
        """
        if count < by:
            raise RuntimeError(
                errors.explain(
                    "A kernel waits for a semaphore that nobody signals.",
                    [
                        ("semaphore", self.memories[number].what),
                        ("counts", str(int(count))),
                        ("waited for", str(int(by))),
                        ("at", where),
                        ("program ids", str(self.ids)),
                    ],
                    "What signals comes before what waits.",
                )
            )

    def signal(self, number: int, where: str) -> None:
        """Notes that a semaphore is signalled."""
        self.signals[number] = (self.ids, where)

    def finish(self, semaphores: Sequence[tuple[int, np.ndarray]]) -> None:
        """Ends the run.

        Args:
            semaphores: numbers of memories, and what they count.

        Raises:
            RuntimeError: a semaphore does not count zero.
        """
        for number, counts in semaphores:
            left = np.argwhere(np.asarray(counts))
            if len(left):
                at = tuple(int(i) for i in left[0])
                what = self.memories[number].what
                ids, where = self.signals.get(number, (self.ids, "no line"))
                raise RuntimeError(
                    errors.explain(
                        "A kernel left a semaphore unbalanced.",
                        [
                            ("semaphore", what + (f"[{at}]" if at else "")),
                            ("counts", str(int(np.asarray(counts)[at]))),
                            ("last signalled at", where),
                            ("by program ids", str(ids)),
                        ],
                        "What is signalled is waited for before the kernel ends.",
                    )
                )
