"""Calls of Python functions as spans of a profile."""

import atexit
import os
import sys
import threading
import time
from types import FrameType
from typing import Any

from jax._src.profiler import annotations

# Of calls that took less, nobody sees anything in a viewer.
_SHORTEST_NS = 2_000
_OWN = os.path.dirname(__file__)


class CallRecorder:
    """Records what Python functions every thread calls, until it is stopped.

    Another tool's profiling function (`sys.setprofile`) is left in charge of its thread.
    """

    def __init__(self, spans: annotations.SpanList):
        self._spans = spans
        self._stacks = threading.local()
        self._is_on = False

    def start(self) -> None:
        """Begins with this thread and those that start later."""
        self._is_on = True
        # A program may end in the middle of a profile: nothing here works while modules are taken apart.
        atexit.register(self.stop)
        threading.setprofile(self._event)
        if sys.getprofile() is None:
            sys.setprofile(self._event)

    def stop(self) -> None:
        """Ends it; other threads notice at their next call."""
        self._is_on = False
        atexit.unregister(self.stop)
        threading.setprofile(None)
        if sys.getprofile() == self._event:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, arg: Any) -> None:
        if not self._is_on:
            if sys.getprofile() == self._event:
                sys.setprofile(None)
            return
        if event == "call":
            stack = getattr(self._stacks, "starts", None)
            if stack is None:
                stack = self._stacks.starts = []
            stack.append(time.perf_counter_ns())
        elif event == "return":
            stack = getattr(self._stacks, "starts", None)
            if not stack:
                return  # it was called before
            start, end = stack.pop(), time.perf_counter_ns()
            code = frame.f_code
            if end - start >= _SHORTEST_NS and not code.co_filename.startswith(_OWN):
                file = os.path.basename(code.co_filename)
                name = f"${file}:{code.co_firstlineno} {code.co_name}"
                self._spans.add(name, start, end, {})
