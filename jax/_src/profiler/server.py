"""The profiler's server, which this implementation does not have: its functions say so when they are called."""

from collections.abc import Callable
from typing import Any, NoReturn

from jax._src.base import errors


def start_server(port: int, requires_backend: bool = True) -> NoReturn:
    """Refuses to start a server that other processes take traces from.

    Args:
        port: where it would listen.
        requires_backend: whether it would wait for devices.

    Raises:
        NotImplementedError: always; the message names what writes traces here.
    """
    raise NotImplementedError(_message("start_server", [("port", repr(port))]))


def stop_server() -> NoReturn:
    """Refuses to stop a server, since none can run.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        errors.explain(
            "No active profiler server.",
            rule="This implementation has none: jax.profiler.start_server refuses.",
        )
    )


def register_subprocess(pid: int, port: int) -> Callable[[], None]:
    """Refuses to take traces of a process below this one together with its own.

    Args:
        pid: the process.
        port: where its server listens.

    Raises:
        NotImplementedError: always; the message names what writes traces here.
    """
    raise NotImplementedError(
        _message("register_subprocess", [("pid", repr(pid)), ("port", repr(port))])
    )


def _message(name: str, facts: list[tuple[str, Any]]) -> str:
    return errors.explain(
        f"jax.profiler.{name}: there is no profiler server.",
        facts,
        "Traces are written by the process that they are of.",
        "Use jax.profiler.start_trace(folder) and stop_trace(); TensorBoard reads the folder.",
    )
