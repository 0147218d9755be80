"""A process of its own without a new interpreter: a child of this one that forgets what it was.

A new interpreter that loads gRPC takes longer than all else that `initialize` does. A child made by fork() has all
of that. It is made only where that is safe: before gRPC or a device of ours was used, while the program has one
thread, and where it holds little memory, which would stay as long as the child does.
"""

import contextlib
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from typing import IO, Any

# A child keeps what memory its parent had, whatever becomes of that in the parent.
MAX_BYTES = 512 << 20
_PAGE_BYTES = resource.getpagesize()
_TICK_S = 0.002


class Child:
    """A forked process, with as much of `subprocess.Popen` as is wanted."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]):
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._lock = threading.Lock()
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status; None: it runs."""
        with self._lock:
            if self._status is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:
                    # Another waiter has taken the ends of all children.
                    pid, status = self.pid, 0
                if pid:
                    self._status = os.waitstatus_to_exitcode(status)
            return self._status

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once there is one.

        Raises:
            TimeoutExpired: there was none for so long.
        """
        end_s = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if end_s is not None and time.monotonic() > end_s:
                raise subprocess.TimeoutExpired("fork", timeout or 0)
            time.sleep(_TICK_S)
        return status

    def kill(self) -> None:
        """Ends it at once."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def is_safe() -> bool:
    """Whether this process may be forked for something that lives on its own."""
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and threading.current_thread() is threading.main_thread()
        and _private_bytes() <= MAX_BYTES
    )


def _private_bytes() -> int:
    """The memory that this process shares with no file."""
    try:
        with open("/proc/self/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except OSError:
        return sys.maxsize
    return (resident - shared) * _PAGE_BYTES


def fork(work: Callable[[], Any]) -> Child:
    """Runs `work` in a child whose standard input and output are pipes to this process."""
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    with warnings.catch_warnings():
        # That other libraries have threads is known: the child calls none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _run(work, theirs_in, theirs_out)
    os.close(theirs_in)
    os.close(theirs_out)
    return Child(pid, open(ours_in, "wb", 0), open(ours_out, "rb"))


def _run(work, stdin, stdout):
    """What the child does, from start to end. Never returns."""
    status = 1
    try:
        _forget(stdin, stdout)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        # None of what the parent wanted to be done at its end.
        os._exit(status)


def _forget(stdin, stdout):
    """Gives up what was the parent's: its session, files, signals, and what watches its steps."""
    # Signals of the terminal, and of whoever ends the program's group, are not for the child.
    os.setsid()
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            with contextlib.suppress(OSError):  # that of the listing is closed already
                os.close(int(name))
    # What the parent has not written yet stays in its own objects, which are not closed.
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", closefd=False)
    sys.stderr = open(2, "w", buffering=1, closefd=False)
    sys.settrace(None)
    sys.setprofile(None)
    # Nothing of the parent's is looked at for garbage, so that its pages stay shared.
    gc.freeze()
