"""The stream between a process and the service that lasts as long as the process.

Two threads serve it: one takes in what the service says, the other (gRPC's, which asks for what to send)
sends what this process says, and once a second where it is. Losing the stream is no loss of the job: the
process comes back with its incarnation, as long as the heartbeat timeout lasts.
"""

import logging
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from jax._src.distributed.client import routes
from jax._src.distributed.client.wait_records import Waits
from jax._src.distributed.messages import channels, messages, status_errors, wire

_log = logging.getLogger(__name__)

_ACTIVITIES_EVERY_S = 1.0
# So many processes say in one second where they are; more say it less often.
_ACTIVITIES_A_SECOND = 500
_RETRY_S = 0.1
# How soon it is looked again whether the service listens at last; later less often.
_LOOK_S = 0.001
# Nobody listens where the service was: after so long it is taken for dead.
_REFUSED_S = 1.0
_END_S = 5.0
# A wait that lasts longer is logged, once, with what the others do.
LONG_WAIT_S = 20.0
# For how much of the heartbeat timeout a process tries to come back; the rest went by until it noticed.
_RETURN_PART = 0.4
# And so long more for each further address: an attempt at a machine that is silent takes 2 s.
_OTHER_ADDRESS_S = 3.0

# What listeners get: the kind ("failed" or "left"), the process, and a text.
Listener = Callable[[str, int, str], None]


