"""Processes that reach each other by a network alone: what they send is encrypted."""

import contextlib
import os
import shutil
import subprocess

import pytest

from tests.processes import jobs

PROGRAM = """
rows = np.arange(2 * 300_000, dtype=np.float32).reshape(2, -1)
large = each(lambda x: lax.psum(x, "i"))(put(rows))
assert np.array_equal(local(large)[0], rows.sum(0, keepdims=True))
small = each(lambda x: lax.all_gather(x[:, :3], "i", tiled=True))(put(rows))
assert np.array_equal(local(small)[0], rows[:, :3])
print("the same")
"""
CATCH = """
def attempt(call):
    try:
        call()
    except Exception as error:
        print(error, flush=True)
"""


@contextlib.contextmanager
def network():
    """Two name spaces with a line between them: words before commands, and addresses."""
    names = [f"jaxn{os.getpid()}{end}" for end in "ab"]
    ends = [f"jn{os.getpid() % 100000}{end}" for end in "ab"]
    net = f"10.230.{os.getpid() % 250}"
    lines = [f"netns add {name}" for name in names]
    lines.append(f"link add {ends[0]} type veth peer name {ends[1]}")
    for k, (name, end) in enumerate(zip(names, ends, strict=True)):
        lines += [
            f"link set {end} netns {name}",
            f"-n {name} addr add {net}.{k + 1}/24 dev {end}",
            f"-n {name} link set {end} up",
            f"-n {name} link set lo up",
        ]
    try:
        for line in lines:
            subprocess.run(["ip", *line.split()], check=True, capture_output=True)
        before = [["ip", "netns", "exec", name] for name in names]
        yield before, [f"{net}.{k + 1}" for k in range(2)]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


@pytest.fixture
def line():
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("name spaces of the network need the administrator, and ip")
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(network())
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no name spaces of the network: {error.stderr!r}")
        yield made


def started(program, folder, line, options):
    """The processes' own addresses are among the options."""
    before, addresses = line
    own = f"options['peer_address'] = {addresses!r}[process]\n"
    start = jobs.START.replace("client = lib", own + "client = lib")
    assert own in start
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "START", start)
        return jobs.start(program, folder, options=options, before=before)


@pytest.mark.parametrize("encrypts", ["true", "false"])
def test_collectives_over_a_network_give_the_same(line, encrypts, tmp_path):
    options = f'{{"peer_encryption": {encrypts}}}'
    ended = jobs.finish(started(jobs.JAX + PROGRAM, tmp_path, line, options))
    for process in ended:
        assert process.output == "the same\n", process.errors


def test_one_that_encrypts_and_one_that_does_not_are_told_so(tmp_path):
    own = 'options["peer_encryption"] = process == 0\n'
    start = jobs.START.replace(
        "client = lib.make_client(", own + "attempt(lambda: lib.make_client("
    )
    program = CATCH + start.replace("key_value=store)", "key_value=store))")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "START", program)
        ended = jobs.finish(jobs.start("", tmp_path))
    for process in ended:
        assert "process 0 encrypts what it sends" in process.output, process.errors
        assert "process 1 does not" in process.output
        assert "peer_encryption" in process.output


def test_a_process_that_comes_back_is_told_that_its_devices_do_not(tmp_path):
    program = (
        CATCH
        + "attempt(lambda: lib.make_client(lib.linked_plugin(), options, key_value=store))\n"
    )
    ended = jobs.finish(jobs.start(program, tmp_path))
    for process in ended:
        assert "has started before" in process.output, process.errors
        assert "go on with the devices that are left" in process.output
