"""What a coordination service and the standby that follows it say to each other."""

from jax._src.distributed.messages.messages import KeyValue, Nothing, Standby
from jax._src.distributed.messages.wire import field, message, repeated


@message
class MemberState:
    """A process of the job, as much of it as a standby must know."""

    task_id: int = field(1, "int")
    state: int = field(2, "int")
    incarnation: int = field(3, "fixed64")
    host: str = field(4, "text")
    pid: int = field(5, "int")
    address: str = field(6, "text")
    report: str = field(7, "text")
    is_leaving: bool = field(8, "bool")
    failure: int = field(9, "int")
    error: str = field(10, "text")


@message
class Kept:
    """The answer to a call that must not be done twice: data, or the code and text of a refusal."""

    task_id: int = field(1, "int")
    call: int = field(2, "int")
    data: bytes = field(3, "bytes")
    code: str = field(4, "text")
    text: str = field(5, "text")


@message
class BarrierState:
    """What is known of a barrier's id: how often it was used, and who shall still hear of a failure."""

    barrier_id: str = field(1, "text")
    instances: int = field(2, "int")
    late: list[int] = repeated(3, "int")
    code: str = field(4, "text")
    text: str = field(5, "text")


@message
class Answered:
    """A process and the step that it began last."""

    task_id: int = field(1, "int")
    step: int = field(2, "int")


@message
class RoundState:
    """The latest agreement on a step: who requested it, what was answered, and what came out."""

    round: int = field(1, "int")
    task_id: int = field(2, "int")
    is_open: bool = field(3, "bool")
    answers: list[Answered] = repeated(4, Answered)
    step: int = field(5, "int")


@message
class Change:
    """Something that is otherwise now: one of these."""

    # All that was known is forgotten: the whole state follows.
    reset: Nothing | None = field(1, Nothing)
    started: Nothing | None = field(2, Nothing)
    put: KeyValue | None = field(3, KeyValue)
    # Only the key counts.
    delete: KeyValue | None = field(4, KeyValue)
    member: MemberState | None = field(5, MemberState)
    kept: Kept | None = field(6, Kept)
    barrier: BarrierState | None = field(7, BarrierState)
    round: RoundState | None = field(8, RoundState)
    # What the processes are told of the standby.
    standby: Standby | None = field(9, Standby)
    # The job has ended: nobody need follow any more.
    over: Nothing | None = field(10, Nothing)


@message
class Changes:
    """Changes that belong together, or a part of them if they are too large for one message."""

    changes: list[Change] = repeated(1, Change)
    # How many groups of changes there were with this one; 0: more of the group is to come.
    position: int = field(2, "int")


@message
class Follower:
    """What a standby says: first who it is, then how far it has come."""

    # The number that it was given when it was requested to follow.
    ticket: int = field(1, "fixed64")
    protocol: int = field(2, "int")
    num_processes: int = field(3, "int")
    # Where processes reach it.
    address: str = field(4, "text")
    position: int = field(5, "int")
