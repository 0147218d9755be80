"""Starts the coordination service as a process of its own, and ends it."""

import dataclasses
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from jax._src.base import errors

_PROGRAM = Path(__file__).resolve().parent / "service_process.py"
_START_S = 30.0
_END_S = 3.0
# Services that outlive their handle, because other processes were still connected.
_lingering: list[subprocess.Popen] = []


@dataclasses.dataclass(frozen=True, slots=True)
class Certificates:
    """Paths of the files for mutual TLS: own certificate, its key, and the authority's certificate."""

    certificate: str
    key: str
    authority: str


class Host:
    """A running service, from the side of the process that started it."""

    def __init__(self, process: subprocess.Popen, ports: list[int]):
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
        """Tells the service that a process of the job ended, and how."""
        line = json.dumps({"process": process, "how": how}) + "\n"
        with self._lock:
            try:
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()
            except (OSError, ValueError):
                return  # it has ended itself

    def shutdown(self) -> None:
        """Lets go of the service. It ends when the last process has left it."""
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


def start(
    addresses: list[str],
    settings: dict[str, Any],
    certificates: Certificates | None,
    follow: dict[str, Any] | None = None,
) -> Host:
    """Starts a service.

    Args:
        addresses: ``host:port`` to listen at; port 0: a free one.
        settings: those of `service.Settings`, by name.
        certificates: for mutual TLS; None: plain text.
        follow: a `standby.Plan` by its fields, for a standby; None: the job is this service's.

    Raises:
        RuntimeError: it cannot listen there.
    """
    plan = {
        "path": sys.path,
        "addresses": addresses,
        "settings": settings,
        "certificates": certificates and dataclasses.asdict(certificates),
        "follow": follow,
    }
    process = subprocess.Popen(
        [sys.executable, "-P", str(_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Signals of the terminal, and of whoever ends the program's group, are not for it.
        start_new_session=True,
    )
    timer = threading.Timer(_START_S, process.kill)
    timer.start()
    try:
        process.stdin.write(json.dumps(plan).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or b"{}")
    except (OSError, ValueError):
        answer = {}
    finally:
        timer.cancel()
    if "ports" not in answer:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        raise RuntimeError(
            errors.explain(
                "The coordination service cannot be started.",
                [
                    ("addresses", ", ".join(addresses)),
                    ("error", answer.get("error", "it ended without a word")),
                ],
                ways="Is another program listening there? Choose another port in "
                "coordinator_address, or an address of this machine in "
                "coordinator_bind_address.",
            )
        )
    return Host(process, answer["ports"])
