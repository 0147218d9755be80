"""Points that processes pass together."""

import asyncio
import collections
from collections.abc import Callable, Iterator

from jax._src.distributed.messages import messages, wire
from jax._src.distributed.messages.status_errors import Refused
from jax._src.distributed.service.registry import Member, Members, describe
from jax._src.distributed.service.replication import Log
from jax._src.distributed.service.replication_messages import BarrierState, Change

MAX_ID_BYTES = 4 << 10
MAX_OPEN = 1 << 16
# Of so many failed barriers we remember whom to notify when they come late.
_MAX_LATE = 1 << 14
_MAX_NAMED = 8


class _Barrier:
    def __init__(
        self,
        id: str,
        instance: int,
        members: frozenset[int],
        timeout_s: float,
        first: int,
    ):
        self.id = id
        self.instance = instance
        self.members = members
        self.timeout_s = timeout_s
        self.first = first
        # By process: the number of its call, and what that waits for.
        self.arrived: dict[int, tuple[int, asyncio.Future[int]]] = {}
        self.timer: asyncio.TimerHandle | None = None

    def name(self) -> str:
        return f"{self.id}::{self.instance}"

    def missing(self) -> list[int]:
        return sorted(self.members - self.arrived.keys())


class Barriers:
    """All barriers of a job. An id may be used again as soon as its barrier is over."""

    def __init__(self, members: Members, clock: Callable[[], float], log: Log):
        self._log = log
        self._members = members
        self._clock = clock
        self._all = frozenset(range(len(members)))
        self._open: dict[str, _Barrier] = {}
        self._instances: collections.Counter[str] = collections.Counter()
        self._late: collections.OrderedDict[str, dict[int, Refused]] = (
            collections.OrderedDict()
        )
        members.on_loss.append(self._lost)

    async def wait(
        self, id: str, process: int, timeout_s: float, wanted: list[int], call: int
    ) -> int:
        """Waits for the others; returns how many barriers of this id there were before.

        Args:
            id: the barrier's name.
            process: who waits.
            timeout_s: how long the first to come lets all wait.
            wanted: the processes that shall come; empty: all.
            call: the number of the process's call. The answer is kept under it when the barrier ends.

        Raises:
            Refused: not all came, or they meant different barriers.
        """
        barrier = self._joined(id, process, timeout_s, wanted, call)
        future = asyncio.get_running_loop().create_future()
        barrier.arrived[process] = mine = (call, future)
        if len(barrier.arrived) == len(barrier.members):
            self._end(barrier, None)
        elif len(barrier.arrived) == 1:
            # Those who are lost later end it by themselves.
            self._lose_those_gone(barrier)
        try:
            return await future
        finally:
            # A caller that gave up has not arrived.
            if self._open.get(id) is barrier and barrier.arrived.get(process) is mine:
                del barrier.arrived[process]
                if not barrier.arrived:
                    self._close(barrier)

    def _joined(self, id, process, timeout_s, wanted, call):
        members = frozenset(wanted) if wanted else self._all
        self._check(id, process, members)
        if (error := self._late.get(id, {}).pop(process, None)) is not None:
            self._members.keep(self._members[process], call, error)
            self._changed(id)
            raise error
        barrier = self._open.get(id)
        if barrier is None:
            if len(self._open) >= MAX_OPEN:
                raise Refused("RESOURCE_EXHAUSTED", f"{MAX_OPEN} barriers are open.")
            barrier = _Barrier(id, self._instances[id], members, timeout_s, process)
            self._open[id] = barrier
            barrier.timer = asyncio.get_running_loop().call_later(
                timeout_s, self._time_is_up, barrier
            )
        elif (before := barrier.arrived.get(process)) is not None:
            if before[0] == call:
                # Requested again over a new connection, before the end of the old one was noticed.
                before[1].cancel()
                return barrier
            raise Refused(
                "FAILED_PRECONDITION",
                f"process {process} waits twice at barrier {barrier.name()}.",
            )
        elif barrier.members is not members and barrier.members != members:
            error = Refused(
                "INVALID_ARGUMENT",
                f"barrier {barrier.name()}: process {process} names the processes "
                f"{_listed(members)}, process {barrier.first} named "
                f"{_listed(barrier.members)}. All must name the same.",
            )
            self._end(barrier, error)
            raise error
        return barrier

    def _check(self, id, process, members):
        if not id or len(id.encode()) > MAX_ID_BYTES:
            raise Refused(
                "INVALID_ARGUMENT", f"a barrier's id has 1 to {MAX_ID_BYTES} bytes."
            )
        if unknown := members - self._all:
            raise Refused(
                "INVALID_ARGUMENT",
                f"barrier {id}: unknown processes {_listed(unknown)}; this job has 0 to "
                f"{len(self._members) - 1}.",
            )
        if process not in members:
            raise Refused(
                "INVALID_ARGUMENT",
                f"barrier {id}: process {process} waits, but is not among the processes "
                f"{_listed(members)}.",
            )

    def _lost(self, member: Member) -> None:
        for barrier in list(self._open.values()):
            if member.id in barrier.members:
                self._lose_those_gone(barrier)

    def _lose_those_gone(self, barrier):
        for k in barrier.missing():
            member = self._members[k]
            if member.failure or member.is_leaving:
                why = member.error or "it has left: it shuts down"
                error = Refused(
                    "UNAVAILABLE",
                    f"barrier {barrier.name()} cannot be reached: process {k}: {why}",
                )
                self._end(barrier, error)
                return

    def _time_is_up(self, barrier):
        missing = barrier.missing()
        now_s = self._clock()
        lines = [describe(self._members[k], now_s) for k in missing[:_MAX_NAMED]]
        if len(missing) > _MAX_NAMED:
            lines.append(f"and {len(missing) - _MAX_NAMED} more")
        text = (
            f"Barrier timed out. Id: {barrier.name()}. # of tasks that reached the barrier: "
            f"{len(barrier.arrived)}/{len(barrier.members)}. The first task at the barrier: "
            f"{barrier.first}. Waited {barrier.timeout_s:g} s. Missing: "
        )
        self._end(barrier, Refused("DEADLINE_EXCEEDED", text + "; ".join(lines)))

    def _end(self, barrier, error):
        self._close(barrier)
        answer = error or wire.encode(messages.BarrierAnswer(counter=barrier.instance))
        for process, (call, future) in barrier.arrived.items():
            self._members.keep(self._members[process], call, answer)
            if future.done():
                continue
            if error is None:
                future.set_result(barrier.instance)
            else:
                future.set_exception(error)
        late = [k for k in barrier.missing() if self._members[k].is_live]
        if error is not None and late:
            self._late[barrier.id] = dict.fromkeys(late, error)
            while len(self._late) > _MAX_LATE:
                self._late.popitem(last=False)
            self._changed(barrier.id)

    def _close(self, barrier):
        if barrier.timer is not None:
            barrier.timer.cancel()
        self._open.pop(barrier.id, None)
        # Not kept for ever: programs that name every barrier anew would fill the memory.
        if len(self._instances) > MAX_OPEN:
            self._instances.clear()
        self._instances[barrier.id] += 1
        self._changed(barrier.id)

    # What a standby must know.

    def _changed(self, id):
        if self._log.is_followed:
            self._log.add(barrier=self._known_of(id))

    def _known_of(self, id):
        late = self._late.get(id, {})
        error = next(iter(late.values()), Refused("", ""))
        return BarrierState(
            barrier_id=id,
            instances=self._instances[id],
            late=list(late),
            code=error.code,
            text=error.text,
        )

    def state(self) -> Iterator[Change]:
        """All that a standby must know."""
        for id in {**self._instances, **self._late}:
            yield Change(barrier=self._known_of(id))

    def restore(self, known: BarrierState) -> None:
        """Takes over what the service that this one follows knows of a barrier."""
        id = known.barrier_id
        if len(self._instances) > MAX_OPEN:
            self._instances.clear()
        self._instances[id] = known.instances
        self._late.pop(id, None)
        if known.late:
            error = Refused(known.code, known.text)
            self._late[id] = dict.fromkeys(known.late, error)
        while len(self._late) > _MAX_LATE:
            self._late.popitem(last=False)


