"""The two sides: processes that run programs, started again when they die or grow old."""

import json
import os
import pathlib
import subprocess

from tests.programs import prelude

WORKER = pathlib.Path(__file__).parent / "worker.py"
LIFE = 400  # programs

DIED = [["", {"error": "died", "bases": [], "message": ""}]]


class Side:
    """A Python with a JAX of its own."""

    def __init__(self, name: str, python: str, environment: dict[str, str]) -> None:
        self.name = name
        self._python = python
        self._environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **environment,
        }
        self._process: subprocess.Popen | None = None
        self._age = 0

    def start(self) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._python, "-P", str(WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd="/",
                env=self._environment,
            )
            self._age = 0

    def send(self, text: str, **options) -> None:
        if self._age >= LIFE:
            self.stop()
        self.start()
        self._age += 1
        request = {"text": text, "header": prelude.HEADER, **options}
        try:
            self._process.stdin.write(json.dumps(request))
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says so

    def receive(self) -> list:
        """The outcomes of the program sent last; DIED if the process did."""
        line = self._process.stdout.readline()
        if not line:
            self.stop()
            return DIED
        return json.loads(line)

    def run(self, text: str, **options) -> list:
        self.send(text, **options)
        return self.receive()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None


def run_both(ours: Side, theirs: Side, text: str, **options):
    """The outcomes of both, which run at the same time."""
    ours.send(text, **options)
    theirs.send(text, **options)
    return ours.receive(), theirs.receive()
