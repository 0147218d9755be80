"""Who takes part in a job, and what became of them. Pure: no network; the caller says what time it is."""

import asyncio
from collections.abc import Callable, Collection, Iterator

from jax._src.distributed.messages import messages, wire
from jax._src.distributed.messages.status_errors import Refused, clipped
from jax._src.distributed.service.replication import Log
from jax._src.distributed.service.replication_messages import Change, Kept, MemberState

MAX_ACTIVITIES = 64
MAX_ANSWERS = 64


class Member:
    """One process of the job, by its index in it; a process that comes back takes the same index."""

    def __init__(self, id: int):
        self.id = id
        self.state = messages.UNCONNECTED
        self.incarnation = 0
        self.host = ""
        self.pid = 0
        self.address = ""
        self.activities: list[messages.Activity] = []
        # When the process last said something, in the caller's seconds.
        self.heard_s = 0.0
        # What it said of why it ends, and whether it shuts down.
        self.report = ""
        self.is_leaving = False
        # The number of failures when it failed; 0: it has not.
        self.failure = 0
        self.error = ""
        # What the service sends to it; None: it is not connected at the moment.
        self.outbox: asyncio.Queue[bytes | None] | None = None
        # Answers by the numbers of the calls, the latest ones; refusals, too.
        self.answers: dict[int, bytes | Refused] = {}

    def keep_answer(self, number: int, answer: bytes | Refused) -> None:
        """Keeps an answer for the case that it does not arrive."""
        self.answers[number] = answer
        if len(self.answers) > MAX_ANSWERS:
            del self.answers[next(iter(self.answers))]

    @property
    def is_live(self) -> bool:
        """Whether others may count on it."""
        return self.state == messages.CONNECTED and not self.is_leaving

    def info(self, now_s: float) -> messages.TaskInfo:
        """What the service reports to others of it."""
        return messages.TaskInfo(
            task_id=self.id,
            state=messages.DISCONNECTED
            if self.is_leaving and self.state == messages.CONNECTED
            else self.state,
            error_message=self.error,
            incarnation=self.incarnation,
            host=self.host,
            pid=self.pid,
            address=self.address,
            activities=self.activities,
            silent_ms=int((now_s - self.heard_s) * 1000) if self.heard_s else 0,
            failure=self.failure,
        )


