"""The table of a job's processes: what each runs or waits for."""

from collections.abc import Iterable
from typing import Any

from jax._src.base import records
from jax._src.distributed.messages import messages


@records.record
class ProcessStatus:
    """One process of a job, as the coordination service knows it."""

    process: int
    state: str
    host: str
    pid: int
    # What it runs or waits for, at which line, and for how many seconds; one row for each.
    activities: tuple[tuple[str, str, float], ...]
    # Seconds since it last said anything.
    silent_s: float
    # Why it failed; empty: it has not.
    error: str


@records.record
class JobStatus:
    """All processes of a job. Its text is a table."""

    processes: tuple[ProcessStatus, ...]

    def waiting_at_others(self, me: int, what: str, most: int = 16) -> str:
        """The table of those, besides process `me`, who are not in this wait; of many, some."""
        found = [
            p
            for p in self.processes
            if p.process != me and all(w != what for w, _, _ in p.activities)
        ]
        if not found:
            return "all wait for it."
        more = f"\nand {len(found) - most} more" if len(found) > most else ""
        return f"{JobStatus(tuple(found[:most]))!r}{more}"

    def __repr__(self) -> str:
        rows = [("process", "state", "where", "does", "line", "since")]
        for p in self.processes:
            where = f"{p.host} pid {p.pid}" if p.pid else ""
            activities = p.activities or (("", "", 0.0),)
            for k, (what, line, seconds) in enumerate(activities):
                head = (str(p.process), p.state, where) if k == 0 else ("", "", "")
                rows.append((*head, what, line, f"{seconds:.1f} s" if what else ""))
            if p.error:
                rows.append(("", "", "", p.error, "", ""))
        # A long text in one row shall not push the other columns away.
        widths = [
            min(max(len(row[k]) for row in rows), 60) for k in range(len(rows[0]))
        ]
        lines = (
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)


def of_client(client: Any) -> JobStatus:
    """Asks the service.

    Raises:
        JaxRuntimeError: it does not answer.
    """
    return of_states(client.states().task_state)


def of_states(states: Iterable[messages.TaskInfo]) -> JobStatus:
    """The table of what the service said."""
    return JobStatus(tuple(map(_row, states)))


def _row(info):
    since_s = info.silent_ms / 1000
    activities = tuple(
        (_what(activity), activity.line, activity.for_ms / 1000 + since_s)
        for activity in info.activities
    )
    return ProcessStatus(
        process=info.task_id,
        state=messages.STATE_NAMES.get(info.state, "unknown"),
        host=info.host,
        pid=info.pid,
        activities=activities,
        silent_s=since_s,
        error=info.error_message,
    )


def _what(activity):
    program = activity.program
    if program and activity.launch:
        program += f" launch {activity.launch}"
    return " of ".join(part for part in (activity.collective, program) if part)
