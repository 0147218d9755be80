"""Saving together before a process is stopped."""

import threading
import time
from typing import Any

from jax._src.distributed.messages import messages

_AGREE_S = 60.0


class PreemptionSyncManager:
    """Agrees with the other processes on a step, when one of them was told to stop (SIGTERM)."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._session: Any = None
        # The last step begun; whether the others are about to agree; the step they agreed on.
        self._last_step = 0
        self._is_agreeing = False
        self._sync_step: int | None = None
        # How many agreements there were, as far as this process has heard.
        self._heard = 0
        # When the program called last; None: it never does.
        self.last_call_s: float | None = None
        self.was_noticed = False
        # Whether the step was reached after the notice: the program saves, or has saved.
        self.is_saving = False

    def initialize(self, client: Any) -> None:
        """Listens to the job's notices."""
        self._session = client.session
        self._session.on_preemption = self._take
        self._session.say_again = self._say_again

    def notice(self) -> None:
        """This process was told to stop: notifies the others."""
        self.was_noticed = True
        self._session.send(messages.Up(preempted=messages.Step(round=self._heard)))

    def _say_again(self) -> messages.Up | None:
        """What to say after the connection was lost: it may not have arrived."""
        if self.was_noticed and self._heard == 0:
            return messages.Up(preempted=messages.Step(round=0))
        return None

    def _take(self, down: messages.Down) -> None:
        with self._changed:
            if down.HasField("preemption") and down.preemption.round > self._heard:
                # Answered without waiting for the program: it may wait for others itself.
                self._is_agreeing = True
                step = messages.Step(step=self._last_step)
                self._session.send(messages.Up(last_step=step))
            if down.HasField("sync_step") and down.sync_step.round > self._heard:
                self._heard = down.sync_step.round
                self._is_agreeing = False
                self._sync_step = down.sync_step.step
            self._changed.notify_all()

    def reached_sync_point(self, step: int) -> bool:
        """Whether all processes shall save now. Every process asks at every step.

        True in the step after the last that any process had begun when one was told to stop.
        """
        with self._changed:
            self.last_call_s = time.monotonic()
            self._changed.wait_for(
                lambda: not self._is_agreeing or not self._session.is_alive, _AGREE_S
            )
            self._last_step = max(self._last_step, int(step))
            if self._sync_step is not None and step >= self._sync_step:
                self._sync_step = None
                self.is_saving = True
                return True
            return False

    def shutdown(self) -> None:
        """Listens no more."""
        if self._session is not None:
            self._session.on_preemption = lambda down: None
            self._session.say_again = lambda: None
