"""`jax.distributed.initialize` and `shutdown`, over processes."""

import pathlib
import signal

import pytest

from tests.testing import patience, processes

MEET = """
import jax
from jax._src import distributed
jax.distributed.initialize()
state = distributed.global_state
state.client.key_value_set(f"who/{state.process_id}", str(state.num_processes))
state.client.wait_at_barrier("all", 60_000)
print(state.client.key_value_dir_get("who"))
"""


def test_processes_meet_by_the_environment_alone():
    for ended in processes.run(MEET, 2):
        assert ended.status == 0, ended.err
        assert ended.out == "[('who/0', '2'), ('who/1', '2')]\n"
        assert ended.err == ""


LOSE_FIRST = """
import os, signal
import jax
from jax._src import distributed
jax.distributed.initialize()
state = distributed.global_state
if state.process_id == 0:
    print(state.service.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
try:
    state.client.wait_at_barrier("all", 60_000)
except jax.errors.JaxRuntimeError as error:
    print(error)
state.client.key_value_set("saved", "yes")
print(state.client.key_value_try_get("saved"))
"""


def test_the_service_outlives_process_0_until_the_others_have_left():
    first, second = processes.run(LOSE_FIRST, 2)
    assert first.status == -signal.SIGKILL
    assert (second.status, second.err) == (0, "")
    assert "process 0: its connection closed without a word" in second.out
    assert second.out.endswith("\nyes\n")
    patience.wait_for(lambda: not is_service(first.out))


def is_service(pid):
    try:
        return pathlib.Path(f"/proc/{int(pid)}/comm").read_text() == "jax-service\n"
    except FileNotFoundError:
        return False


BEGIN = """
import os, sys, threading
import jax
"""
HOW_IT_STARTED = """
jax.distributed.initialize()
service = jax._src.distributed.global_state.service
session = os.getsid(service.pid)
# Its files: the three of any process, and what gRPC opened.
files = [os.readlink(f"/proc/{service.pid}/fd/{n}") for n in os.listdir(f"/proc/{service.pid}/fd")]
arguments = open(f"/proc/{service.pid}/cmdline").read()
print(open(f"/proc/{service.pid}/comm").read().strip(), session == service.pid)
print("service_process" in arguments, sum("mark" in file for file in files))
with open(f"/proc/{service.pid}/status") as file:
    ignored = int(next(line for line in file if line.startswith("SigIgn")).split()[1], 16)
print([number for number in (2, 15) if not ignored >> (number - 1) & 1])
"""


@pytest.mark.parametrize(
    "before, is_spawned",
    [
        ("", False),
        # What makes it unsafe, or dear, to fork this process.
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", True),
        ("import grpc", True),
        (
            "from jax._src.distributed.service import forking as f; f.MAX_BYTES = 1 << 20",
            True,
        ),
    ],
)
def test_the_service_is_a_child_that_has_nothing_of_its_parent(
    tmp_path, before, is_spawned
):
    opened = f"\nleft_open = open({str(tmp_path / 'mark')!r}, 'w')\n"
    opened += "os.dup(left_open.fileno())\nsys.stdout.write('once ')\n"
    (ended,) = processes.run(BEGIN + before + opened + HOW_IT_STARTED, 1)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == f"once jax-service True\n{is_spawned} 0\n[]\n"


FORK = """
import os, warnings
import jax
warnings.simplefilter("ignore")
jax.distributed.initialize()
child = os.fork()
if child == 0:
    raise SystemExit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
jax.distributed.status()
"""


def test_a_forked_child_is_no_part_of_the_job():
    (ended,) = processes.run(FORK, 1)
    assert (ended.status, ended.out) == (0, "3\n"), ended.err


BY_CLASS = """
from jax._src import distributed
state = distributed.global_state
state.initialize(coordinator_bind_address=None)
state.client.key_value_set("k", "v")
print(state.process_id, state.num_processes, state.client.key_value_try_get("k"))
state.shutdown()
"""


def test_the_state_itself_joins_as_well():
    (ended,) = processes.run(BY_CLASS, 1)
    assert (ended.status, ended.out) == (0, "0 1 v\n"), ended.err
