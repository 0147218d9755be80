"""What a call of `jax.numpy` costs besides its arithmetic, beside another interpreter, in one run.

    python benchmarks/eager.py [--peer PYTHON] [--only REGEX] [--turns N] [--kind eager|trace|call]

Some sixty calls on arrays of a few elements are made eagerly, on a program that is compiled already, and under a
trace: a jitted function that makes the call ten times is traced anew. Calls of compiled programs, transfers and
Python's loops over arrays are measured as they are (`call`). For each it prints the microseconds of the
processor, of all threads, that one call takes, and how many times longer it takes on the peer; the last lines have
the geometric means of these. Both interpreters stay alive and measure each call in turn, so that whatever else the
machine does falls on both; the least of the turns counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
CALLS_PER_TRACE = 10
# Of the processor's time, for one measurement.
SECONDS = 0.01


def products_and_elementwise():
    """The calls by name: a function, and the arrays that it gets."""
    import numpy as np

    import jax.numpy as jnp

    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    m, n = jnp.asarray(host), jnp.asarray(host.T.copy())
    v, i = jnp.asarray(host[0]), jnp.asarray(np.array([2, 0, 1], np.int32))
    b = m > 3
    return {
        # Products of matrices and tensors.
        "matmul": (jnp.matmul, (m, n)),
        "matmul operator": (lambda x, y: x @ y, (m, n)),
        "matmul of stacks": (jnp.matmul, (m[None], n[None])),
        "dot": (jnp.dot, (v, v)),
        "vdot": (jnp.vdot, (v, v)),
        "inner": (jnp.inner, (m, m)),
        "outer": (jnp.outer, (v, v)),
        "tensordot": (lambda x, y: jnp.tensordot(x, y, 1), (m, n)),
        "einsum": (lambda x, y: jnp.einsum("ij,jk->ik", x, y), (m, n)),
        "kron": (jnp.kron, (v, v)),
        "cross": (jnp.cross, (v[:3], v[1:])),
        "trace": (jnp.trace, (m,)),
        "diag": (jnp.diag, (v,)),
        # Element by element.
        "add": (jnp.add, (m, m)),
        "add of a number": (lambda x: jnp.add(x, 1.5), (m,)),
        "add of host arrays": (lambda x: jnp.add(x, host), (m,)),
        "add operator": (lambda x, y: x + y, (m, m)),
        "subtract broadcasting": (jnp.subtract, (m, v)),
        "multiply": (jnp.multiply, (m, m)),
        "true_divide of integers": (jnp.true_divide, (i, i)),
        "power": (lambda x: jnp.power(x, 2), (m,)),
        "maximum": (lambda x: jnp.maximum(x, 0), (m,)),
        "exp": (jnp.exp, (m,)),
        "tanh": (jnp.tanh, (m,)),
        "abs": (jnp.abs, (m,)),
        "floor": (jnp.floor, (m,)),
        "isnan": (jnp.isnan, (m,)),
        "equal": (jnp.equal, (m, m)),
        "less operator": (lambda x, y: x < y, (m, m)),
        "logical_and": (jnp.logical_and, (b, b)),
        "clip": (lambda x: jnp.clip(x, 0, 5), (m,)),
        "where": (jnp.where, (b, m, m)),
        "where of a number": (lambda p, x: jnp.where(p, x, 0), (b, m)),
        "allclose": (jnp.allclose, (m, m)),
    }


def reductions_parts_and_new_arrays():
    """Calls by name that reduce, choose, move and make elements, as a function and its arrays."""
    import numpy as np

    import jax
    import jax.numpy as jnp

    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    m, v = jnp.asarray(host), jnp.asarray(host[0])
    b, c = m > 3, m[:, :3] + 2 * jnp.eye(3)
    i = jnp.asarray(np.array([2, 0, 1], np.int32))
    ten = jnp.asarray(np.arange(10, dtype=np.int32))
    return {
        # Reductions and sorting.
        "sum": (jnp.sum, (m,)),
        "sum along an axis": (lambda x: jnp.sum(x, axis=1), (m,)),
        "mean": (lambda x: jnp.mean(x, axis=-1, keepdims=True), (m,)),
        "var": (lambda x: jnp.var(x, axis=0), (m,)),
        "max method": (lambda x: x.max(), (m,)),
        "argmax": (lambda x: jnp.argmax(x, axis=1), (m,)),
        "any": (jnp.any, (b,)),
        "cumsum": (lambda x: jnp.cumsum(x, axis=0), (m,)),
        "sort": (jnp.sort, (m,)),
        "argsort": (jnp.argsort, (i,)),
        "norm": (jnp.linalg.norm, (v,)),
        "searchsorted": (jnp.searchsorted, (ten, i)),
        # Shapes, and elements of arrays.
        "reshape": (lambda x: jnp.reshape(x, (4, 3)), (m,)),
        "reshape method": (lambda x: x.reshape(-1), (m,)),
        "transpose": (jnp.transpose, (m,)),
        "T": (lambda x: x.T, (m,)),
        "expand_dims": (lambda x: jnp.expand_dims(x, 0), (m,)),
        "squeeze": (jnp.squeeze, (m[None],)),
        "broadcast_to": (lambda x: jnp.broadcast_to(x, (3, 4)), (v,)),
        "concatenate": (lambda x, y: jnp.concatenate([x, y], 1), (m, m)),
        "stack": (lambda x, y: jnp.stack([x, y]), (m, m)),
        "split": (lambda x: jnp.split(x, 2, 1), (m,)),
        "pad": (lambda x: jnp.pad(x, 1), (m,)),
        "tile": (lambda x: jnp.tile(x, 2), (m,)),
        "roll": (lambda x: jnp.roll(x, 1), (m,)),
        "flip": (lambda x: jnp.flip(x, 0), (m,)),
        "take": (lambda x, k: jnp.take(x, k, axis=0), (m, i)),
        "index": (lambda x: x[1], (m,)),
        "index of slices": (lambda x: x[1:, ::2], (m,)),
        "index of an array": (lambda x, k: x[k], (m, i)),
        "at set": (lambda x: x.at[1].set(0.0), (m,)),
        # Arrays made anew.
        "asarray of a host array": (lambda: jnp.asarray(host), ()),
        "asarray of a number": (lambda: jnp.asarray(2.5), ()),
        "asarray of an array": (lambda x: jnp.asarray(x), (m,)),
        "array of a list": (lambda: jnp.array([1.0, 2.0, 3.0]), ()),
        "astype": (lambda x: x.astype(jnp.int32), (m,)),
        "arange": (lambda: jnp.arange(10), ()),
        "zeros": (lambda: jnp.zeros((3, 4)), ()),
        "ones_like": (jnp.ones_like, (m,)),
        "full": (lambda: jnp.full((3,), 7.0), ()),
        "eye": (lambda: jnp.eye(3), ()),
        "linspace": (lambda: jnp.linspace(0.0, 1.0, 5), ()),
        "device_put of a host array": (lambda: jax.device_put(host), ()),
        "solve": (jnp.linalg.solve, (c, v[:3])),
    }


def programs_transfers_and_loops():
    """Calls by name that are measured as they are, as a function without arguments."""
    import numpy as np

    import jax
    import jax.numpy as jnp

    number, numbers, m = jnp.float32(3), jnp.arange(100.0), jnp.ones((10, 10))
    leaves = {f"layer{i}": jnp.ones(3) for i in range(300)}
    host = [np.ones(4, np.float32) for _ in range(100)]
    arrays = [jnp.ones(4) for _ in range(100)]
    first = jax.jit(lambda tree: tree["layer1"] + 1)
    all_of_them = jax.jit(lambda tree: jax.tree.map(lambda x: x + 1, tree))
    product = jax.jit(lambda x: x @ x + 1)
    compiled, compiled_tree = product.lower(m).compile(), first.lower(leaves).compile()
    found = {
        "jitted": lambda: product(m),
        "compiled": lambda: compiled(m),
        "jitted of 300 leaves": lambda: first(leaves),
        "compiled of 300 leaves": lambda: compiled_tree(leaves),
        "jitted to 300 leaves": lambda: all_of_them(leaves),
        "device_put of 100 host arrays": lambda: jax.device_put(host),
        "device_put of 100 arrays": lambda: jax.device_put(arrays),
        "100 elements by index": lambda: [numbers[i] for i in range(100)],
        "iteration over 100 numbers": lambda: list(numbers),
        "iteration over 10 rows": lambda: list(m),
        "float": lambda: float(number),
        "float of 100 elements": lambda: [float(x) for x in numbers],
    }
    try:
        from flax import nnx
    except ImportError:
        return found
    layers = [nnx.Linear(4, 4, rngs=nnx.Rngs(0)) for _ in range(20)]
    model = nnx.Sequential(*layers)
    call = nnx.jit(lambda model, x: model(x))
    x = jnp.ones((1, 4))
    graph, state = nnx.split(model)
    return found | {
        "nnx.jit of 20 layers": lambda: call(model, x),
        "nnx.split and merge": lambda: nnx.merge(*nnx.split(model)),
        "nnx.merge": lambda: nnx.merge(graph, state),
    }


def _seconds_of(run, times):
    start = time.process_time()
    for _ in range(times):
        run()
    return time.process_time() - start


def _least(run, times, seconds):
    """The time of one run, and how many runs take `seconds`."""
    taken = _seconds_of(run, times)
    while taken < seconds / 2:
        times *= 2
        taken = _seconds_of(run, times)
    return taken / times, max(1, int(times * seconds / taken))


class Worker:
    """Measures calls on the `jax` that this interpreter imports."""

    def __init__(self):
        import jax

        self.jax = jax
        self.calls = products_and_elementwise() | reductions_parts_and_new_arrays()
        self.whole = programs_transfers_and_loops()
        self.times = {}

    def measure(self, name, kind):
        """Microseconds of one call: eager, under a trace, or as it is."""
        call, operands = self.calls.get(name, (None, ()))
        if kind == "call":
            run, per_run = self.whole[name], 1
        elif kind == "eager":
            run, per_run = lambda: call(*operands), 1
        else:
            run, per_run = lambda: self._trace(call, operands), CALLS_PER_TRACE
        if (name, kind) not in self.times:
            self.jax.block_until_ready(None if kind == "trace" else run())
            run()
        gc.collect()
        gc.disable()
        taken, self.times[name, kind] = _least(
            run, self.times.get((name, kind), 1), SECONDS
        )
        gc.enable()
        return taken / per_run * 1e6

    def _trace(self, call, operands):
        def calls(*values):
            return [call(*values) for _ in range(CALLS_PER_TRACE)]

        self.jax.jit(calls).trace(*operands)


def serve():
    """Answers lines [name, kind] with microseconds, until the input ends."""
    answers = os.dup(1)
    os.dup2(2, 1)  # What a library prints is no answer.
    worker = Worker()
    with os.fdopen(answers, "w", buffering=1) as out:
        names = {kind: [*worker.calls] for kind in ("eager", "trace")}
        out.write(json.dumps(names | {"call": [*worker.whole]}) + "\n")
        for line in sys.stdin:
            try:
                taken = worker.measure(*json.loads(line))
            except Exception as error:
                taken = f"{type(error).__name__}: {error}".splitlines()[0][:80]
            out.write(json.dumps(taken) + "\n")


class Side:
    """An interpreter that serves, and the least of what it measured."""

    def __init__(self, python, *, is_peer):
        environment = dict(os.environ)
        if is_peer:
            environment.pop("PYTHONPATH", None)  # It would import this one's `jax`.
        self.process = subprocess.Popen(
            [python, "-P", str(HERE), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.names = self._answer()
        self.least = {}

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("eager: an interpreter ended.")
        return json.loads(line)

    def measure(self, name, kind):
        self.process.stdin.write(json.dumps([name, kind]) + "\n")
        self.process.stdin.flush()
        taken = self._answer()
        before = self.least.get((name, kind), math.inf)
        if isinstance(taken, str) or isinstance(before, str):
            self.least[name, kind] = taken if isinstance(taken, str) else before
        else:
            self.least[name, kind] = min(taken, before)


def ratio(sides, key):
    """How many times longer the peer takes; None where one of them fails."""
    times = [side.least[key] for side in sides]
    if len(times) < 2 or any(isinstance(taken, str) for taken in times):
        return None
    return times[1] / times[0]


def shown(sides, key):
    """A cell: the time on each side, and the ratio."""
    times = [side.least[key] for side in sides]
    texts = [x if isinstance(x, str) else f"{x:8.2f}" for x in times]
    found = ratio(sides, key)
    return " ".join(texts) + ("" if found is None else f"  {found:5.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="another interpreter, such as one of upstream")
    parser.add_argument("--only", default="", help="names of calls to measure")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument(
        "--kind", choices=("eager", "trace", "call"), help="one of them alone"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    sides = [Side(sys.executable, is_peer=False)]
    if options.peer:
        sides.append(Side(options.peer, is_peer=True))
    kinds = [options.kind] if options.kind else ["eager", "trace", "call"]
    keys = [
        (name, kind)
        for kind in kinds
        for name in sides[0].names[kind]
        if re.search(options.only, name)
    ]
    for turn in range(options.turns):
        for key in keys:
            for side in sides[:: -1 if turn % 2 else 1]:
                side.measure(*key)
    for name, kind in keys:
        print(f"{kind:6}{name:32}{shown(sides, (name, kind))}")
    for kind in kinds:
        found = [ratio(sides, key) for key in keys if key[1] == kind]
        logs = [math.log(x) for x in found if x is not None]
        if logs:
            mean = math.exp(sum(logs) / len(logs))
            print(f"{kind}: {mean:.3f} times as fast, geometric mean of {len(logs)}")


if __name__ == "__main__":
    main()
