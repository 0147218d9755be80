"""Runs the workloads on two interpreters in turn and prints the ratios.

  python compare.py --ours PYTHON --peer PYTHON [--rounds 2] [--only REGEX] [--again RATIO] [--json out.json]

Rounds alternate (ours, peer, ours, peer, ...), each in a new process without compilation caches, and the
smallest median of a workload's rounds counts, so that a slow moment of a shared machine does not decide.
--again 1.0 measures once more, alone, what fell below that ratio.  REGEX is searched in `group/name`; the
stages of a transformer training step run when it matches `stages/transformer`.
speed-up = peer time / our time: above 1 is ahead.  A workload whose result differs from the peer's in any
round counts as a failure.  The exit status is 1 when something failed or differed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

# Relative to the leaf's norm; a workload may state its own.
TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float32": 2e-5, "complex64": 2e-5}
STAGES = ("trace", "lower", "compile", "first run")


def run(python, arguments):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "out.json"
        environment = {
            **os.environ,
            "JAX_ENABLE_COMPILATION_CACHE": "false",
            "XDG_CACHE_HOME": scratch,
        }
        environment.pop("JAX_COMPILATION_CACHE_DIR", None)
        child = subprocess.run(
            [python, str(HERE / "run.py"), "--json", str(path), *arguments],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if child.returncode:
            print(
                f"{python} ended with status {child.returncode}:\n{child.stderr[-2000:]}",
                file=sys.stderr,
            )
            sys.exit(2)
        return json.loads(path.read_text())


def best(rounds, name, key):
    values = [
        r["results"][name][key] for r in rounds if key in r["results"].get(name, {})
    ]
    return min(values) if values else None


def difference(ours, peer, tolerance):
    """None when the two sketches tell the same result, else what differs first."""
    if len(ours) != len(peer):
        return f"{len(ours)} leaves, peer {len(peer)}"
    for i, (a, b) in enumerate(zip(ours, peer)):
        for key in ("shape", "dtype", "checksum", "nan", "inf"):
            if a.get(key) != b.get(key):
                return f"leaf {i}: {key} {a.get(key)}, peer {b.get(key)}"
        if "norm" not in a:
            continue
        bound = (tolerance or TOLERANCE.get(a["dtype"], 5e-3)) * max(b["norm"], 1e-30)
        worst = max(
            abs(x - y) for x, y in zip([a["norm"], *a["dots"]], [b["norm"], *b["dots"]])
        )
        if not worst <= bound:
            return f"leaf {i}: off by {worst / max(b['norm'], 1e-30):.1e} of its norm"
    return None


def geomean(values):
    return (
        math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", type=float, default=0.0)
    parser.add_argument("--seconds", default="0.5")
    parser.add_argument("--workloads", default=str(HERE / "workloads.py"))
    parser.add_argument("--json")
    options = parser.parse_args()
    common = ["--seconds", options.seconds, "--workloads", options.workloads]
    ours, peer = [], []

    def measure(rounds, only):
        for _ in range(rounds):
            ours.append(run(options.ours, [*common, "--only", only]))
            peer.append(run(options.peer, [*common, "--only", only]))

    def ratio(name):
        mine, theirs = best(ours, name, "median_us"), best(peer, name, "median_us")
        return theirs / mine if mine and theirs else math.inf

    measure(options.rounds, options.only)
    slow = [n for n in peer[0]["results"] if ratio(n) < options.again]
    if slow:
        measure(2, "/(" + "|".join(map(re.escape, slow)) + ")$")

    speed, compile_speed, failures, groups = {}, {}, [], {}
    print(
        f"{'workload':28} {'ours us':>12} {'peer us':>12} {'speed-up':>9} {'first-call':>10}"
    )
    for name, entry in peer[0]["results"].items():
        mine, theirs = best(ours, name, "median_us"), best(peer, name, "median_us")
        if theirs is None:
            print(f"{name:28} the peer failed: {entry.get('error', 'absent')[:80]}")
            continue
        if mine is None:
            failures.append(name)
            why = ours[0]["results"].get(name, {}).get("error", "absent")
            print(f"{name:28} {'FAILED':>12} {theirs:12.1f}  {why[:80]}")
            continue
        results = [r["results"][name] for r in ours if name in r["results"]]
        wrong = [
            r.get("error")
            or difference(r["sketch"], entry["sketch"], entry["tolerance"])
            for r in results
        ]
        if any(wrong):
            failures.append(name)
            print(
                f"{name:28} {'WRONG':>12} {theirs:12.1f}  {next(filter(None, wrong))[:100]}"
            )
            continue
        speed[name] = theirs / mine
        compile_speed[name] = best(peer, name, "first_s") / best(ours, name, "first_s")
        groups.setdefault(entry["group"], []).append(speed[name])
        print(
            f"{name:28} {mine:12.1f} {theirs:12.1f} {speed[name]:9.2f} {compile_speed[name]:10.2f}"
        )
    for group, values in groups.items():
        print(
            f"group {group:22} geomean speed-up {geomean(values):6.2f}  worst {min(values):6.2f}"
        )
    for label, key in (("import", "import_s"), ("peak memory", "peak_rss_mib")):
        mine, theirs = min(r[key] for r in ours), min(r[key] for r in peer)
        print(
            f"{label}: ours {mine:.2f} peer {theirs:.2f} ratio peer/ours {theirs / mine:.2f}"
        )

    if re.search(options.only, "stages/transformer"):
        stages = {"ours": [], "peer": []}
        for _ in range(options.rounds):
            for side, python in (("ours", options.ours), ("peer", options.peer)):
                answer = run(python, [*common, "--stages"])
                if "stages_error" in answer:
                    print(
                        f"transformer stages, {side}: FAILED {answer['stages_error'][:100]}"
                    )
                    if side == "ours" and "stages" not in failures:
                        failures.append("stages")
                elif "stages_s" in answer:
                    stages[side].append(answer["stages_s"])
        if stages["ours"] and stages["peer"]:
            for label, names in [(s, (s,)) for s in STAGES] + [("all stages", STAGES)]:
                mine, theirs = (
                    min(sum(s[n] for n in names) for s in stages[side])
                    for side in ("ours", "peer")
                )
                print(
                    f"transformer {label}: ours {mine:.3f} s peer {theirs:.3f} s ratio peer/ours {theirs / mine:.2f}"
                )

    total = len(speed) + len([f for f in failures if f != "stages"])
    slower = sorted((v, n) for n, v in speed.items() if v < 1)
    print(
        "slower than the peer:", ", ".join(f"{n} {v:.2f}" for v, n in slower) or "none"
    )
    print(
        f"SPEED: {len(speed)}/{total} ran and agree, geomean {geomean(list(speed.values())):.2f}, "
        f"worst {min(speed.values(), default=0):.2f}, first call {geomean(list(compile_speed.values())):.2f}"
    )
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps(
                dict(ours=ours, peer=peer, speed=speed, failures=failures), indent=1
            )
        )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
