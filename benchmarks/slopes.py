"""Are front end and compiler linear? Times programs of growing size, on any Python's `jax`.

    python benchmarks/slopes.py [--repeat N] [--only TEXT]

For each family it prints the processor time per unit (equation, layer, leaf) at three sizes, and the
growth: the time per unit at the largest size over that at the smallest. Linear is 1.
"""

import argparse
import time

import jax
import jax.numpy as jnp


def trace_equations(count):
    """Traces and lowers a function of `count` elementwise operations."""

    def f(x):
        for index in range(count):
            x = jnp.sin(x) if index % 2 else x * 1.5
        return x

    return lambda: jax.jit(lambda x: f(x)).lower(1.0)


def _layers(count):
    def f(weights, x):
        for index in range(count):
            x = jnp.tanh(x @ weights[index % 4])
        return x.sum()

    weights = [jnp.ones((8, 8))] * 4
    return f, weights, jnp.ones((4, 8))


def trace_layers(count):
    """Traces and lowers a Python loop over `count` layers."""
    f, weights, x = _layers(count)
    return lambda: jax.jit(lambda w, x: f(w, x)).lower(weights, x)


def trace_gradient(count):
    """The same for the gradient in the weights."""
    f, weights, x = _layers(count)
    return lambda: jax.jit(jax.grad(lambda w, x: f(w, x))).lower(weights, x)


def flatten_leaves(count):
    """Takes a tree of `count` leaves apart and puts it together."""
    groups = {f"g{i}": [float(j) for j in range(10)] for i in range(count // 10)}
    return lambda: jax.tree.map(lambda leaf: leaf, groups)


def call_with_leaves(count):
    """Calls a compiled function whose argument has `count` leaves."""
    groups = {f"g{i}": [jnp.float32(j) for j in range(10)] for i in range(count // 10)}
    f = jax.jit(lambda tree: tree["g0"][0] + 1)
    f(groups)
    return lambda: f(groups).block_until_ready()


def _compile(f, *args):
    lowered = jax.jit(f).lower(*args)
    return lowered.compile


def compile_chain(count):
    """Compiles a chain of `count` elementwise operations, whose numbers differ."""

    def f(x):
        for index in range(count // 2):
            x = x * (1 + 1e-4 * index) + 0.5
        return x

    return _compile(f, jnp.ones(1000))


def compile_dots(count):
    """Compiles `count` products, with an operation after each."""

    def f(x):
        for _ in range(count // 2):
            x = jnp.maximum(x @ x, 0.1)
        return x

    return _compile(f, jnp.ones((16, 16)))


def compile_reductions(count):
    """Compiles sums along rows, each used in all elements."""

    def f(x):
        for index in range(count // 3):
            x = x + 0.1 * x.sum(index % 2, keepdims=True)
        return x

    return _compile(f, jnp.ones((30, 30)))


def compile_scalars(count):
    """Compiles a chain of operations on scalars."""

    def f(x):
        for index in range(count // 2):
            x = x * (1 + 1e-4 * index) + 0.5
        return x

    return _compile(f, 1.0)


def compile_calls(count):
    """Compiles calls of functions that call functions, five operations each."""

    def leaf(number):
        return jax.jit(lambda x: jnp.sin(x * number + 1.0) - x[::-1])

    def branch(number):
        leaves = [leaf(number + i) for i in range(10)]

        def call(x):
            for f in leaves:
                x = f(x)
            return x

        return jax.jit(call)

    branches = [branch(number) for number in range(count // 50)]

    def f(x):
        for call in branches:
            x = call(x)
        return x

    return _compile(f, jnp.ones(100))


def compile_newton(count):
    """Compiles Newton's iteration, unrolled, and its gradient."""

    def f(x):
        for _ in range(count // 20):
            x = x - (x - 0.5 * jnp.sin(x) - 1) / (1 - 0.5 * jnp.cos(x))
        return x.sum()

    return _compile(jax.grad(f), jnp.ones(300))


COMPILED = (1_000, 4_000, 20_000)
FAMILIES = {
    "trace and lower, per equation": (trace_equations, (1_000, 3_000, 10_000)),
    "layers in a loop, per layer": (trace_layers, (100, 300, 1_000)),
    "gradient of the layers, per layer": (trace_gradient, (100, 300, 1_000)),
    "tree.map, per leaf": (flatten_leaves, (1_000, 10_000, 100_000)),
    "call of a compiled function, per leaf": (call_with_leaves, (100, 1_000, 10_000)),
    "compile a chain, per operation": (compile_chain, COMPILED),
    "compile products, per operation": (compile_dots, COMPILED),
    "compile reductions, per operation": (compile_reductions, COMPILED),
    "compile scalars, per operation": (compile_scalars, COMPILED),
    "compile calls, per operation": (compile_calls, COMPILED),
    "compile Newton's, per operation": (compile_newton, COMPILED),
}


def fastest(make, size, repeat):
    """The least of `repeat` times in seconds."""
    best = float("inf")
    for _ in range(repeat):
        run = make(size)
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def main():
    """Prints a row per family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(
        f"{'jax ' + jax.__version__:40}{'small':>12}{'middle':>12}{'large':>12}  growth"
    )
    for name, (make, sizes) in FAMILIES.items():
        if options.only not in name:
            continue
        units = [fastest(make, size, options.repeat) / size for size in sizes]
        cells = "".join(f"{1e6 * unit:9.3f} us" for unit in units)
        print(f"{name:40}{cells}  {units[-1] / units[0]:.2f}", flush=True)


if __name__ == "__main__":
    main()
