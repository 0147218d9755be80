"""One of the processes that run golden cases together: `golden_processes.py` starts it.

    python golden_worker.py JOB.json PROCESS FIRST

The job says which cases; this process runs them from the one with the number FIRST on, each when
all processes have come to it, and writes what came out into a file of its own.
"""

import json
import os
import pathlib
import pickle
import re
import sys

import numpy as np

GOLDEN = pathlib.Path(__file__).absolute().parent.parent / "golden"
# Ids of a process's devices begin at its number times this.
IDS_OF_A_PROCESS = 2048
PATIENCE_MS = 600_000


def checker():
    """The module that replays golden cases in one process."""
    if str(GOLDEN) not in sys.path:
        sys.path.insert(0, str(GOLDEN))
    import check_golden  # noqa: PLC0415

    return check_golden


class Files:
    """The files of cases, each read once."""

    def __init__(self):
        self._specs, self._stores, self._cases = {}, {}, {}

    def read(self, name: str):
        """A file's description, its stored arrays, and its cases by id."""
        if name not in self._specs:
            spec = json.loads((GOLDEN / f"{name}.json").read_text())
            self._specs[name] = spec
            self._stores[name] = np.load(GOLDEN / f"{name}.npz")
            self._cases[name] = {case["id"]: case for case in spec["cases"]}
        return self._specs[name], self._stores[name], self._cases[name]

    def inputs(self, name: str, case):
        """The stored arrays that a case names."""
        spec, store, _ = self.read(name)
        return {
            v: (store["in/" + k], spec["inputs"][k][0])
            for v, k in case.get("in", {}).items()
        }


class DeviceNumbers:
    """Devices of several processes, numbered as those of one process are."""

    def __init__(self, of_a_process: int):
        self._of_a_process = of_a_process

    def number(self, device_id: int) -> int:
        process, index = divmod(device_id, IDS_OF_A_PROCESS)
        return process * self._of_a_process + index

    def plain(self, value):
        """A result that is no array, with ids of devices as one process has them."""
        if isinstance(value, bool):
            return value
        if isinstance(value, int) and value >= IDS_OF_A_PROCESS:
            return self.number(value)
        if isinstance(value, str):
            return re.sub(r"\b\d{4,}\b", lambda m: str(self.number(int(m[0]))), value)
        return value


def whole(x):
    """The value of an array, gathered by the processes that hold it; None in the others."""
    import jax  # noqa: PLC0415
    from jax.experimental import multihost_utils  # noqa: PLC0415

    if not x.addressable_shards:
        return None
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
        x = jax.random.key_data(x)
    if x.is_fully_addressable:
        return np.asarray(x)
    if x.is_fully_replicated:
        return np.asarray(x.addressable_shards[0].data)
    return multihost_utils.process_allgather(x, tiled=True)


def teach(golden, numbers: DeviceNumbers) -> None:
    """Lets the checker look at arrays that span processes, or are in others."""
    import jax  # noqa: PLC0415

    leaf_value, placement = golden.leaf_value, golden.placement

    def value(ns, v):
        if not isinstance(v, jax.Array):
            return leaf_value(ns, v)
        found = whole(v)
        if found is None:
            found = np.zeros(v.shape, np.uint8)  # Not looked at: it has no parts here.
        is_key = jax.dtypes.issubdtype(v.dtype, jax.dtypes.extended)
        return str(v.dtype), golden.encode(found), bool(v.weak_type) and not is_key

    def placement_of(ns, x):
        found = placement(ns, x)
        for shard in found["shards"]:
            # What nobody has put anywhere is on the first device of each process.
            is_first = shard[0] % IDS_OF_A_PROCESS == 0
            is_own = is_first and not found["committed"]
            shard[0] = 0 if is_own else numbers.number(shard[0])
        return found

    def agree(ns, x):
        everything = whole(x)
        for shard in x.addressable_shards:
            part = np.ascontiguousarray(everything[shard.index])
            if whole(shard.data).tobytes() != part.tobytes():
                return f"the part on {shard.device} differs from the whole"
        return None

    golden.leaf_value, golden.placement, golden.shards_agree = (
        value,
        placement_of,
        agree,
    )


def join(job, process: int):
    """Joins the job; returns what waits for the others before a case."""
    import jax  # noqa: PLC0415

    if job["processes"] == 1:
        return lambda number: None
    jax.distributed.initialize(
        job["coordinator"], job["processes"], process, initialization_timeout=120
    )
    client = jax._src.distributed.global_state.client
    return lambda number: client.wait_at_barrier(f"case/{number}", PATIENCE_MS)


def run(golden, files: Files, name: str, case):
    """What came out of a case in this process: in the form of `check_golden.run_one`."""
    import jax  # noqa: PLC0415

    spec = files.read(name)[0]
    wanted = {**spec.get("config", {}), **case.get("config", {})}
    before = {option: getattr(jax.config, option) for option in wanted}
    golden.apply_config(wanted)
    try:
        return golden.run_one(
            spec["kind"],
            case,
            files.inputs(name, case),
            prelude=spec.get("prelude", ""),
        )
    finally:
        golden.apply_config(before)


def main() -> None:
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    process, first = int(sys.argv[2]), int(sys.argv[3])
    come_together = join(job, process)

    import jax  # noqa: PLC0415

    assert jax.device_count() == job["devices"], jax.devices()
    golden, files = checker(), Files()
    teach(golden, DeviceNumbers(job["devices"] // job["processes"]))
    folder = pathlib.Path(job["out"])
    for number, (name, identity) in enumerate(job["cases"][first:], first):
        come_together(number)
        outcome = run(golden, files, name, files.read(name)[2][identity])
        made = folder / f".{number}-{process}"
        made.write_bytes(pickle.dumps(outcome))
        os.replace(made, folder / f"{number}-{process}")
    if job["processes"] > 1:
        jax.distributed.shutdown()


if __name__ == "__main__":
    main()
