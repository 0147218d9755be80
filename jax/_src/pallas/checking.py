"""Checked kernels: each access is reported to the host, in order, with its line and program ids.

While a checked kernel is traced, a reference that no user sees holds the number of the run.
A report takes it, and puts it back: so reports keep their order in loops and branches, and
none is left out.
"""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import source
from jax._src.callbacks import calls
from jax._src.core import avals, reference_views, references
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import access_log, program_ids

RUN = avals.ShapedArray((), np.dtype(np.int32))


class Checker:
    """The reports of a kernel.

    Args:
        parallel: the axes along which steps may run at the same time.
    """

    def __init__(self, parallel: Sequence[int]):
        self.memories: list[access_log.Memory] = []
        self.parallel = tuple(parallel)
        self.logs: dict[int, access_log.Log] = {}
        self.numbers = itertools.count(1)
        self.run: Any = None  # the reference to the number of the run

    def add(self, memory: access_log.Memory) -> int:
        """The number of a memory."""
        self.memories.append(memory)
        return len(self.memories) - 1

    def begin(self, zero: Any) -> Any:
        """The number of a run; `zero` is computed by it."""

        def begin(zero):
            return np.int32(next(self.numbers) + int(zero))

        return _call(begin, zero)

    def begin_step(
        self, run: Any, step: Any, ids: Sequence[Any], starts: Sequence[Any]
    ) -> Any:
        """The number of the run, once a step has begun.

        Args:
            run: the number of the run.
            step: the number of the step; the first one begins a log, for a loop around the
                kernel may give several runs one number.
            ids: its program ids.
            starts: where its blocks start, by number of the memory.
        """

        def begin_step(run, step, ids, *starts):
            if int(step) == 0:
                for old in list(self.logs)[:-64]:
                    self.logs.pop(old, None)
                self.logs[int(run)] = access_log.Log(self.memories, self.parallel)
            self.logs[int(run)].begin_step(ids, starts)
            return np.int32(run)

        found = [jnp.stack(s) if len(s) else np.zeros(0, np.int32) for s in starts]
        number = jnp.asarray(step, np.int32)
        return _call(begin_step, run, number, _stacked(ids), *found)

    def finish(
        self, run: Any, numbers: Sequence[int], semaphores: Sequence[Any]
    ) -> Any:
        """Zero, once a run has ended.

        Args:
            run: the number of the run.
            numbers: the memories that are semaphores.
            semaphores: what they count.
        """

        def finish(number, *counts):
            log = self.logs.pop(int(number), None)
            if log is not None:
                log.finish(list(zip(numbers, counts, strict=True)))
            return np.int32(0)

        return _call(finish, run, *semaphores)

    def report(self, what: Callable[..., None], *operands: Any) -> None:
        """Reports to the log of the run: `what` takes it and the operands."""
        self.run.write(self._reported(what, self.run.read(), *operands))

    def _reported(self, what, run, *operands):
        def report(number, *values):
            log = self.logs.get(int(number))
            if log is not None:
                what(log, *values)
            return np.int32(number)

        return _call(report, run, *operands)


def _call(function, *operands):
    return calls.pure_callback(function, RUN, *operands, vmap_method="sequential")


def _stacked(ids):
    if not len(ids):
        return np.zeros(0, np.int32)
    return jnp.stack([jnp.asarray(i, np.int32) for i in ids])


class _Checking(threading.local):
    checker: Checker | None = None


_checking = _Checking()


@contextlib.contextmanager
def by(checker: Checker | None) -> Iterator[None]:
    """While the block runs, accesses are reported to a checker."""
    before = _checking.checker
    _checking.checker = checker
    try:
        yield
    finally:
        _checking.checker = before


def checker_now() -> Checker | None:
    """The checker of the kernel that is traced; None where it is not checked."""
    return _checking.checker


def site() -> tuple[str, list[Any]]:
    """The user's line, and the program ids, where a kernel is traced."""
    return str(source.capture()), program_ids.ids_now()


def _numbered(ref):
    """The checker, and the number of the memory of a reference or view, if it is checked."""
    base = ref.ref if isinstance(ref, reference_views.TransformedRef) else ref
    access = base.aval.access if isinstance(base, references.Ref) else None
    return checker_now(), getattr(access, "number", None)


def accessed(ref: Any, kind: str, seen: Callable[[Any], Any], mask: Any = None) -> None:
    """Reports that a part of a reference or view is read or written.

    Args:
        ref: the reference or view.
        kind: ``"read"`` or ``"write"``.
        seen: from an array of its shape to the part.
        mask: which elements are meant; None: all.
    """
    checker, number = _numbered(ref)
    if checker is None or number is None:
        return
    is_view = isinstance(ref, reference_views.TransformedRef)
    steps, base = (ref.transforms, ref.ref) if is_view else ((), ref)
    if any(step.name == "bitcast" for step in steps):
        return  # Parts of elements have no number.
    size = int(np.prod(base.shape, dtype=int))
    elements: Any = lax.iota(np.int32, size).reshape(base.shape)
    with by(None):
        for step in steps:
            elements = step.seen(elements)
        elements = seen(elements)
    if mask is not None:
        elements = jnp.where(mask, elements, -1)
    where = str(source.capture(3))

    def report(log, elements):
        log.access(number, kind, np.asarray(elements).ravel(), where)

    checker.report(report, elements)


def renewed(number: int) -> None:
    """Reports that memory begins anew."""
    checker = checker_now()
    if checker is not None:
        checker.report(lambda log: log.renew(number))


def waited(ref: Any, count: Any, by_how_many: Any) -> None:
    """Reports that a semaphore is waited for, and what it counts."""
    checker, number = _numbered(ref)
    if checker is None or number is None:
        return
    where = str(source.capture(2))

    def report(log, count, wanted):
        log.wait(number, int(count), int(wanted), where)

    checker.report(report, count, jnp.asarray(by_how_many, np.int32))


def signalled(ref: Any) -> None:
    """Reports that a semaphore is signalled."""
    checker, number = _numbered(ref)
    if checker is None or number is None:
        return
    where = str(source.capture(2))
    checker.report(lambda log: log.signal(number, where))
