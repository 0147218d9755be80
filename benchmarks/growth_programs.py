"""Programs that grow in length, width, arguments and constants."""

import growth_kinds as kinds
import numpy as np

import jax
import jax.numpy as jnp
from jax import lax

# Length: operations that follow each other.

_STEPS = (
    jnp.sin,
    jnp.exp,
    jnp.tanh,
    jnp.abs,
    lambda x: x * 0.5,
    lambda x: x + 1.25,
    jnp.cos,
    lambda x: x * x,
    lambda x: jnp.maximum(x, 0.1),
    lambda x: jnp.sqrt(jnp.abs(x) + 1),
    lambda x: 1 / (1 + x * x),
)


@kinds.program(*kinds.LONG)
def elementwise(n):
    """Different elementwise operations in a row, with different numbers."""

    def f(x):
        for i in range(n):
            x = _STEPS[i % len(_STEPS)](x) * np.float32(1 - 1e-4 * i)
        return x

    return f, (kinds.numbers(1000),)


@kinds.program(*kinds.SHORT)
def elementwise_gradient(n):
    """The gradient of elementwise operations in a row."""
    f, args = elementwise(n)
    return kinds.summed_gradient(f), args


@kinds.program(*kinds.LONG)
def scalars(n):
    """Operations on scalars in a row."""

    def f(x):
        for i in range(n):
            x = jnp.sin(x) * np.float32(1 + 1e-4 * i)
        return x

    return f, (jnp.float32(0.5),)


@kinds.program(*kinds.SHORT)
def layers(n):
    """Layers that share a weight, written out."""

    def f(w, x):
        for _ in range(n):
            x = jnp.tanh(x @ w)
        return x

    return f, (kinds.numbers(64, 64) * 0.1, kinds.numbers(8, 64))


@kinds.program(*kinds.SHORT)
def layers_gradient(n):
    """The gradient of layers that share a weight."""
    f, args = layers(n)
    return kinds.summed_gradient(f), args


@kinds.program(*kinds.SHORT)
def weights_gradient(n):
    """The gradient in the weights of layers that each have their own."""

    def f(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return x

    weights = [kinds.numbers(16, 16, seed=i) * 0.1 for i in range(n)]
    return kinds.summed_gradient(f), (weights, kinds.numbers(8, 16))


@kinds.program(*kinds.SHORT)
def remat_layers_gradient(n):
    """The gradient of layers in a row, each under `jax.checkpoint`."""

    def f(w, x):
        for _ in range(n):
            x = jax.checkpoint(lambda x: jnp.tanh(x @ w))(x)
        return x

    return kinds.summed_gradient(f), (kinds.numbers(16, 16) * 0.1, kinds.numbers(8, 16))


@kinds.program(*kinds.SHORT)
def custom_gradients(n):
    """The gradient of functions in a row that have their own rule."""

    @jax.custom_vjp
    def g(x):
        return jnp.sin(x)

    g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct * jnp.cos(x),))

    def f(x):
        for i in range(n):
            x = g(x) * np.float32(1 - 1e-4 * i)
        return x

    return kinds.summed_gradient(f), (kinds.numbers(16),)


@kinds.program(*kinds.FEW)
def loops(n):
    """Loops that follow each other."""

    def f(x):
        for i in range(n):
            scale = np.float32(i)
            x, _ = lax.scan(lambda c, _, s=scale: (jnp.sin(c) * s, None), x, length=3)
        return x

    return f, (kinds.numbers(16),)


@kinds.program(*kinds.FEW)
def conditionals(n):
    """Conditionals that follow each other."""

    def f(x):
        for i in range(n):
            x = lax.cond(x.sum() > i, jnp.sin, lambda x: x - 1, x)
        return x

    return f, (kinds.numbers(16),)


@kinds.program(*kinds.SHORT)
def updates(n):
    """Updates at an index, of what the one before left."""

    def f(x):
        for i in range(n):
            x = x.at[i % 100].set(x[i * 7 % 100] + 1)
        return x

    return f, (kinds.numbers(100),)


@kinds.program(*kinds.SHORT)
def references(n):
    """Reads and writes of one reference."""

    def f(x):
        ref = jax.new_ref(x)
        for i in range(n):
            ref[...] = jnp.sin(ref[...]) * np.float32(i)
        return ref[...]

    return f, (kinds.numbers(16),)


