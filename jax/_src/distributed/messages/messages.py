"""What processes and the coordination service say to each other.

Names and numbers are those of XLA's coordination service where it has such a call; ours are `Session` and
what it carries. A service of ours and a client of ours must come from one release (`PROTOCOL`).
"""

from jax._src.distributed.messages.wire import field, message, repeated

SERVICE = "xla.coordination.CoordinationService"
# Counted up when a message changes its meaning.
PROTOCOL = 2

# States of a process, as the wire has them.
UNCONNECTED, DISCONNECTED, CONNECTED, FAILED = 1, 2, 3, 4
STATE_NAMES = {
    UNCONNECTED: "not started",
    DISCONNECTED: "left",
    CONNECTED: "running",
    FAILED: "failed",
}


@message
class Nothing:
    """An answer that says only that all went well."""


@message
class KeyValue:
    key: str = field(1, "text")
    value: bytes = field(2, "bytes")


@message
class InsertKeyValue:
    kv: KeyValue | None = field(1, KeyValue)
    allow_overwrite: bool = field(2, "bool")


@message
class GetKeyValue:
    key: str = field(1, "text")
    # How many failures the caller has been told of: one more ends the wait.
    failures_seen: int = field(100, "int")


@message
class KeyValueAnswer:
    kv: KeyValue | None = field(1, KeyValue)


@message
class IncrementKeyValue:
    key: str = field(1, "text")
    increment: int = field(2, "int")


@message
class GetKeyValueDir:
    directory_key: str = field(1, "text")


@message
class KeyValueDir:
    directory_key: str = field(1, "text")
    kv: list[KeyValue] = repeated(2, KeyValue)


@message
class DeleteKeyValue:
    key: str = field(1, "text")
    is_directory: bool = field(2, "bool")


@message
class Barrier:
    barrier_id: str = field(1, "text")
    timeout_ms: int = field(2, "int")
    task_ids: list[int] = repeated(3, "int")
    source_task_id: int = field(4, "int")


@message
class BarrierAnswer:
    counter: int = field(1, "int")


@message
class GetAliveTasks:
    requesting_task_id: int = field(1, "int")
    task_ids: list[int] = repeated(2, "int")


@message
class AliveTasks:
    alive_task_ids: list[int] = repeated(1, "int")
    incarnations: list[int] = repeated(2, "fixed64")


@message
class Activity:
    """What a process runs or waits for."""

    program: str = field(1, "text")
    launch: int = field(2, "int")
    collective: str = field(3, "text")
    line: str = field(4, "text")
    # How long it has been so when this was sent, in milliseconds.
    for_ms: int = field(5, "int")


@message
class TaskInfo:
    task_id: int = field(1, "int")
    state: int = field(2, "int")
    error_message: str = field(4, "text")
    incarnation: int = field(6, "fixed64")
    host: str = field(100, "text")
    pid: int = field(101, "int")
    address: str = field(102, "text")
    activities: list[Activity] = repeated(103, Activity)
    # Milliseconds since the process last said anything.
    silent_ms: int = field(104, "int")
    # How many failures there were with this one; 0: it has not failed.
    failure: int = field(105, "int")


@message
class TaskStates:
    task_state: list[TaskInfo] = repeated(1, TaskInfo)
    version: int = field(2, "int")


@message
class Hello:
    """The first message of a session: who wants to take part."""

    incarnation: int = field(3, "fixed64")
    source_task_id: int = field(5, "int")
    protocol: int = field(100, "int")
    release: str = field(101, "text")
    host: str = field(102, "text")
    pid: int = field(103, "int")
    num_processes: int = field(104, "int")
    # Set by a process that comes back after its connection was lost.
    is_return: bool = field(105, "bool")
    # The latest news of the standby that the process has heard.
    epoch: int = field(106, "int")


@message
class Activities:
    activities: list[Activity] = repeated(1, Activity)


@message
class Report:
    """Why the sender is about to end."""

    text: str = field(1, "text")


@message
class Step:
    step: int = field(1, "int")
    # Which agreement it belongs to.
    round: int = field(2, "int")


@message
class Up:
    """What a process sends in its session: one of these."""

    hello: Hello | None = field(1, Hello)
    activities: Activities | None = field(2, Activities)
    report: Report | None = field(3, Report)
    leaving: Nothing | None = field(4, Nothing)
    # Told to stop; with the number of the latest agreement that the process has heard of.
    preempted: Step | None = field(5, Step)
    last_step: Step | None = field(6, Step)
    # The process was requested to start a standby, and cannot.
    no_standby: Nothing | None = field(7, Nothing)


@message
class Welcome:
    leader_incarnation: int = field(1, "fixed64")
    heartbeat_ms: int = field(2, "int")
    is_recoverable: bool = field(3, "bool")
    shutdown_ms: int = field(4, "int")


@message
class Preemption:
    """A process is to be stopped soon."""

    task_id: int = field(1, "int")
    round: int = field(2, "int")


@message
class Standby:
    """Where the service's standby is; an empty address: there is none."""

    # Counted up with each change.
    epoch: int = field(1, "int")
    address: str = field(2, "text")


@message
class HostStandby:
    """The process shall start a standby on its machine."""

    # The standby shows it to the service: nobody else may follow.
    ticket: int = field(1, "fixed64")
    # Where it shall listen; empty: at any port.
    address: str = field(2, "text")


@message
class Down:
    """What the service sends in a session: one of these."""

    welcome: Welcome | None = field(1, Welcome)
    changed: TaskStates | None = field(2, TaskStates)
    preemption: Preemption | None = field(3, Preemption)
    sync_step: Step | None = field(4, Step)
    standby: Standby | None = field(5, Standby)
    host_standby: HostStandby | None = field(6, HostStandby)
