"""Starts the coordination service as a process of its own, and ends it."""

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from jax._src.base import errors, records
from jax._src.distributed import lazy_modules
from jax._src.distributed.service import forking

_PROGRAM = Path(__file__).resolve().parent / "service_process.py"
_START_S = 30.0
_END_S = 3.0
# Services that outlive their handle, because other processes were still connected.
_lingering: list["Process"] = []

Process = subprocess.Popen | forking.Child


@records.record
class Certificates:
    """Paths of the files for mutual TLS: own certificate, its key, and the authority's certificate."""

    certificate: str
    key: str
    authority: str


def paths_of(certificates: Certificates) -> dict[str, str]:
    """The paths by what they are."""
    return {
        name: getattr(certificates, name) for name in records.fields_of(Certificates)
    }


class Host:
    """A running service, from the side of the process that started it."""

    def __init__(self, process: Process, ports: list[int]):
        self._process = process
        self.ports = ports
        # Processes that failed or began to leave, in this order.
        self.lost: list[int] = []
        self._lock = threading.Lock()
        self._listener = threading.Thread(
            target=self._listen, name="jax service", daemon=True
        )
        self._listener.start()

    def _listen(self):
        for line in self._process.stdout:
            self.lost.append(json.loads(line)["lost"])

    @property
    def pid(self) -> int:
        """The process in which it runs."""
        return self._process.pid

    def status(self) -> int | None:
        """The exit status of its process; None: it runs."""
        return self._process.poll()

    def process_ended(self, process: int, how: str) -> None:
        """Notifies the service that a process of the job ended, and how."""
        line = json.dumps({"process": process, "how": how}) + "\n"
        with self._lock:
            try:
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()
            except (OSError, ValueError):
                return  # it has ended itself

    def shutdown(self) -> None:
        """Releases the service. It ends when the last process has left it."""
        with self._lock:
            try:
                self._process.stdin.close()
            except OSError:
                pass  # it had ended already
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            _lingering.append(self._process)
            return
        self._listener.join(_END_S)
        self._process.stdout.close()


class Starting:
    """A service that was started, and may not listen yet."""

    def __init__(self, process: Process, plan: dict[str, Any]):
        self._process = process
        self._addresses = plan["addresses"]
        self._timer = threading.Timer(_START_S, process.kill)

    def finish(self) -> Host:
        """Waits until it listens.

        Raises:
            RuntimeError: it cannot listen there.
        """
        process = self._process
        self._timer.start()
        try:
            answer = json.loads(process.stdout.readline() or b"{}")
        except (OSError, ValueError):
            answer = {}
        finally:
            self._timer.cancel()
        if "ports" in answer:
            return Host(process, answer["ports"])
        self.give_up()
        raise errors.runtime_error(
            "The coordination service cannot be started.",
            [
                ("addresses", ", ".join(self._addresses)),
                ("error", answer.get("error", "it ended without a word")),
            ],
            ways="Is another program listening there? Choose another port in "
            "coordinator_address, or an address of this machine in "
            "coordinator_bind_address.",
        )

    def give_up(self) -> None:
        """Ends it: nobody wants it any more."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


def start(
    addresses: list[str],
    settings: dict[str, Any],
    certificates: Certificates | None,
    follow: dict[str, Any] | None = None,
) -> Host:
    """Starts a service in an interpreter of its own, and waits until it listens.

    Args:
        addresses: ``host:port`` to listen at; port 0: a free one.
        settings: those of `service.Settings`, by name.
        certificates: for mutual TLS; None: plain text.
        follow: a `standby.Plan` by its fields, for a standby; None: the job is this service's.

    Raises:
        RuntimeError: it cannot listen there.
    """
    return _spawn(_plan(addresses, settings, certificates, follow)).finish()


def begin(
    addresses: list[str],
    settings: dict[str, Any],
    certificates: Certificates | None,
    *,
    is_new: bool,
) -> Starting:
    """Starts a service in the quickest way that is safe here, and does not wait for it.

    Args:
        addresses: ``host:port`` to listen at; port 0: a free one.
        settings: those of `service.Settings`, by name.
        certificates: for mutual TLS; None: plain text.
        is_new: whether this process has loaded gRPC, and not used it.
    """
    plan = _plan(addresses, settings, certificates, None)
    if is_new and forking.is_safe():
        # Loaded here: a child that loads it copies twice as many pages as that takes.
        service_main = lazy_modules.load("service.service_main")
        child = forking.fork(lambda: service_main.main(plan))
        return Starting(child, plan)
    return _spawn(plan)


def _plan(addresses, settings, certificates, follow):
    return {
        "path": sys.path,
        "addresses": addresses,
        "settings": settings,
        "certificates": certificates and paths_of(certificates),
        "follow": follow,
    }


def _spawn(plan):
    process = subprocess.Popen(
        [sys.executable, "-P", str(_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Signals of the terminal, and of whoever ends the program's group, are not for it.
        start_new_session=True,
    )
    with contextlib.suppress(OSError):  # it has ended, and will not answer
        process.stdin.write(json.dumps(plan).encode() + b"\n")
        process.stdin.flush()
    return Starting(process, plan)
