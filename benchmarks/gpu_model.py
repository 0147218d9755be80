"""Predicts how long the workloads take on GPUs, from what their kernels do; prints Markdown.

  python gpu_model.py XLA_GPU [--only REGEX] [--json FILE]

XLA_GPU is the built tool. Each workload is lowered here and handed to `xla-gpu --emit=costs`, which counts;
nothing runs. The model of a machine is below: a kernel takes as long as the slowest of what it does, and at
least a launch. What the host computes is not in the time, only that arrays go there and back.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile


@dataclasses.dataclass(frozen=True)
class Machine:
    """Facts of the data sheets, and two of practice: what a launch and a read of a scalar take."""

    name: str
    memory: float  # bytes per second
    cores: int  # multiprocessors or compute units
    clock: float  # of these, per second
    lanes: int  # operations of a core in a cycle
    wide: float  # how many times as long one in f64 takes
    first_cache: float  # bytes that a core reads in a cycle
    products: dict[str, float]  # operations per second of matrix units, by type
    host: float = 55e9  # bytes per second from and to the host
    launch: float = 2.5e-6
    read: float = 10e-6  # waiting for the queue, and copying a scalar
    dependent: float = 6.0  # cycles until the next operation of a thread can begin

    @property
    def operations(self) -> float:
        return self.cores * self.clock * self.lanes


# f32 is six products of tf32.
_HOPPER = {
    "f32": 495e12 / 6,
    "tf32": 495e12,
    "bf16": 989e12,
    "f16": 989e12,
    "f8e4m3fn": 1979e12,
    "f8e5m2": 1979e12,
    "s8": 1979e12,
    "f64": 67e12,
}
MACHINES = [
    Machine("H100", 3.35e12, 132, 1.755e9, 128, 2, 128, _HOPPER),
    Machine("H200", 4.8e12, 132, 1.755e9, 128, 2, 128, _HOPPER),
    Machine(
        "MI300X",
        5.3e12,
        304,
        2.1e9,
        64,
        1,
        64,
        {
            "f32": 163.4e12,
            "tf32": 653.7e12,
            "bf16": 1307e12,
            "f16": 1307e12,
            "f8e4m3fnuz": 2615e12,
            "s8": 2615e12,
            "f64": 163.4e12,
        },
    ),
]


def kernel_parts(machine: Machine, kernel: dict) -> dict[str, float]:
    """Seconds that one run of a kernel takes for each thing that it does."""
    busy = min(1.0, kernel["blocks"] / machine.cores)
    operations = (
        kernel["operations"]
        + kernel["wide_operations"] * (machine.wide - 1)
        + kernel["index_operations"]
    )
    # A small float without an instruction of its own is multiplied as f16.
    kind = kernel["product_type"]
    if kind not in machine.products:
        kind = "f16"
    cache = machine.cores * machine.clock * machine.first_cache
    return {
        "launches": machine.launch,
        "memory": kernel["memory_bytes"] / machine.memory,
        "cache": kernel["accessed_bytes"] / (cache * busy),
        "operations": operations / (machine.operations * busy),
        "products": kernel["products"] / (machine.products[kind] * busy),
        "one thread": kernel["longest_thread"] * machine.dependent / machine.clock,
    }


def predict(machine: Machine, program: dict) -> tuple[float, dict[str, float]]:
    """Seconds of a program, and of these the ones that each kind of limit took."""
    limits: dict[str, float] = {}

    def add(kind, seconds):
        limits[kind] = limits.get(kind, 0.0) + seconds

    for step in program["steps"]:
        times = step["times"]
        if "kernel" in step:
            parts = kernel_parts(machine, program["kernels"][step["kernel"]])
            kind = max(parts, key=parts.get)
            add(kind, times * parts[kind])
        elif "copied_bytes" in step:
            seconds = 2 * step["copied_bytes"] / machine.memory
            kind = "memory" if seconds > machine.launch else "launches"
            add(kind, times * max(seconds, machine.launch))
        elif "host" in step:
            add("the host", times * (2 * machine.read + step["bytes"] / machine.host))
        if "read" in step:
            add("reads", step["read"] * machine.read)
    return sum(limits.values()), limits


def bound(machine: Machine, program: dict) -> float:
    """Seconds that no compiler comes below: its arguments and results, and its products on matrix units."""
    products = sum(
        flops / machine.products.get(kind, machine.products["f32"])
        for kind, flops in program["products"].items()
    )
    return max(program["boundary_bytes"] / machine.memory, products)


def count(program: dict, key: str) -> float:
    """How often steps of a kind run."""
    return sum(step["times"] for step in program["steps"] if key in step)


def seconds_text(seconds: float) -> str:
    """With three digits, as microseconds or milliseconds."""
    if seconds < 1e-8:
        return "0"
    unit, scale = ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    return f"{seconds * scale:.3g} {unit}"


def row(program: dict) -> str:
    """The workload's row of the table."""
    times, limit = [], ""
    for machine in MACHINES:
        seconds, limits = predict(machine, program)
        times.append(seconds_text(seconds))
        if machine is MACHINES[0]:
            limit = max(limits, key=limits.get) if limits else ""
    unknown = any(step.get("knows_rounds") is False for step in program["steps"])
    moved = sum(
        step["times"] * program["kernels"][step["kernel"]]["memory_bytes"]
        for step in program["steps"]
        if "kernel" in step
    )
    launches = count(program, "kernel") + count(program, "copied_bytes")
    cells = [
        program["name"] + (" (one round)" if unknown else ""),
        f"{launches:g}",
        f"{count(program, 'host'):g}",
        f"{moved / 1e6:.3g}",
        *times,
        limit,
        seconds_text(bound(MACHINES[0], program)),
    ]
    return "| " + " | ".join(cells) + " |"


def table(programs: list[dict]) -> str:
    """All rows, under their heads."""
    names = " | ".join(machine.name for machine in MACHINES)
    head = f"| Workload | launches | on the host | MB | {names} | H100: most for | H100 at best |"
    line = "|---|" + "--:|" * (3 + len(MACHINES)) + "---|--:|"
    return "\n".join([head, line, *map(row, programs)])


def workloads(only: str):
    """Names, functions and arguments."""
    path = pathlib.Path(__file__).with_name("workloads.py")
    spec = importlib.util.spec_from_file_location("workloads", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, (group, make, options) in module.REGISTRY.items():
        if re.search(only, f"{group}/{name}") and options.get("jit", True):
            yield name, make


def lowered(only: str, folder: pathlib.Path) -> list[pathlib.Path]:
    """The programs of the workloads, as files."""
    import jax

    files = []
    for name, make in workloads(only):
        fun, args = make()
        files.append(folder / f"{name}.mlir")
        files[-1].write_text(jax.jit(fun).lower(*args).as_text())
    return files


def counted(tool: str, files: list[pathlib.Path]) -> list[dict]:
    """What the tool counts of each program."""
    command = [tool, "--emit=costs", "--target=sm_90a", *map(str, files)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    programs = [json.loads(line) for line in output.splitlines()]
    for program in programs:
        program["name"] = pathlib.Path(program["program"]).stem
    return programs


def main():
    """Prints the table, and what has no prediction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=pathlib.Path, help="the counts, as a file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = counted(options.tool, lowered(options.only, pathlib.Path(folder)))
    if options.json:
        options.json.write_text(json.dumps(programs, indent=1))
    print(table([p for p in programs if "failed" not in p]))
    failed = [p for p in programs if "failed" in p]
    for program in failed:
        print(f"{program['name']}: {program['failed']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
