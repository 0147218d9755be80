"""Jobs of several processes, started by a test: a store of files, and a launcher."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tests.testing.patience import LIMIT_S

# What every process begins with: `client` has the devices of all, and `store` is the
# job's key-value store.
START = """
import json, os, pathlib, sys, time
import numpy as np
from jax._src.lib import client as lib
from tests.processes import jobs

process, count, devices = (int(number) for number in sys.argv[1:4])
store = jobs.FileStore(sys.argv[4])
options = {"node_id": process, "num_nodes": count, "cpu_device_count": devices}
options.update(json.loads(sys.argv[5]))
client = lib.make_client(lib.linked_plugin(), options, key_value=store)
"""

# With jax on top of that client, and `local(x)`, what this process has of an array.
JAX = """
import jax, jax.numpy as jnp
from jax import lax
from jax._src.runtime.devices import backends
from jax.sharding import NamedSharding, PartitionSpec as P
backends._started["cpu"] = client
mesh = jax.make_mesh(
    (client.device_count(),), ("i",), axis_types=(jax.sharding.AxisType.Auto,))

def put(array, spec=P("i")):
    array = np.asarray(array)
    sharding = NamedSharding(mesh, spec)
    return jax.make_array_from_callback(array.shape, sharding, lambda i: array[i])

def local(array):
    shards = sorted(array.addressable_shards, key=lambda s: s.device.id)
    return [np.asarray(s.data) for s in shards]

def each(function):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P("i"), out_specs=P("i")))
"""


class FileStore:
    """A key-value store in a folder: a file for each key, linked when complete."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def _path(self, key):
        return self.folder / key.replace("/", "%")

    def put(self, key, value):
        with tempfile.NamedTemporaryFile(dir=self.folder) as file:
            file.write(value)
            file.flush()
            os.link(file.name, self._path(key))

    def try_get(self, key):
        path = self._path(key)
        return path.read_bytes() if path.exists() else None

    def get(self, key, timeout_ms):
        limit = time.monotonic() + timeout_ms / 1000
        while (value := self.try_get(key)) is None:
            if time.monotonic() > limit:
                raise TimeoutError(key)
            time.sleep(0.005)
        return value


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit status and what it wrote."""

    status: int
    output: str
    errors: str


def start(program, folder, *, count=2, devices=1, options="{}", only=None, before=()):
    """Starts processes that run `program` after `START`; the caller ends them.

    Args:
        program: Python's text.
        folder: an empty folder, for the store.
        count: how many processes the job has.
        devices: how many devices each has.
        options: more options for the client, JSON.
        only: the numbers of those to start; None for all.
        before: for each process, words before its command.

    Returns:
        The running processes.
    """
    paths = [path for path in sys.path if path]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths))
    numbers = range(count) if only is None else only
    return [
        subprocess.Popen(
            [*(before[number] if before else ()), sys.executable, "-c", START + program]
            + [str(number), str(count), str(devices), str(folder), options],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in numbers
    ]


def finish(processes, *, timeout_s=LIMIT_S):
    """Waits for all, ends those that are late, and returns how each ended."""
    limit = time.monotonic() + timeout_s
    ended = []
    try:
        for process in processes:
            left = max(0.1, limit - time.monotonic())
            output, errors = process.communicate(timeout=left)
            ended.append(Ended(process.returncode, output, errors))
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.communicate()
    return ended


def run(program, folder, **settings):
    """Runs a job in which every process is to succeed; what each has written."""
    ended = finish(start(program, folder, **settings))
    for number, process in enumerate(ended):
        assert process.status == 0, f"process {number}: {process.errors}"
    return [process.output for process in ended]
