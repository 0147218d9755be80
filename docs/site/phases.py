"""Prints what a phase of a build took of the processor, the processes that it started included."""

import os


def processor_seconds() -> float:
    """What this process and those that it has waited for have used so far."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Clock:
    """Prints the processor time since its last line."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.before = processor_seconds()

    def report(self, phase: str) -> None:
        now = processor_seconds()
        print(f"{self.tool}: {phase}, {now - self.before:.0f} s of the processor")
        self.before = now


def setup(app) -> dict[str, object]:
    """Sphinx calls this: the build reports on reading, with the cells that run, and on writing."""
    clock = Clock("sphinx")
    app.connect(
        "env-updated", lambda app, env: clock.report("pages read and cells run")
    )
    app.connect("build-finished", lambda app, error: clock.report("pages written"))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
