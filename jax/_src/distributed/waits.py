"""What this process waits for in the control plane, and at which line of the program."""

import contextlib
import itertools
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from jax._src.distributed import messages

_log = logging.getLogger(__name__)
_JAX = str(Path(__file__).parents[2])


class Waits:
    """The waits that are going on, of all threads, and what others add to them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._going_on: dict[int, tuple[str, str, float]] = {}
        self._warned: set[int] = set()
        # Functions that tell what else runs, as rows (program, launch, collective, line, seconds).
        self.sources: list[Callable[[], list[tuple[str, int, str, str, float]]]] = []

    @contextlib.contextmanager
    def at(self, what: str) -> Iterator[None]:
        """A block in which this thread waits for others."""
        number = next(self._numbers)
        with self._lock:
            self._going_on[number] = (what, _line_of_user(), time.monotonic())
        try:
            yield
        finally:
            with self._lock:
                del self._going_on[number]
                self._warned.discard(number)

    def long(self, limit_s: float) -> list[tuple[str, str, float]]:
        """Waits longer than this, each told once: what, line, seconds."""
        now_s = time.monotonic()
        with self._lock:
            found = {
                number: (what, line, now_s - since)
                for number, (what, line, since) in self._going_on.items()
                if now_s - since > limit_s and number not in self._warned
            }
            self._warned.update(found)
        return list(found.values())

    def places(self) -> list[messages.Place]:
        """What runs now and is waited for."""
        now_s = time.monotonic()
        with self._lock:
            waits = list(self._going_on.values())
        rows = [("", 0, what, line, now_s - since) for what, line, since in waits]
        for source in list(self.sources):
            try:
                rows += source()
            except Exception:
                # Where a process is serves people: it must not end the session.
                _log.exception("a source of places failed, and is asked no more")
                self.sources.remove(source)
        return [
            messages.Place(program, launch, collective, line, int(seconds * 1000))
            for program, launch, collective, line, seconds in rows
        ]


def _line_of_user() -> str:
    """The innermost line that is not in jax, as ``file:line``."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_JAX) and not name.endswith("contextlib.py"):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
