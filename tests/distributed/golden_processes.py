"""The golden cases of eight devices, run by several processes that hold the devices together.

    python golden_processes.py --processes 2 --file sharding --file shardmap --every 10

Each process runs each case, as the processes of one job do. What lies over all of them is
gathered, the parts that the processes hold are put together, and the first process judges as
`check_golden.py` does. A case that reads an array which spans processes has no answer here: it
must raise, and counts as *refused*. Last come the counts: `processes: N passed, M failed, K
refused`.
"""

import argparse
import contextlib
import json
import os
import pathlib
import pickle
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

GOLDEN = pathlib.Path(__file__).absolute().parent.parent / "golden"
DEVICES = 8
FILES = ("sharding", "shardmap", "explicit", "placement")
# Ids of a process's devices begin at its number times this.
IDS_OF_A_PROCESS = 2048
SPANS = "spans devices of other processes"


def _checker():
    sys.path.insert(0, str(GOLDEN))
    import check_golden  # noqa: PLC0415

    return check_golden


def _gathered(x):
    """The value of an array, wherever its parts lie."""
    import jax  # noqa: PLC0415
    from jax.experimental import multihost_utils  # noqa: PLC0415

    if not isinstance(x, jax.Array) or x.is_fully_addressable:
        return x
    if x.is_fully_replicated and x.addressable_shards:
        return x.addressable_shards[0].data
    return multihost_utils.process_allgather(x, tiled=True)


def teach(checker, local_devices: int) -> None:
    """Lets the checker look at arrays that span processes."""
    leaf_value, placement = checker.leaf_value, checker.placement

    def value(ns, v):
        dtype, array, weak = leaf_value(ns, _gathered(v))
        return dtype, array, bool(getattr(v, "weak_type", weak))

    def place(ns, x):
        found = placement(ns, x)
        for shard in found["shards"]:
            process, index = divmod(shard[0], IDS_OF_A_PROCESS)
            shard[0] = process * local_devices + index
        return found

    def agree(ns, x):
        whole = np.asarray(_gathered(x))
        for shard in x.addressable_shards:
            part = np.ascontiguousarray(whole[shard.index])
            if np.asarray(shard.data).tobytes() != part.tobytes():
                return f"the part on {shard.device} differs from the whole"
        return None

    checker.leaf_value, checker.placement, checker.shards_agree = value, place, agree