class Members:
    """All processes of a job."""

    def __init__(self, count: int, log: Log, *, is_recoverable: bool):
        self._log = log
        self._members = [Member(k) for k in range(count)]
        self.is_recoverable = is_recoverable
        # Whether all have been there.
        self.has_started = False
        self.failures = 0
        # Called with each member that failed or leaves.
        self.on_loss: list[Callable[[Member], None]] = []

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self):
        return iter(self._members)

    def __getitem__(self, k: int) -> Member:
        return self._members[k]

    def admit(self, hello: messages.Hello, address: str, now_s: float) -> Member:
        """Takes a process into the job, or one whose connection was lost back.

        Raises:
            Refused: the job has no room for it. Nobody else comes to harm.
        """
        self._check_fits(hello)
        member = self._members[hello.source_task_id]
        is_same = member.incarnation == hello.incarnation
        if member.state == messages.CONNECTED and not is_same:
            raise Refused(
                "ALREADY_EXISTS",
                f"process {member.id} of this job is already connected, from "
                f"{member.address} ({member.host}, pid {member.pid}). Two processes were "
                "given one id; this one does not take part.",
            )
        if member.state in (messages.FAILED, messages.DISCONNECTED):
            if is_same or not self.is_recoverable:
                raise Refused("FAILED_PRECONDITION", _gone_for_good(member))
        elif hello.is_return and not is_same:
            raise Refused(
                "FAILED_PRECONDITION",
                "the coordination service was started anew and knows nothing of this process.",
            )
        if not is_same:
            self._members[member.id] = member = Member(member.id)
        member.state = messages.CONNECTED
        member.incarnation = hello.incarnation
        member.host = clipped(hello.host, 200)
        member.pid = hello.pid
        member.address = address
        member.heard_s = now_s
        self.changed(member)
        return member

    def _check_fits(self, hello):
        if hello.protocol != messages.PROTOCOL:
            raise Refused(
                "FAILED_PRECONDITION",
                f"this process speaks protocol {hello.protocol} (jax "
                f"{clipped(hello.release, 50)}), the service {messages.PROTOCOL}: install "
                "one version of jax in every process.",
            )
        if hello.num_processes != len(self):
            raise Refused(
                "INVALID_ARGUMENT",
                f"this process was told of {hello.num_processes} processes, the service of "
                f"{len(self)}: num_processes must be the same in every process.",
            )
        if not 0 <= hello.source_task_id < len(self):
            raise Refused(
                "INVALID_ARGUMENT",
                f"process_id is {hello.source_task_id}; this job has the processes 0 to "
                f"{len(self) - 1}.",
            )
        if not hello.incarnation:
            raise Refused("INVALID_ARGUMENT", "a process without incarnation.")

    def check_live(self, k: int, incarnation: int) -> Member:
        """The member that calls, if it still takes part."""
        if not 0 <= k < len(self):
            raise Refused("INVALID_ARGUMENT", f"unknown process {k}.")
        member = self._members[k]
        if not incarnation or member.incarnation != incarnation:
            raise Refused(
                "PERMISSION_DENIED", f"the caller is not the process {k} of this job."
            )
        if member.state == messages.FAILED:
            raise Refused("FAILED_PRECONDITION", _gone_for_good(member))
        return member

    def missing(self) -> list[int]:
        """Returns the processes that have not connected yet."""
        return [m.id for m in self if m.state != messages.CONNECTED]

    def fail(self, member: Member, text: str) -> None:
        """Records that a process failed; says so to all who listen."""
        if member.state in (messages.FAILED, messages.DISCONNECTED):
            return
        member.state = messages.FAILED
        last = (
            f" Last seen {activity_text(member.activities[:2])}."
            if member.activities
            else ""
        )
        member.error = clipped(text, 2000) + clipped(last, 1000)
        self.failures += 1
        member.failure = self.failures
        self.changed(member)
        self._notify(member)

    def leave(self, member: Member) -> None:
        """Records that a process shuts down: it will take part in nothing more."""
        if not member.is_leaving:
            member.is_leaving = True
            self.changed(member)
            self._notify(member)

    def part(self, member: Member) -> None:
        """Records that a process which shut down is gone."""
        member.is_leaving = True
        member.state = messages.DISCONNECTED
        self.changed(member)

    def _notify(self, member):
        for listener in self.on_loss:
            listener(member)

    def losses_since(self, failures: int) -> list[Member]:
        """Members that failed after so many failures."""
        return sorted(
            (m for m in self if m.failure > failures), key=lambda m: m.failure
        )

    # What a standby must know.

    def start(self) -> None:
        """Records that all are there."""
        self.has_started = True
        self._log.add(started=messages.Nothing())

    def changed(self, member: Member) -> None:
        """Records that a member is otherwise now."""
        if self._log.is_followed:
            self._log.add(member=_state(member))

    def keep(self, member: Member, number: int, answer: bytes | Refused) -> None:
        """Keeps the answer to a call for the case that it does not arrive."""
        member.keep_answer(number, answer)
        if self._log.is_followed:
            self._log.add(kept=_kept(member.id, number, answer))

    def state(self) -> Iterator[Change]:
        """All that a standby must know."""
        if self.has_started:
            yield Change(started=messages.Nothing())
        for member in self:
            if member.incarnation:
                yield Change(member=_state(member))
            for number, answer in member.answers.items():
                yield Change(kept=_kept(member.id, number, answer))

    def restore(self, change: Change) -> None:
        """Takes over a change of the service that this one follows.

        Raises:
            Malformed: it is of a process that this job does not have.
        """
        if change.HasField("started"):
            self.has_started = True
        if change.HasField("member"):
            self._restore_member(change.member)
        if change.HasField("kept"):
            kept = change.kept
            answer = Refused(kept.code, kept.text) if kept.code else kept.data
            self._known(kept.task_id).keep_answer(kept.call, answer)

    def _restore_member(self, state):
        member = self._known(state.task_id)
        if state.state not in messages.STATE_NAMES:
            raise wire.Malformed(f"a process in state {state.state}")
        if member.incarnation != state.incarnation:
            self._members[member.id] = member = Member(member.id)
        for name in wire.names(MemberState):
            if name != "task_id":
                setattr(member, name, getattr(state, name))
        self.failures = max(self.failures, member.failure)

    def _known(self, k):
        if not 0 <= k < len(self):
            raise wire.Malformed(f"a process {k} of {len(self)}")
        return self._members[k]


def _state(member):
    names = (name for name in wire.names(MemberState) if name != "task_id")
    return MemberState(
        task_id=member.id, **{name: getattr(member, name) for name in names}
    )


def _kept(process, number, answer):
    if isinstance(answer, Refused):
        text, code = answer.text, answer.code
        return Kept(task_id=process, call=number, code=code, text=text)
    return Kept(task_id=process, call=number, data=answer)


def _gone_for_good(member):
    became = member.error or "it has left."
    return (
        f"process {member.id} of this job is over: {became} A process may come back only "
        "where jax_enable_recoverability is set for all, and as a new one."
    )


def describe(member: Member, now_s: float) -> str:
    """A member in one line: who, where, and what it was last seen at."""
    if member.state == messages.UNCONNECTED:
        return f"process {member.id} (not started)"
    text = f"process {member.id} ({member.host}, pid {member.pid})"
    return f"{text}, {activity_text(member.activities, now_s - member.heard_s)}"


def activity_text(
    activities: Collection[messages.Activity], later_s: float = 0.0
) -> str:
    """What a process runs or waits for, in words."""
    if not activities:
        return "in no program or wait"
    texts = []
    for activity in activities:
        words = [activity.collective] if activity.collective else []
        if activity.program:
            launch = f" launch {activity.launch}" if activity.launch else ""
            words.append(
                f"of {activity.program}{launch}" if words else activity.program
            )
        if activity.line:
            words.append(f"at {activity.line}")
        what = " ".join(words)
        seconds = activity.for_ms / 1000 + later_s
        # Without a name it is the line of the main thread.
        inside = "in " if activity.collective or activity.program else ""
        texts.append(f"{inside}{what} for {seconds:.1f} s")
    return "; ".join(texts)
