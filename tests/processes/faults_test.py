"""What goes wrong in one process is said in all: nothing hangs, nothing aborts."""

import os
import signal

import pytest

from tests.processes import jobs

# Prints the error of a computation, and goes on: the process is not to be ended.
CATCH = """
def attempt(call):
    try:
        jax.block_until_ready(call())
        print("done")
    except RuntimeError as error:
        print(error)
    sys.stdout.flush()

x = put(np.ones((client.device_count() * 4, 4), np.float32))
total = each(lambda x: lax.psum(x, "i"))
jax.block_until_ready(total(x))

# All have come so far: what is sent by one that ends next is with the others.
store.put(f"begun/{process}", b"")
for k in range(count):
    store.get(f"begun/{k}", 100_000)
"""


def run(program, folder, **settings):
    """What each process wrote; all end by themselves, and well."""
    ended = jobs.finish(jobs.start(jobs.JAX + CATCH + program, folder, **settings))
    for process in ended:
        assert process.status == 0, process.errors
    return [process.output for process in ended]


def test_programs_that_differ_are_shown(tmp_path):
    program = """
name = ["psum", "pmax"][process]
attempt(lambda: each(lambda x: getattr(lax, name)(x + 1, "i"))(x))
attempt(lambda: total(x))
"""
    for output in run(program, tmp_path):
        assert "different programs" in output
        assert "process 0" in output and "process 1" in output
        assert "first difference, line" in output
        assert "done" not in output  # these devices are not trusted any more


def test_another_order_is_told(tmp_path):
    program = """
other = each(lambda x: lax.all_gather(x, "i", tiled=True))
jax.block_until_ready(other(x))
for function in [(total, other), (other, total)][process]:
    attempt(lambda: function(x))
"""
    for output in run(program, tmp_path):
        assert "different programs" in output and "done" not in output


def test_one_that_computes_more_is_told(tmp_path):
    program = """
steps = put(np.full(client.device_count(), 3 + process, np.int32))
def body(n, x):
    step = lambda c: (c[0] + 1, lax.psum(c[1], "i"))
    return lax.while_loop(lambda c: c[0] < n[0], step, (0, x))[1]
loop = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"),
                             check_vma=False))
attempt(lambda: loop(steps, x))
attempt(lambda: total(x))
"""
    first, second = run(program, tmp_path)
    # Whose message comes first decides which process notices, and by what.
    told = first + second
    assert "has left" in told or "has ended without taking part" in told
    assert "same order" in first and "same order" in second


def test_a_failing_callback_fails_the_launch_alone(tmp_path):
    program = """
def check(value):
    if process == 1 and broken:
        raise ValueError("no such number")
    return value
def called(function, x):
    return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
if process == 0:  # so that functions have other numbers here
    jax.jit(lambda x: called(lambda v: v, x))(np.ones(3, np.float32))
checked = each(lambda x: lax.psum(called(check, x), "i"))
broken = True
attempt(lambda: checked(x))
broken = False
attempt(lambda: total(x))
"""
    first, second = run(program, tmp_path)
    assert "process 1" in first and "no such number" in first
    assert "no such number" in second
    assert first.endswith("done\n") and second.endswith("done\n")


@pytest.mark.parametrize("how", ["kill", "exit", "leave"])
def test_the_end_of_a_process_is_told(how, tmp_path):
    program = f"""
if process == 1:
    if {how!r} == "kill":
        os.kill(os.getpid(), 9)
    os._exit(3) if {how!r} == "exit" else sys.exit(0)
attempt(lambda: total(x))
attempt(lambda: total(x))
"""
    ended = jobs.finish(jobs.start(jobs.JAX + CATCH + program, tmp_path, count=3))
    for survivor in (ended[0], ended[2]):
        assert survivor.status == 0, survivor.errors
        assert survivor.output.count("process 1") >= 2
        assert "is gone" in survivor.output and "done" not in survivor.output


def test_a_stopped_process_is_told_when_somebody_knows(tmp_path):
    program = """
import threading
if process == 1:
    print("ready", flush=True)
    time.sleep(100)
def watch():
    while not any(row[2] for row in client.activities()):
        time.sleep(0.01)
    name, launch, where, seconds, missing = client.activities()[0]
    print(name, where, missing)
    client.fail_process(1, "it has not answered for 10 s")
threading.Thread(target=watch).start()
attempt(lambda: total(x))
"""
    job = jobs.start(jobs.JAX + CATCH + program, tmp_path)
    assert job[1].stdout.readline() == "ready\n"
    os.kill(job[1].pid, signal.SIGSTOP)
    try:
        (survivor,) = jobs.finish(job[:1])
    finally:
        job[1].kill()
        jobs.finish(job[1:])
    assert survivor.status == 0, survivor.errors
    assert "[1]" in survivor.output and "all_reduce" in survivor.output
    assert "has not answered" in survivor.output


def test_a_wait_ends_after_the_time_that_was_set(tmp_path):
    # It is the time of all waits: of the first, too, for which one process may be late.
    program = """
if process == 1:
    store.get("over", 300_000)
else:
    attempt(lambda: total(x))
    store.put("over", b"")
"""
    for limit_s in (3, 15):
        folder = tmp_path / str(limit_s)
        folder.mkdir()
        options = f'{{"collective_timeout_seconds": {limit_s}}}'
        job = jobs.start(jobs.JAX + CATCH + program, folder, options=options)
        first, second = jobs.finish(job)
        if (first.status, second.status) == (0, 0):
            break
    assert (first.status, second.status) == (0, 0), first.errors + second.errors
    assert "DEADLINE_EXCEEDED" in first.output and "process 1" in first.output


def test_a_long_wait_is_told_once_while_it_goes_on(tmp_path):
    program = """
if process == 1:
    store.get("told", 300_000)
attempt(lambda: total(x))
"""
    options = '{"collective_patience_seconds": 1}'
    job = jobs.start(jobs.JAX + CATCH + program, tmp_path, options=options)
    told = []
    for line in job[0].stderr:
        told.append(line)
        # The first launch, in which all come, may be told of, too.
        if "after 1 seconds" in line and "launch 1 " in line:
            told = [line, job[0].stderr.readline()]
            break
    jobs.FileStore(tmp_path).put("told", b"")
    first, second = jobs.finish(job)
    assert "after 1 seconds process 0" in told[0] and "for     process 1" in told[1]
    assert "launch 1 " not in first.errors
    assert (first.output, second.output) == ("done\n", "done\n")