@kinds.program(*kinds.FEW)
def draws(n):
    """Random numbers, each from its own key."""

    def f(key):
        total = 0.0
        for own in jax.random.split(key, n):
            total = total + jax.random.normal(own, (8,))
        return total

    return f, (jax.random.key(0),)


@kinds.program(*kinds.SHORT)
def calls(n):
    """Calls of one compiled function."""
    g = jax.jit(lambda x, y: jnp.tanh(x @ y) + x)

    def f(x, y):
        for _ in range(n):
            x = g(x, y)
        return x

    return f, (kinds.numbers(16, 16), kinds.numbers(16, 16))


@kinds.program(*kinds.SHORT)
def functions(n):
    """Calls of different compiled functions that have one name."""
    made = [jax.jit(lambda x, i=i: jnp.sin(x) * np.float32(i)) for i in range(n)]

    def f(x):
        for g in made:
            x = g(x)
        return x

    return f, (kinds.numbers(16),)


@kinds.program(*kinds.FEW)
def einsums(n):
    """Products of three arrays."""

    def f(x, w):
        for _ in range(n):
            x = jnp.einsum("bij,jk,bkl->bil", x, w, x) * 0.01
        return x

    return f, (kinds.numbers(2, 8, 8), kinds.numbers(8, 8))


@kinds.program(10, 20, 40, 80)
def convolutions_gradient(n):
    """The gradient by the kernel of convolutions in a row."""
    form = ("NHWC", "HWIO", "NHWC")

    def f(w, x):
        for _ in range(n):
            y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=form)
            x = jax.nn.relu(y)
        return x

    return kinds.summed_gradient(f), (
        kinds.numbers(3, 3, 8, 8) * 0.1,
        kinds.numbers(2, 8, 8, 8),
    )


@kinds.program(10, 20, 40, 80)
def solves(n):
    """Systems of equations, each of what the one before gave."""

    def f(x):
        for _ in range(n):
            x = jnp.linalg.solve(x @ x.T + np.eye(8, dtype=np.float32) * 10, x)
        return x

    return f, (kinds.numbers(8, 8),)


@kinds.program(*kinds.FEW)
def sorts(n):
    """Sorts in a row."""

    def f(x):
        for i in range(n):
            x = jnp.sort(x * np.float32((-1) ** i)) + x
        return x

    return f, (kinds.numbers(64),)


@kinds.program(*kinds.FEW)
def gathers_gradient(n):
    """The gradient of gathers in a row."""

    def f(x, i):
        for k in range(n):
            x = x[i] + x * np.float32(k)
        return x

    indices = np.random.default_rng(0).integers(0, 64, 64).astype(np.int32)
    return kinds.summed_gradient(f), (kinds.numbers(64), jnp.asarray(indices))


@kinds.program(*kinds.FEW)
def prefix_sums(n):
    """Cumulative sums in a row."""

    def f(x):
        for _ in range(n):
            x = jnp.cumsum(x * 0.5)
        return x

    return f, (kinds.numbers(64),)


@kinds.program(*kinds.FEW)
def softmaxes(n):
    """Softmaxes in a row."""

    def f(x):
        for i in range(n):
            x = jax.nn.softmax(x * np.float32(i + 1)) + x
        return x

    return f, (kinds.numbers(8, 64),)


@kinds.program(*kinds.FEW)
def attention_gradient(n):
    """The gradient of attention blocks with their own weights."""

    def block(w, x):
        q, k, v = x @ w[0], x @ w[1], x @ w[2]
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) * 0.25)
        x = x + weights @ v
        return x + jax.nn.gelu(x @ w[3]) @ w[4]

    def f(weights, x):
        for w in weights:
            x = block(w, x)
        return x

    weights = [
        [kinds.numbers(16, 16, seed=5 * i + j) * 0.1 for j in range(5)]
        for i in range(n)
    ]
    return kinds.summed_gradient(f), (weights, kinds.numbers(2, 8, 16))


@kinds.program(*kinds.FEW)
def effects(n):
    """Ordered callbacks in a row."""
    shape = jax.ShapeDtypeStruct((4,), np.float32)

    def f(x):
        for _ in range(n):
            x = jax.experimental.io_callback(lambda x: x, shape, x, ordered=True)
        return x

    return f, (kinds.numbers(4),)


@kinds.program(*kinds.FEW)
def newton_gradient(n):
    """The gradient of Newton's iteration, unrolled."""

    def f(x):
        for _ in range(n):
            x = x - (x - 0.5 * jnp.sin(x) - 1) / (1 - 0.5 * jnp.cos(x))
        return x

    return kinds.summed_gradient(f), (jnp.ones(300),)


