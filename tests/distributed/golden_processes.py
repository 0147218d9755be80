"""The golden cases of eight devices, run by several processes that hold the devices together.

    python golden_processes.py --processes 2 --file sharding --file shardmap --every 10

Each process runs each case, as the processes of one job do. What is sharded over all of them is
gathered, the parts that the processes hold are put together, and the whole is judged as
`check_golden.py` does. Before that, one process with all devices runs the same cases: results
must have the same bits. Three kinds of cases have no such answer:

* one that reads an array which spans processes must raise in all of them: *refused*;
* one of `one_process.json` speaks of what a single process has, and for one of golden's
  `better.json` we keep another answer: *left out*, each with a reason there;
* one that a process does not end, or that ends a process, fails; the next are run by new ones.

Last come the counts: `processes: N passed, M failed, K refused, L left out`.
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
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).absolute().parent
sys.path.insert(0, str(HERE))
import golden_worker  # noqa: E402

DEVICES = 8
FILES = ("sharding", "shardmap", "explicit", "placement")
SPANS = "spans devices of other processes"
START_S = 120.0
MOST_STARTS = 20


# ---------------------------------------------------------------- running


class Job:
    """Processes that run cases together, from one of them on."""

    def __init__(self, options, cases, processes: int, out: pathlib.Path):
        self._options, self._cases, self._out = options, cases, out
        self._count = processes

    def outcomes(self) -> list[Any]:
        """Per case, what came out in each process; or a text that says why nothing did."""
        found: list[Any] = []
        for _ in range(MOST_STARTS):
            found += self._run_from(len(found))
            if len(found) == len(self._cases):
                return found
        rest = len(self._cases) - len(found)
        return found + [f"not run: {MOST_STARTS} cases before it ended the job"] * rest

    def _run_from(self, first: int) -> list[Any]:
        children = self._start(first)
        found: list[Any] = []
        wait_s = START_S + self._options.patience
        try:
            for number in range(first, len(self._cases)):
                found.append(self._collect(number, children, wait_s))
                if isinstance(found[-1], str):
                    return found
                wait_s = self._options.patience
            statuses = [self._status(child) for child in children]
            if any(statuses):
                found[-1] = f"after the last case: exit statuses {statuses}"
        finally:
            for child in children:
                child.kill()
                child.wait()
        return found

    def _start(self, first: int) -> list[subprocess.Popen]:
        job = {
            "processes": self._count,
            "devices": DEVICES,
            "coordinator": f"127.0.0.1:{free_port()}",
            "cases": [[name, case["id"]] for name, case in self._cases],
            "out": str(self._out),
        }
        plan = self._out / "job.json"
        plan.write_text(json.dumps(job))
        environment = {**os.environ, "JAX_NUM_CPU_DEVICES": str(DEVICES // self._count)}
        environment.setdefault("JAX_PLATFORMS", "cpu")
        program = [sys.executable, *(["-P"] if sys.flags.safe_path else [])]
        program += [str(HERE / "golden_worker.py"), str(plan)]
        return [
            subprocess.Popen([*program, str(k), str(first)], env=environment)
            for k in range(self._count)
        ]

    def _collect(self, number: int, children, wait_s: float):
        """The outcome of a case in each process; or why it did not come."""
        files = [self._out / f"{number}-{k}" for k in range(self._count)]
        end = time.monotonic() + wait_s
        while not all(file.exists() for file in files):
            ended = [child.poll() for child in children]
            missing = [k for k, file in enumerate(files) if not file.exists()]
            if any(ended[k] is not None for k in missing):
                return f"processes ended: {ended}"
            if time.monotonic() > end:
                return f"no answer of processes {missing} within {wait_s:g} s"
            time.sleep(0.005)
        found = [pickle.loads(file.read_bytes()) for file in files]
        for file in files:
            file.unlink()
        return found

    def _status(self, child):
        try:
            return child.wait(self._options.patience)
        except subprocess.TimeoutExpired:
            return "no end"


def free_port() -> int:
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---------------------------------------------------------------- judging


class Judge:
    """Makes one outcome of those of several processes, and judges it."""

    def __init__(self, processes: int):
        self._golden = golden_worker.checker()
        self._files = golden_worker.Files()
        self._numbers = golden_worker.DeviceNumbers(DEVICES // processes)

    def verdict(self, name: str, case, outcomes, alone):
        """None: passed; "refused"; or the reasons of a failure."""
        if isinstance(outcomes, str):
            return [outcomes]
        raised = ["raised" in result for result, _ in outcomes]
        texts = [result.get("message", "") for result, _ in outcomes]
        if any(raised) and not all(raised):
            return [f"raised in some processes only: {texts}"]
        if all(raised) and "raises" not in case and all(SPANS in t for t in texts):
            return "refused"
        why: list[str] = []
        result, arrays = outcomes[0]
        if not any(raised):
            result, arrays = self._joined(case, outcomes, why)
        if isinstance(result, str):
            return [result]
        spec, store, _ = self._files.read(name)
        wanted = _in_order(case)
        inputs = self._files.inputs(name, case)
        why += self._golden.judge(spec, wanted, result, arrays, store, inputs, {}) or []
        if not isinstance(alone, str) and "raised" not in alone[0][0]:
            for mine, its in zip(arrays, alone[0][1], strict=False):
                if mine.tobytes() != its.tobytes():
                    why.append(f"other bits than one process: {_difference(mine, its)}")
        return why or None

    def _joined(self, case, outcomes, why: list[str]):
        """One outcome: parts side by side, values of those processes that have them."""
        counts = [len(result["out"]) for result, _ in outcomes]
        if len(set(counts)) > 1:
            return f"so many results of the processes: {counts}", []
        everything = [iter(arrays) for _, arrays in outcomes]
        out, shardings, arrays = [], [], []
        for i in range(counts[0]):
            rows = [result["out"][i] for result, _ in outcomes]
            where = [result["sharding"][i] for result, _ in outcomes]
            if rows[0][0] == "=":
                wanted = case.get("out", [])[i : i + 1]
                rows = [self._plain(row, wanted) for row in rows]
            else:
                values = [next(arrays) for arrays in everything]
            if any(row != rows[0] for row in rows):
                why.append(f"result {i} differs: {[row[:2] for row in rows]}")
            out.append(rows[0])
            shardings.append(_side_by_side(where))
            if rows[0][0] != "=":
                arrays.append(_one_of(values, where, why))
        found = {"out": out, "sharding": shardings}
        reasons = [w for result, _ in outcomes for w in result.get("inconsistent", ())]
        return found | ({"inconsistent": reasons} if reasons else {}), arrays

    def _plain(self, row, wanted):
        """A result that is no array; with ids of devices as one process has them."""
        if wanted and row[1] == wanted[0][1]:
            return row
        return [row[0], self._numbers.plain(row[1]), *row[2:]]


def _side_by_side(where):
    """The sharding of an array, from what each process says of its parts."""
    if where[0] is None:
        return None
    parts = {shard[0]: shard for found in where for shard in found["shards"]}
    return {**where[0], "shards": [parts[k] for k in sorted(parts)]}


def _one_of(values, where, why: list[str]):
    """The value that processes have of an array, or the sum of their parts of a sum."""
    if where[0] is not None and where[0].get("unreduced"):
        return np.sum(values, axis=0)
    has = [
        value
        for value, found in zip(values, where, strict=True)
        if found is None or found["shards"]
    ]
    if not has:
        why.append("no process has a part of a result")
        return values[0]
    if any(value.tobytes() != has[0].tobytes() for value in has):
        why.append("the processes that have a result have different bits of it")
    return has[0]


def _in_order(case):
    """A case whose parts are in the order of devices, not in that of a mesh."""
    case = json.loads(json.dumps(case))
    for found in case.get("sharding") or ():
        if found is not None and "shards" in found:
            found["shards"].sort(key=lambda shard: shard[0])
    return case


def _difference(mine, its) -> str:
    if mine.shape != its.shape or mine.dtype != its.dtype:
        return f"{mine.dtype}{list(mine.shape)}, not {its.dtype}{list(its.shape)}"
    at = np.argmax(mine.reshape(-1) != its.reshape(-1))
    return f"{mine.reshape(-1)[at]!r}, not {its.reshape(-1)[at]!r}"


# ---------------------------------------------------------------- the command line


def is_left_out(name: str, identity: str) -> bool:
    """Whether a case speaks of one process, or we keep another answer than it records."""
    listed = json.loads((HERE / "one_process.json").read_text()).get(name, {})
    better = golden_worker.GOLDEN / "baselines" / "better.json"
    return identity in json.loads(better.read_text()).get(name, {}) or any(
        identity == pattern
        or (pattern.endswith("*") and identity.startswith(pattern[:-1]))
        for pattern in listed
    )


def chosen(options) -> tuple[list[tuple[str, Any]], int]:
    """The cases to run, and how many are left out."""
    files, cases = golden_worker.Files(), []
    for name in options.file or FILES:
        found = files.read(name)[2].values()
        found = [case for case in found if options.case in case["id"]]
        cases += [(name, case) for case in found[:: options.every]]
    is_listed = [is_left_out(name, case["id"]) for name, case in cases]
    if options.listed:
        return [c for c, listed in zip(cases, is_listed, strict=True) if listed], 0
    kept = [c for c, listed in zip(cases, is_listed, strict=True) if not listed]
    return kept, sum(is_listed)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--file", action="append", choices=FILES)
    parser.add_argument("--case", default="", help="cases whose id contains a text")
    parser.add_argument("--every", type=int, default=1, help="each so many-th case")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds that a case may take"
    )
    parser.add_argument(
        "--listed",
        action="store_true",
        help="run those of one_process.json, to see which need not be there",
    )
    parser.add_argument("--verbose", "-v", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    cases, left = chosen(options)
    with tempfile.TemporaryDirectory() as out:
        joined = Job(options, cases, options.processes, pathlib.Path(out)).outcomes()
    with tempfile.TemporaryDirectory() as out:
        alone = Job(options, cases, 1, pathlib.Path(out)).outcomes()
    judge = Judge(options.processes)
    verdicts = [
        (f"{name} {case['id']}", judge.verdict(name, case, *outcomes))
        for (name, case), *outcomes in zip(cases, joined, alone, strict=True)
    ]
    return report(verdicts, left, options)


def report(verdicts, left: int, options) -> int:
    failed = [v for v in verdicts if v[1] not in (None, "refused")]
    refused = [v for v in verdicts if v[1] == "refused"]
    passed = [v for v in verdicts if v[1] is None]
    for case, why in failed:
        print(f"{case}: {'; '.join(why)[:400]}")
    for case, _ in refused if options.verbose else ():
        print(f"refused: {case}")
    for case, _ in passed if options.listed else ():
        print(f"passed, though listed: {case}")
    print(
        f"processes: {len(passed)} passed, {len(failed)} failed, {len(refused)} refused,"
        f" {left} left out"
    )
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
