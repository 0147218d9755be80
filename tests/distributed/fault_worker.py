"""What each process of a trial of `fault_trials.py` runs: a phase, step by step, and perhaps a mistake in it.

    fault_worker.py FOLDER '{"phase": "run", "mistake": "shapes", "victim": 1, "at": 7, ...}'

Each line of FOLDER/<process>.log has the time (of the machine's clock that never goes back) and what happened.
"""

import json
import os
import pathlib
import sys
import time

import numpy as np

import jax
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec as P


def say(log, event, **more):
    line = json.dumps({"t": time.monotonic(), "event": event, **more}) + "\n"
    with open(log, "a") as file:
        file.write(line)


class Phase:
    """A job at work; `step(k)` is what it does again and again."""

    def __init__(self, log, plan):
        self.log, self.plan = log, plan
        self.client = jax._src.distributed.global_state.client
        self.me = jax.process_index()
        self.client.session.listen(self.hear)
        self.mesh = jax.make_mesh(
            (jax.device_count(),), ("i",), axis_types=(jax.sharding.AxisType.Auto,)
        )
        self.x = self.put(plan["numbers"])
        self.total = self.over_all(lambda x: lax.psum(x, "i"))
        self.largest = self.over_all(lambda x: lax.pmax(x, "i"))
        self.compute(self.total, self.x)
        self.compute(self.largest, self.x)

    def hear(self, kind, process, text):
        if kind == "service":
            say(self.log, "told")

    def over_all(self, function):
        return jax.jit(
            jax.shard_map(function, mesh=self.mesh, in_specs=P("i"), out_specs=P())
        )

    def put(self, numbers):
        whole = np.ones(numbers * jax.device_count(), np.float32)
        return jax.make_array_from_callback(
            whole.shape, NamedSharding(self.mesh, P("i")), lambda i: whole[i]
        )

    def compute(self, function, x):
        assert float(np.asarray(function(x).addressable_shards[0].data)[0]) > 0

    def errs(self, k):
        """Whether this process makes its mistake now."""
        if (
            self.plan["mistake"]
            and self.me == self.plan["victim"]
            and k == self.plan["at"]
        ):
            say(self.log, "fault")
            return self.plan["mistake"]
        return ""

    def step(self, k):
        mistake = self.errs(k)
        getattr(self, self.plan["phase"])(k, mistake)

    def compile(self, k, mistake):
        def function(x):
            if mistake == "disk":
                fill_disk()
            return lax.psum(x * (k + 2), "i")

        new = self.over_all(function)
        if mistake == "reorder":
            self.compute(self.total, self.x)
        self.compute(
            new, self.put(self.plan["numbers"] + 8) if mistake == "shapes" else self.x
        )

    def run(self, k, mistake):
        order = [self.total, self.largest]
        if mistake == "reorder":
            order.reverse()
        if mistake == "disk":
            shape = jax.ShapeDtypeStruct((), np.float32)
            order[0] = self.over_all(
                lambda x: lax.psum(
                    x + jax.pure_callback(lambda: fill_disk(), shape), "i"
                )
            )
        x = self.put(self.plan["numbers"] + 8) if mistake == "shapes" else self.x
        for function in order:
            self.compute(function, x)

    def barrier(self, k, mistake):
        if mistake == "disk":
            fill_disk()
        if mistake == "reorder":
            self.client.wait_at_barrier(f"b{k + 1}", self.plan["barrier_ms"])
        only = [self.me] if mistake == "shapes" else None
        self.client.wait_at_barrier(f"b{k}", self.plan["barrier_ms"], only)

    def checkpoint(self, k, mistake):
        """What programs do by hand: all save their parts, meet, and the first says that all is there."""
        self.compute(self.total, self.x)
        folder = pathlib.Path(self.plan["folder"])
        part = np.asarray(self.x.addressable_shards[0].data)
        path = "/dev/full" if mistake == "disk" else folder / f"{self.me}.npy"
        with open(path, "wb") as file:
            np.save(file, part)
            file.flush()
            os.fsync(file.fileno())
        if mistake == "reorder":
            self.compute(self.largest, self.x)
        part = part[:4] if mistake == "shapes" else part[:8]
        multihost_utils.process_allgather(part)
        multihost_utils.sync_global_devices("saved")
        if self.me == 0:
            (folder / "complete").write_text(str(k))


def fill_disk():
    """Fails as writing to a full disk does."""
    with open("/dev/full", "wb", buffering=0) as file:
        file.write(b"x" * 4096)


def main():
    me = os.environ["JAX_PROCESS_ID"]
    log, plan = f"{sys.argv[1]}/{me}.log", json.loads(sys.argv[2])
    struck = pathlib.Path(plan["folder"], "struck")
    say(log, "start", pid=os.getpid())
    jax.distributed.initialize(
        heartbeat_timeout_seconds=plan["heartbeat"],
        initialization_timeout=60,
        shutdown_timeout_seconds=20,
    )
    try:
        phase = Phase(log, plan)
        say(log, "ready")
        for k in range(plan["steps"]):
            while k == plan["wait_at"] and not struck.exists():
                time.sleep(0.02)
            phase.step(k)
            time.sleep(plan["pause"])
    except BaseException as error:
        say(log, "error", text=f"{type(error).__name__}: {error}")
        raise
    say(log, "done")


if __name__ == "__main__":
    main()
