"""One long call of loops whose length nobody knows, on the `jax` of this interpreter and of another.

    python benchmarks/long_runs.py [--peer OTHER_INTERPRETER] [--seconds 0.5]

Prints, per loop, the seconds of a first call, without compiling, in each tier, and those of the peer.
Each has as many rounds as take `--seconds` in `best`.
"""

import argparse
import json
import os
import subprocess
import sys

PROGRAM = """
import json, sys, time
import jax, jax.numpy as jnp, numpy as np
from jax import lax
V, M = jnp.linspace(-1, 1, 100), jnp.ones((64, 64)) * 0.01
LOOPS = {
    "two scalars": ((0.3, -0.7), lambda i, c: (c[1] * 0.5 + jnp.sin(c[0]), c[0] - jnp.cos(c[1]) * 0.1)),
    "100 elements": (V, lambda i, x: x * 0.999 + jnp.sin(x) * 1e-3 + i * 1e-6),
    "100,000 elements": (jnp.ones(100_000), lambda i, x: x * 0.999 + x * x * 1e-3),
    "matrix times vector": (jnp.ones(64), lambda i, x: jnp.tanh(M @ x)),
    "gradient descent": (V * 0.5, lambda i, x: x - 0.01 * jax.grad(lambda v: jnp.sum((v[1:] - v[:-1] ** 2) ** 2))(x)),
    "game of life": (jnp.ones((64, 64), jnp.int32), lambda i, g: (sum(jnp.roll(g, s, a) for s in (1, -1) for a in (0, 1)) == 2).astype(jnp.int32)),
    "sort": (V, lambda i, x: jnp.sort((x * 1.37 + i) % 5.0)),
    "random numbers": (V, lambda i, x: x * 0.9 + jax.random.normal(jax.random.fold_in(jax.random.key(0), i), x.shape)),
}
rounds, found = json.loads(sys.argv[1]), {}
for name, (start, step) in LOOPS.items():
    call = jax.jit(lambda n, step=step, start=start: lax.fori_loop(0, n, step, start))
    jax.block_until_ready(call(np.int32(1)))
    if name not in rounds:  # as many as take the seconds
        n, taken = 64, 0.0
        while taken < 0.02:
            n *= 4
            begin = time.perf_counter()
            jax.block_until_ready(call(np.int32(n)))
            taken = time.perf_counter() - begin
        rounds[name] = min(int(n * float(sys.argv[2]) / taken), 2**30)
    begin = time.perf_counter()
    jax.block_until_ready(call(np.int32(rounds[name])))
    found[name] = time.perf_counter() - begin
print(json.dumps([rounds, found]))
"""


def measure(interpreter, tier, rounds, seconds):
    """The rounds of each loop, and the seconds of a call."""
    environment = os.environ | ({"JAX_COMPILE_TIER": tier} if tier else {})
    if interpreter != sys.executable:
        environment.pop("PYTHONPATH", None)  # it may name this one's packages
    answer = subprocess.run(
        [interpreter, "-P", "-c", PROGRAM, json.dumps(rounds), str(seconds)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="another Python, whose `jax` runs the same")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    rounds, best = measure(sys.executable, "best", {}, options.seconds)
    columns = {"best": best}
    for tier in ("auto", "fast"):
        columns[tier] = measure(sys.executable, tier, rounds, options.seconds)[1]
    if options.peer:
        columns["peer"] = measure(options.peer, None, rounds, options.seconds)[1]
    print(f"{'':20} {'rounds':>10}" + "".join(f"{name:>9}" for name in columns))
    for name in best:
        taken = "".join(f"{column[name]:9.3f}" for column in columns.values())
        print(f"{name:20} {rounds[name]:10}{taken}")


if __name__ == "__main__":
    main()
