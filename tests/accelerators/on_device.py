"""What a machine with a device has to show, step by step, in one report.

Each step runs in a process of its own, within its share of the time; what ended well is kept
beside the report, so that a run that was broken off goes on where it was.
"""

import argparse
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = (
    "unary", "binary", "integer", "complex", "reduce_sort", "indexing", "einsum", "conv",
    "fft", "linalg", "control", "grads", "nn", "prng", "random_dist", "special",
)  # fmt: skip
# Kernels of these are run by the emulator too.
CHECKED = ("einsum", "reduce_sort", "indexing", "nn")
COMPILERS = "xla,own"
DEVICE = "device"
# Other projects' programs: the test's file, and what must be installed for it.
PROJECTS = ("optax", "flax", "equinox", "numpyro", "haiku", "diffrax", "blackjax")
ENVIRONMENT = "import jax; jax.print_environment_info(); print(jax.devices())"
_DEVICE = "import jax; assert jax.devices()[0].platform == '{0}', jax.devices()"
_COUNT = re.compile(r"golden: (.*)|(\d+ (?:passed|failed).*) in [\d.]+s|SPEED: (.*)")


@dataclasses.dataclass(frozen=True)
class Step:
    """Something to be shown."""

    name: str
    command: list[str]
    # The most that it may take.
    seconds: float
    # A package without which it is left out.
    needs: str | None = None
    # Of several compilers the one that it is of: its steps need its device.
    compiler: str = ""


def compilers_of(options) -> list[str]:
    """The compilers that the command line names, or the usual ones of the platform."""
    chosen = options.compilers or (COMPILERS if options.platform == "gpu" else "xla")
    return chosen.split(",")


def steps(options) -> list[Step]:
    """All of them, in the order of their weight: those of every compiler after each other."""
    python = [sys.executable, "-P"]
    environment = Step("environment", [*python, "-c", ENVIRONMENT], 60)
    compilers = compilers_of(options)
    if len(compilers) == 1:
        return [environment, *_steps_of(options, python)]
    found = [environment]
    for compiler in compilers:
        found += [
            dataclasses.replace(
                step,
                name=f"{step.name}, {compiler}",
                command=["env", f"JAX_GPU_COMPILER={compiler}", *step.command],
                compiler=compiler,
            )
            for step in _steps_of(options, python)
        ]
    return found + _checked(options, python)


def _golden(options, python, every):
    golden = [*python, str(ROOT / "tests/golden/check_golden.py"), "--jobs", "1"]
    golden += ["--every", str(every)]
    for name in ("better", "fake_gpu"):
        golden += ["--except", str(ROOT / f"tests/golden/baselines/{name}.json")]
    return golden


def _steps_of(options, python) -> list[Step]:
    """The steps of one compiler. Several compilers share out the cases, for the time is the same."""
    patience, each = options.patience, len(compilers_of(options))
    device = [*python, "-c", _DEVICE.format(options.platform)]
    found = [Step(DEVICE, device, 60)]
    golden = _golden(options, python, each * options.every)
    found += [Step(f"golden {n}", [*golden, "--file", n], patience) for n in GOLDEN]
    tests = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tests += ["-p", "tests.accelerators.every", f"--rootdir={ROOT}"]
    laws = [*tests, "--every", str(2 * each * options.every)]
    laws.append(str(ROOT / "tests/laws/laws_test.py"))
    found.append(Step("laws", laws, 2 * patience, "pytest"))
    for name in PROJECTS:
        file = str(ROOT / f"tests/ecosystem/{name}_test.py")
        command = [*tests, "--every", str(each * options.every_program), file]
        found.append(Step(f"programs of {name}", command, 2 * patience, name))
    return found + (_speed(options, python) if options.speed else [])


def _checked(options, python) -> list[Step]:
    """Kernels of the own compiler by its emulator, which finds races and accesses that are out of bounds."""
    golden = _golden(options, python, 4 * options.every)
    own = ["env", "JAX_GPU_COMPILER=own"]
    own.append("JAX_PJRT_CLIENT_CREATE_OPTIONS=backend:reference")
    return [
        Step(f"races, {name}", [*own, *golden, "--file", name], options.patience, None)
        for name in CHECKED
    ]


def _speed(options, python):
    """The benchmarks: beside upstream, where PEER_PYTHON names an interpreter that has it."""
    peer = os.environ.get("PEER_PYTHON")
    if peer:
        compare = [*python, str(ROOT / "benchmarks/compare.py"), "--seconds", "0.1"]
        compare += ["--rounds", "1", "--ours", sys.executable, "--peer", str(peer)]
        compare += ["--only", options.speed_only]
        return [Step("speed beside upstream", compare, 4 * options.patience)]
    alone = [*python, str(ROOT / "benchmarks/run.py"), "--seconds", "0.1"]
    alone += ["--only", options.speed_only]
    alone += ["--json", str(options.report.absolute().with_suffix(".speed.json"))]
    return [Step("speed", alone, 3 * options.patience)]


