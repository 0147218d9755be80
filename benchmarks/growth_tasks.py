"""Tasks: calls, trees, many shapes and functions, exports."""

import functools

import growth_kinds as kinds
import growth_nests
import growth_programs
import numpy as np

import jax
import jax.numpy as jnp
from jax.experimental import checkify

# Tasks.


def _leaves(n):
    return {f"g{i}": [np.float32(j) for j in range(10)] for i in range(n // 10)}


@kinds.task(*kinds.SIZES[:3])
def map_tree(n):
    """Takes a tree apart and puts it together."""
    tree = _leaves(n)
    return lambda: jax.tree.map(lambda leaf: leaf, tree)


@kinds.task(*kinds.SIZES[:3])
def paths(n):
    """Takes a tree apart with the paths of its leaves, and writes them."""
    tree = _leaves(n)

    def run():
        pairs, _ = jax.tree_util.tree_flatten_with_path(tree)
        return [jax.tree_util.keystr(path) for path, _ in pairs]

    return run


@kinds.task(*kinds.SIZES[:3])
def structures(n):
    """Compares, hashes and prints the structure of a tree."""
    one, other = jax.tree.structure(_leaves(n)), jax.tree.structure(_leaves(n))
    return lambda: (one == other, hash(one), str(one), jax.tree.transpose)


@kinds.task(100, 200, 400, 800)
def transposed_tree(n):
    """Exchanges the outer and the inner structure of a tree."""
    inner = {"a": 0, "b": 1}
    tree = [inner] * n
    outer, own = jax.tree.structure([0] * n), jax.tree.structure(inner)
    return lambda: jax.tree.transpose(outer, own, tree)


@kinds.task(250, 500, 1000, 2000)
def calls_with_leaves(n):
    """Calls a compiled function whose argument has many leaves."""
    tree = {str(i): jnp.float32(i) for i in range(n)}
    f = jax.jit(lambda tree: tree["0"] + 1)
    f(tree)
    return lambda: [f(tree) for _ in range(50)]


@kinds.task(50, 100, 200)
def new_functions(n):
    """Compiles different tiny functions."""
    x = jnp.float32(1)
    return lambda: [jax.jit(lambda x, i=i: x + i)(x) for i in range(n)]


@kinds.task(50, 100, 200)
def new_shapes(n):
    """Calls one compiled function with different shapes."""
    f, arrays = jax.jit(lambda x: x + 1), [np.ones(i + 1) for i in range(n)]
    return lambda: [f(x) for x in arrays]


@kinds.task(250, 500, 1000)
def known_shapes(n):
    """Traces one function for many shapes, and then asks for each again."""
    f = jax.jit(lambda x: x + 1)
    types = [jax.ShapeDtypeStruct((i + 1,), np.float32) for i in range(n)]

    def run():
        for _ in range(3):
            for x in types:
                jax.eval_shape(f, x)

    return run


@kinds.task(50, 100, 200)
def static_values(n):
    """Calls one compiled function with different static arguments."""
    f = jax.jit(lambda x, i: x + i, static_argnums=1)
    return lambda: [f(1.0, i) for i in range(n)]


@kinds.task(250, 500, 1000)
def eager_shapes(n):
    """Adds numbers to arrays of different shapes, without `jax.jit`."""
    arrays = [jnp.asarray(np.ones(1 + i % 50, np.float32)) for i in range(n)]
    return lambda: [x + 1 for x in arrays]


@kinds.task(100, 200, 400, 800)
def eager_concatenation(n):
    """Concatenates and stacks many arrays, without `jax.jit`."""
    arrays = [jnp.ones(4)] * n
    return lambda: (jnp.concatenate(arrays), jnp.stack(arrays))


@kinds.task(*kinds.SIZES[:3])
def from_lists(n):
    """Makes an array of nested lists."""
    values = [[float(j) for j in range(10)] for _ in range(n // 10)]
    return lambda: jnp.array(values)


@kinds.task(1000, 2000, 4000)
def from_scalars(n):
    """Makes an array of a list of arrays."""
    values = [jnp.float32(i) for i in range(n)]
    return lambda: jnp.array(values)


@kinds.task(1000, 2000, 4000)
def to_device(n):
    """Puts many leaves onto a device and fetches them."""
    tree = [np.ones(4, np.float32) for _ in range(n)]
    return lambda: jax.device_get(jax.block_until_ready(jax.device_put(tree)))


@kinds.task(1000, 2000, 4000)
def iterated(n):
    """Goes along an array, row by row."""
    x = jnp.ones((n, 4))
    return lambda: [row for row in x]


@kinds.task(25, 50, 100)
def argument_numbers(n):
    """Differentiates in each of many positional arguments."""
    f = jax.grad(lambda *xs: sum(jnp.sin(x) for x in xs), argnums=tuple(range(n)))
    values = [1.0] * n
    return lambda: jax.make_jaxpr(f)(*values)


@kinds.task(50, 100, 200, 400)
def frames(n):
    """Traces a hundred operations from a deep stack of Python frames."""

    def deep(x, depth):
        if depth:
            return deep(x, depth - 1)
        for _ in range(100):
            x = jnp.sin(x)
        return x

    return lambda: jax.jit(lambda x: deep(x, n)).lower(1.0)


@kinds.task(*kinds.SHORT)
def exported(n):
    """Exports a program, writes it, reads it and calls it."""
    f, args = growth_programs.elementwise(n)
    lowered = jax.export.export(jax.jit(f))

    def run():
        data = lowered(*args).serialize()
        return jax.jit(jax.export.deserialize(data).call).lower(*args)

    return run


@kinds.task(*kinds.SHORT)
def symbolic(n):
    """Traces a program over a symbolic shape."""
    f, _ = growth_programs.elementwise(n)
    (b,) = jax.export.symbolic_shape("b")
    x = jax.ShapeDtypeStruct((b,), np.float32)
    return lambda: jax.export.export(jax.jit(f))(x)


@kinds.task(5, 10, 20)
def symbols(n):
    """Traces a program over many symbolic sizes."""
    text = ", ".join(f"a{i}" for i in range(n))

    def run():
        sizes = jax.export.symbolic_shape(text)
        xs = [jax.ShapeDtypeStruct((size,), np.float32) for size in sizes]
        f = jax.jit(lambda xs: jnp.concatenate(xs) * 2)
        return jax.export.export(f)(xs)

    return run


@kinds.task(*kinds.SHORT)
def checked(n):
    """Adds checks to a program."""
    f, args = growth_programs.elementwise(n)
    g = checkify.checkify(f, errors=checkify.float_checks)
    return lambda: jax.jit(g).lower(*args)


@kinds.task(*kinds.DEEP)
def checked_types(n):
    """Traces loops within each other while every program is checked."""
    f = kinds.nest(n, growth_nests.scan_wrap, kinds.sine)

    def run():
        with jax.enable_checks(True):
            return jax.make_jaxpr(f)(kinds.numbers(4))

    return run


@kinds.task(*kinds.DEEP)
def printed(n):
    """Prints a program of loops within each other."""
    made = jax.make_jaxpr(kinds.nest(n, growth_nests.scan_wrap, kinds.sine))(
        kinds.numbers(4)
    )
    return lambda: str(made)


@kinds.task(1000, 2000, 4000)
def mapped_arguments(n):
    """Maps over one of many arguments."""
    f = jax.vmap(lambda xs: xs[0] + 1, in_axes=([0, *[None] * (n - 1)],))
    values = [jnp.ones(3)] * n
    return lambda: jax.make_jaxpr(f)(values)


@kinds.task(*kinds.DEEP)
def partials(n):
    """Calls partial functions of partial functions."""
    f = kinds.nest(
        n, lambda f, i: functools.partial(f, **{f"k{i}": i}), lambda x, **k: x + 1
    )
    return lambda: [jax.jit(f)(1.0) for _ in range(20)]
