"""Time and memory of causal attention, forward and with gradients, on two interpreters.

Each measurement is a process of its own: seconds of the processor, elapsed seconds and
the memory above what the process held before the first call.

    python benchmarks/attention.py --other ../upstream/bin/python
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import time

FORMS, MODES, DTYPES = ("written", "library"), ("forward", "gradient"), ("f4", "bf16")


def measured(form, mode, dtype, batch, length, heads, features):
    """Runs one workload in this process; prints its numbers as JSON."""
    import jax
    import jax.numpy as jnp

    dtype = jnp.dtype({"f4": "float32", "bf16": "bfloat16"}[dtype])

    def written(q, k, v):
        logits = jnp.einsum("bqnh,bknh->bnqk", q, k) * jnp.asarray(
            features**-0.5, dtype
        )
        seen = jnp.tril(jnp.ones((length, length), bool))
        logits = jnp.where(seen, logits, jnp.asarray(-1e30, dtype))
        weights = jax.nn.softmax(logits.astype(jnp.float32), -1).astype(dtype)
        return jnp.einsum("bnqk,bknh->bqnh", weights, v)

    def library(q, k, v):
        return jax.nn.dot_product_attention(q, k, v, is_causal=True)

    attend = {"written": written, "library": library}[form]

    def gradient(q, k, v, out):
        return jax.vjp(attend, q, k, v)[1](out)

    def forward(q, k, v, out):
        return attend(q, k, v)

    shape = batch, length, heads, features
    keys = jax.random.split(jax.random.key(0), 4)
    args = [jax.random.normal(key, shape, dtype) for key in keys]
    f = jax.jit({"forward": forward, "gradient": gradient}[mode]).lower(*args).compile()
    jax.block_until_ready(args)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(3):
        start = time.process_time(), time.perf_counter()
        jax.block_until_ready(f(*args))
        times.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [min(t) for t in zip(*times, strict=True)] + [(peak - before) / 1024]
    print(json.dumps(found))


def in_process(python, *workload):
    command = [python, __file__, "--one", *map(str, workload)]
    # What makes this interpreter find its packages would give them to the other one.
    own = dict(os.environ)
    if python != sys.executable:
        own.pop("PYTHONPATH", None)
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=own)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", help="an interpreter with another JAX")
    parser.add_argument("--shape", type=int, nargs=4, default=(8, 2048, 8, 64))
    parser.add_argument("--one", nargs=7, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measured(*options.one[:3], *map(int, options.one[3:]))
        return
    for form, mode, dtype in itertools.product(FORMS, MODES, DTYPES):
        row = f"{form:8} {mode:9} {dtype:5}"
        ours = in_process(sys.executable, form, mode, dtype, *options.shape)
        row += " {:8.3f} s cpu {:8.3f} s {:8.1f} MB".format(*ours)
        if options.other:
            other = in_process(options.other, form, mode, dtype, *options.shape)
            row += "   other {:8.3f} s cpu {:8.3f} s {:8.1f} MB".format(*other)
        print(row, flush=True)


if __name__ == "__main__":
    main()