def run(command: list[str], limit: float, tests: str = "") -> dict:
    """Runs a step; returns how it ended and its last lines.

    Args:
        command: what is run.
        limit: after so many seconds it is ended.
        tests: a folder in which the package `tests` is found.
    """
    start = time.perf_counter()
    paths = [tests, os.environ.get("PYTHONPATH", "")]
    paths = os.pathsep.join(path for path in paths if path)
    try:
        answer = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            cwd="/",
            env=os.environ | {"PYTHONPATH": paths},
        )
        text, status = answer.stdout + answer.stderr, answer.returncode
    except subprocess.TimeoutExpired as error:
        out = error.stdout or b""
        text, status = out.decode(errors="replace"), f"longer than {limit:.0f} s"
    lines = text.strip().splitlines()[-15:]
    seconds = round(time.perf_counter() - start, 1)
    return {"status": status, "seconds": seconds, "lines": lines}


def write(path: pathlib.Path, results: dict, missing: dict[str, str]) -> None:
    """The report, as a page."""
    out = [
        "# On the device",
        "",
        "| Step | Ended | Seconds | Count |",
        "|---|---|---|---|",
    ]
    for name, result in results.items():
        found = [_COUNT.search(line) for line in result["lines"]]
        told = [next(filter(None, match.groups())) for match in found if match]
        ended = "well" if result["status"] == 0 else str(result["status"])
        count = told[-1] if told else ""
        out.append(f"| {name} | {ended} | {result['seconds']} | {count} |")
    out += [f"| {name} | not run: {why} | | |" for name, why in missing.items()]
    for name, result in results.items():
        if result["status"] != 0 or name in ("environment", "speed"):
            out += ["", f"## {name}", "", *(f"    {line}" for line in result["lines"])]
    path.write_text("\n".join(out) + "\n")


def run_all(options, chosen: list[Step], kept: pathlib.Path) -> tuple[dict, dict]:
    """Runs what has not ended well yet, and is not left out; all results are kept at once.

    Returns:
        The results by name, and by name why others have none.
    """
    results, lost = {}, set()
    if kept.exists() and not options.again:
        results = json.loads(kept.read_text())
    end = time.monotonic() + 60 * options.minutes
    missing = {}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tests").symlink_to(ROOT / "tests")
        for step in chosen:
            is_done = results.get(step.name, {}).get("status") == 0
            if is_done or options.only not in step.name:
                continue
            left = end - time.monotonic()
            if step.needs and importlib.util.find_spec(step.needs) is None:
                missing[step.name] = f"{step.needs} is not installed"
                continue
            if step.compiler in lost:
                missing[step.name] = "its compiler has no device"
                continue
            if left < 1:
                missing[step.name] = "the time was over"
                continue
            result = run(step.command, min(step.seconds, left), folder)
            results[step.name] = result
            kept.write_text(json.dumps(results, indent=1) + "\n")
            told = f"{step.name}: {result['status']}, {result['seconds']} s"
            print(told, flush=True)
            if step.name.split(",")[0] == DEVICE and result["status"] != 0:
                lost.add(step.compiler)
    return results, missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="gpu", help="of the devices: gpu, tpu")
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("gpu.md"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=int, default=10, help="each how many cases")
    parser.add_argument(
        "--every-program", type=int, default=2, help="each how many of other projects"
    )
    parser.add_argument("--patience", type=int, default=60, help="seconds of a step")
    parser.add_argument(
        "--compilers",
        help=f"values of JAX_GPU_COMPILER, each with steps of its own; one: as the environment says. For GPUs {COMPILERS}",
    )
    parser.add_argument("--again", action="store_true", help="forget what is done")
    parser.add_argument("--only", default="", help="steps whose name has this")
    parser.add_argument("--speed", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--speed-only", default="", help="workloads, by a pattern")
    options = parser.parse_args()
    kept = options.report.with_suffix(".json")
    results, missing = run_all(options, steps(options), kept)
    write(options.report, results, missing)
    bad = [name for name, result in results.items() if result["status"] != 0]
    print(
        f"{len(results)} steps, {len(bad)} not well, {len(missing)} not run: {options.report}"
    )
    late = "the time was over" in missing.values()
    return 1 if bad or late else 0


if __name__ == "__main__":
    sys.exit(main())
