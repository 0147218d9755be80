"""SIGTERM is a notice to the job, SIGUSR1 prints the table, uncaught exceptions are told."""

import os
import signal

import pytest

from tests.distributed import jobs

ATTEND = """
from jax._src.distributed.client import preemption, signals
manager = preemption.PreemptionSyncManager()
manager.initialize(client)
signals.attend(client, manager)
"""
STEPS = """
for step in range(100_000):
    if manager.reached_sync_point(step):
        print("save", step, flush=True)
        break
    if step == 5:
        print("on the way", flush=True)
    time.sleep(0.01 * (1 + me))
client.shutdown()
"""


def started(start, *programs):
    job = start(len(programs))
    return [jobs.light_process(job, k, ATTEND + p) for k, p in enumerate(programs)]


def test_all_processes_save_at_one_step_after_a_sigterm(start):
    children = started(start, STEPS, STEPS)
    for child in children:
        assert child.stdout.readline() == "on the way\n"
    children[1].send_signal(signal.SIGTERM)
    said = [child.communicate(timeout=jobs.LIMIT_S) for child in children]
    assert said[0][0] == said[1][0] and said[0][0].startswith("save ")
    assert "SIGTERM: all processes save" in said[1][1]
    assert [child.returncode for child in children] == [0, 0]


@pytest.mark.parametrize("kills_first", [True, False])
def test_the_agreement_outlives_the_service(start, kills_first):
    job = start(2, has_standby=True)
    # Who has not heard of the standby loses the job with the service.
    know = "while len(client._routes.addresses) < 2:\n    time.sleep(0.01)\n"
    children = [jobs.light_process(job, k, know + ATTEND + STEPS) for k in range(2)]
    for child in children:
        assert child.stdout.readline() == "on the way\n"
    ends = [
        lambda: os.kill(job.host.pid, signal.SIGKILL),
        lambda: children[1].send_signal(signal.SIGTERM),
    ]
    for end in ends if kills_first else reversed(ends):
        end()
    said = [child.communicate(timeout=jobs.LIMIT_S) for child in children]
    assert said[0][0] == said[1][0] and said[0][0].startswith("save "), said
    assert [child.returncode for child in children] == [0, 0]


def test_the_agreement_does_not_wait_for_a_program_that_waits(start):
    # Process 0 waits for process 1 inside of a step, as collectives do.
    waits = """
manager.reached_sync_point(1)
print("on the way", flush=True)
client.wait_at_barrier("inside", 60_000)
print("save", manager.reached_sync_point(2), manager.reached_sync_point(3))
"""
    goes = """
for step in (1, 2):
    manager.reached_sync_point(step)
print("on the way", flush=True)
while manager._sync_step is None:
    time.sleep(0.01)
client.wait_at_barrier("inside", 60_000)
print("save", manager.reached_sync_point(3))
"""
    children = started(start, waits, goes)
    for child in children:
        assert child.stdout.readline() == "on the way\n"
    children[1].send_signal(signal.SIGTERM)
    said = [child.communicate(timeout=jobs.LIMIT_S)[0] for child in children]
    assert said == ["save False True\n", "save True\n"]


def test_sigterm_ends_a_program_that_never_asks(start):
    (child,) = started(start, "print('on the way', flush=True)\ntime.sleep(600)")
    assert child.stdout.readline() == "on the way\n"
    child.send_signal(signal.SIGTERM)
    assert child.wait(jobs.LIMIT_S) == 128 + signal.SIGTERM


def test_a_second_sigterm_ends_a_program_before_it_saved(start):
    slow = "manager.reached_sync_point(1); print('on the way', flush=True); time.sleep(600)"
    (child,) = started(start, slow)
    assert child.stdout.readline() == "on the way\n"
    child.send_signal(signal.SIGTERM)
    assert "SIGTERM: all processes save" in child.stderr.readline()
    child.send_signal(signal.SIGTERM)
    assert child.wait(jobs.LIMIT_S) == 128 + signal.SIGTERM


def test_sigusr1_prints_the_table_while_the_program_waits_in_native_code(start):
    native = (
        "import hashlib; print('on the way', flush=True)\n"
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000_000)"
    )
    (child,) = started(start, native)
    assert child.stdout.readline() == "on the way\n"
    child.send_signal(signal.SIGUSR1)
    assert (
        child.stderr.readline().split() == "process state where does line since".split()
    )
    assert child.stderr.readline().split()[:2] == ["0", "running"]


def test_an_uncaught_exception_is_told_with_its_line(start):
    programs = (
        "def f():\n    raise ValueError('boom')\nf()",
        "client.wait_at_barrier('b', 60_000)",
    )
    _, waiting = started(start, *programs)
    said = waiting.communicate(timeout=jobs.LIMIT_S)[1]
    assert "process 0: it raised ValueError: boom (at <string>:" in said
