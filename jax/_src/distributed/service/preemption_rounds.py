"""Agreeing on the step at which all processes save before some of them are stopped.

Each process counts steps. When one is told to stop, all answer with the last step they began, without
waiting for their own programs, and begin no further one until they know the step after the last of all.
"""

from collections.abc import Callable, Iterator

from jax._src.distributed.messages import messages
from jax._src.distributed.service.registry import Member, Members
from jax._src.distributed.service.replication import Log
from jax._src.distributed.service.replication_messages import (
    Answered,
    Change,
    RoundState,
)


class Rounds:
    """The agreements of a job, one after the other."""

    def __init__(
        self, members: Members, send_all: Callable[[messages.Down], None], log: Log
    ):
        self._members = members
        self._send_all = send_all
        self._log = log
        self._number = 0
        self._begun_by = 0
        # The last steps of those who answered; None: nobody was told to stop.
        self._answers: dict[int, int] | None = None
        # What the latest round agreed on.
        self._step = 0

    def begin(self, member: Member, heard: int) -> None:
        """A process was told to stop, when it had heard the results of so many rounds."""
        if self._answers is not None or heard < self._number:
            return
        self._answers = {}
        self._number += 1
        self._begun_by = member.id
        self._changed({})
        self._send_all(self._notice())

    def answer(self, member: Member, step: int) -> None:
        """A process says which step it began last."""
        if self._answers is not None:
            self._answers[member.id] = step
            self._changed({member.id: step})
            self.look()

    def look(self) -> None:
        """Ends the round if all who live have answered."""
        if not self._answers:
            return
        if all(m.id in self._answers for m in self._members if m.is_live):
            self._step = max(self._answers.values()) + 1
            self._answers = None
            self._changed({})
            self._send_all(self._result())

    def latest(self) -> messages.Down | None:
        """What a process must be told that may have missed it: the latest notice, or what came of it."""
        if self._number == 0:
            return None
        return self._result() if self._answers is None else self._notice()

    def _notice(self):
        notice = messages.Preemption(task_id=self._begun_by, round=self._number)
        return messages.Down(preemption=notice)

    def _result(self):
        return messages.Down(
            sync_step=messages.Step(step=self._step, round=self._number)
        )

    # What a standby must know.

    def _changed(self, new):
        self._log.add(round=self._known(new))

    def _known(self, answers):
        answers = [Answered(task_id=k, step=step) for k, step in answers.items()]
        is_open = self._answers is not None
        return RoundState(
            round=self._number,
            task_id=self._begun_by,
            is_open=is_open,
            answers=answers,
            step=self._step,
        )

    def state(self) -> Iterator[Change]:
        """All that a standby must know."""
        if self._number:
            yield Change(round=self._known(self._answers or {}))

    def restore(self, known: RoundState) -> None:
        """Takes over what is new with the service that this one follows."""
        if known.round != self._number:
            self._answers = None
        self._number, self._begun_by = known.round, known.task_id
        new = {row.task_id: row.step for row in known.answers}
        self._answers = {**(self._answers or {}), **new} if known.is_open else None
        self._step = known.step
