"""The profiler's server, and processes whose profiles are taken with this one's."""

import threading
import weakref
from collections.abc import Callable
from typing import Any

from jax._src.base import errors
from jax._src.profiler import lazy_modules, recording
from jax._src.runtime.devices import backends

_lock = threading.Lock()
_servers: list[Any] = []


class ProfilerServer:
    """A server that runs; `stop_server` ends it."""

    def __init__(self, port: int):
        self._port = port

    def __repr__(self) -> str:
        return f"ProfilerServer(port={self._port})"


def start_server(port: int, requires_backend: bool = True) -> ProfilerServer:
    """Starts a server from which other processes take profiles of this one.

    It speaks gRPC's service ``tensorflow.ProfilerService`` on all addresses of the machine, without encryption:
    whoever reaches the port can have profiles written where this process may write.

    Args:
        port: where it listens.
        requires_backend: whether devices are started first.

    Raises:
        ValueError: a server runs, or the port cannot be had.
        TypeError: the port is no whole number.
        NotImplementedError: the package grpcio is not installed.
    """
    _require_int("start_server", "port", port)
    with _lock:
        if _servers:
            raise errors.value_error(
                "Only one profiler server can be active at a time.",
                [("running, on port", str(_servers[0].port))],
                ways="Call jax.profiler.stop_server() first.",
            )
        if requires_backend:
            backends.backends()
        try:
            if not 0 <= port <= 65535:
                raise OSError("there is no such port")
            _servers.append(_service("start_server").Server(port))
        except OSError as error:
            raise errors.value_error(
                "start_server: the server cannot listen.",
                [("port", str(port)), ("reason", str(error))],
                "A port is 0 to 65535, and belongs to one process at a time.",
                "Choose another port; 0 takes one that is free.",
            ) from None
        return ProfilerServer(_servers[0].port)


def stop_server() -> None:
    """Stops the server; a profile that it takes ends.

    Raises:
        ValueError: none runs.
    """
    with _lock:
        if not _servers:
            raise errors.value_error(
                "No active profiler server.",
                rule="stop_server ends the server that start_server began.",
                ways="Call jax.profiler.start_server(port) first.",
            )
        _servers.pop().stop()


def register_subprocess(pid: int, port: int) -> Callable[[], None]:
    """Takes profiles of another process together with those of this one.

    Args:
        pid: the process.
        port: where its server listens on this machine.

    Returns:
        A function that ends this; so does its garbage collection.

    Raises:
        JaxRuntimeError: nobody answers there.
        RuntimeError: the process is registered already.
        TypeError: an argument is no whole number.
    """
    _require_int("register_subprocess", "pid", pid)
    _require_int("register_subprocess", "port", port)
    if pid in recording.subprocesses:
        raise errors.runtime_error(
            "register_subprocess: the process is registered already.",
            [("pid", str(pid))],
            ways="Call the function that the first registration returned.",
        )
    found = _service("register_subprocess").Subprocess(pid, port)
    recording.subprocesses[pid] = found

    def unregister() -> None:
        end()

    end = weakref.finalize(unregister, _forget, pid, found)
    return unregister


def _forget(pid, found):
    if recording.subprocesses.get(pid) is found:
        del recording.subprocesses[pid]
    found.close()


def _require_int(function, name, value):
    if not isinstance(value, int):
        raise errors.type_error(
            f"{function}(): incompatible function arguments.",
            [(name, repr(value)), ("type", type(value).__name__)],
            "It is a whole number.",
        )


def _service(function):
    try:
        return lazy_modules.load("service")
    except ModuleNotFoundError as error:
        raise errors.not_implemented(
            f"jax.profiler.{function}: the profiler's server needs gRPC.",
            [("missing", str(error.name))],
            ways="pip install grpcio, or write traces with jax.profiler.start_trace(folder).",
        ) from None