@kinds.program(*kinds.FEW)
def fourier_transforms(n):
    """Fourier transforms in a row."""

    def f(x):
        for _ in range(n):
            x = jnp.fft.fft(x) + 1
        return x

    return f, (jnp.ones(64, jnp.complex64),)


@kinds.program(*kinds.SHORT)
def scalar_branches(n):
    """Conditionals on scalars in a row."""

    def f(x):
        for i in range(n):
            x = lax.cond(x > i, lambda x: x + 1, lambda x: x - 1, x)
        return x

    return f, (jnp.float32(0.5),)


# Width: operations that have nothing to do with each other.


@kinds.program(*kinds.LONG)
def reductions(n):
    """Small reductions of one array, stacked."""

    def f(x):
        return jnp.stack([(x * np.float32(i + 1)).sum() for i in range(n)])

    return f, (kinds.numbers(100),)


@kinds.program(*kinds.SHORT)
def slices_summed(n):
    """Reductions of slices of one array, added."""

    def f(x):
        total = 0.0
        for i in range(n):
            piece = x[i % 50 : i % 50 + 40]
            total = total + jnp.sin(piece).sum() * np.float32(i)
        return total

    return f, (kinds.numbers(100),)


@kinds.program(*kinds.SHORT)
def products_joined(n):
    """Small products, concatenated."""

    def f(x, w):
        return jnp.concatenate([jnp.tanh(x * np.float32(i)) @ w for i in range(n)])

    return f, (kinds.numbers(4, 16), kinds.numbers(16, 16))


@kinds.program(*kinds.LONG)
def pieces(n):
    """Slices of one array, each changed, concatenated."""

    def f(x):
        parts = [x[4 * i : 4 * i + 4] * np.float32(i) for i in range(n)]
        return jnp.concatenate(parts)

    return f, (kinds.numbers(4 * n),)


@kinds.program(*kinds.SHORT)
def pieces_gradient(n):
    """The gradient of changed slices, concatenated."""
    f, args = pieces(n)
    return kinds.summed_gradient(f), args


@kinds.program(*kinds.LONG)
def shared(n):
    """Many uses of one computed array."""

    def f(x):
        y = jnp.exp(jnp.sin(x))
        return [(y * np.float32(i)).sum() for i in range(n)]

    return f, (kinds.numbers(100),)


@kinds.program(*kinds.SHORT)
def branches(n):
    """One conditional with many branches."""

    def branch(k):
        return lambda x: jnp.sin(x) * np.float32(k)

    def f(i, x):
        return lax.switch(i, [branch(k) for k in range(n)], x)

    return f, (np.int32(1), kinds.numbers(16))


@kinds.program(*kinds.FEW)
def branches_gradient(n):
    """The gradient of one conditional whose branches keep arrays of many shapes."""

    def branch(k):
        return lambda x: jnp.sin(jnp.tile(x, k + 1)).sum()

    def f(i, x):
        return lax.switch(i, [branch(k) for k in range(n)], x)

    return jax.grad(f, 1), (np.int32(1), kinds.numbers(4))


@kinds.program(*kinds.SHORT)
def carries(n):
    """One loop that carries many arrays."""

    def f(xs):
        def step(carry, _):
            return [x * 0.5 + carry[0] for x in carry], None

        return lax.scan(step, xs, length=3)[0]

    return f, ([kinds.numbers(4, seed=i) for i in range(n)],)


@kinds.program(*kinds.SHORT)
def carries_in_turn(n):
    """The gradient of a loop in which each carry depends on its neighbour."""

    def f(xs):
        def step(carry, _):
            return [*carry[1:], jnp.sin(carry[0])], None

        return lax.scan(step, xs, length=3)[0][0]

    return kinds.summed_gradient(f), ([kinds.numbers(4, seed=i) for i in range(n)],)


@kinds.program(*kinds.SHORT)
def scalar_carries(n):
    """One loop that carries many scalars."""

    def f(xs):
        return lax.fori_loop(0, 3, lambda _, xs: [x * 2 for x in xs], xs)

    return f, ([jnp.float32(i) for i in range(n)],)


@kinds.program(*kinds.SHORT)
def invariants(n):
    """One loop that hands many arrays on unchanged."""

    def f(xs):
        step = lambda _, s: (s[0] + s[1][0], s[1])  # noqa: E731
        return lax.fori_loop(0, 3, step, (xs[0], xs))

    return f, ([kinds.numbers(16, seed=i) for i in range(n)],)