def work(options) -> None:
    """What one process does: all cases, each after the others have come to it."""
    import jax  # noqa: PLC0415

    jax.distributed.initialize(
        options.coordinator,
        options.processes,
        options.worker,
        initialization_timeout=60,
    )
    from jax._src import distributed  # noqa: PLC0415

    client = distributed.global_state.client
    checker = _checker()
    teach(checker, DEVICES // options.processes)
    assert jax.device_count() == DEVICES, jax.devices()
    for name in options.file or FILES:
        spec = json.loads((GOLDEN / f"{name}.json").read_text())
        store = np.load(GOLDEN / f"{name}.npz")
        cases = [c for c in spec["cases"] if options.case in c["id"]]
        for number, case in enumerate(cases[:: options.every]):
            client.wait_at_barrier(f"{name}/{number}", 120_000)
            wanted = case.get("config", {})
            before = {name: getattr(jax.config, name) for name in wanted}
            checker.apply_config(wanted)
            inputs = {
                v: (store["in/" + k], spec["inputs"][k][0])
                for v, k in case.get("in", {}).items()
            }
            outcome = checker.run_one(
                spec["kind"], case, inputs, prelude=spec.get("prelude", "")
            )
            checker.apply_config(before)
            _exchange(
                options,
                client,
                checker,
                (name, spec, store, inputs),
                number,
                case,
                outcome,
            )
    jax.distributed.shutdown()


def _exchange(options, client, checker, about, number, case, outcome):
    """The first process gets the outcomes of all and judges."""
    name, spec, store, inputs = about
    folder = pathlib.Path(options.out)
    (folder / f"{name}-{number}-{options.worker}").write_bytes(pickle.dumps(outcome))
    client.wait_at_barrier(f"{name}/{number}/done", 120_000)
    if options.worker != 0:
        return
    outcomes = [
        pickle.loads((folder / f"{name}-{number}-{k}").read_bytes())
        for k in range(options.processes)
    ]
    verdict = merged_verdict(checker, spec, case, store, inputs, outcomes)
    with (folder / "verdicts.jsonl").open("a") as file:
        file.write(json.dumps([name, case["id"], verdict]) + "\n")


def merged_verdict(checker, spec, case, store, inputs, outcomes):
    """None: passed; "refused"; or the reasons of a failure."""
    first, arrays = outcomes[0]
    raised = [r.get("raised") for r, _ in outcomes]
    if any(raised):
        if not all(raised):
            return [
                f"raised in some processes only: {[r.get('message') for r, _ in outcomes]}"
            ]
        if "raises" not in case and all(SPANS in r["message"] for r, _ in outcomes):
            return "refused"
        return checker.judge(spec, case, first, arrays, store, inputs, {})
    why = []
    for k, (result, others) in enumerate(outcomes[1:], 1):
        if [o[:2] for o in result["out"]] != [o[:2] for o in first["out"]]:
            return [
                f"process {k} has other results: {result['out']} not {first['out']}"
            ]
        for mine, theirs in zip(arrays, others, strict=True):
            if mine.tobytes() != theirs.tobytes():
                why.append(f"process {k} has other bits than process 0")
        for mine, theirs in zip(first["sharding"], result["sharding"], strict=True):
            if mine is not None and "shards" in mine:
                known = {s[0] for s in mine["shards"]}
                mine["shards"] += [s for s in theirs["shards"] if s[0] not in known]
    for place in first["sharding"]:
        if place is not None:
            place["shards"].sort(key=lambda s: s[0])
    wanted = json.loads(json.dumps(case))
    for place in wanted.get("sharding") or ():
        if place is not None and "shards" in place:
            place["shards"].sort(key=lambda s: s[0])
    found = checker.judge(spec, wanted, first, arrays, store, inputs, {})
    return (why + (found or [])) or None


def free_port() -> int:
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(options, out: str) -> list[subprocess.Popen]:
    coordinator = f"127.0.0.1:{free_port()}"
    flags = f"--xla_force_host_platform_device_count={DEVICES // options.processes}"
    environment = {**os.environ, "XLA_FLAGS": flags}
    environment.setdefault("JAX_PLATFORMS", "cpu")
    command = [
        sys.executable,
        *(["-P"] if sys.flags.safe_path else []),
        __file__,
        *sys.argv[1:],
    ]
    return [
        subprocess.Popen(
            [*command, "--worker", str(k), "--coordinator", coordinator, "--out", out],
            env=environment,
        )
        for k in range(options.processes)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--file", action="append", choices=FILES)
    parser.add_argument("--case", default="", help="cases whose id contains a text")
    parser.add_argument("--every", type=int, default=1, help="each so many-th case")
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds for all")
    parser.add_argument("--verbose", "-v", action="store_true")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--coordinator", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        work(options)
        return 0
    with tempfile.TemporaryDirectory() as out:
        processes = start(options, out)
        end = time.monotonic() + options.timeout
        codes = []
        for process in processes:
            try:
                codes.append(process.wait(max(1.0, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                process.kill()
                codes.append("no end")
        path = pathlib.Path(out, "verdicts.jsonl")
        verdicts = [json.loads(line) for line in path.open()] if path.exists() else []
    return report(verdicts, codes, options.verbose)


def report(verdicts, codes, verbose: bool) -> int:
    failed = [v for v in verdicts if v[2] not in (None, "refused")]
    refused = [v for v in verdicts if v[2] == "refused"]
    for name, case, why in failed:
        print(f"{name} {case}: {'; '.join(why)[:400]}")
    if verbose:
        for name, case, _ in refused:
            print(f"refused: {name} {case}")
    if any(codes):
        print(f"exit statuses: {codes}")
    passed = len(verdicts) - len(failed) - len(refused)
    print(f"processes: {passed} passed, {len(failed)} failed, {len(refused)} refused")
    return 1 if failed or any(codes) or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
