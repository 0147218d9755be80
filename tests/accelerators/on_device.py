"""What a machine with a device has to show, step by step, in one report.

Each step runs in a process of its own, within its share of the time; what is done is kept
beside the report, so that a run that was broken off goes on where it was.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = (
    "unary", "binary", "integer", "complex", "reduce_sort", "indexing", "einsum", "conv",
    "fft", "linalg", "control", "grads", "nn", "prng", "random_dist", "special",
)  # fmt: skip
ENVIRONMENT = "import jax; jax.print_environment_info(); print(jax.devices())"
_DEVICE = "import jax; assert jax.devices()[0].platform == '{0}', jax.devices()"


def steps(options) -> list[tuple[str, list[str], int]]:
    """Name, command, and the most seconds of each."""
    python = [sys.executable, "-P"]
    golden = [*python, str(ROOT / "tests/golden/check_golden.py"), "--jobs", "1"]
    golden += ["--every", str(options.every)]
    golden += ["--except", str(ROOT / "tests/golden/baselines/better.json")]
    found = [
        ("environment", [*python, "-c", ENVIRONMENT], 60),
        ("device", [*python, "-c", _DEVICE.format(options.platform)], 60),
    ]
    found += [(f"golden {n}", [*golden, "--file", n], options.patience) for n in GOLDEN]
    speed = [*python, str(ROOT / "benchmarks/run.py"), "--seconds", "0.1"]
    speed += ["--json", str(options.report.absolute().with_suffix(".speed.json"))]
    peer = os.environ.get("PEER_PYTHON")
    compare = [*python, str(ROOT / "benchmarks/compare.py"), "--seconds", "0.1"]
    compare += ["--rounds", "1", "--ours", sys.executable, "--peer", str(peer)]
    if options.speed and not peer:
        found.append(("speed", speed, options.patience * 3))
    if options.speed and peer:
        found.append(("speed beside upstream", compare, options.patience * 4))
    return found


def run(command: list[str], limit: float) -> dict:
    """Runs a step; tells how it ended and its last lines."""
    start = time.perf_counter()
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, cwd="/"
        )
        text, status = answer.stdout + answer.stderr, answer.returncode
    except subprocess.TimeoutExpired as error:
        out = error.stdout or b""
        text, status = out.decode(errors="replace"), f"longer than {limit:.0f} s"
    lines = text.strip().splitlines()[-15:]
    seconds = round(time.perf_counter() - start, 1)
    return {"status": status, "seconds": seconds, "lines": lines}


def write(path: pathlib.Path, results: dict[str, dict], missing: list[str]) -> None:
    """The report, as a page."""
    out = [
        "# On the device",
        "",
        "| Step | Ended | Seconds | Count |",
        "|---|---|---|---|",
    ]
    for name, result in results.items():
        text = "\n".join(result["lines"])
        count = re.search(r"golden: (.*)", text)
        ended = "well" if result["status"] == 0 else str(result["status"])
        seconds, told = result["seconds"], count[1] if count else ""
        out.append(f"| {name} | {ended} | {seconds} | {told} |")
    out += [f"| {name} | not run: the time was over | | |" for name in missing]
    for name, result in results.items():
        if result["status"] != 0 or name in ("environment", "speed"):
            out += ["", f"## {name}", "", *(f"    {line}" for line in result["lines"])]
    path.write_text("\n".join(out) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="gpu", help="of the devices: gpu, tpu")
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("gpu.md"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=int, default=10, help="each how many cases")
    parser.add_argument("--patience", type=int, default=60, help="seconds of a step")
    parser.add_argument("--again", action="store_true", help="forget what is done")
    parser.add_argument("--only", default="", help="steps whose name has this")
    parser.add_argument("--speed", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    kept = options.report.with_suffix(".json")
    results = {}
    if kept.exists() and not options.again:
        results = json.loads(kept.read_text())
    end = time.monotonic() + 60 * options.minutes
    missing = []
    for name, command, limit in steps(options):
        if name in results or options.only not in name:
            continue
        left = end - time.monotonic()
        if left < 1:
            missing.append(name)
            continue
        results[name] = run(command, min(limit, left))
        kept.write_text(json.dumps(results, indent=1) + "\n")
        print(
            f"{name}: {results[name]['status']}, {results[name]['seconds']} s",
            flush=True,
        )
        if name == "device" and results[name]["status"] != 0:
            break
    write(options.report, results, missing)
    bad = [name for name, result in results.items() if result["status"] != 0]
    print(
        f"{len(results)} steps, {len(bad)} not well, {len(missing)} not run: {options.report}"
    )
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())
