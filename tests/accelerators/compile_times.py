"""Measures how long two compilers take for the same programs, ahead of time and for H100, in one run.

    python -m tests.accelerators.compile_times --plugin FILE --driver FILE --ptxas FILE [--rounds N]

One is the vendor's plugin, which runs `ptxas` itself. The other one is this project's plugin, with a library that
stands for CUDA's driver and keeps what it is given; `ptxas` then assembles that. Seconds are those of the processor, of the
process and of those that it starts, and the least of some rounds. The exit status is 1 where ours are more than half.
"""

import argparse
import ctypes
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util
from jax.experimental import topologies
from tests.accelerators import machines, programs

MACHINE = "h100"
WORKLOADS = ("transformer_train_step", "mlp_train_step")
BOUND = 0.5
BOUNDED = ("transformer_train_step", "digits_classifier")
_WARMING = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"


def chosen() -> list[programs.Program]:
    """A name, a function of arrays and the arrays, of each program."""
    workloads = programs.load(programs.ROOT / "benchmarks/workloads.py")
    found = []
    for name in WORKLOADS:
        run, arguments = workloads.REGISTRY[name][1]()
        found.append((name, run, list(arguments)))
    example = programs.load(programs.ROOT / "examples/digits_classifier.py")
    key = jax.random.key(0)
    digits, _ = example.load_digits(key)
    batch = digits.images[: example.BATCH], digits.labels[: example.BATCH]
    arguments = [example.init_state(key), *batch, key, jnp.float32(1e-3)]
    step = example.learn.__wrapped__
    return [*found, ("digits_classifier", step, arguments)]


def seconds() -> float:
    """The time of the processor so far, with that of the processes that ended."""
    used = [
        resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(one.ru_utime + one.ru_stime for one in used)


def least(rounds: int, work: Callable[[], Any]) -> float:
    """The least time of some rounds."""
    taken = []
    for _ in range(rounds):
        before = seconds()
        work()
        taken.append(seconds() - before)
    return min(taken)


def of_vendor(rounds: int) -> dict[str, float]:
    """Seconds of the vendor's plugin by program; the texts are left in the folder of the process."""
    platform, name, settings = machines.MACHINES[MACHINE]
    described = topologies.get_topology_desc(name, platform, **settings)
    sharding = jax.sharding.SingleDeviceSharding(described.devices[0])

    def typed(leaf):
        if not hasattr(leaf, "dtype"):
            return leaf
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    def lower(run, arguments):
        types = tree_util.tree_map(typed, arguments)
        return jax.jit(run, out_shardings=sharding).lower(*types)

    # What a first program of a process takes more is of neither.
    lower(lambda x: x, [jnp.zeros(4)]).compile()
    times = {}
    for title, run, arguments in chosen():
        lowered = lower(run, arguments)
        pathlib.Path(f"{title}.mlir").write_text(lowered.as_text())
        times[title] = least(rounds, lowered.compile)
    return times


def of_ours(driver: str, ptxas: str, rounds: int) -> dict[str, list[float]]:
    """Seconds of this project's plugin, and of `ptxas` after it, by program."""
    # The plugin finds this one by its name.
    library = ctypes.CDLL(driver)
    library.mockImage.restype = ctypes.c_char_p
    client = jax.devices()[0].client
    client.compile(_WARMING)
    times = {}
    for path in sorted(pathlib.Path().glob("*.mlir")):
        text = path.read_text()
        own = least(rounds, lambda text=text: client.compile(text))
        code = path.with_suffix(".ptx")
        code.write_bytes(library.mockImage())
        line = [ptxas, "-arch=sm_90a", str(code), "-o", os.devnull]
        after = least(rounds, lambda line=line: subprocess.run(line, check=True))
        times[path.stem] = [own, after]
    return times


def worker(kind: str, options, folder: str, **environment: str) -> dict[str, Any]:
    """What one of the two says, in a process of its own."""
    line = [sys.executable, "-P", "-m", "tests.accelerators.compile_times"]
    line += ["--worker", kind, "--rounds", str(options.rounds)]
    for name in ("plugin", "driver", "ptxas"):
        line += [f"--{name}", os.path.abspath(getattr(options, name))]
    ended = subprocess.run(
        line,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(ended.stdout.splitlines()[-1])


def table(vendor: dict[str, float], ours: dict[str, list[float]]) -> tuple[str, bool]:
    """The figures as text, and whether none is more than may be."""
    lines = [f"{'program':24} vendor   ours  ptxas  ratio"]
    is_fine = True
    for name, theirs in vendor.items():
        own, after = ours[name]
        ratio = (own + after) / theirs
        lines.append(f"{name:24} {theirs:6.2f} {own:6.2f} {after:6.2f} {ratio:6.2f}")
        is_fine &= name not in BOUNDED or ratio <= BOUND
    return "\n".join(lines), is_fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True, help="ours, for CUDA")
    parser.add_argument("--driver", required=True, help="what stands for CUDA's driver")
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", choices=["vendor", "ours"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        rounds = options.rounds
        told = (
            of_vendor(rounds)
            if options.worker == "vendor"
            else of_ours(options.driver, options.ptxas, rounds)
        )
        print(json.dumps(told), flush=True)
        # Plugins' threads may outlive the interpreter.
        os._exit(0)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        named = pathlib.Path(folder, "libcuda.so.1")
        named.symlink_to(os.path.abspath(options.driver))
        vendor = worker("vendor", options, folder, JAX_PLATFORMS="cpu")
        options.driver = str(named)
        ours = worker(
            "ours",
            options,
            folder,
            LD_LIBRARY_PATH=folder,
            JAX_PLATFORMS="ours",
            PJRT_NAMES_AND_LIBRARY_PATHS=f"ours:{os.path.abspath(options.plugin)}",
        )
    text, is_fine = table(vendor, ours)
    print(text)
    print(f"in {time.perf_counter() - start:.0f} s")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
