"""Where bits depend on the machine: numbers of threads, instruction sets, meshes; and what `jax_reproducible` costs.

    python benchmarks/reproducible.py [--only REGEX]                 as programs are compiled
    JAX_REPRODUCIBLE=1 python benchmarks/reproducible.py             with the option
    python benchmarks/reproducible.py --cost [--only REGEX]          processor time with it and without, in turns

Each operation is compiled and run in a process for each number of threads (`jax_cpu_threads`,
1 to 8) and each instruction set (`XLA_CPU_FEATURES`, which code generation keeps to, while
the kernels of the runtime look at the processor), and on meshes of 1, 2, 4 and 8 devices over
which its first argument is sharded. The table says where results have other bits than on one
thread, with all instructions, on one device, and how far apart the furthest element is, in
units of the largest element's last place.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import numpy as np

THREADS = (1, 2, 3, 5, 8)
FEATURES = ("", "avx2")
MESHES = (1, 2, 4, 8)


def operations():
    """The operations: functions of an array, which is their first argument, and others."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def loss(w, x):
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    square, rows = (512, 512), (256, 4096)
    return {
        "elementwise": (lambda x: jnp.tanh(x) * x + jnp.exp(-x), (rows,)),
        "product and sum": (lambda x, y: x * y + x, (rows, rows)),
        "sum of all": (lambda x: jnp.sum(x), (rows,)),
        "sum of rows": (lambda x: jnp.sum(x, 1), (rows,)),
        "sum of columns": (lambda x: jnp.sum(x, 0), (rows,)),
        "mean and variance": (lambda x: (x.mean(1), x.var(1)), (rows,)),
        "softmax": (lambda x: jax.nn.softmax(x), (rows,)),
        "logsumexp": (lambda x: jax.nn.logsumexp(x, 1), (rows,)),
        "maximum": (lambda x: jnp.max(x, 1), (rows,)),
        "cumulative sum": (lambda x: jnp.cumsum(x, 1), (rows,)),
        "product": (lambda x, y: x @ y, (square, square)),
        "product, long sums": (lambda x, y: x @ y, ((64, 16384), (16384, 64))),
        "matrix and vector": (lambda x, y: x @ y, (square, (512,))),
        "vector and vector": (lambda x, y: x @ y, ((1 << 20,), (1 << 20,))),
        "batched products": (lambda x, y: x @ y, ((64, 64, 64), (64, 64, 64))),
        "gradient": (lambda x, w: jax.grad(loss)(w, x), (rows, (4096, 128))),
        "convolution": (
            lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"),
            ((8, 16, 32, 32), (32, 16, 3, 3)),
        ),
        "convolution's gradient": (
            lambda x, w: jax.grad(
                lambda w: jnp.sum(lax.conv_general_dilated(x, w, (1, 1), "SAME") ** 2)
            )(w),
            ((8, 16, 32, 32), (32, 16, 3, 3)),
        ),
        "scatter-add": (
            lambda x: jnp.zeros(1000).at[jnp.arange(1 << 18) % 997].add(x),
            ((1 << 18,),),
        ),
        "sort": (lambda x: jnp.sort(x, 1), (rows,)),
        "Fourier transform": (lambda x: jnp.fft.fft(x).real, (rows,)),
        "Cholesky": (
            lambda x: jnp.linalg.cholesky(x @ x.T + 600 * jnp.eye(512)),
            ((512, 512),),
        ),
        "random normals": (
            lambda x: jax.random.normal(jax.random.key(0), x.shape) + 0 * x,
            (rows,),
        ),
    }


def run_all(only, devices, path):
    """Runs the operations in this process, and writes the results."""
    import jax

    found = {}
    auto = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((devices,), ("x",), auto) if devices > 1 else None
    for name, (function, shapes) in operations().items():
        if not re.search(only, name):
            continue
        rng = np.random.default_rng(0)
        values = [rng.standard_normal(s).astype(np.float32) for s in shapes]
        if mesh is not None:
            spec = jax.NamedSharding(mesh, jax.P("x"))
            values[0] = jax.device_put(values[0], spec)
        leaves = jax.tree.leaves(jax.jit(function)(*values))
        found[name] = np.concatenate(
            [np.asarray(x, np.float32).ravel() for x in leaves]
        )
    np.savez(path, **found)


def child(only, folder, *, threads, features, devices):
    """The results of a process of its own, by operation."""
    path = os.path.join(folder, f"{threads}-{features}-{devices}.npz")
    environment = {
        **os.environ,
        "JAX_CPU_THREADS": str(threads),
        "JAX_NUM_CPU_DEVICES": str(devices),
        "JAX_ENABLE_COMPILATION_CACHE": "false",
        "JAX_COMPILE_TIER": "best",
    }
    if features:
        environment["XLA_CPU_FEATURES"] = features
    options = ["--only", only, "--write", path, "--devices", str(devices)]
    subprocess.run(
        [sys.executable, "-P", __file__, *options], env=environment, check=True
    )
    with np.load(path) as found:
        return dict(found)


def cost(only):
    """Prints the processor's microseconds of each operation without the option and with it, in turns, and the ratio."""
    import time

    import jax

    print(f"{'operation':24}{'without':>12}{'with':>12}{'ratio':>8}")
    ratios = []
    for name, (function, shapes) in operations().items():
        if not re.search(only, name):
            continue
        rng = np.random.default_rng(0)
        values = [
            jax.device_put(rng.standard_normal(s).astype(np.float32)) for s in shapes
        ]
        compiled = []
        for is_on in (False, True):
            with jax.reproducible(is_on):
                lowered = jax.jit(function).lower(*values)
                compiled.append(lowered.compile())
        best = [np.inf, np.inf]
        for _ in range(9):
            for side, run in enumerate(compiled):
                jax.block_until_ready(run(*values))
                begin, calls = time.process_time(), 0
                while calls < 3 or time.process_time() - begin < 0.02:
                    jax.block_until_ready(run(*values))
                    calls += 1
                best[side] = min(best[side], (time.process_time() - begin) / calls)
        ratios.append(best[1] / best[0])
        print(
            f"{name:24}{best[0] * 1e6:12.1f}{best[1] * 1e6:12.1f}{ratios[-1]:8.2f}",
            flush=True,
        )
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}")


def apart(found, expected):
    """ "-" where bits are the same, else the distance in last places of the largest element."""
    if found.tobytes() == expected.tobytes():
        return "-"
    unit = np.spacing(np.abs(expected).max(initial=0))
    return f"{np.abs(found - expected).max() / unit:.2g}"


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument(
        "--cost", action="store_true", help="time with jax_reproducible and without"
    )
    options = parser.parse_args()
    if options.cost:
        cost(options.only)
        return
    if options.write:
        run_all(options.only, options.devices, options.write)
        return
    import tempfile

    table = {}
    with tempfile.TemporaryDirectory() as folder:
        base = child(options.only, folder, threads=1, features="", devices=1)
        others = {
            f"{t} threads": dict(threads=t, features="", devices=1) for t in THREADS[1:]
        }
        others |= {
            f or "all": dict(threads=1, features=f, devices=1) for f in FEATURES[1:]
        }
        others |= {
            f"{d} devices": dict(threads=1, features="", devices=d) for d in MESHES[1:]
        }
        print(f"{'operation':24}" + "".join(f"{name:>12}" for name in others))
        results = {n: child(options.only, folder, **kw) for n, kw in others.items()}
        for name, expected in base.items():
            cells = {n: apart(found[name], expected) for n, found in results.items()}
            table[name] = cells
            print(f"{name:24}" + "".join(f"{c:>12}" for c in cells.values()))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
