"""The gRPC service by which other processes take profiles of this one.

Source: ``profiler_service.proto`` of TensorFlow's profiler, whose clients are `xprof`'s capture button and its command line.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import threading
import time
from collections.abc import Callable
from typing import Any

import grpc

from jax._src.base import errors, protobuf
from jax._src.profiler import data, files, options as profile_options, recording

_SERVICE = "tensorflow.ProfilerService"
# Beyond upstream's fields: whether the profile is wanted in the answer, which has it as an `XSpace`.
_SCHEMA = protobuf.Schema(
    {
        "ProfileRequest": """
            duration_ms=1:uint opts=4:bytes repository_root=5:text session_id=6:text
            host_name=7:text wants_space=100:bool
        """,
        "ProfileResponse": "empty_trace=7:bool space=100:bytes",
        "TerminateRequest": "session_id=1:text",
        "TerminateResponse": "",
        "MonitorRequest": "duration_ms=1:uint monitoring_level=2:int timestamp=3:bool",
        "MonitorResponse": "data=1:text",
    }
)
_DAY_MS = 24 * 3600 * 1000
_POLL_S, _START_S = 0.01, 5.0
_TAKEN = "a profile is taken"


class Server:
    """Answers until it is stopped.

    Args:
        port: where it listens, on all addresses.

    Raises:
        OSError: the port is in use.
    """

    def __init__(self, port: int):
        pool = concurrent.futures.ThreadPoolExecutor(
            4, thread_name_prefix="profiler-server"
        )
        self._server = grpc.server(pool, options=[("grpc.so_reuseport", 0)])
        self._pool = pool
        self._ended: dict[str, threading.Event] = {}
        handlers = {
            "Profile": _handler(self._profile, "ProfileRequest", "ProfileResponse"),
            "Terminate": _handler(
                self._terminate, "TerminateRequest", "TerminateResponse"
            ),
            "Monitor": _handler(_monitor, "MonitorRequest", "MonitorResponse"),
        }
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, handlers),)
        )
        try:
            self.port = self._server.add_insecure_port(f"[::]:{port}")
        except RuntimeError as error:
            pool.shutdown(wait=False)
            raise OSError(str(error)) from None
        if not self.port:
            pool.shutdown(wait=False)
            raise OSError(f"port {port} is in use")
        self._server.start()

    def stop(self) -> None:
        """Ends profiles that are being taken, and listens no more."""
        for ended in list(self._ended.values()):
            ended.set()
        self._server.stop(grace=1).wait()
        self._pool.shutdown(wait=False)

    def _profile(self, request, context):
        options = profile_options.deserialize(request.get("opts", b""))
        identity = request.get("session_id") or time.strftime("%Y_%m_%d_%H_%M_%S")
        ended = self._ended[identity] = threading.Event()
        context.add_callback(ended.set)
        try:
            try:
                session = recording.start(options, f"{context.peer()}, over the server")
            except RuntimeError as error:
                context.abort(grpc.StatusCode.ALREADY_EXISTS, str(error))
            duration_ms = request.get("duration_ms") or options.duration_ms or _DAY_MS
            ended.wait(duration_ms / 1e3)
            if recording.end(session) is None:
                context.abort(grpc.StatusCode.ABORTED, "the profile was ended")
            space = session.stop()
        finally:
            self._ended.pop(identity, None)
        if request.get("wants_space"):
            return {"space": space}
        host = (request.get("host_name") or recording.host_name()).replace(":", "_")
        folder = pathlib.Path(request.get("repository_root", "")) / identity
        try:
            files.write(data.ProfileData(space), host, folder)
        except OSError as error:
            text = f"{folder}: {error.strerror}"
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
        return {"empty_trace": False}

    def _terminate(self, request, context):
        ended = self._ended.get(request.get("session_id", ""))
        if ended is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such profile is being taken")
        ended.set()
        return {}


def _monitor(request, context):
    """What the process is, in a line; counters of devices are not kept."""
    devices = sum(client.device_count() for client in recording.clients())
    stamp = time.strftime("Timestamp: %H:%M:%S\n") if request.get("timestamp") else ""
    state = _TAKEN if recording.is_any_running() else "no profile is taken"
    return {"data": f"{stamp}Devices: {devices}; process {os.getpid()}; {state}\n"}


def _handler(function, request, response):
    def call(content, context):
        try:
            message = _SCHEMA.decode(request, content)
        except ValueError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return _SCHEMA.encode(response, function(message, context))

    return grpc.unary_unary_rpc_method_handler(call)


class Subprocess:
    """Another process, whose server takes a profile together with this process's.

    Args:
        pid: the process.
        port: where its server listens on this machine.
        timeout_s: how long to wait for it.

    Raises:
        JaxRuntimeError: nobody answers there.
    """

    def __init__(self, pid: int, port: int, timeout_s: float = 5.0):
        self.pid = pid
        self._channel = grpc.insecure_channel(f"localhost:{port}")
        try:
            grpc.channel_ready_future(self._channel).result(timeout_s)
        except grpc.FutureTimeoutError:
            self._channel.close()
            raise errors.JaxRuntimeError(
                errors.explain(
                    f"DEADLINE_EXCEEDED: Timeout while connecting to localhost:{port}",
                    [("pid", str(pid)), ("waited", f"{timeout_s:g} seconds")],
                    "A process is registered while its profiler's server runs.",
                    "Call jax.profiler.start_server(port) in that process first.",
                )
            ) from None
        self._identity = ""
        self._answer: Any = None

    def start(self, options: bytes, identity: str) -> None:
        """Begins its profile."""
        self._identity = f"{identity}/{self.pid}"
        request = {"opts": options, "session_id": self._identity, "wants_space": True}
        self._answer = self._method("Profile").future(
            _SCHEMA.encode("ProfileRequest", {**request, "duration_ms": _DAY_MS})
        )
        end = time.monotonic() + _START_S
        while not self._is_recording() and time.monotonic() < end:
            time.sleep(_POLL_S)

    def _is_recording(self):
        """Whether its profile has begun, or failed to."""
        if self._answer.done():
            return True
        try:
            answer = self._method("Monitor")(b"", timeout=_START_S)
        except grpc.RpcError:
            return True
        text = _SCHEMA.decode("MonitorResponse", answer).get("data", "")
        return _TAKEN in text

    def stop(self, timeout_s: float = 30.0) -> bytes:
        """Ends its profile: an `XSpace`.

        Raises:
            RuntimeError: the process does not answer.
        """
        request = _SCHEMA.encode("TerminateRequest", {"session_id": self._identity})
        # A profile that ended by itself is handed out all the same.
        with contextlib.suppress(grpc.RpcError):
            self._method("Terminate")(request, timeout=timeout_s)
        try:
            answer = self._answer.result(timeout_s)
        except (grpc.RpcError, grpc.FutureTimeoutError) as error:
            text = error.details() if isinstance(error, grpc.RpcError) else "no answer"
            raise RuntimeError(f"process {self.pid}: {text}") from None
        return _SCHEMA.decode("ProfileResponse", answer).get("space", b"")

    def close(self) -> None:
        """Releases the service."""
        self._channel.close()

    def _method(self, name: str) -> Callable:
        return self._channel.unary_unary(f"/{_SERVICE}/{name}")
