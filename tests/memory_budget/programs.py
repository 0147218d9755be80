"""Random programs whose memory can be limited: chains of operations, gradients, batches, loops.

    python -m tests.memory_budget.programs --count 500 --first 0

compiles each with and without a budget of 0.3 to 1.0 of its peak, compares the results, and
prints how many fit, how many had the same bits, and how many were refused.
"""

import argparse
import collections
import re

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax

# Relative to the largest element: a rewritten program may add in another order, or round a
# product that was fused with its sum.
BOUND = {np.dtype(np.float32): 3e-4, np.dtype(np.float64): 1e-11}


@jax.custom_jvp
def _clipped(x):
    return jnp.clip(x, -2, 2)


_clipped.defjvp(lambda p, t: (_clipped(p[0]), t[0] * (jnp.abs(p[0]) < 2)))


def _scanned(x):
    def step(carry, row):
        carry = jnp.tanh(carry * 0.5 + row)
        return carry, carry * row

    last, rows = lax.scan(step, x[0], x)
    return rows + last


def _branches(x):
    return lax.cond(x[0, 0] > 0, jnp.sin, lambda x: jnp.cos(x) @ x / x.shape[0], x)


UNARY = [
    jnp.sin,
    jnp.tanh,
    lambda x: jnp.exp(-x * x),
    jax.nn.relu,
    jax.nn.gelu,
    lambda x: x - x.mean(1, keepdims=True),
    lambda x: x * lax.rsqrt(x.var(0, keepdims=True) + 1),
    jax.nn.softmax,
    lambda x: jnp.cumsum(x, 1) / x.shape[1],
    lambda x: jnp.sort(x, 1),
    lambda x: x.T,
    lambda x: jnp.roll(x, 1, 0),
    lambda x: jnp.concatenate([x[:, 1:], -x[:, :1]], 1),
    lambda x: x[:, np.arange(x.shape[1])[::-1]],
    lambda x: x.astype(jnp.bfloat16).astype(x.dtype),
    lambda x: (
        x.reshape(2, -1, x.shape[1]).sum(0, keepdims=True).repeat(2, 0).reshape(x.shape)
    ),
    lambda x: x + jnp.arange(x.shape[1]).astype(x.dtype) / x.shape[1],
    jax.jit(lambda x: jnp.sin(x) * jnp.cos(x)),
    jax.checkpoint(lambda x: jnp.tanh(jnp.sin(x) @ x / x.shape[0])),
    _clipped,
    _scanned,
    _branches,
    lambda x: lax.fori_loop(0, 3, lambda i, y: jnp.sin(y) + i * 0.1, x),
    lambda x: jnp.where(x > jnp.median(x), x, -x),
]
BINARY = [
    jnp.add,
    jnp.multiply,
    jnp.subtract,
    jnp.maximum,
    lambda x, y: x @ y / x.shape[0],
    lambda x, y: jnp.where(x > y, x, 0.5 * y),
]


class Program:
    """A function, its arguments, and the budget that it gets."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        self.seed = seed
        self.x64 = rng.random() < 0.2
        self.batch = int(rng.choice([0, 0, 7, 24, 40]))
        self.size = int(rng.choice([16, 24, 32])) if self.batch else 64
        self.steps = [
            (
                int(rng.integers(len(UNARY))),
                int(rng.integers(len(BINARY))),
                float(rng.random()),
                float(rng.random()),
            )
            for _ in range(int(rng.integers(4, 16)))
        ]
        self.wants_gradient = rng.random() < 0.5
        self.donates = not self.batch and rng.random() < 0.3
        self.is_per_row = bool(rng.random() < 0.5)
        self.share = float(rng.uniform(0.3, 1.0))
        dtype = np.float64 if self.x64 else np.float32
        shape = (self.size, self.size)
        first = (self.batch, *shape) if self.batch else shape
        self.arguments = [
            rng.standard_normal(first).astype(dtype),
            rng.standard_normal(shape).astype(dtype),
        ]

    def _values(self, x, w):
        values = [x, w]
        for unary, binary, a, b in self.steps:
            one = values[-1 - int(a * min(3, len(values)))]
            other = values[int(b * len(values))]
            values.append(BINARY[binary](UNARY[unary](one), other))
        return values

    def __call__(self, x, w):
        def loss(x, w):
            return jnp.mean(sum(self._values(x, w)[-2:]) ** 2)

        def each(x, w):
            if self.wants_gradient:
                return jax.grad(loss, (0, 1))(x, w)
            last = self._values(x, w)[-1]
            return (last, jnp.argmax(last, 1)) if self.is_per_row else last.sum(1)

        if not self.batch:
            return each(x, w)
        return jax.vmap(each, (0, None))(x, w)

    def lower(self):
        """The call, lowered."""
        donated = (0,) if self.donates else ()
        return jax.jit(self, donate_argnums=donated).lower(*self.arguments)

    def run(self, compiled):
        """The leaves of the results, as arrays of NumPy."""
        arguments = [jnp.array(x) for x in self.arguments]
        return [np.asarray(x) for x in jax.tree.leaves(compiled(*arguments))]


def difference(found, expected):
    """None where results agree, else what differs; integers agree bit for bit."""
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {number}: {a.dtype}{a.shape}, expected {b.dtype}{b.shape}"
        bound = BOUND.get(a.dtype)
        if bound is None:
            if not np.array_equal(a, b):
                return f"result {number}: {np.sum(a != b)} of {a.size} integers differ"
            continue
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return f"result {number}: other infinities or NaNs"
        with np.errstate(invalid="ignore"):
            off = np.nan_to_num(np.abs(a - b)).max(initial=0)
        if off > bound * max(np.abs(np.nan_to_num(b)).max(initial=0), 1e-30):
            return f"result {number}: off by {off}"
    return None


def true_sizes(message, plan):
    """Whether each row of the table of a refusal is a buffer of the plan, with its size."""
    rows = re.findall(r"^  (\w+)\s+([\d,]+) B\s+(\S+\[[\d,]*\])", message, re.MULTILINE)
    held = collections.Counter(
        (b.kind, b.bytes, f"{b.dtype.name}[{','.join(map(str, b.shape))}]")
        for b in plan.at_peak
        if b.dtype
    )
    found = collections.Counter((k, int(n.replace(",", "")), t) for k, n, t in rows)
    return bool(rows) and found <= held


def check(program):
    """What became of a program under its budget: "same", "equal" or "refused".

    Raises:
        AssertionError: a law is broken.
    """
    with jax.enable_x64(program.x64):
        lowered = program.lower()
        plain = lowered.compile()
        peak = plain.memory_analysis().peak_memory_in_bytes
        budget = int(peak * program.share)
        try:
            with jax.memory_budget(budget):
                fitting = lowered.compile()
        except jax.errors.JaxRuntimeError as error:
            message = str(error)
            assert "RESOURCE_EXHAUSTED" in message, message
            assert true_sizes(message, plain.memory_plan()), message
            return "refused"
        used = fitting.memory_analysis().peak_memory_in_bytes
        assert used <= budget, f"{used} of {budget}"
        expected, found = program.run(plain), program.run(fitting)
        wrong = difference(found, expected)
        assert wrong is None, wrong
        same = all(
            a.tobytes() == b.tobytes() for a, b in zip(found, expected, strict=True)
        )
        return "same" if same else "equal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(options.first, options.first + options.count):
        program = Program(seed)
        try:
            counts[check(program)] += 1
        except Exception as error:
            counts["broken"] += 1
            print(
                f"seed {seed}: {type(error).__name__}: {str(error)[:400]}", flush=True
            )
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
