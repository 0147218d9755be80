"""Agreeing on the step at which all processes save before some of them are stopped.

Each process counts steps. When one is told to stop, all answer with the last step they began, without
waiting for their own programs, and begin no further one until they know the step after the last of all.
"""

from collections.abc import Callable

from jax._src.distributed import messages
from jax._src.distributed.members import Member, Members


class Rounds:
    """The agreements of a job, one after the other."""

    def __init__(self, members: Members, send_all: Callable[[messages.Down], None]):
        self._members = members
        self._send_all = send_all
        self._number = 0
        # The last steps of those who answered; None: nobody was told to stop.
        self._answers: dict[int, int] | None = None

    def begin(self, member: Member) -> None:
        """A process was told to stop."""
        if self._answers is not None:
            return
        self._answers = {}
        self._number += 1
        notice = messages.Preemption(task_id=member.id, round=self._number)
        self._send_all(messages.Down(preemption=notice))

    def answer(self, member: Member, step: int) -> None:
        """A process says which step it began last."""
        if self._answers is not None:
            self._answers[member.id] = step
            self.look()

    def look(self) -> None:
        """Ends the round if all who live have answered."""
        if not self._answers:
            return
        if all(m.id in self._answers for m in self._members if m.is_live):
            step = max(self._answers.values()) + 1
            self._answers = None
            self._send_all(messages.Down(sync_step=messages.Step(step)))
