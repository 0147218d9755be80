"""Programs over several processes of a job: who waits where, what failed, and what is left."""

import re
import signal

import pytest

from jax._src.distributed.clusters import addresses
from tests.testing import patience, processes

# `total` is a collective over all devices, `attempt` prints the error of a call, `wait_for` looks again and again.
JOINED = """
import os, signal, sys, time
import numpy as np
import jax
from jax import lax
from jax._src import distributed
from jax.sharding import NamedSharding, PartitionSpec as P
jax.distributed.initialize(heartbeat_timeout_seconds=float(os.environ.get("HEARTBEAT", 120)))
from jax._src.distributed.client import session
session._END_S = 300.0  # for the last word, however slow the service
client = distributed.global_state.client
me = jax.process_index()

def over(devices):
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    x = jax.make_array_from_callback(
        (len(devices),), NamedSharding(mesh, P("i")), lambda i: np.ones(1, np.float32))
    total = jax.jit(jax.shard_map(lambda x: lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()))
    return lambda: np.asarray(total(x).addressable_shards[0].data)[0]

def attempt(call):
    try:
        print(call(), flush=True)
    except RuntimeError as error:
        print(error, flush=True)

def wait_for(is_true):
    while not is_true():
        time.sleep(0.05)

began_s = time.monotonic()
total = over(jax.devices())
assert total() == jax.device_count()
"""


def line_of(program, text):
    """The line of a text in a program, as tables show it."""
    number = next(k for k, line in enumerate(program.splitlines(), 1) if text in line)
    return f"program.py:{number}"


def test_the_table_shows_the_collective_its_line_and_where_others_are():
    program = JOINED + (
        "def waits_s():\n"
        "    found = jax.distributed.status().processes[0].activities\n"
        "    return max((s for what, _, s in found if 'all_reduce' in what), default=0)\n"
        "if me == 0:\n"
        "    total()\n"
        "else:\n"
        "    wait_for(lambda: waits_s() >= 2)\n"
        "    print(jax.distributed.status(), flush=True)\n"
        "    print('at most', time.monotonic() - began_s)\n"
        "    total()\n"
        # Plugins share the store by names of their own.
        "print(len(client.key_value_dir_get_bytes('cpu:local_topology/cpu')), 'have told')\n"
        "print(client.key_value_dir_get_bytes('local_topology'))\n"
    )
    first, second = processes.run(program, 2)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    row = next(line for line in second.out.splitlines() if line.startswith("0 "))
    assert "all_reduce of jit_" in row and "launch 1" in row
    assert line_of(program, "lax.psum(x") in row
    shown_s = float(re.search(r"(\d+\.\d) s$", row)[1])
    assert (
        2 <= shown_s <= float(re.search(r"^at most (.+)$", second.out, re.M)[1]) + 0.1
    )
    assert second.out.endswith("2 have told\n[]\n")


def test_each_process_gets_the_table_when_all_wait_for_each_other():
    program = JOINED + (
        "from jax._src.distributed.client import watchdog\n"
        "watchdog.TOGETHER_S = 4.0  # not the best part of a minute\n"
        "import pathlib\n"
        "def meet(what):\n"
        "    files = [pathlib.Path(__file__).with_name(f'{what}{k}') for k in range(2)]\n"
        "    files[me].touch()\n"
        "    wait_for(lambda: all(file.exists() for file in files))\n"
        # Who has found it gives the others time to find it: here, all that they need.
        "end = watchdog.Stalls._end\n"
        "watchdog.Stalls._end = lambda *found: (meet('found'), end(*found))\n"
        "if me == 0:\n"
        "    attempt(total)\n"
        "else:\n"
        "    attempt(lambda: client.wait_at_barrier('checkpoint', 60_000))\n"
        "meet('done')  # one that leaves would be the reason for the other\n"
    )
    ended = processes.run(program, 2)
    for process in ended:
        assert process.status == 0, process.err
        assert (
            "DEADLINE_EXCEEDED: " in process.out
            and "all wait for each other" in process.out
        )
        rows = {
            line[0]: line
            for line in process.out.splitlines()
            if line[:2] in ("0 ", "1 ")
        }
        assert "all_reduce of jit_" in rows["0"]
        assert line_of(program, "lax.psum(x") in rows["0"]
        assert "barrier checkpoint" in rows["1"]
        assert line_of(program, "'checkpoint'") in rows["1"]


def test_one_that_never_comes_is_shown_at_its_line_and_hears_of_it_later():
    # The time that is set ends this one collective, not those for which one process is a little late.
    program = JOINED + (
        "fifo = os.path.join(os.path.dirname(__file__), 'fifo')\n"
        "try:\n"
        "    os.mkfifo(fifo)\n"
        "except FileExistsError:\n"
        "    pass\n"
        "assert client.stalls._limit_s == 600\n"
        "if me == 0:\n"
        "    wait_for(lambda: other_line in repr(jax.distributed.status()))\n"
        "    client.stalls._limit_s = 3.0\n"
        "    attempt(total)\n"
        "    client.stalls._limit_s = 600.0\n"
        "    open(fifo, 'w').close()\n"
        "else:\n"
        "    open(fifo).read()  # the other line\n"
        "    attempt(total)\n"
        "attempt(total)\n"
    )
    program = program.replace(
        "other_line in", repr(line_of(program, "# the other line")) + " in"
    )
    first, second = processes.run(program, 2, JAX_COLLECTIVE_TIMEOUT_SECONDS="600")
    assert (first.status, second.status) == (0, 0), first.err + second.err
    for process in (first, second):
        assert "Nothing moves: a collective has waited for 3 s" in process.out
        assert line_of(program, "# the other line") in process.out
        assert process.out.endswith("\n2.0\n")  # the next launch is a new one