class Session:
    """This process's part in the job."""

    def __init__(
        self,
        ways: routes.Routes,
        hello: Callable[[bool], messages.Hello],
        endpoint: Any,
        waits: Waits,
        ask_states: Callable[[], messages.TaskStates],
    ):
        self._routes = ways
        self._hello = hello
        self._endpoint = endpoint
        self._waits = waits
        self._ask_states = ask_states
        self._outbox: queue.SimpleQueue[messages.Up | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stream: Any = None
        self._is_leaving = False
        self.welcome: messages.Welcome | None = None
        # Why the job cannot be taken part in any more: code and text.
        self.end: tuple[str, str] | None = None
        # By process, what became of it.
        self.losses: dict[int, messages.TaskInfo] = {}
        self.failures = 0
        self._last_trouble = ""
        # Where the service was when this process was last taken in.
        self._address = ""
        self._listeners: list[Listener] = []
        self.on_long_wait: Callable[[str, str, float], None] = lambda *wait: None
        self.on_preemption: Callable[[messages.Down], None] = lambda down: None
        # Requested after the connection was lost: what may not have arrived.
        self.say_again: Callable[[], messages.Up | None] = lambda: None
        # A request to start a standby of the service on this machine.
        self.on_host_standby: Callable[[messages.HostStandby], None] = lambda _: None

    @property
    def address(self) -> str:
        """Where the service is that leads the job."""
        return self._routes.address

    @property
    def is_alive(self) -> bool:
        """Whether the service takes this process for a part of the job."""
        return self.welcome is not None and self.end is None and not self._is_leaving

    def listen(self, listener: Listener) -> None:
        """Calls `listener` with each loss of a process, past ones included."""
        with self._changed:
            self._listeners.append(listener)
            past = list(self.losses.values())
        for info in past:
            _notify([listener], *_loss(info))

    def start(self, timeout_s: float) -> None:
        """Says hello and waits for all others.

        Raises:
            JaxRuntimeError: they did not come, one failed meanwhile, or the service refuses.
        """
        self._thread = threading.Thread(
            target=self._run, args=(timeout_s,), name="jax session", daemon=True
        )
        self._thread.start()
        with self._changed:
            self._changed.wait_for(
                lambda: self.welcome or self.end or self.failures, timeout_s
            )
        if self.end is not None:
            raise status_errors.runtime_error(*self.end)
        if self.welcome is None and self.failures:
            _, process, text = _loss(min(self.losses.values(), key=lambda i: i.failure))
            raise status_errors.runtime_error(
                "UNAVAILABLE", f"process {process} failed while the job started: {text}"
            )
        if self.welcome is None:
            raise status_errors.runtime_error(
                "DEADLINE_EXCEEDED", self._not_all(timeout_s)
            )

    def _not_all(self, timeout_s):
        address = self._routes.address
        count = self._endpoint.num_processes
        if self._stream is None:
            return (
                f"the coordination service at {address} was not reached within "
                f"{timeout_s:g} s: {self._last_trouble or 'no answer'}. Is process 0 running, "
                "and may this machine connect to it?"
            )
        return (
            f"not all of the {count} processes came to jax.distributed.initialize within "
            f"{timeout_s:g} s. {self._who_is_missing()}"
        )

    def _who_is_missing(self):
        try:
            states = self._ask_states().task_state
        except RuntimeError as error:
            return str(error)
        missing = [str(i.task_id) for i in states if i.state != messages.CONNECTED]
        there = [f"{i.task_id} ({i.address})" for i in states if i.address]
        return f"missing: {_some(missing)}; there: {_some(there)}."

    # The thread that listens.

    def _run(self, start_s: float) -> None:
        began_s = heard_s = time.monotonic()
        self._reach(began_s + start_s)
        # By address, since when nobody listens there; and how often nobody was reached in a row.
        refused_s: dict[str, float] = {}
        misses = 0
        while not self._is_leaving:
            trouble = self._one_stream()
            now_s = time.monotonic()
            if self._is_leaving:
                return
            if self._stream is not None:
                heard_s, misses = now_s, 0
                refused_s.clear()
                self._stream = None
            if trouble.code() not in _TROUBLE_OF_NETWORK:
                return self._finish(trouble.code().name, trouble.details() or "")
            text = self._last_trouble = _plain(trouble.details() or "no answer")
            here = self._routes.address
            if "refused" in text.lower():
                refused_s.setdefault(here, now_s)
            else:
                refused_s.pop(here, None)
            if self.welcome is None:
                if now_s - began_s > start_s:
                    return
            elif now_s - heard_s > self._patience_s() or all(
                now_s - refused_s.get(address, now_s) > _REFUSED_S
                for address in self._routes.addresses
            ):
                return self._finish("UNAVAILABLE", self._lost_service(text))
            # Once more at the same address: connections break, and services live.
            misses += 1
            if misses > 1:
                self._routes.turn()
            time.sleep(_RETRY_S)

    def _reach(self, until_s: float) -> None:
        """Waits until somebody listens where the service shall be."""
        pause_s = _LOOK_S
        while not self._is_leaving and time.monotonic() < until_s:
            self._last_trouble = self._routes.reach()
            if not self._last_trouble:
                return
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.3, _RETRY_S)

    def _patience_s(self):
        other_addresses = len(self._routes.addresses) - 1
        return (
            self._endpoint.heartbeat_s * _RETURN_PART
            + other_addresses * _OTHER_ADDRESS_S
        )

    def _lost_service(self, text):
        where = " and its standby at ".join(self._routes.addresses)
        verb = "is" if len(self._routes.addresses) == 1 else "are"
        return (
            f"the coordination service at {where} {verb} lost ({text}). What runs may end, but "
            "processes can no longer wait for each other: save and leave."
        )

    def _one_stream(self) -> Any:
        """Opens the stream and takes in what comes; returns the error with which it ended."""
        outbox = self._outbox = queue.SimpleQueue()
        outbox.put(messages.Up(hello=self._hello(self.welcome is not None)))
        if self.welcome is not None and (again := self.say_again()) is not None:
            outbox.put(again)
        try:
            stream = self._routes.stream("Session")(self._sent(outbox))
            for data in stream:
                if self._stream is None:
                    self._arrived()
                self._stream = stream
                self._take(wire.decode(messages.Down, data))
            return _Ended()
        except grpc.RpcError as error:
            return error
        except ValueError:
            return _Ended()  # the channel was closed
        finally:
            outbox.put(None)

    def _arrived(self):
        """Somebody who leads the job took this process in."""
        before, self._address = self._address, self._routes.address
        if before and before != self._address:
            _log.warning(
                "the coordination service at %s is lost; its standby at %s has taken its place.",
                before,
                self._address,
            )

    def _sent(self, outbox: queue.SimpleQueue) -> Iterator[bytes]:
        """What to send, as it comes; and where this process is, when that changed."""
        sent_activities: list[messages.Activity] = []
        quiet_s = channels.word_interval_s(self._endpoint.heartbeat_s)
        every_s = self._endpoint.num_processes / _ACTIVITIES_A_SECOND
        spoke_s = time.monotonic()
        while True:
            try:
                up = outbox.get(timeout=_ACTIVITIES_EVERY_S)
            except queue.Empty:
                if self.welcome is not None:
                    for wait in self._waits.long(LONG_WAIT_S):
                        self.on_long_wait(*wait)
                activities = self._waits.activities()
                said_s = time.monotonic() - spoke_s
                if said_s < every_s:
                    continue
                if said_s < quiet_s and _is_expected(
                    activities, sent_activities, said_s
                ):
                    continue
                sent_activities = activities
                up = messages.Up(activities=messages.Activities(activities=activities))
            if up is None:
                return
            spoke_s = time.monotonic()
            yield wire.encode(up)

    def _take(self, down: messages.Down) -> None:
        if down.HasField("standby"):
            self._routes.learn(down.standby)
        if down.HasField("host_standby"):
            self.on_host_standby(down.host_standby)
        if down.HasField("changed"):
            self._take_losses(down.changed)
        with self._changed:
            if down.HasField("welcome"):
                self.welcome = down.welcome
            self._changed.notify_all()
        if down.HasField("preemption") or down.HasField("sync_step"):
            self.on_preemption(down)

    def _take_losses(self, states):
        new = []
        with self._changed:
            for info in states.task_state:
                old = self.losses.get(info.task_id)
                if old is None or (old.state, old.incarnation) != (
                    info.state,
                    info.incarnation,
                ):
                    self.losses[info.task_id] = info
                    new.append(info)
            self.failures = max(self.failures, states.version)
            listeners = list(self._listeners)
        for info in new:
            _notify(listeners, *_loss(info))

    def _finish(self, code, text):
        if self.welcome is not None:
            _log.warning("process %d: %s", self._endpoint.process_id, text)
        with self._changed:
            self.end = (code, text)
            listeners = list(self._listeners)
            self._changed.notify_all()
        _notify(listeners, "service", -1, text)

    # What others ask of it.

    def check(self, text: str) -> None:
        """Raises if the job is over for this process. Else a broken connection may mend."""
        if self.end is not None:
            raise status_errors.runtime_error(*self.end)
        if self._is_leaving:
            raise status_errors.runtime_error(
                "CANCELLED", "jax.distributed was shut down."
            )

    def send(self, up: messages.Up) -> None:
        """Sends a message to the service."""
        self._outbox.put(up)

    def leave(self, report: str) -> None:
        """Ends the session; with a report, as a failure."""
        if self._thread is None or self._is_leaving:
            return
        if report:
            self._outbox.put(messages.Up(report=messages.Report(text=report)))
        else:
            self._outbox.put(messages.Up(leaving=messages.Nothing()))
        self._is_leaving = True
        self.close()

    def close(self) -> None:
        """Ends the stream, and waits for the thread."""
        self._is_leaving = True
        self._outbox.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_END_S)


class _Ended:
    """A stream that the service ended without an error."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return "the service closed the session"


_TROUBLE_OF_NETWORK = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
}


def _is_expected(
    activities: list[messages.Activity], sent: list[messages.Activity], later_s: float
) -> bool:
    """Whether all is where it was: the service knows what time it is."""

    def key(activity):
        return (activity.program, activity.launch, activity.collective, activity.line)

    return len(activities) == len(sent) and all(
        key(new) == key(old)
        and (not new.collective or abs(new.for_ms - old.for_ms - later_s * 1000) < 1000)
        for new, old in zip(activities, sent, strict=True)
    )


def _some(items: list[str], most: int = 16) -> str:
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


def _plain(details: str) -> str:
    """gRPC's words without what only its authors want."""
    return re.sub(r"\s+", " ", details)[:300]


def _notify(listeners: list[Listener], kind: str, process: int, text: str) -> None:
    """Calls each, whatever the others do: the session must go on."""
    for listener in listeners:
        try:
            listener(kind, process, text)
        except Exception:
            _log.exception("a listener to the losses of processes failed")


def _loss(info):
    if info.state == messages.FAILED:
        return "failed", info.task_id, info.error_message
    return "left", info.task_id, "it has left: it shuts down"