@kinds.program(*kinds.SHORT)
def reduction_body(n):
    """One reduction by a long function of scalars."""

    def body(x, y):
        for i in range(n):
            x = x * np.float32(1 + 1e-4 * i) + y
        return x

    return lambda x: lax.reduce(x, np.float32(0), body, (0,)), (kinds.numbers(16),)


@kinds.program(*kinds.SHORT)
def loop_body(n):
    """One loop with a long body."""
    g, args = elementwise(n)
    return lambda x: lax.scan(lambda c, _: (g(c), None), x, length=3)[0], args


@kinds.program(*kinds.SHORT)
def unrolled(n):
    """One loop, unrolled."""

    def f(x):
        step = lambda c, _: (jnp.sin(c) + 0.1, c)  # noqa: E731
        return lax.scan(step, x, length=n, unroll=True)

    return f, (kinds.numbers(16),)


@kinds.program(*kinds.SHORT)
def jacobian(n):
    """The Jacobian of many scalars, stacked."""

    def f(x):
        parts = [jnp.sin(x[i % 8]) * x[(i + 1) % 8] for i in range(n)]
        return jnp.stack(parts)

    return jax.jacrev(f), (kinds.numbers(8),)


@kinds.program(8, 16, 32, 64)
def mapped_results(n):
    """A reduction of many arrays at once."""

    def add(xs, ys):
        return [x + y for x, y in zip(xs, ys, strict=True)]

    def f(xs):
        return lax.reduce(xs, [np.float32(0)] * n, add, (0,))

    return f, ([kinds.numbers(16, seed=i) for i in range(n)],)


# Arguments and results.


@kinds.program(*kinds.SHORT)
def arguments(n):
    """Many leaves in, one array out."""
    tree = {str(i): kinds.numbers(4, seed=i) for i in range(n)}
    return lambda tree: sum(tree[str(i)].sum() for i in range(n)), (tree,)


@kinds.program(*kinds.SHORT)
def leaves(n):
    """Many leaves in and out."""
    tree = {str(i): kinds.numbers(4, seed=i) for i in range(n)}
    return lambda tree: jax.tree.map(lambda x: x * 2 + 1, tree), (tree,)


@kinds.program(*kinds.SHORT)
def results(n):
    """One array in, many out."""
    return lambda x: [x + np.float32(i) for i in range(n)], (kinds.numbers(4),)


@kinds.program(*kinds.SHORT)
def shapes(n):
    """Many leaves of different shapes."""
    tree = [jnp.ones(i + 1) for i in range(n)]
    return lambda tree: jax.tree.map(lambda x: x * 2 + 1, tree), (tree,)


@kinds.program(*kinds.SHORT)
def optimizer(n):
    """A step of Adam over many parameters."""

    def f(p, m, v, g):
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        step = lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 1e-8)  # noqa: E731
        return jax.tree.map(step, p, m, v), m, v

    arrays = [kinds.numbers(8, 8, seed=i) for i in range(n)]
    return f, (arrays, arrays, arrays, arrays)


@kinds.program(*kinds.DEEP)
def deep_tree(n):
    """An argument that is a pair in a pair."""
    tree = kinds.nest(n, lambda inner, _: (inner, kinds.numbers(1)), kinds.numbers(4))
    return lambda tree: jax.tree.map(lambda x: x + 1, tree), (tree,)


@kinds.program(4, 8, 16, 32)
def rank(n):
    """One array of many dimensions."""
    shape = (2,) * min(n, 3) + (1,) * max(n - 3, 0)

    def f(x):
        return jnp.sin(x).transpose(tuple(reversed(range(n)))).sum(0) + 1

    return f, (jnp.ones(shape),)


# Constants.


@kinds.program(*kinds.SIZES)
def constant(n):
    """One captured array."""
    c = np.asarray(kinds.numbers(n))
    return lambda x: x + c, (kinds.numbers(n),)


@kinds.program(*kinds.SIZES)
def constant_work(n):
    """Work on a captured array that a compiler may do."""
    c = np.asarray(kinds.numbers(n))
    return lambda x: x + jnp.cumsum(jnp.sin(c)).sum(), (kinds.numbers(4),)


@kinds.program(*kinds.SHORT)
def constants(n):
    """Many small captured arrays."""
    arrays = [np.asarray(kinds.numbers(64, seed=i)) for i in range(n)]

    def f(x):
        for c in arrays:
            x = x * c
        return x

    return f, (kinds.numbers(64),)
