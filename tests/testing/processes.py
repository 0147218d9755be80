"""Starts processes of one job, with a hard end."""

import dataclasses
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

from tests.testing import patience

LIMIT_S = patience.LIMIT_S


@dataclasses.dataclass(frozen=True)
class Ended:
    """A process that ended: its status, and what it wrote."""

    status: int
    out: str
    err: str


def free_port() -> int:
    """A port that nobody listened at a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(**more: str) -> dict[str, str]:
    """This process's environment without any launcher's, and with `more`."""
    outside = ("SLURM_", "OMPI_", "PMI", "PMIX", "JAX_", "KUBERNETES_", "TORCHELASTIC_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(outside)}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return {**kept, **more}


class Job:
    """Processes that run one program, each knowing its number; ended with the block."""

    def __init__(self, program: str, count: int, **variables: str):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        self._path = self.folder / "program.py"
        self._path.write_text(program)
        self._variables = {
            "JAX_COORDINATOR_ADDRESS": f"127.0.0.1:{free_port()}",
            "JAX_NUM_PROCESSES": str(count),
            **variables,
        }
        self.processes: list[subprocess.Popen] = []
        self._files: list[tuple[pathlib.Path, pathlib.Path]] = []
        for k in range(count):
            self.start(k)

    def start(self, k: int) -> subprocess.Popen:
        """Starts a process with a number, which another may have had."""
        env = environment(JAX_PROCESS_ID=str(k), **self._variables)
        name = len(self.processes)
        out, err = self.folder / f"{name}.out", self.folder / f"{name}.err"
        self._files.append((out, err))
        with out.open("wb") as to_out, err.open("wb") as to_err:
            command = [sys.executable, str(self._path)]
            started = subprocess.Popen(command, env=env, stdout=to_out, stderr=to_err)
        self.processes.append(started)
        return started

    def __enter__(self) -> "Job":
        return self

    def __exit__(self, *exc_info: object) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        self._folder.cleanup()

    def ended(self) -> list[Ended]:
        """Waits for all, and returns what became of them."""
        for process in self.processes:
            process.wait(LIMIT_S)
        return [
            Ended(process.returncode, out.read_text(), err.read_text())
            for process, (out, err) in zip(self.processes, self._files, strict=True)
        ]


def run(program: str, count: int, **variables: str) -> list[Ended]:
    """Runs a program in some processes until all have ended."""
    with Job(program, count, **variables) as job:
        return job.ended()
