"""Memory: peaks of the workloads beside another JAX, and programs under a budget.

    python benchmarks/memory.py [--peer PYTHON] [--only REGEX] [--rows 10000] [--json OUT]

Each workload runs in a process of its own: it makes its arguments, is called once, and then
three times more. The kernel's high-water mark of resident memory (VmHWM, which is reset by
writing 5 to /proc/self/clear_refs) is read for the whole process, for the first call and for
the calls after it; of calls, what was resident before is taken away. So "process" has the
interpreter, the libraries and the compiler in it, "first call" the compiler and the program,
"later calls" the program alone, on both sides alike.

Then the transformer's step within half of its memory, and a `vmap` over rows of a function
that needs 1 MB, within 100 MB, against the same without a budget, in turns: processor time.
"""

import argparse
import gc
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
MEASURES = ("process", "first_call", "later_calls")
# Less than this of a call's own memory is noise of the allocator.
LEAST = 256 * 1024


def status(field):
    """A number of /proc/self/status, in bytes."""
    text = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def reset():
    """Makes the high-water mark what is resident now; returns that."""
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def load(path):
    """The module of the workloads."""
    spec = importlib.util.spec_from_file_location("workloads", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(name, path):
    """The peaks of one workload, on the JAX of this interpreter."""
    import jax

    _, make, options = load(path).REGISTRY[name]
    fun, arguments = make()
    jax.block_until_ready(arguments)
    call = jax.jit(fun) if options.get("jit", True) else fun
    peak = status("VmHWM")
    before = reset()
    jax.block_until_ready(call(*arguments))
    first = status("VmHWM")
    again = reset()
    for _ in range(3):
        jax.block_until_ready(call(*arguments))
    later = status("VmHWM")
    return {
        "process": max(peak, first, later),
        "first_call": first - before,
        "later_calls": later - again,
    }


def child(python, *arguments):
    """What a process of an interpreter prints last, as JSON; None where it failed."""
    environment = {**os.environ, "JAX_ENABLE_COMPILATION_CACHE": "false"}
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # It names our own packages.
    done = subprocess.run(
        [python, "-P", __file__, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        print(f"{python} {arguments}: {done.stderr[-500:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def geomean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def compare(peer, names, path):
    """Measures workloads on both interpreters, and prints the ratios."""
    found = {}
    print(f"{'workload':24}" + "".join(f"{m:>28}" for m in MEASURES))
    for name in names:
        both = [
            child(p, "--one", name, "--workloads", path) for p in (sys.executable, peer)
        ]
        if None in both:
            continue
        found[name] = both
        cells = [
            f"{both[0][m] / 1e6:9.1f} /{both[1][m] / 1e6:8.1f} MB {ratio(both, m):5.2f}"
            for m in MEASURES
        ]
        print(f"{name:24}" + "".join(f"{c:>28}" for c in cells), flush=True)
    for m in MEASURES:
        values = [ratio(both, m) for both in found.values()]
        print(f"{m}: here over the peer, geometric mean {geomean(values):.3f}")
    return found


def ratio(both, measure):
    """Here over there, where allocations below a page or two count as one."""
    mine, theirs = (max(one[measure], LEAST) for one in both)
    return mine / theirs


def in_turns(plain, limited, arguments, rounds=5):
    """Processor seconds of two programs, the least of some rounds in turns."""
    import jax

    best = [math.inf, math.inf]
    for _ in range(rounds):
        for number, program in enumerate((plain, limited)):
            start = time.process_time()
            jax.block_until_ready(program(*arguments))
            best[number] = min(best[number], time.process_time() - start)
    return best


def budgeted(name, function, arguments, share=None, budget=None, runs_plain=True):
    """Compiles with and without a budget; prints memory and times."""
    import jax

    lowered = jax.jit(function).lower(*arguments)
    start = time.process_time()
    plain = lowered.compile()
    compile_plain = time.process_time() - start
    peak = plain.memory_analysis().peak_memory_in_bytes
    budget = int(share * peak) if budget is None else budget
    start = time.process_time()
    with jax.memory_budget(budget):
        limited = lowered.compile()
    compile_limited = time.process_time() - start
    used = limited.memory_analysis().peak_memory_in_bytes
    result = {
        "peak": peak,
        "budget": budget,
        "used": used,
        "compile": [compile_plain, compile_limited],
    }
    text = f"{name}: peak {peak / 1e6:.1f} MB, budget {budget / 1e6:.1f}, used {used / 1e6:.1f}"
    if runs_plain:
        times = in_turns(plain, limited, arguments)
        result["seconds"] = times
        text += (
            f"; {times[0]:.3f} s and {times[1]:.3f} s, ratio {times[1] / times[0]:.3f}"
        )
    else:
        before = reset()
        start = time.process_time()
        jax.block_until_ready(limited(*arguments))
        result["seconds"] = [None, time.process_time() - start]
        result["grown"] = status("VmHWM") - before
        text += (
            f"; {result['seconds'][1]:.3f} s, resident memory grew by"
            f" {result['grown'] / 1e6:.1f} MB"
        )
    print(
        text + f"; compiled in {compile_plain:.2f} s and {compile_limited:.2f} s",
        flush=True,
    )
    return result


def row_program():
    """A function of a row that needs 1 MB: products of 1,024 by 256 numbers, summed."""
    import numpy as np

    import jax.numpy as jnp

    rng = np.random.default_rng(0)
    weights = jnp.asarray(rng.standard_normal((256, 256)).astype(np.float32) / 16)

    def row(x):
        return jnp.tanh(x[:, None] * weights[0]).T @ x @ weights

    return row, 1024


def budgets(rows, path):
    """The two programs under budgets."""
    import numpy as np

    import jax
    import jax.numpy as jnp

    step, arguments = load(path).transformer_train_step()
    found = {"transformer": budgeted("transformer's step", step, arguments, share=0.5)}
    row, size = row_program()
    function = jax.vmap(row)
    rng = np.random.default_rng(1)
    fewer = min(rows, 2000)
    xs = jnp.asarray(rng.standard_normal((fewer, size)).astype(np.float32))
    found["fewer rows"] = budgeted(
        f"vmap over {fewer:,} rows of 1 MB", function, (xs,), budget=100_000_000
    )
    xs = jnp.asarray(rng.standard_normal((rows, size)).astype(np.float32))
    found["rows"] = budgeted(
        f"vmap over {rows:,} rows of 1 MB",
        function,
        (xs,),
        budget=100_000_000,
        runs_plain=False,
    )
    return found


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--workloads", default=str(HERE / "workloads.py"))
    parser.add_argument("--json")
    parser.add_argument("--one", help="measure one workload in this process")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.workloads)))
        return
    found = {}
    if options.peer:
        registry = load(options.workloads).REGISTRY
        names = [
            name
            for name, (group, _, _) in registry.items()
            if re.search(options.only, f"{group}/{name}")
        ]
        found["workloads"] = compare(options.peer, names, options.workloads)
    found["budgets"] = budgets(options.rows, options.workloads)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
