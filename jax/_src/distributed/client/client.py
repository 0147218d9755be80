"""A process's side of the coordination service: keys and values, barriers, and news of other processes."""

import itertools
import logging
import operator
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import grpc

from jax._src.base import records, version
from jax._src.base.traceback_filter import hides_frames
from jax._src.distributed.client import routes, status, wait_records, watchdog
from jax._src.distributed.client.session import Session
from jax._src.distributed.messages import channels, messages, status_errors, wire

_log = logging.getLogger(__name__)

# What the loss of a connection looks like, if the service did not say it itself.
_BROKEN = {"UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN"}
# How long calls without a timeout of their own may take.
_CALL_S = 120.0
# The table of all is wanted at once, or not at all.
_STATES_S = 10.0
# More than the service lets anybody wait.
_MAX_TIMEOUT_MS = 1 << 40
_RETRY_S = 0.1
_TURN_S = 0.01


@records.record
class Endpoint:
    """Where the service is, and who asks."""

    address: str
    process_id: int
    num_processes: int
    heartbeat_s: float = 100.0
    shutdown_s: float = 300.0
    # For mutual TLS; None: plain text.
    credentials: Any = None
    # The name in the service's certificate; empty: the host's name.
    server_name: str = ""
    # How long a collective may wait; 0: for ever.
    collective_s: float = 0.0
    # The same for the address of a standby; None: the name above.
    standby_name: Callable[[str], str] | None = None

    def name_of(self, address: str) -> str:
        """The name in the certificate of the service, or its standby, at an address."""
        if address == self.address or self.standby_name is None:
            return self.server_name
        return self.standby_name(address)


