"""Are front end and compiler linear? Times programs of growing size, on any Python's `jax`.

    python benchmarks/slopes.py [--repeat N] [--only TEXT]

For each family it prints the processor time per unit (equation, layer, leaf) at three sizes, and the
growth: the time per unit at the largest size over that at the smallest. Linear is 1.
"""

import argparse
import time

import jax
import jax.numpy as jnp
from jax import lax


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


def compile_loops(count):
    """Compiles loops in a row, four operations each."""

    def f(x):
        for _ in range(count // 4):
            x = lax.fori_loop(0, 3, lambda _, x: jnp.sin(x), x)
        return x

    return _compile(f, jnp.ones(16))


def compile_nested_loops(count):
    """Compiles loops in loops, 50 deep."""

    def nested(x, depth):
        if depth == 0:
            return x + 1
        return lax.fori_loop(0, 1, lambda _, x: nested(x, depth - 1), x)

    def f(x):
        for _ in range(count // 200):
            x = nested(x, 50)
        return x

    return _compile(f, jnp.ones(16))


def compile_loop_body(count):
    """Compiles one loop with a long body of scalars."""

    def body(_, x):
        for index in range(count // 2):
            x = x * (1 + 1e-4 * index) + 0.5
        return x

    return _compile(lambda x: lax.fori_loop(0, 3, body, x), 1.0)


def compile_carries(count, shape=(16,)):
    """Compiles one loop with many carries, an operation each."""
    carries = [jnp.ones(shape)] * (count // 2)
    return _compile(
        lambda xs: lax.fori_loop(0, 3, lambda _, xs: [x * 2 for x in xs], xs), carries
    )


def compile_scalar_carries(count):
    """The same with scalars."""
    return compile_carries(count, ())


def compile_branches(count):
    """Compiles branches in a row on one predicate, two operations each."""

    def f(p, x):
        for _ in range(count // 3):
            x = lax.cond(p, jnp.sin, jnp.cos, x)
        return x

    return _compile(f, True, jnp.ones(16))


def compile_scalar_branches(count):
    """Compiles branches whose predicates and results are scalars."""

    def f(x):
        for index in range(count // 4):
            x = lax.cond(x > index, lambda x: x + 1, lambda x: x - 1, x)
        return x

    return _compile(f, 1.0)


def compile_arguments(count):
    """Compiles as many results as arguments, an operation each."""
    return _compile(lambda xs: [x + 1 for x in xs], [jnp.ones(16)] * count)


def compile_scalar_arguments(count):
    """The same with scalars."""
    return _compile(lambda xs: [jnp.sin(x) for x in xs], [1.0] * count)


def compile_concatenation(count):
    """Compiles one concatenation of many computed pieces."""
    return _compile(
        lambda x: jnp.concatenate([x * i for i in range(count // 2)]), jnp.ones(16)
    )


def compile_updates(count):
    """Compiles updates of one array, each of what the one before left."""

    def f(x):
        for index in range(count // 2):
            x = lax.dynamic_update_slice(x, x[:1] + 1, (index % 1000,))
        return x

    return _compile(f, jnp.ones(1000))


def compile_sorts(count):
    """Compiles sorts, with an operation after each."""

    def f(x):
        for _ in range(count // 2):
            x = jnp.sort(x) + 1
        return x

    return _compile(f, jnp.ones(100))


def compile_transforms(count):
    """Compiles Fourier transforms, with an operation after each."""

    def f(x):
        for _ in range(count // 2):
            x = jnp.fft.fft(x) + 1
        return x

    return _compile(f, jnp.ones(64, jnp.complex64))


def compile_invariants(count):
    """Compiles one loop that reads one of many carries and changes none of these."""

    def body(_, state):
        x, others = state
        return x + others[0], others

    arrays = [jnp.ones(16)] * count
    return _compile(lambda xs: lax.fori_loop(0, 3, body, (xs[0], xs)), arrays)


def compile_wide_reduction(count):
    """Compiles one reduction of many arrays."""
    arrays, zeros = [jnp.ones(16)] * count, [jnp.float32(0)] * count

    def add(xs, ys):
        return [x + y for x, y in zip(xs, ys, strict=True)]

    return _compile(lambda xs: lax.reduce(xs, zeros, add, (0,)), arrays)


def compile_reduction_body(count):
    """Compiles one reduction by a long body of scalars."""

    def body(x, y):
        for index in range(count // 2):
            x = x * (1 + 1e-4 * index) + y
        return x

    return _compile(lambda x: lax.reduce(x, jnp.float32(0), body, (0,)), jnp.ones(16))


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
    "compile loops, per operation": (compile_loops, COMPILED),
    "compile nested loops, per operation": (compile_nested_loops, COMPILED),
    "compile a loop's body, per operation": (compile_loop_body, COMPILED),
    "compile carries, per operation": (compile_carries, COMPILED),
    "compile scalar carries, per operation": (compile_scalar_carries, COMPILED),
    "compile branches, per operation": (compile_branches, COMPILED),
    "compile scalar branches, per operation": (compile_scalar_branches, COMPILED),
    "compile arguments, per operation": (compile_arguments, COMPILED),
    "compile scalar arguments, per operation": (compile_scalar_arguments, COMPILED),
    "compile a concatenation, per operation": (compile_concatenation, COMPILED),
    "compile updates, per operation": (compile_updates, COMPILED),
    "compile sorts, per operation": (compile_sorts, COMPILED),
    "compile transforms, per operation": (compile_transforms, COMPILED),
    "compile invariants, per carry": (compile_invariants, COMPILED),
    "compile a wide reduction, per array": (compile_wide_reduction, COMPILED),
    "compile a reduction's body, per operation": (compile_reduction_body, COMPILED),
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
