"""Programs whose coordination service dies: with a standby they go on, without one they end well."""

import subprocess
import sys

import pytest

from tests.testing import processes

# A standby that is suspended for a while follows all the same.
KEEP_UP = """
from jax._src.distributed.service import hosting
plan = hosting._plan
hosting._plan = lambda bound, settings, *more: plan(bound, {**settings, "keep_up_s": 60.0}, *more)
"""
# What all of these programs begin with: a job of two, and a sum over both.
BEGIN = (
    KEEP_UP
    + """
import os, pathlib, signal, sys, time
import numpy as np
import jax
from jax._src import distributed
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec as P

jax.distributed.initialize()
state = distributed.global_state
client, me = state.client, state.process_id
mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
mine = NamedSharding(mesh, P("x"))
values = jax.make_array_from_callback((2,), mine, lambda i: np.arange(1.0, 3.0)[i])
total = jax.jit(lambda x: (x * x).sum())
def wait_for(is_true):
    deadline = time.monotonic() + 200
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
"""
)

GO_ON = (
    BEGIN
    + """
epoch = 0
def go_on(name, has_service, service_pid):
    global epoch
    # News of a standby that is not the one before.
    wait_for(lambda: len(client._routes.addresses) == 2 and client._routes.epoch > epoch)
    epoch = client._routes.epoch
    client.key_value_set(f"{name}/{me}", "here")
    client.wait_at_barrier(name, 60_000)
    if has_service:
        os.kill(service_pid(), signal.SIGKILL)
    client.wait_at_barrier("after", 60_000)
    print(float(total(values)), client.key_value_dir_get(name))
go_on("first", me == 0, service_pid)
"""
)
END = """
multihost_utils.sync_global_devices("end")
"""
# The standby looks for one of its own, which process 0 starts.
AGAIN = """
go_on("second", me == 1, lambda: state.standby.pid)
"""

STARTED_BY_0 = "service_pid = lambda: distributed.global_state.service.pid\n"
BY_LAUNCHER = """
def service_pid():
    import pathlib
    parent, found = os.getppid(), []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(stat[1]) == parent and b"service_process" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    assert len(found) == 2, found
    return min(found)
"""
SAID = "5.0 [('first/0', 'here'), ('first/1', 'here')]"


@pytest.mark.parametrize("is_secret", [False, True])
def test_a_process_hosts_the_standby_when_requested(tmp_path, is_secret):
    variables = {"JAX_COORDINATOR_STANDBY": "1"}
    if is_secret:
        secret = tmp_path / "secret"
        secret.write_text("0123456789abcdef0123456789abcdef")
        secret.chmod(0o600)
        variables["JAX_DISTRIBUTED_SECRET_FILE"] = str(secret)
    program = STARTED_BY_0 + GO_ON + AGAIN + END
    for ended in processes.run(program, 2, **variables):
        assert ended.status == 0, ended.err
        assert ended.out.splitlines() == [SAID, SAID.replace("first", "second")]
        assert "its standby at" in ended.err


def test_the_launcher_starts_a_standby(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(BY_LAUNCHER + GO_ON + END)
    start = f"{KEEP_UP}\nimport sys\nfrom jax._src.distributed import launcher\n"
    start += "sys.exit(launcher.main(sys.argv[1:]))"
    options = ["-n", "2", "--heartbeat", "120", "--standby"]
    ended = subprocess.run(
        [sys.executable, "-c", start, *options, str(path)],
        env=processes.environment(),
        capture_output=True,
        text=True,
        timeout=processes.LIMIT_S,
    )
    assert ended.returncode == 0, ended.stderr
    assert sorted(ended.stdout.splitlines()) == [f"[0] {SAID}", f"[1] {SAID}"]
    assert "the coordination service was killed by SIGKILL" in ended.stderr


SAVE = (
    STARTED_BY_0
    + BEGIN
    + """
client.wait_at_barrier("ready", 60_000)
total(values)
if me == 0:
    os.kill(service_pid(), signal.SIGKILL)
wait_for(lambda: client.session.end is not None)
# The step that was compiled, and one that was not, end; what needs no barrier is saved.
result = float(total(values)), float(jax.jit(lambda x: (x + 1).sum())(values))
np.save(sys.argv[0] + f".{me}.npy", np.asarray(values.addressable_shards[0].data))
print(*result, np.load(sys.argv[0] + f".{me}.npy"))
try:
    client.wait_at_barrier("after", 60_000)
except jax.errors.JaxRuntimeError as error:
    print(str(error)[:47])
"""
)


def test_without_standby_a_step_ends_and_is_saved_and_the_loss_is_said():
    for k, ended in enumerate(processes.run(SAVE, 2)):
        assert ended.status == 0, ended.err
        said = "UNAVAILABLE: the coordination service at 127.0."
        assert ended.out == f"5.0 5.0 [{k + 1}.]\n{said}\n"
        assert (
            "processes can no longer wait for each other: save and leave" in ended.err
        )
