"""`python -m jax.distributed` as a user calls it."""

import signal
import subprocess
import sys

import pytest

from tests.testing import processes

MEET = """
import os, signal, sys, time
import jax
from jax._src import distributed
jax.distributed.initialize()
from jax._src.distributed.client import session
session._END_S = 300.0  # for the last word, however slow the service
client = distributed.global_state.client
me = client.process_id
print("number", me, sys.argv[1:])
client.wait_at_barrier("begin", 60_000)
"""


def launch(tmp_path, program, *options, args=()):
    script = tmp_path / "program.py"
    script.write_text(program)
    # Who is slow is neither dead, nor ended before it has told why it ends.
    command = [sys.executable, "-m", "jax.distributed", "--heartbeat", "120"]
    command += ["--grace", "120", *options, str(script), *args]
    return subprocess.run(
        command,
        env={**processes.environment(), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=processes.LIMIT_S,
        cwd=tmp_path,
    )


def test_all_processes_run_with_numbered_lines_and_over_tls(tmp_path):
    program = (
        MEET
        + "print(os.environ['JAX_NUM_CPU_DEVICES'], 'JAX_MTLS_KEY_FILE' in os.environ)"
    )
    logs = tmp_path / "logs"
    ended = launch(
        tmp_path, program, "--processes", "2", "--devices", "3",
        "--log-dir", str(logs), args=("--flag", "x"),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    lines = sorted(ended.stdout.splitlines())
    assert lines == [
        "[0] 3 True",
        "[0] number 0 ['--flag', 'x']",
        "[1] 3 True",
        "[1] number 1 ['--flag', 'x']",
    ]
    assert (logs / "1.stdout").read_text() == "number 1 ['--flag', 'x']\n3 True\n"
    assert not list(tmp_path.glob("jax-job-*"))


def test_the_first_failure_is_told_and_its_status_is_the_launchers(tmp_path):
    program = MEET + (
        "if me == 1:\n    raise SystemExit(7) if sys.argv[1:] else ValueError('boom')\n"
        "client.wait_at_barrier('end', 60_000)"
    )
    ended = launch(tmp_path, program, "-n", "2")
    assert ended.returncode == 1
    told = ended.stderr.split("the first failure: ")[1]
    assert told.startswith("process 1 exited with status 1")
    assert "ValueError: boom" in told
    assert "[0] jax.errors.JaxRuntimeError: UNAVAILABLE: " in ended.stderr
    assert "process 1: it raised ValueError: boom" in ended.stderr
    assert "_src" not in ended.stderr
    assert launch(tmp_path, program, "-n", "2", args=("quietly",)).returncode == 7


def test_a_killed_process_ends_those_that_would_wait_for_ever(tmp_path):
    program = MEET + (
        "if me == 1:\n    os.kill(os.getpid(), signal.SIGKILL)\nwhile True: time.sleep(1)"
    )
    ended = launch(tmp_path, program, "-n", "2", "--grace", "0.5")
    assert ended.returncode == 128 + signal.SIGKILL
    assert "process 1 was killed by SIGKILL" in ended.stderr
    assert "the others did not end: ending them" in ended.stderr


@pytest.mark.parametrize("options", [(), ("--processes", "0"), ("--processes", "x")])
def test_wrong_options_are_explained(tmp_path, options):
    ended = launch(tmp_path, "", *options)
    assert ended.returncode == 2
    assert "usage: python -m jax.distributed" in ended.stderr