def _listed(ids):
    ids = sorted(ids)
    some = ", ".join(map(str, ids[:_MAX_NAMED]))
    return f"[{some}{', …' if len(ids) > _MAX_NAMED else ''}]"


class Gatherings:
    """Processes that request the list of live ones: the answer comes when all live ones have requested it."""

    def __init__(self, members: Members):
        self._members = members
        # By the processes in question, and by who requests it: the number of the call, and what it waits for.
        self._open: dict[frozenset[int], dict[int, tuple[int, asyncio.Future]]] = {}
        members.on_loss.append(lambda _: self._look_at_all())

    async def wait(
        self, process: int, wanted: list[int], call: int
    ) -> messages.AliveTasks:
        """The live members among those named, the same answer for each of them.

        It is kept under the number of the call.
        """
        ids = frozenset(wanted)
        if process not in ids or not all(0 <= k < len(self._members) for k in ids):
            raise Refused(
                "INVALID_ARGUMENT",
                f"process {process} asks for the live ones among {_listed(ids)}; it must "
                f"be one of them, and this job has 0 to {len(self._members) - 1}.",
            )
        asking = self._open.setdefault(ids, {})
        future = asyncio.get_running_loop().create_future()
        asking[process] = mine = (call, future)
        self._look(ids)
        try:
            return await future
        finally:
            if asking.get(process) is mine:
                del asking[process]
            if not asking:
                self._open.pop(ids, None)

    def _look_at_all(self):
        for ids in list(self._open):
            self._look(ids)

    def _look(self, ids):
        asking = self._open[ids]
        live = [self._members[k] for k in sorted(ids) if self._members[k].is_live]
        if all(member.id in asking for member in live):
            del self._open[ids]
            answer = messages.AliveTasks(
                alive_task_ids=[m.id for m in live],
                incarnations=[m.incarnation for m in live],
            )
            data = wire.encode(answer)
            for process, (call, future) in asking.items():
                self._members.keep(self._members[process], call, data)
                if not future.done():
                    future.set_result(answer)