class Client:
    """The connection of a process to its job."""

    def __init__(self, endpoint: Endpoint):
        self.endpoint = endpoint
        self.incarnation = int.from_bytes(os.urandom(8)) | 1
        self._routes = routes.Routes(endpoint)
        self._numbers = itertools.count(1)
        self._failures_seen = 0
        self.waits = wait_records.Waits()
        self._session = Session(
            self._routes, self._hello, endpoint, self.waits, self.states
        )
        self._session.on_long_wait = self._warn_of_wait
        self.stalls = watchdog.Stalls(
            self.waits, self.states, endpoint.num_processes, endpoint.collective_s
        )
        self._is_closed = False

    def _warn_of_wait(self, what: str, line: str, seconds: float) -> None:
        """Logs who does what while this process waits. In a thread: the service may be slow."""

        def warn():
            try:
                table = status.of_client(self).waiting_at_others(self.process_id, what)
            except RuntimeError as error:
                table = str(error)
            _log.warning(
                "process %d has waited %.0f s for %s (at %s). The others:\n%s",
                *(self.process_id, seconds, what, line, table),
            )

        threading.Thread(target=warn, name="jax long wait", daemon=True).start()

    def _hello(self, is_return: bool) -> messages.Hello:
        return messages.Hello(
            incarnation=self.incarnation,
            source_task_id=self.endpoint.process_id,
            protocol=messages.PROTOCOL,
            release=version.__version__,
            host=os.uname().nodename,
            pid=os.getpid(),
            num_processes=self.endpoint.num_processes,
            is_return=is_return,
            epoch=self._routes.epoch,
        )

    # Coming and going.

    @hides_frames
    def connect(self, timeout_s: float = 300.0) -> None:
        """Waits until all processes of the job are there.

        Raises:
            JaxRuntimeError: the service refuses this process, or not all came in time.
        """
        with self.waits.at("jax.distributed.initialize"):
            try:
                self._session.start(timeout_s)
            except BaseException:
                self._session.close()
                self._routes.close()
                raise
        self.stalls.start()

    @hides_frames
    def shutdown(self) -> None:
        """Leaves the job, together with the others.

        Raises:
            JaxRuntimeError: not all others came to their end within the shutdown timeout.
        """
        if self._is_closed:
            return
        self._is_closed = True
        try:
            if self._session.is_alive:
                with self.waits.at("jax.distributed.shutdown"):
                    timeout_s = self.endpoint.shutdown_s + 5
                    self._call("ShutdownTask", messages.Nothing(), None, timeout_s)
        finally:
            self.leave()

    def leave(self, report: str = "") -> None:
        """Leaves at once, without the others. They are told why, if there is a reason."""
        self._is_closed = True
        self.stalls.stop()
        self._session.leave(report)
        self._routes.close()

    # Keys and values.

    @hides_frames
    def key_value_set(
        self, key: str, value: str, allow_overwrite: bool = False
    ) -> None:
        """Stores a text under a key.

        Raises:
            JaxRuntimeError: ``ALREADY_EXISTS``, unless `allow_overwrite`.
        """
        _check(value, str, "key_value_set: the value")
        self.key_value_set_bytes(key, value.encode(), allow_overwrite)

    @hides_frames
    def key_value_set_bytes(
        self, key: str, value: bytes, allow_overwrite: bool = False
    ) -> None:
        """Stores bytes under a key. Errors as for `key_value_set`."""
        _check(value, (bytes, bytearray, memoryview), "key_value_set_bytes: the value")
        pair = messages.KeyValue(key=_key(key), value=bytes(value))
        request = messages.InsertKeyValue(
            kv=pair, allow_overwrite=bool(allow_overwrite)
        )
        self._call("InsertKeyValue", request, messages.Nothing)

    @hides_frames
    def blocking_key_value_get(self, key: str, timeout_in_ms: int) -> str:
        """The text under a key, as soon as there is one.

        Raises:
            JaxRuntimeError: ``DEADLINE_EXCEEDED``, or ``UNAVAILABLE`` if a process failed meanwhile.
        """
        return self.blocking_key_value_get_bytes(key, timeout_in_ms).decode()

    @hides_frames
    def blocking_key_value_get_bytes(self, key: str, timeout_in_ms: int) -> bytes:
        """The bytes under a key, as soon as there are any. Errors as for the text."""
        late = (
            f"GetKeyValue() timed out with key: {key} and duration: {timeout_in_ms}ms"
        )
        with self.waits.at(f"key {key}") as wait:
            request = messages.GetKeyValue(
                key=_key(key), failures_seen=self._failures_seen
            )
            answer = self._call(
                "GetKeyValue",
                request,
                messages.KeyValueAnswer,
                timeout_in_ms / 1000,
                late,
                wait,
            )
        return _value(answer)

    @hides_frames
    def key_value_try_get(self, key: str) -> str:
        """The text under a key.

        Raises:
            JaxRuntimeError: ``NOT_FOUND``.
        """
        return self.key_value_try_get_bytes(key).decode()

    @hides_frames
    def key_value_try_get_bytes(self, key: str) -> bytes:
        """The bytes under a key. Errors as for the text."""
        request = messages.GetKeyValue(key=_key(key))
        return _value(self._call("TryGetKeyValue", request, messages.KeyValueAnswer))

    @hides_frames
    def key_value_increment(self, key: str, increment: int) -> int:
        """Adds to a number stored as text (none counts as 0), and returns the sum."""
        request = messages.IncrementKeyValue(
            key=_key(key), increment=operator.index(increment)
        )
        return int(
            _value(self._call("IncrementKeyValue", request, messages.KeyValueAnswer))
        )

    @hides_frames
    def key_value_dir_get(self, key: str) -> list[tuple[str, str]]:
        """All keys below a folder with their texts, sorted."""
        return [(k, v.decode()) for k, v in self.key_value_dir_get_bytes(key)]

    @hides_frames
    def key_value_dir_get_bytes(self, key: str) -> list[tuple[str, bytes]]:
        """All keys below a folder with their bytes, sorted."""
        request = messages.GetKeyValueDir(directory_key=_key(key))
        answer = self._call("GetKeyValueDir", request, messages.KeyValueDir)
        return [(kv.key, kv.value) for kv in answer.kv]

    @hides_frames
    def key_value_delete(self, key: str) -> None:
        """Removes a key and all below it. That there is none is no error."""
        request = messages.DeleteKeyValue(key=_key(key), is_directory=True)
        self._call("DeleteKeyValue", request, messages.Nothing)

    # Waiting for each other.

    @hides_frames
    def wait_at_barrier(
        self,
        barrier_id: str,
        timeout_in_ms: int,
        process_ids: Sequence[int] | None = None,
    ) -> None:
        """Waits until all processes, or those named, have come to the barrier.

        Raises:
            JaxRuntimeError: ``DEADLINE_EXCEEDED``, ``INVALID_ARGUMENT`` if they mean different barriers, or
                ``UNAVAILABLE`` if one failed or left.
        """
        _check(barrier_id, str, "wait_at_barrier: the barrier's id")
        ids = [int(k) for k in process_ids or ()]
        request = messages.Barrier(
            barrier_id=barrier_id,
            timeout_ms=int(min(timeout_in_ms, _MAX_TIMEOUT_MS)),
            task_ids=ids,
            source_task_id=self.process_id,
        )
        with self.waits.at(f"barrier {barrier_id}") as wait:
            # The service keeps the time; ours is for a service that does not answer.
            timeout_s = timeout_in_ms / 1000 + self.endpoint.heartbeat_s
            self._call("Barrier", request, messages.BarrierAnswer, timeout_s, wait=wait)

    @hides_frames
    def get_live_nodes(self, process_ids: Sequence[int]) -> dict[int, int]:
        """Returns the live processes among `process_ids`, each with a number that is new when it has restarted.

        Waits until all that live have made the same request.
        """
        request = messages.GetAliveTasks(
            requesting_task_id=self.process_id, task_ids=[int(k) for k in process_ids]
        )
        with self.waits.at("live processes"):
            answer = self._call("GetAliveTasks", request, messages.AliveTasks, 1e8)
        return dict(zip(answer.alive_task_ids, answer.incarnations, strict=True))

    # Others.

    @property
    def process_id(self) -> int:
        """The index of this process in the job."""
        return self.endpoint.process_id

    @property
    def session(self) -> Session:
        """Messages that the service sends without a request: losses, notices of preemption."""
        return self._session

    @hides_frames
    def states(self) -> messages.TaskStates:
        """All processes, as the service knows them."""
        return self._call(
            "WatchJobState", messages.Nothing(), messages.TaskStates, _STATES_S
        )

    def _call(
        self,
        name: str,
        request: Any,
        answer: type | None,
        timeout_s: float = _CALL_S,
        late: str = "",
        wait: wait_records.Wait | None = None,
    ) -> Any:
        """Asks the service, again if the connection breaks meanwhile.

        Every call has a number, by which the service knows one that it has answered before.
        """
        number = next(self._numbers)
        meta = channels.metadata(self.process_id, self.incarnation, number)
        data = wire.encode(request)
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                left_s = max(deadline - time.monotonic(), 0.001)
                if wait is None:
                    raw = self._routes.unary(name)(data, timeout=left_s, metadata=meta)
                else:
                    future = self._routes.unary(name).future(
                        data, timeout=left_s, metadata=meta
                    )
                    wait.give_up = future.cancel
                    raw = future.result()
            except grpc.FutureCancelledError:
                text = wait.end if wait is not None else ""
                raise status_errors.runtime_error("DEADLINE_EXCEEDED", text) from None
            except grpc.RpcError as error:
                code, text = error.code().name, error.details() or ""
                known = channels.failures_known(error)
                if known is not None or code not in _BROKEN:
                    if code == "UNAVAILABLE":
                        # The caller hears of the failure: its next waits go on in spite of it.
                        self._failures_seen = max(self._failures_seen, known)
                    if code == "DEADLINE_EXCEEDED" and late:
                        text = late
                    raise status_errors.runtime_error(code, text) from None
                self._session.check(text)
                time.sleep(min(_RETRY_S, left_s))
            except ValueError as error:
                if not self._routes.is_closed and time.monotonic() < deadline:
                    time.sleep(_TURN_S)  # from the service to its standby, or back
                    continue
                raise status_errors.runtime_error(
                    "CANCELLED", f"jax.distributed was shut down ({error})."
                ) from None
            else:
                return None if answer is None else wire.decode(answer, raw)


def _key(key: Any) -> str:
    _check(key, str, "the key-value store: a key")
    return key


def _check(value, kinds, what):
    if not isinstance(value, kinds):
        wanted = "text (str)" if kinds is str else "bytes"
        raise TypeError(
            f"{what} must be {wanted}, not {value!r} of type {type(value).__name__}."
        )


def _value(answer):
    return answer.kv.value
