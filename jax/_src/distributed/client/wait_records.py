"""Where this process is: what it waits for, and at which line of the program."""

import contextlib
import itertools
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import grpc

from jax._src.distributed.messages import messages

_log = logging.getLogger(__name__)
# Files of ours, and of what we wait with: no lines of a user.
_OURS = (
    str(Path(__file__).parents[3]),
    str(Path(grpc.__file__).parent),
    contextlib.__file__,
    threading.__file__,
)
# The line of the main thread is told when it has stayed there for so long.
_STILL_S = 3.0


class Wait:
    """A wait of the control plane that goes on."""

    def __init__(self, what: str, line: str, since_s: float):
        self.what = what
        self.line = line
        self.since_s = since_s
        self.was_told = False
        # Gives up what is waited for; and why that was done.
        self.give_up: Callable[[], Any] | None = None
        self.end = ""


class Waits:
    """The waits that are going on, of all threads, and what others add to them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._going_on: dict[int, Wait] = {}
        # Functions that report what else runs, as tuples (program, launch, collective, line, seconds).
        self.sources: list[Callable[[], list[tuple[str, int, str, str, float]]]] = []
        # Where the main thread was seen, and since when.
        self._seen: tuple[int, int] = (0, 0)
        self._seen_s = 0.0

    @contextlib.contextmanager
    def at(self, what: str) -> Iterator[Wait]:
        """A block in which this thread waits for others."""
        number = next(self._numbers)
        wait = Wait(what, _line_of_user(sys._getframe(1)), time.monotonic())
        with self._lock:
            self._going_on[number] = wait
        try:
            yield wait
        finally:
            with self._lock:
                del self._going_on[number]

    def long(self, limit_s: float) -> list[tuple[str, str, float]]:
        """Waits longer than this, each told once: what, line, seconds."""
        now_s = time.monotonic()
        with self._lock:
            found = [
                wait
                for wait in self._going_on.values()
                if now_s - wait.since_s > limit_s and not wait.was_told
            ]
            for wait in found:
                wait.was_told = True
        return [(wait.what, wait.line, now_s - wait.since_s) for wait in found]

    def end(self, limit_s: float, text: str) -> None:
        """Ends the waits longer than this: whoever waits gets an error with the text."""
        now_s = time.monotonic()
        with self._lock:
            found = [w for w in self._going_on.values() if now_s - w.since_s >= limit_s]
        for wait in found:
            wait.end = text
            if wait.give_up is not None:
                wait.give_up()

    def activities(self) -> list[messages.Activity]:
        """What runs now and is waited for; last, without a name, the main thread's line if it stays there."""
        now_s = time.monotonic()
        with self._lock:
            waits = list(self._going_on.values())
        rows = [("", 0, w.what, w.line, now_s - w.since_s) for w in waits]
        for source in list(self.sources):
            try:
                rows += source()
            except Exception:
                # Where a process is serves people: it must not end the session.
                _log.exception(
                    "a source of activities failed, and is not called any more"
                )
                self.sources.remove(source)
        rows += self._main_thread(now_s)
        return [
            messages.Activity(
                program=program,
                launch=launch,
                collective=collective,
                line=line,
                for_ms=int(seconds * 1000),
            )
            for program, launch, collective, line, seconds in rows
        ]

    def _main_thread(self, now_s):
        frame = sys._current_frames().get(threading.main_thread().ident)
        if frame is None:
            return []
        # What waits in ours may go round and round; the program stays where it is.
        frame = _frame_of_user(frame) or frame
        here = (id(frame), frame.f_lasti)
        if here != self._seen:
            self._seen, self._seen_s = here, now_s
        if now_s - self._seen_s < _STILL_S:
            return []
        return [("", 0, "", _line_of_user(frame), now_s - self._seen_s)]


def _line_of_user(frame: FrameType | None) -> str:
    """The innermost line of the program, in a frame or those that called it: ``file:line``."""
    found = _frame_of_user(frame)
    return f"{found.f_code.co_filename}:{found.f_lineno}" if found is not None else ""


def _frame_of_user(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame
