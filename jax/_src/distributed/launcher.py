"""Starts the processes of a job on this machine: `python -m jax.distributed --processes 4 PROGRAM`.

It makes certificates for the job, starts the coordination service, puts the process's number before each
line that a process writes, and ends all when one fails. Its status is that of the first that failed.
"""

import argparse
import collections
import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from jax._src.base import config
from jax._src.distributed import lazy_modules
from jax._src.distributed.service import hosting

_COLOURS = (36, 33, 35, 32, 34, 31)
_KILL_S = 10.0
_TAIL_LINES = 25
_LINE_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str] | None = None) -> int:
    """Runs a job; returns the exit status of the first process that failed, or 0."""
    options = _parser().parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="jax-job-"))
    try:
        variables, hosts = _open_job(options, folder)
        try:
            return _Job(options, variables, hosts).run()
        finally:
            for host in reversed(hosts):
                host.shutdown()
    except (RuntimeError, OSError) as error:
        print(f"jax.distributed: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m jax.distributed", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "-n", "--processes", type=_positive, required=True, help="how many to start"
    )
    parser.add_argument("--devices", type=_positive, help="CPU devices of each process")
    parser.add_argument(
        "--cpus",
        type=_positive,
        help="processors of each process; otherwise shared out",
    )
    parser.add_argument(
        "--heartbeat",
        type=_seconds,
        default=10.0,
        help="seconds without an answer after which a process counts as failed (10)",
    )
    parser.add_argument(
        "--grace",
        type=_seconds,
        default=10.0,
        help="seconds that the others have to end by themselves when one fails (10)",
    )
    parser.add_argument(
        "--timeout", type=_seconds, help="seconds after which all are ended"
    )
    parser.add_argument(
        "--log-dir", type=Path, help="also write what each says to files there"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="no certificates: who can log in to this machine may interfere",
    )
    parser.add_argument(
        "--standby",
        action="store_true",
        help="a second coordination service, which goes on if the first is lost",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="run a module")
    parser.add_argument("script", help="the program, or the module after -m")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _positive(text):
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def _seconds(text):
    if not (number := float(text)) > 0:
        raise ValueError(text)
    return number


def _open_job(options, folder):
    """Starts the service; returns what all processes are told, by process, and the service.

    Behind the service comes its standby, if one is wanted.
    """
    settings = {
        "num_processes": options.processes,
        "heartbeat_s": options.heartbeat,
        "shutdown_s": 300.0,
        "is_recoverable": bool(config.config.jax_enable_recoverability),
        "standby_ticket": secrets.randbits(63) | 1 if options.standby else 0,
    }
    variables: list[dict[str, str]] = [{} for _ in range(options.processes)]
    certificates = None
    if not options.insecure:
        authority = _authority()
        certificates = authority.write(folder, None)
        settings["peer_uri_prefix"] = authority.uri_prefix
        for k, own in enumerate(variables):
            files = authority.write(folder, k)
            own["JAX_MTLS_CERT_FILE"] = files.certificate
            own["JAX_MTLS_KEY_FILE"] = files.key
            own["JAX_MTLS_CA_FILE"] = files.authority
            own["JAX_MTLS_PEER_URI_PREFIX"] = authority.uri_prefix
    name = authority.server_name if certificates is not None else ""
    hosts = _start_services(settings, certificates, name, options.standby)
    for k, own in enumerate(variables):
        own["JAX_COORDINATOR_ADDRESS"] = f"127.0.0.1:{hosts[0].ports[0]}"
        own["JAX_COORDINATOR_RUNS"] = "1"
        own["JAX_NUM_PROCESSES"] = str(options.processes)
        own["JAX_PROCESS_ID"] = str(k)
        own["PYTHONUNBUFFERED"] = "1"
        if options.devices is not None:
            own["JAX_NUM_CPU_DEVICES"] = str(options.devices)
    return variables, hosts


def _start_services(settings, certificates, server_name, has_standby):
    hosts = [hosting.start(["127.0.0.1:0"], settings, certificates)]
    if has_standby:
        follow = {
            "address": f"127.0.0.1:{hosts[0].ports[0]}",
            "ticket": settings["standby_ticket"],
            "server_name": server_name,
        }
        try:
            second = hosting.start(["127.0.0.1:0"], settings, certificates, follow)
        except BaseException:
            hosts[0].shutdown()
            raise
        hosts.append(second)
    return hosts


def _authority():
    try:
        return lazy_modules.load("security.certificates").new_authority()
    except ModuleNotFoundError:
        raise RuntimeError(
            "certificates for the job need the package cryptography.\n"
            "Install it:  pip install cryptography\n"
            "Or go without:  --insecure, if you trust everybody who can log in here."
        ) from None


class _Job:
    """The processes, from start to end."""

    def __init__(self, options: Any, variables: list[dict], hosts: list[hosting.Host]):
        self._options = options
        self._variables = variables
        self._hosts = hosts
        # Services that were seen to end.
        self._ended_hosts: set[int] = set()
        self._children: list[subprocess.Popen] = []
        self._readers: list[threading.Thread] = []
        self._tails = [
            collections.deque(maxlen=_TAIL_LINES) for _ in range(options.processes)
        ]
        self._writing = threading.Lock()
        self._began_s = time.monotonic()
        # Processes that failed before we ended any, in the order in which they ended.
        self._failed: list[int] = []
        self._failed_s: float | None = None
        # The status if all were ended for another reason.
        self._stopped: int | None = None
        self._term_s: float | None = None

    def run(self) -> int:
        """Starts all, waits for all, says what went wrong."""
        command = [sys.executable]
        command += ["-m"] if self._options.module else []
        command += [self._options.script, *self._options.args]
        shares = _shares(self._options.processes, self._options.cpus)
        # Children first, threads after: what runs between fork and exec must be alone.
        for own, cpus in zip(self._variables, shares, strict=True):
            threads = {"JAX_CPU_THREADS": str(len(cpus))} if cpus else {}
            self._children.append(
                subprocess.Popen(
                    command,
                    env={**threads, **os.environ, **own},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    preexec_fn=_before_exec(cpus),
                )
            )
        self._read_all()
        before = {
            number: signal.signal(number, lambda n, _: self._pass_on(n))
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            self._wait()
        finally:
            self._end(signal.SIGKILL)
            for number, handler in before.items():
                signal.signal(number, handler)
        for reader in self._readers:
            reader.join(2)
        return self._verdict()

    def _read_all(self):
        logs = self._options.log_dir
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
        for k, child in enumerate(self._children):
            for name in ("stdout", "stderr"):
                pipe, target = getattr(child, name), getattr(sys, name)
                log = None if logs is None else (logs / f"{k}.{name}").open("wb")
                tail = self._tails[k] if name == "stderr" else None
                reader = threading.Thread(
                    target=self._copy, args=(k, pipe, target, tail, log), daemon=True
                )
                reader.start()
                self._readers.append(reader)

    def _copy(self, k: int, pipe: BinaryIO, target: Any, tail: Any, log: Any) -> None:
        """Copies what a process writes, line by line, with its number before each."""
        mark = f"[{k}]"
        if target.isatty() and "NO_COLOR" not in os.environ:
            mark = f"\x1b[{_COLOURS[k % len(_COLOURS)]}m{mark}\x1b[0m"
        while line := pipe.readline(_LINE_BYTES):
            if log is not None:
                log.write(line)
                log.flush()
            text = line.decode(errors="replace").rstrip("\n")
            if tail is not None:
                tail.append(text)
            with self._writing, contextlib.suppress(OSError):
                target.write(f"{mark} {text}\n")
                target.flush()
        if log is not None:
            log.close()

    def _wait(self):
        """Waits until all have ended; after a failure, not for ever."""
        running = dict(enumerate(self._children))
        while running:
            for k, child in list(running.items()):
                if (status := child.poll()) is not None:
                    del running[k]
                    self._ended(k, status)
            self._look_at_services()
            self._hurry(bool(running))
            time.sleep(0.02)

    def _look_at_services(self):
        for k, host in enumerate(self._hosts):
            if k not in self._ended_hosts and (status := host.status()) is not None:
                self._ended_hosts.add(k)
                name = ("coordination service", "standby of the coordination service")[
                    k
                ]
                self._say(f"the {name} {_how(status)}")

    def _ended(self, k, status):
        how = _how(status)
        for host in self._hosts:
            host.process_ended(k, how)
        if status != 0 and self._term_s is None:
            now_s = time.monotonic()
            self._failed.append(k)
            self._failed_s = self._failed_s or now_s
            self._say(f"process {k} {how} after {now_s - self._began_s:.1f} s")

    def _hurry(self, is_running):
        if not is_running:
            return
        now_s = time.monotonic()
        limit_s = self._options.timeout
        if self._term_s is not None:
            if now_s - self._term_s > _KILL_S:
                self._end(signal.SIGKILL)
        elif limit_s is not None and now_s - self._began_s > limit_s:
            self._stopped = 124
            self._say(f"the time of {limit_s:g} s is up: ending all")
            self._end(signal.SIGTERM)
        elif (
            self._failed_s is not None and now_s - self._failed_s > self._options.grace
        ):
            if not config.config.jax_enable_recoverability:
                self._say("the others did not end: ending them")
                self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        """Sends a signal to all who still run, and what they started."""
        if number == signal.SIGTERM:
            self._term_s = time.monotonic()
        for child in self._children:
            if child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, number)

    def _pass_on(self, number):
        """Sends Ctrl-C and SIGTERM on to all processes; the second time kills them."""
        if self._term_s is not None:
            self._end(signal.SIGKILL)
            return
        self._stopped = 128 + number
        self._term_s = time.monotonic()
        for child in self._children:
            if child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, number)

    def _verdict(self) -> int:
        if not self._failed:
            return self._stopped or 0
        # Others may have ended of it before the one that failed first.
        lost = [k for host in self._hosts for k in host.lost if k in self._failed]
        k = (lost or self._failed)[0]
        status = self._children[k].returncode
        self._say(
            f"the first failure: process {k} {_how(status)}; the end of what it wrote:"
        )
        for line in self._tails[k]:
            print(f"    {line}", file=sys.stderr)
        return 128 - status if status < 0 else status

    def _say(self, text):
        with self._writing, contextlib.suppress(OSError):
            print(f"jax.distributed: {text}", file=sys.stderr, flush=True)


def _how(status: int) -> str:
    """How a process ended, in words."""
    if status == 0:
        return "ended without jax.distributed.shutdown()"
    if status > 0:
        return f"exited with status {status}"
    name = signal.Signals(-status).name
    if -status == signal.SIGKILL:
        return f"was killed by {name}: by the system for want of memory, or by somebody"
    return f"was killed by {name}"


def _shares(processes: int, wanted: int | None) -> list[list[int]]:
    """The processors of each process; empty lists: they share all."""
    cpus = sorted(os.sched_getaffinity(0))
    each = wanted or len(cpus) // processes
    if each == 0 or each * processes > len(cpus):
        return [[] for _ in range(processes)]
    return [cpus[k * each : (k + 1) * each] for k in range(processes)]


def _before_exec(cpus: list[int]) -> Callable[[], None]:
    """What a child does first: it ends with its parent, and keeps to its processors."""
    libc = ctypes.CDLL(None)

    def prepare():
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if cpus:
            os.sched_setaffinity(0, cpus)

    return prepare
