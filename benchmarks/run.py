"""Times the workloads on the `jax` of this interpreter; prints and writes JSON.

  python run.py --json out.json [--only REGEX] [--seconds S] [--workloads FILE] [--stages]

REGEX is searched in `group/name`.  Per workload: first-call seconds (trace, lower, compile, run), median
microseconds of later calls, and a sketch of every result leaf (shape, dtype, counts of NaN and
infinities, norm, three dot products with fixed pseudo-random weights; integers by checksum), by which
two runs are known to have done the same work.  Also: import seconds and peak resident memory.
With --stages, instead: trace, lower, compile and first-run seconds of a transformer training step in a
process that has compiled nothing before.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import re
import resource
import time
import zlib

import numpy as np

CHUNK = 1 << 20


def load(path):
    spec = importlib.util.spec_from_file_location("workloads", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def weights(start, count, seed):
    """Uniform in [-1, 1), a function of position and seed alone."""
    x = np.arange(start, start + count, dtype=np.uint64) + np.uint64(
        seed * 0x9E3779B97F4A7C15 % 2**64
    )
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return (x >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def sketch_leaf(x):
    facts = {"shape": list(x.shape), "dtype": x.dtype.name}
    if x.dtype.kind in "biu":
        return {**facts, "checksum": zlib.crc32(np.ascontiguousarray(x).tobytes())}
    if x.dtype.kind == "c":
        x = np.stack([x.real, x.imag], -1)
    flat = x.reshape(-1)
    nan = inf = 0
    square, dots = 0.0, [0.0, 0.0, 0.0]
    for start in range(0, flat.size, CHUNK):
        part = flat[start : start + CHUNK].astype(np.float64)
        good = np.isfinite(part)
        if not good.all():
            nan += int(np.isnan(part).sum())
            inf += int(np.isinf(part).sum())
            part = np.where(good, part, 0.0)
        square += float(part @ part)
        for seed in range(3):
            dots[seed] += float(part @ weights(start, part.size, seed + 1))
    return {**facts, "nan": nan, "inf": inf, "norm": square**0.5, "dots": dots}


def sketch(jax, result):
    leaves = []
    for leaf in jax.tree.leaves(result):
        if jax.dtypes.issubdtype(
            getattr(leaf, "dtype", np.float32), jax.dtypes.prng_key
        ):
            leaf = jax.random.key_data(leaf)
        leaves.append(sketch_leaf(np.asarray(leaf)))
    return leaves


def time_one(jax, make, options, seconds):
    fun, args = make()
    fun = fun if options.get("jit") is False else jax.jit(fun)
    start = time.perf_counter()
    result = jax.block_until_ready(fun(*args))
    first = time.perf_counter() - start
    samples, deadline = [], time.perf_counter() + seconds
    while len(samples) < 5 or (time.perf_counter() < deadline and len(samples) < 20000):
        start = time.perf_counter()
        result = jax.block_until_ready(fun(*args))
        samples.append(time.perf_counter() - start)
    return dict(
        first_s=first,
        median_us=float(np.median(samples)) * 1e6,
        min_us=min(samples) * 1e6,
        calls=len(samples),
        tolerance=options.get("tolerance"),
        sketch=sketch(jax, result),
    )


def time_stages(jax, module):
    step, args = module.transformer()
    jitted = jax.jit(step)
    times = [time.perf_counter()]
    traced = jitted.trace(*args)
    times.append(time.perf_counter())
    lowered = traced.lower()
    times.append(time.perf_counter())
    compiled = lowered.compile()
    times.append(time.perf_counter())
    jax.block_until_ready(compiled(*args))
    times.append(time.perf_counter())
    return dict(
        zip(("trace", "lower", "compile", "first run"), np.diff(times).tolist())
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--stages", action="store_true")
    parser.add_argument(
        "--workloads", default=str(pathlib.Path(__file__).with_name("workloads.py"))
    )
    options = parser.parse_args()
    start = time.perf_counter()
    import jax
    import jax.numpy  # noqa: F401

    out = {
        "import_s": time.perf_counter() - start,
        "version": jax.__version__,
        "results": {},
    }
    module = load(options.workloads)
    if options.stages and hasattr(module, "transformer"):
        try:
            out["stages_s"] = time_stages(jax, module)
        except Exception as error:  # a stage that fails is a result, too
            out["stages_error"] = f"{type(error).__name__}: {error}"[:300]
    elif not options.stages:
        for name, (group, make, opts) in module.REGISTRY.items():
            if not re.search(options.only, f"{group}/{name}"):
                continue
            try:
                entry = time_one(jax, make, opts, options.seconds)
            except Exception as error:
                entry = {"error": f"{type(error).__name__}: {error}"[:300]}
            out["results"][name] = {"group": group, **entry}
            print(name, entry.get("median_us", entry.get("error")), flush=True)
    out["peak_rss_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pathlib.Path(options.json).write_text(json.dumps(out))


if __name__ == "__main__":
    main()