@pytest.mark.parametrize("how", ["stop", "raise"])
def test_survivors_are_told_of_the_process_that_failed(how):
    program = JOINED + (
        "if me == 1:\n"
        "    print('ready', flush=True)\n"
        f"    if {how!r} == 'raise':\n"
        "        raise ValueError('boom')\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
        "attempt(total)\n"
        "attempt(total)\n"
    )
    # Who stops is noticed by its silence.
    heartbeat = {"HEARTBEAT": "20"} if how == "stop" else {}
    with processes.Job(program, 3, **heartbeat) as job:
        for k in (0, 2):
            job.processes[k].wait(processes.LIMIT_S)
        job.processes[1].send_signal(signal.SIGKILL)
        first, _, last = job.ended()
    for survivor in (first, last):
        assert survivor.status == 0, survivor.err
        assert survivor.out.count("process 1 ") >= 2, survivor.out
        told = (
            "it raised ValueError: boom (at " if how == "raise" else "does not answer"
        )
        assert told in survivor.out


def test_survivors_go_on_with_the_devices_that_are_left():
    program = (
        JOINED
        + """
from jax.experimental import multihost_utils
devices = jax.devices()
for step in range(3):
    try:
        with multihost_utils.live_devices(devices) as live:
            if step == 1 and me == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            print(len(live), over(live)(), flush=True)
    except multihost_utils.ProcessFailureError as error:
        print(len(error.failed_devices), type(error.__cause__).__name__, flush=True)
"""
    )
    ended = processes.run(
        program, 3, JAX_ENABLE_RECOVERABILITY="1", JAX_NUM_CPU_DEVICES="2"
    )
    for survivor in ended[:2]:
        assert survivor.status == 0, survivor.err
        assert survivor.out == "6 6.0\n2 JaxRuntimeError\n4 4.0\n"


def test_survivors_go_on_when_a_process_comes_back_without_its_devices():
    program = (
        JOINED
        + """
import pathlib
from jax.experimental import multihost_utils
end, told = (pathlib.Path(__file__).with_name(name) for name in ("end", "told"))

def live_after(devices):
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    own = np.full(1, me == 0 and end.exists(), np.float32)
    x = jax.make_array_from_callback((len(devices),), NamedSharding(mesh, P("i")), lambda i: own)
    return float(jax.jit(lambda x: x.sum(), out_shardings=NamedSharding(mesh, P()))(x))

seen, is_over = [], False
while not is_over:
    try:
        with multihost_utils.live_devices(jax.devices()) as live:
            seen.append(len(live))
            if len(live) == 2:
                told.touch()
            if me == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            is_over = live_after(live) == 1
    except (RuntimeError, multihost_utils.ProcessFailureError):
        pass
    time.sleep(0.1)
print(seen[0], seen[-1], flush=True)
"""
    )
    with processes.Job(program, 3, JAX_ENABLE_RECOVERABILITY="1") as job:
        # One that comes back before the others are told is refused for another reason: its number is taken.
        patience.wait_for((job.folder / "told").exists)
        job.start(2).wait(processes.LIMIT_S)
        (job.folder / "end").touch()
        first, second, _, again = job.ended()
    assert "process 2 of this job has started before" in again.err
    assert "go on with the devices that are left" in again.err
    for survivor in (first, second):
        assert (survivor.status, survivor.out) == (0, "3 2\n"), survivor.err


def test_what_one_has_sent_before_it_left_counts():
    # Of a size that is sent at once, and to those alone who want it.
    program = (
        JOINED
        + """
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
x = jax.make_array_from_callback(
    (20480,), NamedSharding(mesh, P("i")), lambda i: np.full(10240, me, np.float32))
move = jax.jit(jax.shard_map(
    lambda x: lax.ppermute(x, "i", [(1, 0)]), mesh=mesh, in_specs=P("i"), out_specs=P("i")))
jax.block_until_ready(move(x))
if me == 0:
    heard = []
    client.session.listen(lambda *what: heard.append(what[:2]))
    wait_for(lambda: heard)
    print(heard)
    attempt(lambda: np.asarray(move(x).addressable_shards[0].data)[0])
else:
    jax.block_until_ready(move(x))
    jax.distributed.shutdown()
"""
    )
    first, second = processes.run(program, 2)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert first.out == "[('left', 1)]\n1.0\n"


def test_processes_are_reached_where_the_coordinator_is(monkeypatch):
    assert addresses.toward_coordinator("localhost:1") == "127.0.0.1"
    assert addresses.toward_coordinator("127.0.0.1:1") == "127.0.0.1"
    sources = {
        "127.0.1.1": "127.0.0.1",
        "192.0.2.1": "192.0.2.7",
        "10.0.0.2": "10.0.0.1",
    }
    monkeypatch.setattr(addresses, "_source", lambda ip, port: sources[ip])
    assert addresses.toward_coordinator("10.0.0.2:1") == "10.0.0.1"
    # The machine's own name, which means loopback here and the machine on every other one.
    monkeypatch.setattr(addresses, "_addresses", lambda host, port: ["127.0.1.1"])
    assert addresses.toward_coordinator("node0:1") == "192.0.2.7"
