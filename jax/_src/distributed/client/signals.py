"""What a process does about signals and uncaught exceptions while it is part of a job.

SIGUSR1 prints the table of all processes, SIGTERM is a notice to the job where the program asks for
`reached_preemption_sync_point`. Both work while the main thread waits inside of native code: a thread reads
the numbers that Python's C handler leaves in a socket (`signal.set_wakeup_fd`).
"""

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from jax._src.distributed.client import status

# After a notice, a program that does not reach the step at which all save is ended.
SAVE_S = 30.0


def attend(client: Any, manager: Any) -> list[Callable[[], None]]:
    """Begins to listen; returns what undoes it."""
    endings = [_report_exceptions(client)]
    if threading.current_thread() is threading.main_thread():
        endings.append(_Watch(client, manager).stop)
    return endings


def _report_exceptions(client):
    """Notifies the job of an exception that ends the program."""
    before, pid = sys.excepthook, os.getpid()

    def hook(kind, error, traceback):
        if os.getpid() == pid:
            with contextlib.suppress(Exception):
                client.leave(_report(kind, error, traceback))
        before(kind, error, traceback)

    def undo():
        if sys.excepthook is hook:
            sys.excepthook = before

    sys.excepthook = hook
    return undo


def _report(kind, error, traceback):
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    first = (str(error).splitlines() or [""])[0][:500]
    text = (
        f"it raised {kind.__name__}: {first}" if first else f"it raised {kind.__name__}"
    )
    if traceback is not None:
        text += f" (at {traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno})"
    return text


class _Watch:
    """Listens to the signals of this process."""

    def __init__(self, client: Any, manager: Any):
        self._client = client
        self._manager = manager
        self._before: dict[int, Any] = {}
        self._near, self._far = socket.socketpair()
        self._near.setblocking(False)
        wanted = [signal.SIGUSR1] if _is_free(signal.SIGUSR1) else []
        if manager is not None:
            wanted.append(signal.SIGTERM)
        for number in wanted:
            self._before[number] = signal.signal(number, self._handle)
        self._old_wakeup = signal.set_wakeup_fd(
            self._near.fileno(), warn_on_full_buffer=False
        )
        if self._old_wakeup != -1:
            # Other code, such as an event loop, reads the numbers, so handlers alone must do.
            signal.set_wakeup_fd(self._old_wakeup)
        self._thread = threading.Thread(
            target=self._listen, name="jax signals", daemon=True
        )
        self._thread.start()

    def _handle(self, number, frame):
        if not self._is_listening():
            self._attend(number)
        before = self._before.get(number)
        if callable(before):
            before(number, frame)

    def _is_listening(self):
        """Whether the thread gets the numbers; an event loop may have taken them over."""
        now = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(now, warn_on_full_buffer=False)
        return now == self._near.fileno()

    def _listen(self):
        while data := self._far.recv(64):
            for number in data:
                if number in self._before:
                    self._attend(number)

    def _attend(self, number):
        # Not here: a handler may have interrupted whoever holds the client's locks.
        work = self._print if number == signal.SIGUSR1 else self._terminate
        threading.Thread(target=work, name="jax signal", daemon=True).start()

    def _print(self):
        try:
            text = str(status.of_client(self._client))
        except RuntimeError as error:
            text = str(error)
        print(text, file=sys.stderr, flush=True)

    def _terminate(self):
        manager = self._manager
        handled_by_program = callable(self._before.get(signal.SIGTERM))
        if manager.last_call_s is not None and not manager.was_noticed:
            manager.notice()
            print(
                "jax.distributed: SIGTERM: all processes save at the next step that they agree "
                f"on. This one ends if it does not ask for {SAVE_S:g} s, or at a second SIGTERM.",
                file=sys.stderr,
                flush=True,
            )
            self._wait_for_the_save()
            if manager.is_saving:
                return
        if not handled_by_program:
            self._end()

    def _wait_for_the_save(self):
        """Returns when the program saves, or does not ask any more whether to."""
        began_s = time.monotonic()
        while not self._manager.is_saving:
            if time.monotonic() - max(began_s, self._manager.last_call_s) > SAVE_S:
                return
            time.sleep(0.2)

    def _end(self):
        with contextlib.suppress(Exception):
            self._client.leave("it was ended by SIGTERM")
        os._exit(128 + signal.SIGTERM)

    def stop(self) -> None:
        """Gives the signals back."""
        if threading.current_thread() is threading.main_thread():
            if self._old_wakeup == -1:
                with contextlib.suppress(ValueError):
                    if (now := signal.set_wakeup_fd(-1)) != self._near.fileno():
                        signal.set_wakeup_fd(now)
            for number, before in self._before.items():
                if signal.getsignal(number) == self._handle:
                    signal.signal(
                        number, before if before is not None else signal.SIG_DFL
                    )
        self._before.clear()
        self._near.close()
        self._thread.join(1)
        self._far.close()


def _is_free(number):
    return signal.getsignal(number) in (signal.SIG_DFL, None)
