"""Programs over a mesh of 4 times 2 devices whose artifacts upstream wrote.

Each takes `jax` and a mesh, and gives a jitted function and its arguments' types.
"""

import numpy as np


def _types(jax, *shapes, **shardings):
    return tuple(
        jax.ShapeDtypeStruct(shape, "float32", sharding=shardings.get(f"x{number}"))
        for number, shape in enumerate(shapes)
    )


def all_cases(jax, mesh, explicit):
    """The cases by their names; `explicit` is the mesh with Explicit axes."""
    jnp, spec = jax.numpy, jax.sharding.PartitionSpec

    def on(*entries, over=mesh):
        return jax.sharding.NamedSharding(over, spec(*entries))

    def product(x, w):
        return jnp.sin(x) @ w, x.sum()

    def rows(x):
        return jax.lax.psum(x, "x")

    options = {
        "in_shardings": (on("x"), on(None, "y")),
        "out_shardings": (on("x", "y"), on()),
    }
    shapes = (8, 4), (4, 6)
    symbols = jax.export.symbolic_args_specs(_types(jax, (8,)), "4*b")
    return {
        "both": (jax.jit(product, **options), _types(jax, *shapes)),
        "arguments": (jax.jit(product), _types(jax, *shapes, x0=on("x"))),
        "inside": (
            jax.jit(lambda x: jax.lax.with_sharding_constraint(x * 2, on("x"))),
            _types(jax, (8,)),
        ),
        "parts": (
            jax.jit(
                jax.shard_map(rows, mesh=mesh, in_specs=spec("x"), out_specs=spec())
            ),
            _types(jax, (8,)),
        ),
        "unused": (
            jax.jit(lambda x, y: y * 2, in_shardings=(on("x"), on("y"))),
            _types(jax, (8,), (8,)),
        ),
        "symbols": (jax.jit(lambda x: x * 2, in_shardings=on("x")), symbols),
        "explicit": (
            jax.jit(jnp.sin),
            _types(jax, (8, 4), x0=on("x", "y", over=explicit)),
        ),
    }


def arrays(avals):
    """Arguments of these types; unknown sizes are 8."""
    shapes = [[n if isinstance(n, int) else 8 for n in aval.shape] for aval in avals]
    return [
        np.linspace(-1, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)
        for shape in shapes
    ]
