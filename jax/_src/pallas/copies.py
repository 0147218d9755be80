"""Copies between references, which signal semaphores when they are done.

Interpreted, a copy happens where it starts.
"""

import math
from typing import Any

from jax._src.base import errors
from jax._src.lax.control_flow.conditionals import switch
from jax._src.pallas import checking, semaphores
from jax._src.pallas.unsupported import not_here

# A semaphore counts in int16.
_MOST = 32767


class SelectedRef:
    """One of several references of a type, by an index that may be traced; for copies.

    Args:
        index: which one.
        refs: the references.
    """

    __slots__ = ("index", "refs")

    def __init__(self, index: Any, refs: tuple[Any, ...]):
        self.index = index
        self.refs = refs

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what each refers to."""
        return self.refs[0].shape

    @property
    def dtype(self) -> Any:
        """The dtype of what each refers to."""
        return self.refs[0].dtype

    def read(self) -> Any:
        """What the chosen one holds."""
        return switch(self.index, [ref.read for ref in self.refs])

    def write(self, value: Any) -> None:
        """Writes to the chosen one."""

        def writing(ref):
            def write(value):
                ref.write(value)

            return write

        switch(self.index, [writing(ref) for ref in self.refs], value)

    def __getitem__(self, index: Any) -> Any:
        raise _for_copies_only()

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _for_copies_only()


def _for_copies_only():
    return errors.not_implemented(
        "A selected reference is read or written.",
        rule="pl.select_ref chooses what is copied from, or to.",
        ways="Copy it: pltpu.sync_copy(selected, ref).",
    )


def select_ref(idx: Any, *refs: Any) -> SelectedRef:
    """One of several references, by an index that may be traced, for copies.

    Args:
        idx: int32 scalar.
        *refs: two or more references of one shape and dtype.

    Raises:
        ValueError: there are fewer, or they differ.
    """
    kinds = {(tuple(ref.shape), ref.dtype) for ref in refs}
    if len(refs) < 2 or len(kinds) != 1:
        raise errors.value_error(
            "pl.select_ref: it chooses among two or more references of one type.",
            [("given", ", ".join(repr(ref.aval) for ref in refs) or "none")],
        )
    return SelectedRef(idx, refs)


class AsyncCopyDescriptor:
    """A copy that can be started and waited for.

    Args:
        src_ref: from where.
        dst_ref: to where.
        sem: the semaphore that it signals.
    """

    __slots__ = ("dst_ref", "sem", "src_ref")

    def __init__(self, src_ref: Any, dst_ref: Any, sem: Any):
        check_alike(src_ref, dst_ref)
        self.src_ref = src_ref
        self.dst_ref = dst_ref
        self.sem = semaphores.checked(sem, "pltpu.make_async_copy", is_copy=True)

    def start(self, priority: int = 0, *, add: bool = False) -> None:
        """Copies; `priority` is accepted.

        Raises:
            NotImplementedError: `add` is requested.
        """
        _refuse_add(add)
        _copy(self.src_ref, self.dst_ref)
        checking.signalled(self.sem)
        semaphores.change(self.sem, count_of(self.dst_ref))

    def wait(self) -> None:
        """Waits until the copy is done."""
        wait(self.sem, count_of(self.dst_ref))

    def wait_recv(self) -> None:
        """Waits until the copy has arrived: it is done when it starts here."""
        self.wait()

    def wait_send(self) -> None:
        """Nothing is sent: the copy is local.

        Raises:
            NotImplementedError: always.
        """
        raise errors.not_implemented(
            "A copy on one device is waited for as if it sent something.",
            ways="Use wait().",
        )


def count_of(ref: Any) -> int:
    """By how much a copy to a reference or view changes its semaphore."""
    return min(math.prod(ref.shape), _MOST)


def wait(sem: Any, count: int) -> None:
    """Waits until a semaphore counts so much, and takes it away."""
    checking.waited(sem, sem.read(), count)
    semaphores.change(sem, -count)


def _copy(source, target):
    for ref, kind in ((source, "read"), (target, "write")):
        if not isinstance(ref, SelectedRef):
            checking.accessed(ref, kind, lambda elements: elements)
    target.write(source.read())


def check_alike(source: Any, target: Any) -> None:
    """Refuses a copy between references of different types.

    Raises:
        ValueError: they are.
    """
    facts = [
        (name, f"{ref.dtype}{list(ref.shape)}")
        for name, ref in (("from", source), ("to", target))
    ]
    if facts[0][1] != facts[1][1]:
        raise errors.value_error(
            "A copy is between references of different types.",
            facts,
            "Nothing is converted or repeated by a copy.",
        )


def _refuse_add(add):
    if add:
        raise not_here("Adding while copying", "TPUs", "ref[...] += other[...]")


def make_async_copy(src_ref: Any, dst_ref: Any, sem: Any) -> AsyncCopyDescriptor:
    """A copy that can be started and waited for.

    Args:
        src_ref: reference or view from which is copied.
        dst_ref: reference or view of the same shape and dtype.
        sem: semaphore for copies.

    Raises:
        ValueError: types differ, or `sem` is no such semaphore.
    """
    return AsyncCopyDescriptor(src_ref, dst_ref, sem)


def async_copy(
    src_ref: Any, dst_ref: Any, sem: Any, *, priority: int = 0, add: bool = False
) -> AsyncCopyDescriptor:
    """Starts a copy, and returns what to wait for.

    Args:
        src_ref: reference or view from which is copied.
        dst_ref: reference or view of the same shape and dtype.
        sem: semaphore for copies.
        priority: accepted.
        add: whether what is there is added to.

    Raises:
        ValueError: types differ, or `sem` is no such semaphore.
        NotImplementedError: `add` is requested.
    """
    made = make_async_copy(src_ref, dst_ref, sem)
    made.start(priority, add=add)
    return made


def sync_copy(src_ref: Any, dst_ref: Any, *, add: bool = False) -> None:
    """Copies between references or views of the same shape and dtype.

    Raises:
        ValueError: types differ. NotImplementedError: `add` is requested.
    """
    check_alike(src_ref, dst_ref)
    _refuse_add(add)
    _copy(src_ref, dst_ref)
