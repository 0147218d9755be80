"""`array_serialization` over several processes: each writes its parts, all know when all are written."""

import re

from tests.testing import processes

START = """
import pathlib, sys
import numpy as np
import jax
from jax.experimental.array_serialization import serialization

jax.distributed.initialize()
folder = pathlib.Path({folder!r})
me, size = jax.process_index(), jax.device_count()
mesh = jax.make_mesh((size,), ("x",))
values = {{
    "rows": (np.arange(60, dtype=np.float32).reshape(12, 5), jax.P("x")),
    "whole": (np.arange(7), jax.P()),
    "columns": (np.arange(24, dtype=np.int8).reshape(2, 12), jax.P(None, "x")),
}}
shardings = [jax.NamedSharding(mesh, spec) for _, spec in values.values()]
arrays = [jax.device_put(x, s) for (x, _), s in zip(values.values(), shardings)]
paths = [str(folder / "new" / name) for name in values]
manager = serialization.GlobalAsyncCheckpointManager({timeout})
"""

SAVE = """
def done():
    (folder / "new").rename(folder / "old")
    print("committed by", me)

manager.serialize_with_paths(arrays, paths, on_commit_callback=done)
manager.wait_until_finished()
assert (folder / "old" / "rows").exists()
"""

LOAD = """
paths = [path.replace("new", "old") for path in paths]
for found, wanted in zip(manager.deserialize_with_paths(shardings, paths), arrays):
    assert found.dtype == wanted.dtype and found.sharding == wanted.sharding
    for mine, its in zip(found.addressable_shards, wanted.addressable_shards):
        assert np.array_equal(mine.data, its.data)
print("restored")
"""


def run(program, folder, count, devices):
    text = START.format(folder=str(folder), timeout=processes.LIMIT_S) + program
    return processes.run(text, count, JAX_NUM_CPU_DEVICES=str(devices))


def test_arrays_are_written_by_two_processes_and_read_by_three(tmp_path):
    saved = run(SAVE, tmp_path, 2, 3)
    assert [end.status for end in saved] == [0, 0], saved[1].err + saved[0].err
    assert [end.out for end in saved] == ["committed by 0\n", ""]
    loaded = run(LOAD, tmp_path, 3, 1)
    assert [end.out for end in loaded] == ["restored\n"] * 3, loaded[0].err


MISTAKES = """
def told(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, " ".join(str(error).split()))

here = jax.device_put(np.ones(3), jax.local_devices()[0])
told(lambda: serialization.run_serialization([here], [{{}}]))

def cannot():
    raise OSError("no space left")

# In the first process alone: the others hear of it.
manager.serialize_with_paths(arrays, paths, on_commit_callback=cannot)
told(manager.wait_until_finished)

manager._futures = []
if me == 1:
    class Full:
        def result(self):
            raise OSError("disk is full")
    manager._add_futures([Full()])
manager._start_async_commit(None)
told(manager.wait_until_finished)

# A process that does not come.
if me == 0:
    manager = serialization.GlobalAsyncCheckpointManager(3)
    manager.serialize_with_paths(arrays[:1], [str(folder / "more")])
    told(manager.wait_until_finished)
""".replace("{{}}", "{}")


def test_what_fails_in_one_process_is_an_error_in_all(tmp_path):
    first, second = run(MISTAKES, tmp_path, 2, 1)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    one, finish, write, late = first.out.splitlines()
    one_too, finish_too, write_too = second.out.splitlines()
    assert one == one_too.replace("2048", "0")
    assert "an array of one process was to be written by several" in one
    assert finish == "OSError no space left"
    assert "process 0 OSError: no space left" in finish_too
    assert "process 1 OSError: disk is full" in write
    assert write_too == "OSError disk is full"
    assert re.match(r"BarrierTimeoutError .*timeout 3 s|JaxRuntimeError .*left", late)
