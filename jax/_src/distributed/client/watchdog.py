"""When nothing moves: ends the waits of this process, with the table of all.

Each process looks for itself, once a second, and asks the service only when it has waited long. Two things
end its waits: a collective of its own, or of another, that has waited for the time that was set; and that all
processes wait for each other, which nobody but them could end. What it has found it does a little later: by
then the others have found it too, and each has the table in which all still wait.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.distributed.client import status
from jax._src.distributed.messages import messages

_log = logging.getLogger(__name__)

_LOOK_S = 1.0
# All processes wait, at least one of them in a collective, and none has moved for so long.
TOGETHER_S = 50.0
# So many processes may ask for the table in one second.
_REQUESTS_A_SECOND = 50
_RULE = "All processes whose devices a program runs on call the same programs in the same order."
_WAY = (
    "Check what depends on jax.process_index(), on time or on chance. If some only need longer, set "
    "jax_collective_timeout_seconds (0: for ever)."
)


class Stalls:
    """Watches over the waits of a process."""

    def __init__(
        self,
        waits: Any,
        ask_states: Callable[[], messages.TaskStates],
        processes: int,
        limit_s: float,
    ):
        """`limit_s` is how long a collective may wait; 0: for ever."""
        self._waits = waits
        self._ask_states = ask_states
        self._limit_s = limit_s
        self._ask_s = max(_LOOK_S, processes / _REQUESTS_A_SECOND)
        self._requested_s = 0.0
        # What was found: when, the age of the waits to end, and the text for them.
        self._found: tuple[float, float, str] | None = None
        # Functions that end what has waited for so many seconds, with a text.
        self.enders: list[Callable[[float, str], None]] = []
        self._is_over = threading.Event()

    def start(self) -> None:
        """Begins to look."""
        if self._limit_s > 0:
            threading.Thread(target=self._run, name="jax stalls", daemon=True).start()

    def stop(self) -> None:
        """Looks no more."""
        self._is_over.set()

    def _run(self):
        while not self._is_over.wait(_LOOK_S):
            try:
                self._look()
            except Exception:
                _log.exception("looking for waits that do not end failed")

    def _look(self):
        now_s = time.monotonic()
        together_s = min(TOGETHER_S, self._limit_s)
        mine = [p for p in self._waits.activities() if p.collective]
        longest_s = max((p.for_ms / 1000 for p in mine), default=0.0)
        if self._found is not None:
            found_s, age_s, text = self._found
            if now_s - found_s >= 2 * self._ask_s:
                self._found = None
                self._end(age_s, text)
        elif longest_s >= together_s and now_s - self._requested_s >= self._ask_s:
            self._requested_s = now_s
            self._find(mine, together_s)

    def _find(self, mine, together_s):
        states = self._states()
        own = [p for p in mine if p.program and p.for_ms / 1000 >= self._limit_s]
        known = () if isinstance(states, str) else states
        if own or any(_is_late(info, self._limit_s) for info in known):
            age_s, why = (
                self._limit_s,
                f"a collective has waited for {self._limit_s:g} s",
            )
        elif _all_wait(known, together_s):
            age_s, why = together_s, f"for {together_s:g} s, all wait for each other"
        else:
            return
        table = states if isinstance(states, str) else repr(status.of_states(states))
        text = f"Nothing moves: {why}.\n{table}\n{_RULE}\n{_WAY}"
        self._found = (time.monotonic(), age_s, text)

    def _states(self) -> Sequence[messages.TaskInfo] | str:
        """All processes, or why they are not known."""
        try:
            return self._ask_states().task_state
        except errors.JaxRuntimeError as error:
            return f"What the others do is not known: {error}"

    def _end(self, age_s, text):
        for ender in list(self.enders):
            ender(age_s, text)
        self._waits.end(age_s, text)


def _age_s(info, activity):
    return (activity.for_ms + info.silent_ms) / 1000


def _is_late(info, limit_s):
    """Whether a process has a collective that has waited for so long."""
    return info.state == messages.CONNECTED and any(
        activity.program and activity.collective and _age_s(info, activity) >= limit_s
        for activity in info.activities
    )


def _all_wait(states, limit_s):
    """Whether no process moves, and one waits in a collective: then the others wait in it, or for it."""
    running = [info for info in states if info.state == messages.CONNECTED]
    return any(_is_late(info, limit_s) for info in running) and all(
        _is_still(info, limit_s) for info in running
    )


def _is_still(info, limit_s):
    """Whether a process waits for others, and its main thread is where it was."""
    old = [p for p in info.activities if _age_s(info, p) >= limit_s]
    return any(p.collective for p in old) and any(
        not p.collective and not p.program for p in old
    )
