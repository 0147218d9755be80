"""State that the coordination service sends its standby before it answers anybody.

Changes of one turn of the event loop form a group: a standby has all of it or nothing, so that what a call
did and the call's answer never part. No answer leaves before the standby has all groups up to it.
"""

import asyncio
import collections
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jax._src.distributed.messages import wire
from jax._src.distributed.service.replication_messages import Change, Changes

# A standby that does not keep up for so long is left behind: the job shall not wait for it.
KEEP_UP_S = 3.0
# Messages are filled up to about so much; one change has at most a value of 4 MiB in it.
_FULL_BYTES = 256 << 10


class Attached:
    """A standby, from the side of the service that it follows."""

    def __init__(self, address: str, first: int):
        self.address = address
        # The position of the whole state.
        self.first = first
        # Whether it has the whole state: only then does the service wait for it.
        self.is_ready = False
        self.done = 0
        # Groups to send, with their positions; None: the standby is dropped.
        self.groups: asyncio.Queue[tuple[list[Change], int] | None] = asyncio.Queue()


class Log:
    """The changes of a service's state, for a standby that may be there or not."""

    def __init__(self, keep_up_s: float = KEEP_UP_S):
        self._keep_up_s = keep_up_s
        self._attached: Attached | None = None
        self._open: list[Change] = []
        self._position = 0
        self._waiting: collections.deque[tuple[int, asyncio.Future[None]]] = (
            collections.deque()
        )
        self._timer: asyncio.TimerHandle | None = None
        # Called when a standby has all, and when it is lost.
        self.on_standby: Callable[[], None] = lambda: None

    @property
    def standby(self) -> str:
        """The address of a standby that has all; empty: there is none."""
        attached = self._attached
        return attached.address if attached is not None and attached.is_ready else ""

    @property
    def is_followed(self) -> bool:
        """Whether changes need be recorded."""
        return self._attached is not None

    def add(self, **change: Any) -> None:
        """Records a change: a field of `Change`, by its name."""
        if self._attached is None:
            return
        if not self._open:
            asyncio.get_running_loop().call_soon(self._seal)
        self._open.append(Change(**change))

    def _seal(self):
        group, self._open = self._open, []
        self._position += 1
        if self._attached is not None:
            self._attached.groups.put_nowait((group, self._position))

    async def settled(self) -> None:
        """Returns when the standby has all that was recorded before, or is no more."""
        attached = self._attached
        target = self._position + bool(self._open)
        if attached is None or not attached.is_ready or attached.done >= target:
            return
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((target, future))
        if self._timer is None:
            self._watch(attached)
        await future

    def _watch(self, attached):
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(
            self._keep_up_s, self._look_whether_it_keeps_up, attached, attached.done
        )

    def _look_whether_it_keeps_up(self, attached, done_before):
        self._timer = None
        if self._attached is not attached or not self._waiting:
            return
        if attached.done == done_before:
            self.detach(attached)
        else:
            self._watch(attached)

    # The standby's coming and going.

    def attach(self, address: str, state: Iterable[Change]) -> Attached:
        """Takes a standby, in place of one that was there; it begins with the whole state."""
        if self._attached is not None:
            self.detach(self._attached)
        self._open = []
        self._position += 1
        self._attached = attached = Attached(address, self._position)
        attached.groups.put_nowait((list(state), self._position))
        return attached

    def detach(self, attached: Attached) -> None:
        """Lets a standby go."""
        attached.groups.put_nowait(None)
        if self._attached is not attached:
            return
        self._attached = None
        self._open = []
        if attached.is_ready:
            # Before any answer goes on its way that the standby does not know of.
            self.on_standby()
        while self._waiting:
            _release(self._waiting.popleft()[1])

    def reached(self, attached: Attached, position: int) -> None:
        """The standby says how far it has come."""
        if self._attached is not attached or position > self._position:
            return
        attached.done = max(attached.done, position)
        if not attached.is_ready and position >= attached.first:
            attached.is_ready = True
            self.on_standby()
        while self._waiting and self._waiting[0][0] <= attached.done:
            _release(self._waiting.popleft()[1])


def _release(future):
    if not future.done():
        future.set_result(None)


def packed(group: list[Change], position: int) -> Iterator[bytes]:
    """A group as messages, none of them too large."""
    part: list[Change] = []
    size = 0
    for change in group:
        more = change.ByteSize()
        if part and size + more > _FULL_BYTES:
            yield wire.encode(Changes(changes=part))
            part, size = [], 0
        part.append(change)
        size += more
    yield wire.encode(Changes(changes=part, position=position))
